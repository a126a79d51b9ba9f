# shellcheck shell=bash
# Images: built from ordinary Dockerfiles by buildah, then imported once into a containerd directory that
# every new cluster gets a copy of (hard links), so that starting one imports nothing.

IMAGE_KEY=$(cd "$TOP" && find deploy/images/slurm tools/cluster.d/pause.c tools/cluster.d/images.sh -type f -print0 | sort -z |
  xargs -0 sha256sum | sha256sum | cut -c1-12)
IMAGES=$CACHE/images-$IMAGE_KEY      # the containerd directory with everything imported
BASE_TAR=$CACHE/base-trixie.tar
BASE_IMAGE=localhost/base:trixie
SLURM_IMAGE=localhost/slurm:24.11
# shellcheck disable=SC2034  # for node.sh
PAUSE_IMAGE=localhost/pause:1

# buildah with a store of its own. It wants to raise limits, which a container on CI may not: name today's.
buildah_setup() {
  local d=$CACHE/buildah
  mkdir -p "$d"
  printf '[containers]\ndefault_ulimits = ["nofile=%s:%s", "nproc=%s:%s"]\n' \
    "$(ulimit -Sn)" "$(ulimit -Hn)" "$(ulimit -Su)" "$(ulimit -Hu)" | sed 's/unlimited/-1/g' >"$d/containers.conf"
  printf '[storage]\ndriver = "overlay"\ngraphroot = "%s"\nrunroot = "/run/buildah"\n' "$d/store" >"$d/storage.conf"
  printf '{"default":[{"type":"insecureAcceptAnything"}]}\n' >"$d/policy.json"
  export CONTAINERS_CONF=$d/containers.conf CONTAINERS_STORAGE_CONF=$d/storage.conf BUILDAH_ISOLATION=chroot
  exec 8>"$d/lock"
  flock 8      # two builds at a time would only fight over two cores
}

need_base_image() {
  local c
  buildah inspect --type image "$BASE_IMAGE" >/dev/null 2>&1 && return 0
  c=$(buildah from scratch)
  buildah add -q "$c" "$BASE_TAR" / >/dev/null
  buildah config --env PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin --cmd /bin/bash "$c"
  buildah commit -q --rm "$c" "$BASE_IMAGE" >/dev/null
}

# Inside the toolbox: one image as an OCI archive. Extra arguments go to buildah.
build_archive() { # IMAGE DOCKERFILE CONTEXT ARCHIVE [ARG...]
  local image=$1 file=$2 context=$3 archive=$4
  shift 4
  buildah bud -q --layers --signature-policy "$CACHE/buildah/policy.json" --pull=never \
    --build-arg "BASE=$BASE_IMAGE" -t "$image" -f "$file" "$@" "$context" >/dev/null
  rm -f "$archive.part"
  buildah push -q --signature-policy "$CACHE/buildah/policy.json" "$image" "oci-archive:$archive.part:$image"
  mv "$archive.part" "$archive"
}

build_pause() { # ARCHIVE
  local d
  d=$(mktemp -d)
  gcc -static -Os -s -o "$d/pause" "$TOP/tools/cluster.d/pause.c"
  printf 'FROM scratch\nCOPY pause /pause\nENTRYPOINT ["/pause"]\n' >"$d/Dockerfile"
  build_archive "$PAUSE_IMAGE" "$d/Dockerfile" "$d" "$1"
  rm -rf "$d"
}

# Inside the toolbox: build both images and import them with a containerd that runs for this only.
make_images() {
  local part=$IMAGES.part sock=/run/import/containerd.sock pid archive
  buildah_setup
  rm -rf "$part"
  mkdir -p "$part" "$CACHE/oci" /run/import
  say "importing the base"
  need_base_image
  say "building $SLURM_IMAGE"
  build_archive "$SLURM_IMAGE" "$TOP/deploy/images/slurm/Dockerfile" "$TOP/deploy/images/slurm" "$CACHE/oci/slurm.tar"
  build_pause "$CACHE/oci/pause.tar"
  say "importing the images"
  printf 'version = 2\nroot = "%s"\nstate = "/run/import/state"\ndisabled_plugins = ["io.containerd.grpc.v1.cri"]\n[grpc]\naddress = "%s"\n' \
    "$part" "$sock" >/run/import/config.toml
  containerd -c /run/import/config.toml >"$CACHE/import.log" 2>&1 8>&- &
  pid=$!
  poll 20 "containerd (its log is $CACHE/import.log)" ctr -a "$sock" version
  for archive in pause slurm; do
    ctr -a "$sock" -n k8s.io image import "$CACHE/oci/$archive.tar" >/dev/null
  done
  kill "$pid"
  wait "$pid" || true
  find "$CACHE" -maxdepth 1 -name 'images-*' ! -path "$part" -exec rm -rf --one-file-system {} +
  mv "$part" "$IMAGES"
}

need_images() {
  [ -d "$IMAGES" ] && return 0
  say "building the images (once; about a minute)"
  [ -s "$BASE_TAR" ] || "$TOP/tools/toolbox" base "$BASE_TAR"
  "$TOP/tools/toolbox" run bash "$SELF" .make-images || die "the images could not be built; the messages are above"
}

# A containerd directory for a new cluster. Layers are never changed in place, so links are safe; databases are copied.
copy_images() { # TO
  local db
  cp -al "$IMAGES" "$1" 2>/dev/null || { rm -rf "$1"; cp -a "$IMAGES" "$1"; }
  while IFS= read -r db; do
    cp -a "$db" "$db.copy"
    mv "$db.copy" "$db"
  done < <(find "$1" -maxdepth 2 -name '*.db')
}

# One more image into a cluster that runs: a directory of deploy/images, or an OCI archive.
load_image() { # NAME|FILE [IMAGE]
  local name=$1 archive version image
  version=$(sed -n "s/^  version: '\(.*\)',$/\1/p" "$TOP/meson.build")
  image=${2:-localhost/$1:$version}
  mkdir -p "$CACHE/oci"
  if [ -f "$name" ]; then
    archive=$(readlink -f "$name")
    [[ $archive == "$CACHE"/* || $archive == "$TOP"/* ]] || { cp "$archive" "$CACHE/oci/given.tar"; archive=$CACHE/oci/given.tar; }
  else
    [ -f "$TOP/deploy/images/$name/Dockerfile" ] || die "there is no deploy/images/$name/Dockerfile and no file $name"
    [ -s "$BASE_TAR" ] || "$TOP/tools/toolbox" base "$BASE_TAR"
    archive=$CACHE/oci/$name.tar
    "$TOP/tools/toolbox" run bash "$SELF" .build-image "$name" "$image" "$archive" || die "image $name could not be built; the messages are above"
    say "built $image"
  fi
  join ctr -n k8s.io image import "$archive" >/dev/null
  say "imported $name into the cluster"
}

# Inside the toolbox. A Dockerfile that has a stage "prebuilt" takes the programs built in this checkout.
build_image() { # NAME IMAGE ARCHIVE
  local file=$TOP/deploy/images/$1/Dockerfile context=$TOP/deploy/images/$1
  local -a more=()
  mkdir -p "$CACHE/oci"
  if grep -qi '^FROM .* AS prebuilt' "$file"; then
    [ -x "$TOP/build/slurm-operator" ] || die "build/slurm-operator is missing, which goes into the image; run make first"
    context=$TOP
    more=(--target prebuilt)
  fi
  buildah_setup
  need_base_image
  build_archive "$2" "$file" "$context" "$3" "${more[@]}"
}
