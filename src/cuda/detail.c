/* See detail.h. */
#include "cuda/detail.h"

#include <stdlib.h>
#include <string.h>

static bool compile(regex_t *out, const char *option, const char *text, struct err *e) {
  int bad = regcomp(out, text, REG_EXTENDED | REG_NOSUB);
  if (!bad) return true;
  char why[128];
  regerror(bad, out, why, sizeof why);
  return err_set(e, ERR_INPUT, "%s '%s' is not a regular expression: %s", option, text, why);
}

static bool number_of(const char *text, uint64_t *out) {
  char *end;
  *out = strtoull(text, &end, 10);
  return *text >= '0' && *text <= '9' && !*end;
}

bool cuda_detail_start(struct cuda_detail *d, const struct cuda_settings *s, const struct gpu *g, struct err *e) {
  *d = (struct cuda_detail){0};
  if (!g) return true;
  if (s->sample > 0) d->estimator = gpu_estimator_new(g, s->sample / 100);
  if (s->only) return (d->only = compile(&d->pattern, "--only", s->only, e));
  if (!s->skip_to) return true;
  if (!number_of(s->skip_to, &d->first)) return (d->skip = compile(&d->pattern, "--skip-to", s->skip_to, e));
  if (!d->first) return err_set(e, ERR_INPUT, "--skip-to 0: launches are counted from 1");
  d->skip = true;
  return true;
}

void cuda_detail_free(struct cuda_detail *d) {
  gpu_estimator_delete(d->estimator);
  if (d->only || d->skip) regfree(&d->pattern);
  *d = (struct cuda_detail){0};
}

static bool matches(const struct cuda_detail *d, const struct exec_grid *g) {
  return regexec(&d->pattern, g->kernel->ptx->name, 0, NULL, 0) == 0;
}

bool cuda_detail_wants(struct cuda_detail *d, const struct exec_grid *g, uint64_t number, size_t *group) {
  if (d->only) return matches(d, g);
  if (d->skip) {
    if (!d->first && matches(d, g)) d->first = number;
    return d->first && number >= d->first;
  }
  if (!d->estimator) return true;
  struct sampling *s = gpu_estimator_sampling(d->estimator);
  struct sampling_launch l = {.kernel = g->kernel->ptx->name, .shared = exec_shared_bytes(g->kernel, g->dynamic_shared)};
  memcpy(l.grid, g->grid, sizeof l.grid);
  memcpy(l.block, g->block, sizeof l.block);
  *group = sampling_group(s, &l);
  return sampling_wants(s, *group);
}

void cuda_detail_simulated(struct cuda_detail *d, size_t group) {
  if (d->estimator) gpu_estimator_simulated(d->estimator, group);
}

void cuda_detail_skipped(struct cuda_detail *d, size_t group, const struct exec_grid *g) {
  d->skipped++;
  d->skipped_instructions += g->instructions;
  if (d->estimator) sampling_over(gpu_estimator_sampling(d->estimator), group, (double)g->instructions, NULL);
}

double cuda_detail_cycles(const struct cuda_detail *d, size_t group, const struct exec_grid *g) {
  if (!d->estimator) return 0;
  double cycles = sampling_predicted(gpu_estimator_sampling(d->estimator), group, SAMPLING_CYCLES, (double)g->instructions);
  return cycles > 0 ? cycles : 0;
}

void cuda_detail_report(const struct cuda_detail *d, json_t *root) {
  if (d->skipped)
    json_object_set_new(root, "skipped", json_pack("{s:I, s:I}", "launches", (json_int_t)d->skipped, "warp_instructions",
                                                   (json_int_t)d->skipped_instructions));
}
