# heddle lint as a user calls it.
TESTS += $(BUILD)/tests/lint
$(BUILD)/tests/lint: tests/lint/lint_gpus.sh $(BUILD)/heddle
	@mkdir -p $(@D)
	printf '#!/bin/sh\nexec tests/lint/lint_gpus.sh %s\n' "$(BUILD)" > $@
	chmod +x $@
