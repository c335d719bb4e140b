# libheddle-bind.so: preloaded by `heddle run`, binds a CUDA runtime linked into a program to ours. Never built with sanitizers:
# their library would have to be loaded before it.
$(BUILD)/lib/libheddle-bind.so: OPT = -O2
$(BUILD)/lib/libheddle-bind.so: src/bind/bind_static.c src/base/elf_view.c src/base/elf_view.h
	@mkdir -p $(@D)
	$(CC) $(filter-out -MMD -MP,$(CFLAGS)) -shared -Wl,-soname,libheddle-bind.so $(filter %.c,$^) -o $@ -ldl
all programs: $(BUILD)/lib/libheddle-bind.so
