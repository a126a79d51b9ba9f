# shellcheck shell=bash
# Images: built from ordinary Dockerfiles by buildah, then imported once into a containerd directory that
# every new cluster gets a copy of (hard links), so that starting one imports nothing.

# shellcheck disable=SC2034  # for node.sh
PAUSE_IMAGE=localhost/pause:1
# NAME, its directory in deploy/images, the target of its Dockerfile ("-": the last one)
IMAGES_TABLE='
slurmctld slurm slurmctld
slurmdbd slurm slurmdbd
slurmrestd slurm slurmrestd
slurmd slurm slurmd
sackd slurm sackd
login slurm login
mariadb mariadb -
slurm-operator slurm-operator prebuilt
'
# What every cluster has from its beginning, for its pods and its stories.
CLUSTER_IMAGES=(slurmctld slurmdbd slurmrestd slurmd sackd login mariadb)

# SUITE=sid: the images of Slurm that Debian sid has.
SUITE=${SUITE:-trixie}
declare -A SLURM_VERSION=([trixie]=24.11 [sid]=26.05) MARIADB_VERSION=([trixie]=11.8 [sid]=11.8)
base_tar() { printf '%s/base-%s.tar' "$CACHE" "$SUITE"; }
base_image() { printf 'localhost/base:%s' "$SUITE"; }

image_row() { # NAME: its directory and its target
  awk -v n="$1" '$1 == n { print $2, $3; found = 1 } END { exit !found }' <<<"$IMAGES_TABLE"
}
image_ref() { # NAME
  local row
  row=$(image_row "$1") || die "there is no image $1; there are: $(awk '{ print $1 }' <<<"$IMAGES_TABLE" | xargs)"
  case ${row% *} in
    slurm)   printf 'localhost/%s:%s' "$1" "${SLURM_VERSION[$SUITE]}" ;;
    mariadb) printf 'localhost/%s:%s' "$1" "${MARIADB_VERSION[$SUITE]}" ;;
    *)       printf 'localhost/%s:%s' "$1" "$(sed -n "s/^  version: '\(.*\)',$/\1/p" "$TOP/meson.build")" ;;
  esac
}

# What an image is made of, as a key: another content is another key.
content_key() { # DIR...
  (cd "$TOP" && find "$@" -type f -print0 | sort -z | xargs -0 sha256sum | sha256sum | cut -c1-12)
}
IMAGES=$CACHE/images-$(content_key deploy/images/slurm deploy/images/mariadb tools/cluster.d/pause.c tools/cluster.d/images.sh)

# ---------------------------------------------------------------- inside the toolbox

# buildah with a store of its own. It wants to raise limits, which a container on CI may not: name today's.
buildah_setup() {
  local d=$CACHE/buildah
  take_turn 8 "$d/lock" "images"   # two at a time would only fight over two cores
  printf '[containers]\ndefault_ulimits = ["nofile=%s:%s", "nproc=%s:%s"]\n' \
    "$(ulimit -Sn)" "$(ulimit -Hn)" "$(ulimit -Su)" "$(ulimit -Hu)" | sed 's/unlimited/-1/g' >"$d/containers.conf"
  printf '[storage]\ndriver = "overlay"\ngraphroot = "%s"\nrunroot = "/run/buildah"\n' "$d/store" >"$d/storage.conf"
  printf '{"default":[{"type":"insecureAcceptAnything"}]}\n' >"$d/policy.json"
  export CONTAINERS_CONF=$d/containers.conf CONTAINERS_STORAGE_CONF=$d/storage.conf BUILDAH_ISOLATION=chroot
}

need_base_image() {
  local c
  buildah inspect --type image "$(base_image)" >/dev/null 2>&1 && return 0
  c=$(buildah from scratch)
  buildah add -q "$c" "$(base_tar)" / >/dev/null
  buildah config --env PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin --cmd /bin/bash "$c"
  buildah commit -q --rm "$c" "$(base_image)" >/dev/null
}

# What buildah is at, by its log.
step_of_buildah() { awk -v image="$image" '/^(STEP|Get:|Unpacking|Setting up|COMMIT)/ { last = $0 } END { print "building " image ": " last }'; }

# A Dockerfile whose target is "prebuilt" takes the programs built in this checkout.
build_image() { # NAME
  local dir target context image
  image=$(image_ref "$1")
  read -r dir target <<<"$(image_row "$1")"
  context=$TOP/deploy/images/$dir
  if [ "$target" = prebuilt ]; then
    [ -x "$TOP/build/slurm-operator" ] || die "build/slurm-operator is missing, which goes into the image; run make first"
    context=$TOP
  fi
  [ "$target" != - ] || target=
  watched "$CACHE/buildah/log" step_of_buildah buildah bud --layers --signature-policy "$CACHE/buildah/policy.json" --pull=never \
    --build-arg "BASE=$(base_image)" -t "$image" -f "$TOP/deploy/images/$dir/Dockerfile" ${target:+--target "$target"} "$context"
}

