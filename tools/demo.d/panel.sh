# shellcheck shell=bash
# The queue of the demo as a panel of a dashboard: a Prometheus beside the demo scrapes the exporter, and tools/draw-panel draws what it answers. Source it behind waiting.sh
# and tests/monitoring/prometheus.sh.
# Both programs are in the toolbox. With a cluster of your own they may be missing: then there is no panel.
AT=127.0.0.1:9109
PANEL_BEGAN=
watch_queue() { # FOLDER: from here on, until draw_queue
	local exporter
	command -v prometheus >/dev/null && command -v gnuplot >/dev/null || return 0
	exporter=$(k get pods -l app.kubernetes.io/name=slurm-exporter -o jsonpath='{.items[0].status.podIP}'):8080 # its Service is headless
	rm -rf "$1/prometheus"
	mkdir -p "$1/prometheus"
	cat >"$1/prometheus/prometheus.yaml" <<-Y
		scrape_configs: [{job_name: slurm, scrape_interval: 1s, static_configs: [{targets: ["$exporter"], labels: {namespace: $NS}}]}]
	Y
	start_prometheus "$1/prometheus"
	PANEL_BEGAN=$SECONDS
}
prometheus_has() { [ "$(answers "$1")" = 1 ]; } # METRIC
draw_queue() { # FOLDER: draws FOLDER/queue.svg, and one panel as text
	local minutes
	[ -n "$PANEL_BEGAN" ] || { echo "   no panel: it takes the programs prometheus and gnuplot"; return 0; }
	minutes=$(((SECONDS - PANEL_BEGAN) / 60 + 1))
	poll 20 "Prometheus to have the queue" prometheus_has 'slurm_jobs_running'
	show tools/draw-panel --from="http://$AT" --namespace="$NS" --minutes="$minutes" slurm-queue Jobs
	tools/draw-panel --from="http://$AT" --namespace="$NS" --minutes="$minutes" --to="$1/queue.svg" slurm-queue
	echo "   the whole dashboard: $1/queue.svg"
	stop_prometheus
	rm -rf "$1/prometheus"
	PANEL_BEGAN=
}
