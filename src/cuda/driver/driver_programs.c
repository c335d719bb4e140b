/* Programs that share the GPU, and which of them has the turn. See heddle/programs.h.
 *
 * A program has the turn until it waits (cuda_pass). It gets it back when something has ended, checks whether that was what it waits for,
 * and passes the turn on if not; when all wait, time passes until the next end. Only the program that has the turn runs, on the host too,
 * so the order of calls of different programs is always the same. */
#include "cuda/state.h"
#include "gpu/results/report.h"

#include <heddle/programs.h>

static _Thread_local uint32_t self;

uint32_t cuda_program(void) { return self; }

static void wait_for_turn(void) {
  struct cuda_programs *p = &cuda.programs;
  while (p->begun < p->n || p->turn != self) pthread_cond_wait(&p->changed, &cuda.lock);
}

/* Passes the turn to the next program that exists and, if `ready`, has not checked in vain since the last end. */
static bool pass_turn(bool ready) {
  struct cuda_programs *p = &cuda.programs;
  for (uint32_t k = 1; k < p->n; k++) {
    uint32_t next = (self + k) % p->n;
    if (p->gone >> next & 1 || (ready && p->waiting >> next & 1)) continue;
    p->turn = next;
    pthread_cond_broadcast(&p->changed);
    return true;
  }
  return false;
}

bool cuda_others_ran(void) {
  if (cuda.programs.n < 2) return false;
  cuda.programs.waiting |= 1u << self;
  if (!pass_turn(true)) return false;
  wait_for_turn();
  return true;
}

void cuda_programs_look(void) { cuda.programs.waiting = 0; }

CUDA_EXPORT void heddleProgramBegin(unsigned index, unsigned n, const char *name) {
  CUDA_LOCKED;
  self = index;
  cuda.programs.n = n;
  cuda.programs.begun++;
  cuda.programs.report[index].name = name;
  pthread_cond_broadcast(&cuda.programs.changed);
  wait_for_turn();
}

static void take_report(int ok) {
  struct cuda_programs *p = &cuda.programs;
  p->ended |= 1u << self;
  p->report[self].ok = ok;
  if (cuda.initialized && cuda.engine.gpu) p->report[self].json = gpu_report_program(cuda.engine.gpu, self);
}

CUDA_EXPORT int heddleProgramEnd(int ok, int again) {
  CUDA_LOCKED;
  struct cuda_programs *p = &cuda.programs;
  if (!(p->ended >> self & 1)) take_report(ok);
  if (p->ended == (1u << p->n) - 1) return 0;
  if (again) return 1;
  p->gone |= 1u << self;
  pass_turn(false);
  return 1;
}

/* A program that has not ended when the run is stopped is reported as far as it has come. */
json_t *cuda_programs_report(void) {
  struct cuda_programs *p = &cuda.programs;
  json_t *list = json_array();
  for (uint32_t i = 0; i < p->n; i++) {
    json_t *o = p->report[i].json ? p->report[i].json : cuda.engine.gpu ? gpu_report_program(cuda.engine.gpu, i) : json_object();
    json_object_set_new(o, "name", json_string(p->report[i].name));
    json_object_set_new(o, "output_ok", p->ended >> i & 1 ? json_boolean(p->report[i].ok) : json_null());
    json_array_append_new(list, o);
  }
  return list;
}
