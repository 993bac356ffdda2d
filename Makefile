# SPDX-License-Identifier: Apache-2.0
# The front door: every job is one target. `make` alone lists them.
PREFIX ?= /usr/local
PROGRAM := build/release/heed

.DEFAULT_GOAL := help
.PHONY: help build demo test bench sanitize fuzz mutants format lint install clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "  make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

build: ## install what is missing and build the program, build/release/heed
	@tools/setup build
	@mkdir -p build && cmake --preset release >build/configure.log 2>&1 || { cat build/configure.log; exit 1; }
	@cmake --build --preset release --target heed_program

demo: build ## train a translator on the built-in corpus and show where it looks
	@$(PROGRAM) demo --out build/demo

test: build ## build and run every test, in float and, for gradients, in double
	@tools/setup browser
	@cmake --build --preset release
	@ctest --preset release
	@cmake --preset gradcheck >build/configure.log 2>&1 || { cat build/configure.log; exit 1; }
	@cmake --build --preset gradcheck
	@ctest --preset gradcheck

bench: build ## measure Heed, oneDNN called directly, PyTorch and ONNX Runtime, in one run
	@tools/setup peers
	@cmake --build --preset release --target benchmarks
	@$(PROGRAM) bench
	@for program in build/release/bench_*; do echo; $$program || exit 1; done
	@echo
	@benchmarks/peers/run
	@echo
	@benchmarks/peers/attention
	@echo
	@benchmarks/peers/translator

sanitize: ## run every test under AddressSanitizer and UBSan
	@tools/setup build
	@mkdir -p build && cmake --preset dev >build/configure.log 2>&1 || { cat build/configure.log; exit 1; }
	@cmake --build --preset dev
	@ctest --preset dev

fuzz: ## one million runs of each fuzz target (RUNS=n changes that)
	@tools/setup fuzz
	@tools/fuzz $(RUNS)

mutants: ## try the listed faults of the sources: which do the tests notice? (ONLY=training, training:3)
	@tools/setup mutants
	@tools/mutants $(ONLY)

format: ## rewrite the sources with clang-format
	@tools/setup format
	@git ls-files '*.cpp' '*.h' | xargs clang-format -i

lint: ## check formatting and run clang and clang-tidy over the sources
	@tools/setup lint
	@tools/lint

install: build ## install program, library, headers and CMake package (PREFIX=/usr/local)
	@cmake --install build/release --prefix $(PREFIX)

clean: ## remove everything that was built
	@rm -rf build
