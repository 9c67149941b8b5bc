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

.PHONY: help setup setup-tests packages test-packages linux-packages bench-packages rust python test-python extension guests demo test check rust-tests python-tests bench fuzz wheel docs lock clean

help: ## Show this list.
	@sed -nE 's/^([a-z-]+):.*## (.*)/  make \1\t\2/p' Makefile | expand -t 22

demo: setup ## Set up what the serial study needs, and run it in its quick form.
	$(step) --stream "Study: a file arrives (quick form)" -- socscope study serial-transfer --quick

test: setup-tests check rust-tests python-tests ## Set up everything and run all checks and tests.

setup: rust packages python extension ## Install and build what every command needs; guests are built when one needs them.

setup-tests: setup test-packages linux-packages test-python guests ## The same with all that tests and documentation need.

packages = $(if $(SOCSCOPE_NO_APT),,$(step) --inputs "scripts/$(1) scripts/system-packages /var/lib/dpkg/status" "$(2)" -- scripts/system-packages scripts/$(1))

packages:
	$(call packages,packages.txt,Debian packages)

test-packages: packages
	$(call packages,packages-for-tests.txt,Debian packages for tests)

linux-packages: packages
	$(call packages,packages-for-linux.txt,Debian packages for the Linux guest)

bench-packages: packages
	$(call packages,packages-for-bench.txt,Debian packages for benches)

rust:
	$(step) "Rust toolchain" -- scripts/rust-toolchain

python: packages
	$(step) --inputs "requirements.lock scripts/python-environment" --made .venv/bin/python "Python environment" -- scripts/python-environment requirements.lock

test-python: python
	$(step) --inputs "requirements-tests.lock scripts/python-environment" --made .venv/bin/pytest "Python packages for tests" -- scripts/python-environment requirements-tests.lock

extension: rust python
	$(step) "Simulator (release build)" -- scripts/extension

guests: packages linux-packages ## Build all guest software (cached by the content of its sources).
	$(step) "Guests" -- scripts/guests

check: setup-tests
	$(step) "Rust formatting" -- cargo fmt --all --check
	$(step) "Rust lints" -- cargo clippy --workspace --all-targets --locked -- -D warnings
	$(step) "Python formatting" -- ruff format --check
	$(step) "Python lints" -- ruff check
	$(step) "Python types" -- mypy
	$(step) "Stubs of the compiled module" -- python -m mypy.stubtest socscope._core
	$(step) "Documentation" -- $(sphinx)

rust-tests: setup-tests
	$(step) "Rust tests" -- cargo test --workspace --exclude socscope-python --locked

# Last, so that its summary closes the output.
python-tests: setup-tests
	@echo "  Python, project and documentation tests ..."
	@pytest -n auto --dist loadgroup

bench: setup-tests bench-packages ## Measure the simulator's speed, side by side with QEMU and unicorn; fails when a floor is missed.
	$(step) --stream "Engine" -- cargo bench --workspace --exclude socscope-python --bench '*' --locked
	$(step) --stream "Interpreter, with and without the profile" -- python benches/speed.py
	$(step) --stream "Side by side with QEMU and unicorn" -- python benches/comparison.py
	$(step) --stream "Translated PowerPC beside QEMU" -- python benches/powerpc.py
	$(step) --stream "Linux on ARM beside QEMU" -- python benches/integrator.py
	$(step) --stream "Two architectures in one machine" -- python benches/mixed.py
	$(step) --stream "Where host time goes" -- python benches/host_time.py
	$(step) --stream "What probes cost" -- python benches/probes.py
	$(step) --stream "Forks" -- python benches/fork.py
	$(step) --stream "The accelerator study" -- python benches/linux.py
	$(step) --stream "Time travel" -- python benches/time_travel.py
	$(step) --stream "Floors" -- python benches/rows.py

fuzz: setup-tests ## Compare both engines, and unicorn with them, over FUZZ random instructions each, from SEED on.
	$(step) --stream "PowerPC programs by both engines" -- cargo run --quiet --release --locked -p socscope-jit --example powerpc_engines -- $(SEED) $$(( $(FUZZ) / 2500 ))
	$(step) --stream "Whole programs by both engines" -- cargo run --quiet --release --locked -p socscope-fuzz -- --instructions $(FUZZ) --seed $(SEED)
	$(step) --stream "Calls and interrupts by both engines" -- cargo run --quiet --release --locked -p socscope-fuzz -- --calls --instructions $$(( $(FUZZ) / 4 )) --seed $(SEED)
	$(step) --stream "PowerPC calls and interrupts by both engines" -- cargo run --quiet --release --locked -p socscope-fuzz -- --powerpc --instructions $$(( $(FUZZ) / 4 )) --seed $(SEED)
	$(step) --stream "Cores of different architectures by both engines" -- cargo run --quiet --release --locked -p socscope-fuzz -- --mixed --instructions $$(( $(FUZZ) / 4 )) --seed $(SEED)
	@SOCSCOPE_FUZZ_INSTRUCTIONS=$(FUZZ) SOCSCOPE_FUZZ_SEED=$(SEED) pytest -n auto -rP tests/python/test_unicorn.py tests/python/test_unicorn_powerpc.py tests/python/test_unicorn_powerpc_translation.py tests/python/test_unicorn_arm_translation.py tests/python/test_unicorn_programs.py

wheel: setup ## Build a wheel into build/wheels that works outside of this folder.
	$(step) --stream "Wheel" -- scripts/wheel

docs: setup-tests ## Build the documentation into build/docs.
	$(step) "Documentation" -- $(sphinx)

lock: ## Choose the newest versions of the Python packages that pyproject.toml allows.
	uv pip compile --quiet --upgrade --generate-hashes --no-header --python-version 3.11 --all-extras pyproject.toml -o requirements-tests.lock
	uv pip compile --quiet --generate-hashes --no-header --no-annotate --python-version 3.11 --extra build --constraint requirements-tests.lock pyproject.toml -o requirements.lock

clean: ## Remove all that was built here (not the guests' cache).
	rm -rf build target .venv python/socscope/_core*.so
