/* The list of replacement policies. */
#include "mem/mem_replace.h"

#include <stddef.h>
#include <string.h>

const struct mem_replacement *const mem_replacements[] = {&mem_lru, &mem_nru, &mem_random, NULL};

const struct mem_replacement *mem_replacement_named(const char *name) {
  size_t i = 0;
  while (mem_replacements[i] && strcmp(mem_replacements[i]->name, name)) i++;
  return mem_replacements[i];
}
