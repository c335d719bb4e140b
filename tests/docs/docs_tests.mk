# Pages whose listings and commands are executed.
DOCS_TESTS := $(addprefix $(BUILD)/tests/docs_,$(basename $(notdir $(wildcard tests/docs/*.sh))))
TESTS += $(DOCS_TESTS)
$(DOCS_TESTS): $(BUILD)/tests/docs_%: tests/docs/%.sh | programs
	$(script_test)
