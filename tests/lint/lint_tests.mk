# heddle lint as a user calls it.
TESTS += $(BUILD)/tests/lint
$(BUILD)/tests/lint: tests/lint/lint_gpus.sh $(BUILD)/heddle
	$(script_test)
