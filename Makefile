# Copyright 2026 The Parley Authors
# SPDX-License-Identifier: Apache-2.0
#
# Two commands are enough: `make run` and `make test`. Both install what is missing first.
SHELL := /bin/bash
.DEFAULT_GOAL := help
.ONESHELL:
.SHELLFLAGS := -euo pipefail -c
MAKEFLAGS += --no-print-directory

JOBS ?= $(shell nproc)
PREFIX ?= /usr/local
SECONDS_EACH ?= 60
SECONDS ?= $(SECONDS_EACH)
ARGS ?=
BOOKINGS ?= 500
SEEDS ?= 100000
SEED ?=
export JOBS

.PHONY: help
help: ## Show this list
	@echo 'make run     install what is missing, build, start the server, say where to look'
	echo 'make test    the same set-up, then the tests that a build is trusted by'
	echo
	grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 18

.PHONY: setup
setup: ## Install what building needs (apt, npm); nothing if it is all there
	@scripts/setup build

.PHONY: setup-test
setup-test:
	@scripts/setup build test

.PHONY: build
build: setup ## Build the release into build/release/bin
	@scripts/build release

.PHONY: run
run: build ## Build and start the server on 127.0.0.1:22080 (ARGS="--listen ...")
	@exec build/release/bin/parley serve --welcome $(ARGS)

.PHONY: desktop
desktop: ## Build and start the desktop program: the console in a window, an icon in the tray (ARGS="--server ...")
	@scripts/setup build desktop
	scripts/build release
	exec build/release/bin/parley-desktop $(ARGS)

.PHONY: demo-study
demo-study: build ## A study to look at: server, host page, and an agent that books (ARGS="--seats 3")
	@scripts/demo-study $(ARGS)

.PHONY: demo-chat
demo-chat: setup-test ## A chat about a ComfyUI workflow: server, stand-in for ComfyUI, user, page (ARGS="--comfyui URL")
	@scripts/build test parley parley-fake-comfyui
	scripts/demo-chat $(ARGS)

.PHONY: demo-cluster
demo-cluster: build ## A cluster to look at and to break: primary, standby, three nodes and a balancer; prints the links
	@scripts/setup cluster
	scripts/demo-cluster

.PHONY: test
test: setup-test ## What shows that a build can be trusted (the parts: make test-unit, test-web, test-e2e, ...)
	@scripts/test test

.PHONY: test-deep
test-deep: setup-test ## Sanitizers, fuzzing, attacks, a short soak, benchmarks, clang-tidy (make test-asan, test-lint, ...)
	@scripts/test deep

.PHONY: test-all
test-all: setup-test ## Both, with the builds of the second part beside the first
	@scripts/test test deep

TEST_PARTS := format house unit conformance app kill web mcp hook comfyui e2e desktop \
  asan pictures cluster attack soak release bench fuzz tsan lint
.PHONY: $(addprefix test-,$(TEST_PARTS))
$(addprefix test-,$(TEST_PARTS)): test-%: setup-test
	@scripts/test $*

.PHONY: test-browsers
test-browsers: ## The main flows of the console in WebKit and Firefox; installs both
	@scripts/setup build test browsers
	scripts/test browsers

.PHONY: bench
bench: ## All benchmarks beside their peers; result in build/bench/latest.json
	@scripts/setup build bench
	scripts/bench full

.PHONY: bench-quick
bench-quick: ## The same, each for a moment: two minutes
	@scripts/setup build bench
	scripts/bench quick

.PHONY: fuzz
fuzz: setup-test ## Each fuzz target for SECONDS (default 60)
	@scripts/fuzz $(SECONDS)

.PHONY: kill
kill: setup-test ## The kill tests at full length: 200 random kills, 100 in mid-study
	@PARLEY_KILL_ROUNDS=200 scripts/test kill

.PHONY: soak
soak: SECONDS = 600
soak: setup-test ## Runs, questions, watchers and relay clients come and go for SECONDS=600; nothing stays
	@scripts/build test
	cd tests/soak
	PARLEY_BIN_DIR=$(CURDIR)/build/test/bin npm run --silent soak -- $(SECONDS)

.PHONY: crowd
crowd: setup-test ## 10,000 connections without a token, in every way that holds memory of the server: 128 MiB at most
	@scripts/build test
	cd tests/attack
	PARLEY_CROWD=10000 PARLEY_BIN_DIR=$(CURDIR)/build/test/bin npm run --silent crowd

.PHONY: cluster-faults
cluster-faults: SECONDS = 600
cluster-faults: setup-test ## Breaks a cluster under load in every way for SECONDS=600, and checks what its clients were told
	@scripts/build test
	cd tests/cluster
	PARLEY_BIN_DIR=$(CURDIR)/build/test/bin npm run --silent faults -- $(SECONDS)

.PHONY: simulate
simulate: setup-test ## Random lives of a session: SEEDS=100000, or one of them step by step: SEED=17
	@scripts/simulate '$(SEEDS)' '$(SEED)'

.PHONY: bookings
bookings: setup-test ## 500 bookings by headless hosts and agents on the real server (BOOKINGS=500)
	@scripts/build test
	cd tests/e2e
	PARLEY_BIN_DIR=$(CURDIR)/build/test/bin PARLEY_BOOKINGS=$(BOOKINGS) npm run --silent bookings

.PHONY: pictures
pictures: setup-test ## Take the pictures of the documents anew (docs/images)
	@scripts/build test
	cd examples/booking-agent && npm run --silent build
	cd $(CURDIR)/tests/e2e
	PARLEY_BIN_DIR=$(CURDIR)/build/test/bin npm run --silent pictures
	cd $(CURDIR)/tests/desktop
	PARLEY_BIN_DIR=$(CURDIR)/build/test/bin npm run --silent pictures

.PHONY: picture-sizes
picture-sizes: setup-test ## The console at three widths, with 0, 3 and 3,000 questions, both languages and themes (build/pictures)
	@scripts/build test
	cd tests/e2e
	PARLEY_BIN_DIR=$(CURDIR)/build/test/bin npm run --silent picture-sizes

.PHONY: format
format: setup-test ## Format the C++ sources
	@git ls-files '*.h' '*.cpp' | xargs clang-format-14 -i

.PHONY: install
install: build ## Install under PREFIX (default /usr/local): programs, service, completions
	@cmake --install build/release --prefix "$(PREFIX)"

.PHONY: package
package: ## Debian packages of the server and of the desktop program in build/package
	@scripts/setup build desktop package
	scripts/build release
	scripts/package

.PHONY: image
image: package ## A container image in build/package, made without a registry and tried out (as root)
	@scripts/image

.PHONY: clean
clean: ## Remove everything that was built
	@rm -rf build web/dist web/src/gen
