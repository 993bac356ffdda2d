# SPDX-License-Identifier: Apache-2.0
# The front door: every job is one target. `make` alone lists them.
PREFIX ?= /usr/local
PROGRAM := build/release/heed

.DEFAULT_GOAL := help
.PHONY: help build demo test test-avx512 bench sanitize fuzz mutants format lint reference install clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / {printf "  make %-11s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

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

test-avx512: ## the tests of the kernels and of what calls them on AVX-512, emulated if need be (ALL=1: slow ones too)
	@tools/setup build
	@tools/test-avx512

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

sanitize: ## run every test under AddressSanitizer and UBSan, and the server under ThreadSanitizer
	@tools/setup build
	@mkdir -p build && cmake --preset dev >build/configure.log 2>&1 || { cat build/configure.log; exit 1; }
	@cmake --build --preset dev
	@ctest --preset dev
	@cmake --preset thread >build/configure.log 2>&1 || { cat build/configure.log; exit 1; }
	@cmake --build --preset thread
	@ctest --preset thread

fuzz: ## one million runs of each fuzz target (RUNS=n changes that)
	@tools/setup fuzz
	@tools/fuzz $(RUNS)

mutants: ## try the listed faults of the sources: which do the tests notice? (ONLY=training, training:3)
	@tools/setup mutants
	@tools/mutants $(ONLY)

format: ## rewrite the sources with clang-format
	@tools/setup format
	@git ls-files '*.cpp' '*.h' | xargs clang-format -i

lint: ## check formatting and run clang-tidy, with the warnings of clang, over the sources
	@tools/setup lint
	@tools/lint

reference: ## write the reference of the public headers to build/reference/html
	@tools/setup reference
	@tools/reference

install: build ## install program, libraries, headers, CMake package (PREFIX=/usr/local; DOUBLE=1: heed::core_double too)
	@cmake --install build/release --prefix $(PREFIX)
ifdef DOUBLE
	@cmake --preset double >build/configure.log 2>&1 || { cat build/configure.log; exit 1; }
	@cmake --build --preset double
	@cmake --install build/double --prefix $(PREFIX)
endif

clean: ## remove everything that was built
	@rm -rf build
