# The two commands are `make demo` and `make test`; each sets up what is missing, once. V=1 shows all output.
SHELL := /bin/bash
.DEFAULT_GOAL := help
.NOTPARALLEL:
MAKEFLAGS += --no-print-directory
export PATH := $(CURDIR)/.venv/bin:$(PATH)

step := @scripts/step
sphinx := sphinx-build -W -q -b html -d build/doctrees docs build/docs
FUZZ ?= 20000000
SEED ?= 1

.PHONY: help setup packages test-packages bench-packages rust python extension guests demo test check rust-tests python-tests bench fuzz docs lock clean

help: ## Show this list.
	@sed -nE 's/^([a-z-]+):.*## (.*)/  make \1\t\2/p' Makefile | expand -t 22

demo: setup ## Set up everything and run the serial study in its quick form.
	$(step) --stream "Study: a file arrives (quick form)" -- socscope study serial-transfer --quick

test: setup test-packages check rust-tests python-tests ## Set up everything and run all checks and tests.

setup: rust packages python extension guests ## Install and build what is missing: packages, crates, Python, guests.

packages:
ifndef SOCSCOPE_NO_APT
	$(step) --inputs "scripts/packages.txt scripts/system-packages /var/lib/dpkg/status" "Debian packages" -- scripts/system-packages scripts/packages.txt
endif

test-packages: packages
ifndef SOCSCOPE_NO_APT
	$(step) --inputs "scripts/packages-for-tests.txt scripts/system-packages /var/lib/dpkg/status" "Debian packages for tests" -- scripts/system-packages scripts/packages-for-tests.txt
endif

rust:
	$(step) "Rust toolchain" -- scripts/rust-toolchain

python: packages
	$(step) --inputs "requirements.lock scripts/python-environment" --made .venv/bin/python "Python environment" -- scripts/python-environment

extension: rust python
	$(step) "Simulator (release build)" -- scripts/extension

guests: packages ## Build the guest software (cached by the content of its sources).
	$(step) "Guests" -- scripts/guests

check: setup
	$(step) "Rust formatting" -- cargo fmt --all --check
	$(step) "Rust lints" -- cargo clippy --workspace --all-targets --locked -- -D warnings
	$(step) "Python formatting" -- ruff format --check
	$(step) "Python lints" -- ruff check
	$(step) "Python types" -- mypy
	$(step) "Stubs of the compiled module" -- python -m mypy.stubtest socscope._core
	$(step) "Documentation" -- $(sphinx)

rust-tests: setup
	$(step) "Rust tests" -- cargo test --workspace --exclude socscope-python --locked

# Last, so that its summary closes the output.
python-tests: setup test-packages
	@echo "  Python, project and documentation tests ..."
	@pytest -n auto --dist loadgroup

bench-packages: packages
ifndef SOCSCOPE_NO_APT
	$(step) --inputs "scripts/packages-for-bench.txt scripts/system-packages /var/lib/dpkg/status" "Debian packages for benches" -- scripts/system-packages scripts/packages-for-bench.txt
endif

bench: setup bench-packages ## Measure the simulator's speed, side by side with QEMU and unicorn; fails when a floor is missed.
	$(step) --stream "Engine" -- cargo bench --workspace --exclude socscope-python --bench '*' --locked
	$(step) --stream "Interpreter, with and without the profile" -- python benches/speed.py
	$(step) --stream "Side by side with QEMU and unicorn" -- python benches/comparison.py
	$(step) --stream "Translated PowerPC beside QEMU" -- python benches/powerpc.py
	$(step) --stream "Where host time goes" -- python benches/host_time.py
	$(step) --stream "What probes cost" -- python benches/probes.py
	$(step) --stream "Forks" -- python benches/fork.py
	$(step) --stream "The accelerator study" -- python benches/linux.py
	$(step) --stream "Time travel" -- python benches/time_travel.py
	$(step) --stream "Floors" -- python benches/rows.py

fuzz: setup ## Compare both engines, and unicorn with them, over FUZZ random instructions each, from SEED on.
	$(step) --stream "PowerPC programs by both engines" -- cargo run --quiet --release --locked -p socscope-jit --example powerpc_engines -- $(SEED) $$(( $(FUZZ) / 2500 ))
	$(step) --stream "Whole programs by both engines" -- cargo run --quiet --release --locked -p socscope-fuzz -- --instructions $(FUZZ) --seed $(SEED)
	@SOCSCOPE_FUZZ_INSTRUCTIONS=$(FUZZ) SOCSCOPE_FUZZ_SEED=$(SEED) pytest -n auto -rP tests/python/test_unicorn.py tests/python/test_unicorn_powerpc.py tests/python/test_unicorn_powerpc_translation.py tests/python/test_unicorn_programs.py

docs: setup ## Build the documentation into build/docs.
	$(step) "Documentation" -- $(sphinx)

lock: ## Choose the newest versions of the Python packages that pyproject.toml allows.
	uv pip compile --quiet --upgrade --generate-hashes --no-header --python-version 3.11 --all-extras pyproject.toml -o requirements.lock

clean: ## Remove all that was built here (not the guests' cache).
	rm -rf build target .venv python/socscope/_core*.so
