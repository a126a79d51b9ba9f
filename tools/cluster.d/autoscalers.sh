# shellcheck shell=bash
# KEDA and prometheus-adapter, for the stories of autoscaling from outside. Sourced by tools/cluster, after binaries.sh.

KEDA=github.com/kedacore/keda/v2
ADAPTER=sigs.k8s.io/prometheus-adapter
KEDA_VERSION=$(module_version keda $KEDA)
ADAPTER_VERSION=$(module_version prometheus-adapter $ADAPTER)
BIN_KEDA=$CACHE/bin/keda-$KEDA_VERSION-prometheus
BIN_ADAPTER=$CACHE/bin/prometheus-adapter-$ADAPTER_VERSION

module_dir() { (cd "$TOP/tools/$1" && go mod download -json "$2" | jq -r .Dir); } # NAME MODULE: where its sources are

# KEDA has the clients of some sixty services, with the SDKs of three clouds. This overlay leaves out all scalers but the one of Prometheus, and the
# clients of Azure that only those scalers use. All other code is KEDA's own: the operator with all its controllers, that scaler, and the metrics adapter.
keda_overlay() { # DIR-OF-THE-SOURCES DIR: prints the name of the overlay
  local file part
  mkdir -p "$2"
  awk '/TRIGGERS-END/ { switch_ends = 1 }
    /^\tcase "/ { left_out = !/"prometheus"/ } /^\tdefault:/ { left_out = 0 }
    !left_out || switch_ends' "$1/pkg/scaling/scalers_builder.go" >"$2/scalers_builder.go"
  # a word that the scaler of Prometheus has from one of the others
  { printf 'package scalers\n\nconst (\n'; grep 'externalMetricType  *=' "$1/pkg/scalers/azure_queue_scaler.go"; echo ')'; } >"$2/external.go"
  {
    for file in "$1"/pkg/scalers/*.go; do
      case ${file##*/} in scaler.go | prometheus_scaler.go) ;; *) printf '%s\t\n' "$file" ;; esac
    done
    for part in app_insights blob data_explorer eventhub eventhub_checkpoint storage; do printf '%s\t\n' "$1/pkg/scalers/azure/azure_$part.go"; done
    printf '%s\t%s\n' "$1/pkg/scaling/scalers_builder.go" "$2/scalers_builder.go" "$1/pkg/scalers/azure_queue_scaler.go" "$2/external.go"
  } | jq -Rn '{Replace: [inputs | split("\t") | {(.[0]): .[1]}] | add}' >"$2/overlay.json"
  printf '%s' "$2/overlay.json"
}

# What is to be applied beside the programs is theirs, too.
with_manifests() { # DIR-OF-THE-SOURCES DIR WHICH
  rm -rf "$2/manifests"
  mkdir -p "$2"
  cp -r "$1/$3" "$2/manifests"
  chmod -R u+w "$2/manifests"
}

build_autoscalers() {
  local dir
  if [ ! -d "$BIN_KEDA" ]; then
    dir=$(module_dir keda $KEDA)
    with_manifests "$dir" "$BIN_KEDA.part" config
    OVERLAY=$(keda_overlay "$dir" "$BIN_KEDA.overlay") go_build keda "$BIN_KEDA" "-X $KEDA/version.Version=${KEDA_VERSION#v}"
    rm -r "$BIN_KEDA.overlay"
  fi
  if [ ! -d "$BIN_ADAPTER" ]; then
    with_manifests "$(module_dir prometheus-adapter $ADAPTER)" "$BIN_ADAPTER.part" deploy/manifests
    go_build prometheus-adapter "$BIN_ADAPTER" ""
  fi
}

# Only the story and the benchmark that they are in need them.
need_autoscalers() {
  if [ -d "$BIN_KEDA" ] && [ -d "$BIN_ADAPTER" ]; then return 0; fi
  build_binaries .build-autoscalers "KEDA $KEDA_VERSION and prometheus-adapter $ADAPTER_VERSION (once; about four minutes)"
}
