# The daily loop. `make` alone lists the targets.

GOLANGCI_VERSION := v2.15.0
GOLANGCI := .bin/golangci-lint-$(GOLANGCI_VERSION)

# What ships and what is measured has no cgo; the race detector needs it. All commands build with the same flags, so that each
# package is compiled once for all of them, in whatever folder the clone is.
export CGO_ENABLED := 0
export GOFLAGS := $(strip -trimpath $(filter-out -trimpath,$(GOFLAGS)))
BUILD := go build -o bin/trowel ./cmd/trowel
# Tests of one package that wait for processes and servers run at the same time, more of them than there are processors. SQLite
# is C made Go, without a word of synchronization: to watch it costs much time and finds nothing.
RACE := GORACE=atexit_sleep_ms=20 CGO_ENABLED=1 go test -race -gcflags=modernc.org/sqlite/lib=-race=0 -parallel 8 -timeout 20m
# All packages share one PostgreSQL, which is gone afterwards.
WITHPOSTGRES := go run ./internal/store/storetest/pgtest/withpostgres

# Settings, as in `make fuzz FUZZTIME=10m`.
FUZZTIME ?= 30s
STRESSCOUNT ?= 20
STRESSROUNDS ?= 100000
STRESSED ?= ./internal/engine/... ./internal/queue/... ./internal/flush/... ./internal/agent/... ./internal/hub ./internal/remote
CHAOSKILLS ?= 200
CHAOSFAULTS ?= 200
RUN ?= .
A ?= HEAD
B ?= .
ROUNDS ?= 5
EXAMPLES ?= 20
# One case of each kind of waiting and of each executor.
WIRESAMPLE ?= ^(bq-query|docker-workdir|ecs-(sh|kill)|emr-existing-cluster-steps|gcs-wait-errors|pg-(script|retry|ssl-preferred)|redshift-unload|s3-wait-appears|td-(kill|for-each|load-file|wait-until-true))$$

.DEFAULT_GOAL := help
.PHONY: help setup build test race stress chaos fuzz bench bench-record bench-compare lint fmt fmt-check vet dev house cover conformance \
	wire clouds kubernetes conformance-check conformance-sync cgroup java schemathesis image smoke ui ui-dev ui-fmt ui-check ui-e2e ci

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-18s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: ## install what tests need and this machine lacks (PostgreSQL, MariaDB, Python, Ruby, Redis, Java, Docker, a C compiler)
	@scripts/setup.sh

build: ## build bin/trowel
	$(BUILD)

test: ## run all tests; RUN=expression selects
	$(WITHPOSTGRES) go test -run '$(RUN)' ./...

race: ## run all tests under the race detector
	$(WITHPOSTGRES) env $(RACE) ./...

stress: ## repeat the concurrent packages under the race detector, STRESSCOUNT times, and play STRESSROUNDS random workflows
	$(WITHPOSTGRES) env $(RACE) -count=$(STRESSCOUNT) -timeout 60m $(STRESSED)
	go test -timeout 60m -run Random ./internal/engine -engine.rounds=$(STRESSROUNDS) -engine.seed=$$(date +%s)
	$(RACE) -timeout 60m -run Faults ./internal/flush -flush.rounds=$$(($(STRESSROUNDS) / 100)) -flush.seed=$$(date +%s)

chaos: ## trouble servers and agents under load: CHAOSKILLS kills in each mode, CHAOSFAULTS faults in the cluster; RUN selects modes
	go build -tags chaos -o bin/trowel-chaos ./cmd/trowel
	go run ./chaos -bin bin/trowel-chaos -kills $(CHAOSKILLS) -faults $(CHAOSFAULTS) -run '$(RUN)' $(CHAOSFLAGS)

cgroup: ## prove that control groups keep limits of commands, in a small virtual machine; half a minute, and not part of `make ci`
	scripts/cgroup.sh

fuzz: ## fuzz every target for FUZZTIME
	@scripts/fuzz.sh $(FUZZTIME)

bench: build ## print every bar: figure, limit, ratio; RUN=expression selects
	go run ./bench -bin bin/trowel -run '$(RUN)'

bench-record: build ## the same, and add a dated row to docs/performance.md
	go run ./bench -bin bin/trowel -record docs/performance.md

