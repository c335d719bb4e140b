# The library for programs of one's own: $(BUILD)/lib/libheddle.so with the simulator inside, its pkg-config file, and
# the example that uses it.
API_VERSION := $(shell sed -n 's/^.define HEDDLE_VERSION "\(.*\)"/\1/p' src/base/version.h)
API_OBJ := $(patsubst src/%.c,$(BUILD)/obj/%.o,$(wildcard src/api/*.c))

$(BUILD)/lib/libheddle.so.0: $(API_OBJ) $(BUILD)/libheddle_core.a
	@mkdir -p $(@D)
	$(CC) $(LDFLAGS) -shared -Wl,-soname,libheddle.so.0 $(if $(SANITIZE),,-Wl$(,)--no-undefined) $^ -o $@ $(LDLIBS)
$(BUILD)/lib/libheddle.so: $(BUILD)/lib/libheddle.so.0
	ln -sf libheddle.so.0 $@

# What a program of one's own sees: the installed header and the library, nothing of src/.
$(BUILD)/embed: examples/embed.c include/heddle/heddle.h $(BUILD)/lib/libheddle.so
	$(CC) -std=c11 -g -O2 $(WARN) $(if $(SANITIZE),-fsanitize=address$(,)undefined) -Iinclude $< -L$(BUILD)/lib \
	  -Wl,-rpath,'$$ORIGIN/lib' -lheddle -o $@

programs: $(BUILD)/lib/libheddle.so
