/* libheddle-audit.so: tells libheddle-bind.so of objects that a program loads later, with dlopen.
 *
 * `heddle run` names it as the loader's auditor (LD_AUDIT, of the GNU C library), because an auditor hears of an object when it is
 * mapped and before its constructors run: these register its kernels, and must find our runtime then. It has a namespace of its
 * own, in which no CUDA library may be loaded: it only keeps a list, and libheddle-bind.so, in the program's namespace, binds.
 * Objects that come with the program are none of its business: libheddle-bind.so looks at them when it starts. */
#include "bind/bind.h"

#include "base/elf_view.h"

#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct link_map **fresh; /* mapped since the loader was last done */
static size_t n_fresh, capacity;
static bind_object_fn *bind; /* NULL: libheddle-bind.so is not there */
static bool running;         /* what comes with the program has been mapped: what comes from now on comes later */

static bool note_address(void *context, const char *name, const Elf64_Sym *symbol) {
  if (!strcmp(name, BIND_OBJECT)) *(uintptr_t *)context += symbol->st_value;
  return strcmp(name, BIND_OBJECT) != 0;
}

static void find_binder(const struct link_map *map) {
  struct elf_view file;
  uintptr_t at = map->l_addr;
  if (!elf_open(&file, map->l_name)) return;
  elf_each_exported(&file, note_address, &at);
  elf_close(&file);
  if (at != map->l_addr) memcpy(&bind, &at, sizeof bind);
}

static bool make_room(void) {
  size_t more = capacity ? 2 * capacity : 64;
  void *larger = realloc(fresh, more * sizeof *fresh);
  if (!larger) return false;
  fresh = larger, capacity = more;
  return true;
}

unsigned la_version(unsigned version);
unsigned la_version(unsigned version) { return version < LAV_CURRENT ? version : LAV_CURRENT; }

unsigned la_objopen(struct link_map *map, Lmid_t namespace, uintptr_t *cookie);
unsigned la_objopen(struct link_map *map, Lmid_t namespace, uintptr_t *cookie) {
  if (namespace != LM_ID_BASE) return 0;
  const char *slash = strrchr(map->l_name, '/');
  if (slash && !strcmp(slash + 1, BIND_LIBRARY)) find_binder(map);
  if (n_fresh == capacity && !make_room()) {
    fprintf(stderr, "heddle: no memory to look for a CUDA runtime in '%s'\n", map->l_name);
    return 0;
  }
  fresh[n_fresh++] = map;
  *cookie = (uintptr_t)map;
  return 0;
}

/* One that the loader gives up again, because something it needs is not there. */
unsigned la_objclose(uintptr_t *cookie);
unsigned la_objclose(uintptr_t *cookie) {
  for (size_t i = 0; i < n_fresh; i++)
    if ((uintptr_t)fresh[i] == *cookie) fresh[i] = fresh[--n_fresh];
  return 0;
}

void la_activity(uintptr_t *cookie, unsigned what);
void la_activity(uintptr_t *cookie, unsigned what) {
  (void)cookie;
  if (what != LA_ACT_CONSISTENT) return;
  for (size_t i = 0; i < n_fresh && running && bind; i++) bind(fresh[i]->l_name, fresh[i]->l_addr);
  n_fresh = 0;
  running = true;
}
