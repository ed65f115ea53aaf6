# The only entry point. Every target sets up what it needs by itself; ARGS goes through to the program.
.PHONY: up test lint bench bench-% crds kubernetes conformance simulate simulate-mutants
ARGS =
N = 2000

up: ; @scripts/run up $(ARGS)
test: ; @scripts/test $(ARGS)
lint: ; @scripts/lint $(ARGS)
bench: ; @scripts/bench all $(ARGS)
bench-%: ; @scripts/bench $* $(ARGS)
crds: ; @scripts/crds
kubernetes: ; @scripts/kubernetes
conformance: ; @scripts/conformance $(N) $(SEED)
simulate: ; @SEEDS=$(SEEDS) FROM=$(FROM) PROFILE=$(PROFILE) AREA=$(AREA) scripts/simulate $(ARGS)
simulate-mutants: ; @scripts/simulate-mutants $(ARGS)
