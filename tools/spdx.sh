# shellcheck shell=bash
# What is in an image, as SPDX 2.3: its Debian packages and what is of this project. Source it where TOP is.

# dpkg's database of an image. The operator's has its packages in status.d, a file each, as images without dpkg do.
dpkg_directory() { # ROOT TEMPORARY-DIRECTORY
  local f
  if [ -s "$1/var/lib/dpkg/status" ]; then printf '%s' "$1/var/lib/dpkg"; return; fi
  for f in "$1"/var/lib/dpkg/status.d/*; do cat "$f"; echo; done >"$2/status"
  printf '%s' "$2"
}

packages_in() { # ROOT: a line each, fields between tabs
  local temporary
  temporary=$(mktemp -d)
  # shellcheck disable=SC2016  # dpkg's own variables
  dpkg-query --admindir="$(dpkg_directory "$1" "$temporary")" -W \
    -f '${Package}\t${Version}\t${Architecture}\t${source:Package}\t${source:Version}\t${Maintainer}\n'
  rm -rf "$temporary"
}

packages_of() { # REF
  local container
  container=$(buildah from --pull=never "$1")
  packages_in "$(buildah mount "$container")"
  buildah umount "$container" >/dev/null
  buildah rm "$container" >/dev/null
}

# shellcheck disable=SC2016  # jq's own variables
SPDX='
def id: "SPDXRef-" + gsub("[^A-Za-z0-9.-]"; "-");
def relation($type): {spdxElementId: .[0], relationshipType: $type, relatedSpdxElement: .[1]};
[inputs | split("\t") | select(length == 6) | {name: .[0], version: .[1], arch: .[2], source: .[3], source_version: .[4], by: .[5]}] as $debs
| {spdxVersion: "SPDX-2.3", dataLicense: "CC0-1.0", SPDXID: "SPDXRef-DOCUMENT", name: $image,
   documentNamespace: ("https://slinky.slurm.net/spdx/" + ($image | @uri) + "/" + $digest),
   creationInfo: {created: $created, creators: ["Tool: slurm-operator-tools-images"]},
   packages: ([{name: $image, SPDXID: "SPDXRef-image", primaryPackagePurpose: "CONTAINER", downloadLocation: "NOASSERTION", filesAnalyzed: false,
     checksums: [{algorithm: "SHA256", checksumValue: $digest}]},
     {name: "slurm-operator", SPDXID: "SPDXRef-slurm-operator", versionInfo: $version, comment: "the programs and scripts of this project that are in the image",
     downloadLocation: "NOASSERTION", filesAnalyzed: false, licenseConcluded: "Apache-2.0", licenseDeclared: "Apache-2.0",
     externalRefs: [{referenceCategory: "PACKAGE-MANAGER", referenceType: "purl", referenceLocator: ("pkg:generic/slurm-operator@" + ($version | @uri))}]}]
     + ($debs | map({name, SPDXID: ("deb-" + .name | id), versionInfo: .version, supplier: ("Organization: " + .by), downloadLocation: "NOASSERTION",
       filesAnalyzed: false, sourceInfo: ("built from " + .source + " " + .source_version), licenseConcluded: "NOASSERTION", licenseDeclared: "NOASSERTION",
       externalRefs: [{referenceCategory: "PACKAGE-MANAGER", referenceType: "purl",
         referenceLocator: ("pkg:deb/debian/" + (.name | @uri) + "@" + (.version | @uri) + "?arch=" + .arch)}]}))),
   relationships: ([(["SPDXRef-DOCUMENT", "SPDXRef-image"] | relation("DESCRIBES")), (["SPDXRef-image", "SPDXRef-slurm-operator"] | relation("CONTAINS"))]
     + ($debs | map(["SPDXRef-image", ("deb-" + .name | id)] | relation("CONTAINS"))))}
'

program_version() { sed -n "s/^  version: '\(.*\)',$/\1/p" "$TOP/meson.build"; }

# The list of the packages that come as lines.
spdx() { # REF DIGEST SECONDS-SINCE-1970
  jq -nR --arg version "${RELEASE_VERSION:-$(program_version)}" --arg image "$1" --arg digest "$2" --arg created "$(date -u -d "@$3" +%Y-%m-%dT%H:%M:%SZ)" "$SPDX"
}
