# Tests of src/probe and of heddle characterize. Included by the Makefile.
TESTS += $(BUILD)/tests/probe_test $(BUILD)/tests/characterize $(BUILD)/tests/bounds $(BUILD)/tests/pages
$(BUILD)/tests/probe_test: tests/probe/probe_test.c $(BUILD)/libheddle_core.a
	$(core_test)
$(BUILD)/tests/characterize: tests/probe/characterize.sh
	$(script_test)
$(BUILD)/tests/bounds: tests/probe/bounds.sh $(BUILD)/heddle
	$(script_test)
$(BUILD)/tests/pages: tests/probe/pages.sh $(BUILD)/heddle
	$(script_test)
