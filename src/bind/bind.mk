# libheddle-bind.so: preloaded by `heddle run`, binds a CUDA runtime linked into a program to ours; libheddle-audit.so tells it of objects
# that come later. Never built with sanitizers: their library would have to be loaded before them.
BIND_LIBS = $(BUILD)/lib/libheddle-bind.so $(BUILD)/lib/libheddle-audit.so
BIND_BASE = $(foreach file,elf_view elf_linked cuda_toolkit,src/base/$(file).c src/base/$(file).h)
$(BIND_LIBS): OPT = -O2
$(BUILD)/lib/libheddle-bind.so: src/bind/bind_static.c src/bind/bind.h $(BIND_BASE)
	@mkdir -p $(@D)
	$(CC) $(filter-out -MMD -MP,$(CFLAGS)) -shared -Wl,-soname,libheddle-bind.so -Wl,-z,initfirst $(filter %.c,$^) -o $@ -ldl
$(BUILD)/lib/libheddle-audit.so: src/bind/bind_later.c src/bind/bind.h src/base/elf_view.c src/base/elf_view.h
	@mkdir -p $(@D)
	$(CC) $(filter-out -MMD -MP,$(CFLAGS)) -fvisibility=default -shared -Wl,-soname,libheddle-audit.so $(filter %.c,$^) -o $@
all programs: $(BIND_LIBS)