build_pause() {
  local d
  d=$(mktemp -d)
  gcc -static -Os -s -o "$d/pause" "$TOP/tools/cluster.d/pause.c"
  printf 'FROM scratch\nCOPY pause /pause\nENTRYPOINT ["/pause"]\n' >"$d/Dockerfile"
  buildah bud -q --layers --signature-policy "$CACHE/buildah/policy.json" --pull=never -t "$PAUSE_IMAGE" "$d" >/dev/null
  rm -rf "$d"
}

# Images as one directory in the form of OCI: what they share is there once.
push_images() { # DIR REF...
  local dir=$1 ref
  shift
  for ref in "$@"; do
    buildah push -q --signature-policy "$CACHE/buildah/policy.json" "$ref" "oci:$dir:$ref"
  done
}

# All images of a cluster, imported by a containerd that runs for this only.
make_images() {
  local part=$IMAGES.part sock=/run/import/containerd.sock layout name pid n=0
  local -a refs=("$PAUSE_IMAGE")
  buildah_setup
  [ ! -d "$IMAGES" ] || return 0   # another checkout has made them while this one waited
  rm -rf "$part"
  mkdir -p "$part" /run/import
  need_base_image
  build_pause
  for name in "${CLUSTER_IMAGES[@]}"; do
    n=$((n + 1))
    say "building $(image_ref "$name") ($n of ${#CLUSTER_IMAGES[@]})"
    build_image "$name"
    refs+=("$(image_ref "$name")")
  done
  say "importing the images"
  layout=$(mktemp -d -p "$CACHE")
  push_images "$layout" "${refs[@]}"
  printf 'version = 2\nroot = "%s"\nstate = "/run/import/state"\ndisabled_plugins = ["io.containerd.grpc.v1.cri"]\n[grpc]\naddress = "%s"\n' \
    "$part" "$sock" >/run/import/config.toml
  containerd -c /run/import/config.toml >"$CACHE/import.log" 2>&1 8>&- &
  pid=$!
  poll 20 "containerd (its log is $CACHE/import.log)" ctr -a "$sock" version
  tar -C "$layout" -cf - . | ctr -a "$sock" -n k8s.io image import - >/dev/null
  kill "$pid"
  wait "$pid" || true
  rm -rf "$layout"
  mv "$part" "$IMAGES"
  # other checkouts have images of their own: those of the last days stay
  find "$CACHE" -maxdepth 1 -name 'images-*' -mtime +3 -exec rm -rf --one-file-system {} +
}

# One image as an OCI archive.
make_archive() { # NAME ARCHIVE
  buildah_setup
  need_base_image
  build_image "$1"
  buildah push -q --signature-policy "$CACHE/buildah/policy.json" "$(image_ref "$1")" "oci-archive:$2.part:$(image_ref "$1")"
  mv "$2.part" "$2"
}

# ---------------------------------------------------------------- outside

need_base() { [ -s "$(base_tar)" ] || "$TOP/tools/toolbox" base "$(base_tar)" "$SUITE"; }

need_images() {
  if [ -d "$IMAGES" ]; then touch "$IMAGES"; return 0; fi
  say "building the images (once; about two minutes)"
  need_base
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

import_archive() { # FILE WHAT
  join ctr -n k8s.io image import "$1" >/dev/null
  say "imported $2 into the cluster"
}

# An archive of somebody's. It must be where a command in the cluster sees it.
load_file() { # FILE
  local archive copy=
  archive=$(readlink -f "$1")
  mkdir -p "$CACHE/oci"
  [[ $archive == "$CACHE"/* || $archive == "$TOP"/* ]] || { copy=$(mktemp -p "$CACHE/oci" given-XXXXXX.tar); cp "$archive" "$copy"; }
  import_archive "${copy:-$archive}" "$1"
  [ -z "$copy" ] || rm "$copy"
}

# One more image, or a newer one, into a cluster that runs. The archive is kept by its content, and what the cluster has is not brought again.
load_image() { # NAME|FILE
  local name=$1 ref row key archive
  if [ -f "$name" ]; then load_file "$name"; return; fi
  ref=$(image_ref "$name")
  row=$(image_row "$name")
  # shellcheck disable=SC2046  # the program is one more thing that such an image is made of
  key=$(content_key "deploy/images/${row% *}" $([ "${row#* }" != prebuilt ] || ls "$TOP/build/slurm-operator"))
  archive=$CACHE/oci/$name-$SUITE-$key.tar
  if [ ! -s "$archive" ]; then
    mkdir -p "$CACHE/oci"
    need_base
    find "$CACHE/oci" -name '*.tar*' -mtime +3 -delete
    "$TOP/tools/toolbox" run env SUITE="$SUITE" bash "$SELF" .make-archive "$name" "$archive" || die "image $name could not be built; the messages are above"
    say "built $ref"
  fi
  touch "$archive"
  mkdir -p "$STATE/images"
  if [ "$(cat "$STATE/images/${ref//\//_}" 2>/dev/null)" = "$key" ]; then say "the cluster has $ref"; return; fi
  import_archive "$archive" "$ref"
  printf '%s\n' "$key" >"$STATE/images/${ref//\//_}"
}
