# shellcheck shell=bash
# Words for stories with a real Prometheus, which is a process in the cluster's network. Source it inside "tools/cluster run".
AT=127.0.0.1:9107
PROMETHEUS=()

start_prometheus() { # FOLDER [ADDRESS]: with its prometheus.yaml or prometheus.json
	local file=$1/prometheus.yaml
	[ -e "$file" ] || file=$1/prometheus.json
	prometheus --config.file="$file" --storage.tsdb.path="$1/data" --web.listen-address="${2:-$AT}" >"$1/log" 2>&1 &
	PROMETHEUS+=($!)
}
stop_prometheus() {
	local pid
	for pid in "${PROMETHEUS[@]}"; do kill "$pid" 2>/dev/null && wait "$pid" || true; done
	PROMETHEUS=()
}
ask() { curl -sfG "http://$AT/api/v1/query" --data-urlencode "query=$1"; }                  # QUERY
answers() { ask "$1" | jq '.data.result | length'; }                                        # QUERY: how many
is_scraped() { [ "$(ask "min(count_over_time($1[1m]))" | jq -r '.data.result[0].value[1] // 0')" -ge 4 ]; } # METRIC

# Each query of the dashboards whose name begins so has an answer. What may be empty: nothing has failed, and no job waits.
MAY_BE_EMPTY='result=.failed|outcome!=.ok|waiting_since'
all_answered() { # PREFIX [NAMESPACE]: prints how many there are, or the first without an answer
	local dashboard panel query answer n=0
	while IFS=$'\t' read -r dashboard panel query; do
		[[ $dashboard == "$1"* ]] || continue
		n=$((n + 1))
		query=${query//\$namespace/${2:-slurm}}
		answer=$(answers "${query//\$__rate_interval/1m}") || { echo "Prometheus does not take: $query"; return 1; }
		[ "$answer" -gt 0 ] || [[ $query =~ $MAY_BE_EMPTY ]] || { echo "without an answer: $dashboard, $panel: $query"; return 1; }
	done < <(tools/dashboards queries)
	echo "$n"
	[ "$n" -gt 0 ]
}
