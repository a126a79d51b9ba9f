# Verbs over meson and ninja; everything runs in the toolbox (see tools/toolbox). "make help" lists them.

MAKEFLAGS += --no-print-directory
BUILD     ?= build
MESON_ARGS ?=
TOOLBOX   := tools/toolbox
CLUSTER   := tools/cluster
# T=name F=file SEED=n FAULTS="..." V=1 ROUGH="..." MINUTES=n SUITE=name choose for tests, demo, fuzz, soak and images
export T F SEED FAULTS V BUILD ROUGH MINUTES SUITE

.DEFAULT_GOAL := build
.PHONY: build all test tests golden demo demo-bridge bridge-up bridge-down bench fuzz soak check docs format images release cluster-up cluster-down smoke shell clean help

build: ## build the two programs (the default); MESON_ARGS="..." for meson setup
	@$(TOOLBOX) run env TARGET="slurm-operator red-box" tools/build $(BUILD) $(MESON_ARGS)

all: ## build everything, test programs as well
	@$(TOOLBOX) run tools/build $(BUILD) $(MESON_ARGS)

test: ## run the tests; T=name for some, F=src/plan/vnode/room.c for those of a file, SEED=n to replay
	@tools/run-tests

tests: ## list the tests
	@tools/list-tests

golden: ## take what the charts render now as what is wanted, and print what that changes; T=CHART/SET for one
	@tests/helm/golden accept $(T)

demo: ## install both charts on the embedded cluster, or with KUBECONFIG and REGISTRY on yours, and show what becomes of jobs
	@tools/demo

demo-bridge: ## a Slurm outside of Kubernetes, red-box on its login node, and batch scripts that are objects
	@tools/demo-bridge

bridge-up: ## the same bridge, without a show: it is left running to be used by hand; says what to type
	@tools/bridge up

bridge-down: ## remove what bridge-up started, and nothing else
	@tools/bridge down

bench: ## measure, each figure beside its limit; SIZES="100 1000 10000"
	@tools/bench

fuzz: ## fuzz the parsers
	@tools/fuzz

soak: ## play fresh seeds of the simulator on all cores until Ctrl-C, with eleven tenants, then killed pods on the real cluster; MINUTES=60
	@tools/soak

check: ## rules of the code base: layers, style, shell
	@tools/check

docs: ## build the documentation as a site, in build/site; a link that leads nowhere is a failure
	@tools/site build

format: ## bring every C file into the one form
	@find src tests -name '*.[ch]' -print0 | xargs -0 $(TOOLBOX) run clang-format -i

images: build ## build all images, with a list of what is in each and their sizes; SUITE=sid for Slurm 26.05
	@tools/images

release: ## build, and publish images and charts; REGISTRY=host[:port]/path VERSION=x.y.z PLAIN_HTTP=yes
	@tools/release $(if $(PLAIN_HTTP),--plain-http) $(if $(UNCOMMITTED),--uncommitted) "$(REGISTRY)" "$(VERSION)"

cluster-up: ## start the embedded Kubernetes with Slurm
	@$(CLUSTER) up
	@$(CLUSTER) slurm-up

cluster-down: ## stop it
	@$(CLUSTER) down

smoke: cluster-up ## does the embedded cluster itself work?
	@tests/cluster/smoke

shell: ## a shell in the toolbox
	@$(TOOLBOX) shell

clean: ## remove what was built, and the clusters' state; the cache stays
	@state="$${SLURM_OPERATOR_STATE:-.cluster}"; for state in "$$state" "$$state-charts"; do \
		test ! -d "$$state" || SLURM_OPERATOR_STATE=$$state $(CLUSTER) down; done
	rm -rf .cluster .cluster-charts build build-*

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-13s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)
