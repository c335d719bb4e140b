# heddle lint as a user calls it.
TESTS += $(BUILD)/tests/lint
$(BUILD)/tests/lint: tests/lint/lint.sh $(BUILD)/heddle
	@mkdir -p $(@D)
	printf '#!/bin/sh\nexec tests/lint/lint.sh %s\n' "$(BUILD)" > $@
	chmod +x $@