bench-compare: ## measure two commits in turn, A=commit B=commit; RUN selects bars, ROUNDS=5; a dot is the work tree
	go run ./bench -compare '$(A),$(B)' -rounds $(ROUNDS) -run '$(RUN)'

lint: $(GOLANGCI) ## run all linters
	$(GOLANGCI) run

fmt: $(GOLANGCI) ## format all Go files
	$(GOLANGCI) fmt

fmt-check: $(GOLANGCI)
	$(GOLANGCI) fmt --diff

vet: ## vet and build for the systems besides this one, whose code `make lint` vets
	@scripts/vet.sh

dev: fmt lint build test ## before a commit: format, lint, build, test

house: ## print how the code is divided: files, methods, fields, circles of files, repeated texts; PKG=expression shows circles
	@go run ./scripts/house -pkg '$(PKG)'

cover: ## measure what all suites together reach, unit tests to Java client; SUITES="unit rest" or none; PKG=expression shows functions
	@PKG='$(PKG)' scripts/cover.sh $(SUITES)

conformance: build ## compare command line and REST API, on both databases, without and with a remote agent, with what Digdag did; RUN=expression selects
	go run ./conformance/cli -bin bin/trowel -cases conformance/cli/cases -differs conformance/differs -run '$(RUN)'
	go run ./conformance/cli -bin bin/trowel -cases conformance/cli/own -run '$(RUN)'
	go run ./conformance/both -bin bin/trowel -differs conformance/differs -run '$(RUN)'
	go run ./conformance/both -bin bin/trowel -differs conformance/differs -run '$(RUN)' -agent

wire: build ## compare what operators send to outside services with what Digdag sent; WIRESAMPLE is replayed on PostgreSQL with a remote agent, too
	go build -C conformance/wire -o $(CURDIR)/bin/wire .
	bin/wire -bin bin/trowel -cases conformance/wire/cases -differs conformance/differs -run '$(RUN)'
	go run ./conformance/outside -bin bin/trowel -wire bin/wire -run '$(WIRESAMPLE)'

clouds: ## run tests against moto (S3, EMR, ECS) and fake-gcs-server, which it installs and starts
	@scripts/clouds.sh

kubernetes: ## run the executor kubernetes against a real API server, whose first build takes 12 minutes
	@mkdir -p bin/kubernetes
	go build -C conformance/kubernetes -trimpath -ldflags '-s -w' -o $(CURDIR)/bin/kubernetes/ k8s.io/kubernetes/cmd/kube-apiserver go.etcd.io/etcd/server/v3
	TROWEL_KUBERNETES=$(CURDIR)/bin/kubernetes go test -count=1 -run '^TestServer$$' ./internal/command/kubernetes

conformance-check:
	@scripts/sync.sh --check

conformance-sync: ## take over what is new in ../shared: cases, specs, design
	@scripts/sync.sh

java: build ## use the server through Digdag's Java client
	@scripts/java.sh

schemathesis: build ## check generated requests and their answers by /api/openapi.json; EXAMPLES=200 tries more
	@EXAMPLES=$(EXAMPLES) scripts/schemathesis.sh

ui: ## build the web UI of the folder ui into internal/ui/dist, which is committed
	@scripts/node.sh npx vite build

ui-dev: ## serve the web UI with reload beside the server at TROWEL_SERVER (http://127.0.0.1:65432)
	@scripts/node.sh npx vite

ui-fmt: ## format the source of the web UI
	@scripts/node.sh npx biome check --write .

ui-check: ## check the web UI: format, lint, types, unit tests, that dist is what the source builds, and its size
	@scripts/node.sh ../scripts/ui-check.sh

ui-e2e: build ## use the web UI in Chromium, against servers that the tests start
	@scripts/node.sh npx vitest run --root . --config e2e/vitest.config.ts

image: ## build the container image trowel with Docker
	docker build -t trowel .

smoke: build ## do what the README shows
	@scripts/smoke.sh

ci: ## everything a change must pass; what .ci/run runs
	@scripts/ci.sh

$(GOLANGCI):
	@mkdir -p .bin
	GOBIN=$(CURDIR)/.bin go install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(GOLANGCI_VERSION)
	@mv .bin/golangci-lint $@
