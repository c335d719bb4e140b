/* See chosen.h. */
#include "cuda/chosen.h"

#include <stdlib.h>
#include <string.h>

static bool compile(struct cuda_chosen *c, const char *option, const char *text, struct err *e) {
  int bad = regcomp(&c->pattern, text, REG_EXTENDED | REG_NOSUB);
  c->compiled = !bad;
  if (!bad) return true;
  char why[128];
  regerror(bad, &c->pattern, why, sizeof why);
  return err_set(e, ERR_INPUT, "%s '%s' is not a regular expression: %s", option, text, why);
}

static bool number_of(const char *text, uint64_t *out) {
  char *end;
  *out = strtoull(text, &end, 10);
  return *text >= '0' && *text <= '9' && !*end;
}

bool cuda_chosen_start(struct cuda_chosen *c, const struct cuda_settings *s, double sample, const struct gpu *g, struct err *e) {
  *c = (struct cuda_chosen){0};
  if (!g && s->sample_plan) c->plan = sampling_new(sample, 1);
  if (!g) return true;
  if (sample > 0 && (s->only || s->skip_to))
    return err_set(e, ERR_INPUT, "--sample, --only and --skip-to choose launches each in its own way: one of them at a time");
  if (sample > 0 && (s->probe || s->profile || s->per_sm || s->interval || s->stop_stable > 0 || s->trace))
    return err_set(e, ERR_INPUT,
                   "--sample estimates totals: --probe, --profile, --per-sm, --interval, --stop-stable, --detail, --page and --trace would "
                   "show the simulated launches alone; use --only or --skip-to");
  if (sample > 0) c->estimator = gpu_estimator_new(g, sample);
  if (s->only) return (c->only = compile(c, "--only", s->only, e));
  if (!s->skip_to) return true;
  if (!number_of(s->skip_to, &c->first)) return (c->skip = compile(c, "--skip-to", s->skip_to, e));
  if (!c->first) return err_set(e, ERR_INPUT, "--skip-to 0: launches are counted from 1");
  c->skip = true;
  return true;
}

void cuda_chosen_free(struct cuda_chosen *c) {
  gpu_estimator_delete(c->estimator);
  sampling_delete(c->plan);
  free(c->before);
  if (c->compiled) regfree(&c->pattern);
  *c = (struct cuda_chosen){0};
}

static bool matches(const struct cuda_chosen *c, const struct exec_grid *g) {
  return regexec(&c->pattern, g->kernel->ptx->name, 0, NULL, 0) == 0;
}

static size_t group_of(struct cuda_chosen *c, struct sampling *s, const struct exec_grid *g) {
  struct sampling_launch l = {.kernel = g->kernel->ptx->name, .after = c->before};
  l.shared = exec_shared_bytes(g->kernel, g->dynamic_shared);
  memcpy(l.grid, g->grid, sizeof l.grid);
  memcpy(l.block, g->block, sizeof l.block);
  size_t group = sampling_group(s, &l);
  if (c->before && !strcmp(c->before, l.kernel)) return group;
  free(c->before);
  c->before = strdup(l.kernel);
  return group;
}

bool cuda_chosen_wants(struct cuda_chosen *c, const struct exec_grid *g, uint64_t number, size_t *group) {
  if (c->only) return matches(c, g);
  if (c->skip) {
    if (!c->first && matches(c, g)) c->first = number;
    return c->first && number >= c->first;
  }
  if (!c->estimator) return true;
  struct sampling *s = gpu_estimator_sampling(c->estimator);
  *group = group_of(c, s, g);
  return sampling_wants(s, *group);
}

bool cuda_chosen_follows(struct cuda_chosen *c, size_t group, const struct gpu *g) {
  return !c->estimator || sampling_follows(gpu_estimator_sampling(c->estimator), group, (double)gpu_warm_lines(g));
}

void cuda_chosen_followed(struct cuda_chosen *c, size_t group, const struct gpu_followed *f) {
  if (!c->estimator) return;
  struct sampling *s = gpu_estimator_sampling(c->estimator);
  if (f) sampling_followed(s, group, (double)f->lookups, (double)f->unknown, (double)f->left);
  else sampling_lost(s);
}

bool cuda_chosen_counts(const struct cuda_chosen *c, size_t group, const struct exec_grid *g) {
  return c->estimator && gpu_segments_can_count(g) && sampling_counts_segments(gpu_estimator_sampling(c->estimator), group);
}

void cuda_chosen_simulated(struct cuda_chosen *c, size_t group, const struct exec_grid *g) {
  if (c->estimator) gpu_estimator_simulated(c->estimator, group, g);
}

static struct sampling_size size_of(const struct exec_grid *g, double segments) {
  return (struct sampling_size){(double)g->instructions, segments};
}

void cuda_chosen_skipped(struct cuda_chosen *c, size_t group, const struct exec_grid *g, double segments) {
  c->skipped++;
  c->skipped_instructions += g->instructions;
  if (c->estimator) sampling_over(gpu_estimator_sampling(c->estimator), group, size_of(g, segments), NULL);
}

/* Treats every launch as if its time were proportional to its size: shows how few are enough at best. */
void cuda_chosen_planned(struct cuda_chosen *c, const struct exec_grid *g) {
  if (!c->plan) return;
  size_t group = group_of(c, c->plan, g);
  struct sampling_size size = size_of(g, SAMPLING_UNCOUNTED);
  if (sampling_wants(c->plan, group)) sampling_simulated(c->plan, group, size, &size.instructions);
  else sampling_over(c->plan, group, size, NULL);
}

double cuda_chosen_cycles(const struct cuda_chosen *c, size_t group, const struct exec_grid *g, double segments) {
  if (!c->estimator) return 0;
  double cycles = sampling_predicted(gpu_estimator_sampling(c->estimator), group, SAMPLING_CYCLES, size_of(g, segments));
  return cycles > 0 ? cycles : 0;
}

void cuda_chosen_report(const struct cuda_chosen *c, json_t *root) {
  if (c->skipped)
    json_object_set_new(root, "skipped", json_pack("{s:I, s:I}", "launches", (json_int_t)c->skipped, "warp_instructions",
                                                   (json_int_t)c->skipped_instructions));
  if (c->plan) json_object_set_new(root, "sample_plan", gpu_sampling_groups(c->plan));
}
