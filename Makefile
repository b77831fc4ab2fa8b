LINT_VERSION := 2.15.0
FUZZTIME     ?= 20s

# Packages whose tests have golden files.
GOLDEN = $(shell grep -rl 'flag.Bool."update"' --include='*_test.go' . | xargs -n 1 dirname | sort -u)

.PHONY: help build run test drill lint bench fuzz golden seed

help: ## Show what can be made
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-7s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

build: ## Build bin/flowc and bin/flowtui
	@go build -o bin/ ./cmd/flowc ./cmd/flowtui

run: build ## Run the first example against a NATS server inside the process
	bin/flowc run --embedded --seed examples/orders.jsonl --until caught-up examples/orders.flow

test: ## Vet everything and test it with the race detector
	go vet ./...
	go test -race ./...

drill: ## Kill and freeze flows, servers and links, at random moments
	FLOW_DRILL=1 go test -race -count=1 -timeout 20m -v -run 'Killed|TwoProcesses|LostServer|Drill|ClusterEvents|Standby|Frozen|AtOnce|Replicas' ./cmd/flowc
	FLOW_DRILL=1 go test -race -count=1 -timeout 20m -v -run 'ExactlyOnceThrough|EveryStep' ./exec
	FLOW_DRILL=1 go test -race -count=1 -timeout 5m -v -run 'UnderWay' ./connectors/nats

lint: ## Run golangci-lint; unless the right version is installed, it is built into bin/
	@fits() { "$$1" version 2>/dev/null | grep -q 'version $(LINT_VERSION) '; }; \
	lint=golangci-lint; \
	fits $$lint || lint=bin/golangci-lint; \
	fits $$lint || GOBIN=$(CURDIR)/bin go install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v$(LINT_VERSION); \
	$$lint run ./...

bench: ## Compare flowc with loops by hand and the server's limits; then the benchmarks, with allocations
	FLOW_BENCH=1 go test ./internal/throughput -count=1 -v -timeout 60m -run TestThroughput
	go test -run '^$$' -bench . -benchmem ./lang ./expression ./planner ./connectors/... ./monitor/... ./viewer

fuzz: ## Fuzz every target for FUZZTIME (20s)
	@set -e; for package in $$(go list ./...); do \
		for target in $$(go test -list '^Fuzz' $$package | grep '^Fuzz'); do \
			echo "$$package $$target"; \
			go test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 1s $$package; \
		done; \
	done

golden: ## Rewrite the golden files
	go test $(filter-out ./cmd/flowc,$(GOLDEN)) -update
	go test ./cmd/flowc -run '^TestScripts$$' -update

seed: ## Write examples/orders.jsonl anew
	go run ./examples/generate > examples/orders.jsonl
