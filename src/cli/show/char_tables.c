/* See char_tables.h. */
#include "cli/show/char_tables.h"

#include <stdio.h>
#include <string.h>

#define DEGREES(figure, percent)                                                                                       \
  {                                                                                                                    \
    {"1", "groups>1>" figure, percent}, {"2", "groups>2>" figure, percent}, {"3-10", "groups>3-10>" figure, percent},  \
        {"11-20", "groups>11-20>" figure, percent}, {"21-32", "groups>21-32>" figure, percent}, {                      \
      0                                                                                                                \
    }                                                                                                                  \
  }

const struct char_table char_tables[] = {
    {"lines", "Reuse of L1D lines before eviction", "lines by how many of their 32-byte chunks were reused", CHAR_STACK,
     {{"none", "reused>0", true}, {"1/4", "reused>1/4", true}, {"2/4", "reused>2/4", true},
      {"3/4", "reused>3/4", true}, {"4/4", "reused>4/4", true}, {0}}},
    {"lines", "Use of L1D lines before eviction", "lines by how many of their bytes' sub-blocks were used", CHAR_STACK,
     {{"32B", "used>32B", true}, {"64B", "used>64B", true}, {"96B", "used>96B", true}, {"128B", "used>128B", true}, {0}}},
    {"lines", "Figures of L1D lines", "lines fetched, share of a line used, reused lines with one chunk reused", CHAR_PLAIN,
     {{"lines", "lines", false}, {"used", "used_share", true}, {"used bytes", "used_bytes_share", true},
      {"only 1/4", "quarter_of_reused", true}, {0}}},
    {"consistency", "Consistent (CA) and inconsistent (ICA) accesses", "lines by the bytes that loads asked for", CHAR_STACK,
     {{"CA 32B", "classes>CA 32B", true}, {"CA 64B", "classes>CA 64B", true}, {"CA 96B", "classes>CA 96B", true},
      {"CA 128B", "classes>CA 128B", true}, {"ICA 64B", "classes>ICA 64B", true}, {"ICA 96B", "classes>ICA 96B", true},
      {"ICA 128B", "classes>ICA 128B", true}, {0}}},
    {"coalescing", "Loads by un-coalescing degree", "share of load instructions", CHAR_STACK, DEGREES("loads", true)},
    {"coalescing", "Accesses by un-coalescing degree", "share of the accesses that loads make", CHAR_STACK,
     DEGREES("accesses", true)},
    {"coalescing", "All-hit loads by un-coalescing degree", "share of loads whose every access hit L1D", CHAR_CELLS,
     DEGREES("all_hit", true)},
    {"coalescing", "Load latency by un-coalescing degree", "mean core cycles from issue to the last byte", CHAR_SCALE,
     DEGREES("latency", false)},
    {"coalescing", "Block reuse by un-coalescing degree", "share of fetched lines that were used again", CHAR_CELLS,
     DEGREES("block_reuse", true)},
    {"reuse", "Reuse between SMs", "L1D read misses, and those whose line lies in another SM's L1D", CHAR_PLAIN,
     {{"misses", "requests", false}, {"coefficient", "coefficient", true}, {0}}},
    {"sharing", "L2 lines by clusters that touch them", "in windows of 1,000 cycles", CHAR_STACK,
     {{"1", "touched_by>1", true}, {"2", "touched_by>2", true}, {"3-4", "touched_by>3-4", true},
      {"5-8", "touched_by>5-8", true}, {0}}},
    {"working-set", "Working set", "hits of a fully associative LRU L1D, by its KiB", CHAR_CELLS,
     {{"1", "hits_at_kib>1", true}, {"4", "hits_at_kib>4", true}, {"8", "hits_at_kib>8", true},
      {"16", "hits_at_kib>16", true}, {"32", "hits_at_kib>32", true}, {"64", "hits_at_kib>64", true},
      {"128", "hits_at_kib>128", true}, {"256", "hits_at_kib>256", true}, {"1024", "hits_at_kib>1024", true},
      {"4096", "hits_at_kib>4096", true}, {"16384", "hits_at_kib>16384", true}, {0}}},
    {"working-set", "Memory that loads touch", "KiB: all SMs together, and the one that touches most", CHAR_PLAIN,
     {{"all", "footprint_kib", false}, {"one SM", "largest_sm_kib", false}, {"first touch", "first_touch", true}, {0}}},
    {"mix", "Instruction mix", "share of warp instructions", CHAR_STACK,
     {{"integer", "classes>integer", true}, {"float", "classes>float", true}, {"double", "classes>double", true},
      {"half", "classes>half", true}, {"special", "classes>special", true}, {"tensor", "classes>tensor", true},
      {"convert", "classes>convert", true}, {"shuffle", "classes>shuffle", true}, {"branch", "classes>branch", true},
      {"sync", "classes>barrier and fence", true}, {"gl load", "classes>global load", true},
      {"gl store", "classes>global store", true}, {"atomic", "classes>atomic", true}, {"local", "classes>local", true},
      {"shared", "classes>shared", true}, {"const", "classes>constant", true}, {"texture", "classes>texture", true}}},
    {"sectors", "Sectors of global loads", "load instructions, 32-byte sectors, those found in L1D", CHAR_PLAIN,
     {{"loads", "load_requests", false}, {"sectors", "load_sectors", false}, {"found", "load_sectors_hit", false}, {0}}},
    {0},
};

const json_t *char_value(const json_t *probes, const struct char_table *t, const struct char_column *c) {
  const json_t *at = t->probe ? json_object_get(probes, t->probe) : probes;
  const char *path = c->path;
  for (const char *step; at && (step = strchr(path, '>')); path = step + 1)
    at = json_object_getn(at, path, (size_t)(step - path));
  return at ? json_object_get(at, path) : NULL;
}

void char_text(const json_t *v, const struct char_column *c, char *out, size_t size) {
  if (!json_is_number(v)) snprintf(out, size, "-");
  else if (c->percent) snprintf(out, size, "%.1f %%", 100 * json_number_value(v));
  else snprintf(out, size, "%.0f", json_number_value(v));
}
