/* See together.h. STP and ANTT are those of Eyerman and Eeckhout (IEEE Micro, May 2008): system throughput is the sum of
 * the programs' progress, cycles alone over cycles together (2 for two programs that do not slow each other);
 * average normalized turnaround time is the mean of the inverse. Cycles are those in which a program has a kernel on the
 * GPU. */
#include "cli/together.h"

#include <stdio.h>
#include <string.h>

bool cli_together_check(const struct cli_launch *l, struct err *e) {
  if (!l->workload)
    return err_set(e, ERR_INPUT,
                   "--with %s: only built-in workloads can share the GPU; a program has a process and a driver library of its "
                   "own, and with it a GPU of its own",
                   l->with);
  if (l->functional) return err_set(e, ERR_INPUT, "--with %s: --functional has no cycles to compare", l->with);
  if (l->max_cycles || l->max_instructions || l->stop_stable)
    return err_set(e, ERR_INPUT,
                   "--with %s: both workloads must reach their end to be compared; --max-cycles, --max-instructions and "
                   "--stop-stable do not let them",
                   l->with);
  return true;
}

static double number(const json_t *o, const char *name) { return json_number_value(json_object_get(o, name)); }

/* Where either was stopped the two have not done the same work: their speeds are compared. */
static double slowdown(const json_t *program, const json_t *alone) {
  bool whole = !json_is_null(json_object_get(program, "output_ok")) && !json_object_get(alone, "stopped");
  return whole ? number(program, "cycles") / number(alone, "cycles") : number(alone, "ipc") / number(program, "ipc");
}

/* The same GPU and input, nothing watched, nothing printed. */
static bool run_alone(const struct cli_launch *l, json_t *program, struct err *e) {
  const char *name = json_string_value(json_object_get(program, "name"));
  struct cli_launch alone = {.gpu = l->gpu, .set = l->set, .no_check = l->no_check, .strict = l->strict, .quiet = true, .size = l->size,
                             .seed = l->seed, .workload = name};
  struct cli_result r;
  if (!cli_launch(&alone, &r, e)) return false;
  bool ok = r.report && r.status == 0 && number(r.report, "cycles") > 0;
  if (ok) {
    json_object_set_new(program, "alone_cycles", json_integer((json_int_t)number(r.report, "cycles")));
    json_object_set_new(program, "alone_ipc", json_real(number(r.report, "ipc")));
    json_object_set_new(program, "slowdown", json_real(slowdown(program, r.report)));
  }
  json_decref(r.report);
  return ok || err_set(e, ERR_FAULT, "%s alone did not end as it should (status %d): there is nothing to compare with", name, r.status);
}

bool cli_together_compare(const struct cli_launch *l, json_t *report, struct err *e) {
  json_t *list = json_object_get(report, "programs");
  size_t n = json_array_size(list);
  double stp = 0, antt = 0;
  for (size_t i = 0; i < n; i++) {
    json_t *p = json_array_get(list, i);
    if (!run_alone(l, p, e)) return false;
    stp += 1 / number(p, "slowdown");
    antt += number(p, "slowdown") / (double)n;
  }
  json_object_set_new(report, "stp", json_real(stp));
  json_object_set_new(report, "antt", json_real(antt));
  return true;
}

void cli_together_print(const json_t *report) {
  const json_t *list = json_object_get(report, "programs");
  printf("\n  %-18s %5s %14s %10s %14s %10s %10s\n", "program", "SMs", "cycles", "IPC", "cycles alone", "IPC alone", "slowdown");
  for (size_t i = 0; i < json_array_size(list); i++) {
    const json_t *p = json_array_get(list, i);
    printf("  %-18s %5.0f %14.0f %10.2f %14.0f %10.2f %9.3fx\n", json_string_value(json_object_get(p, "name")), number(p, "sms"),
           number(p, "cycles"), number(p, "ipc"), number(p, "alone_cycles"), number(p, "alone_ipc"), number(p, "slowdown"));
  }
  printf("  STP %.3f (2 where neither slows the other), ANTT %.3f; alone: with all SMs\n", number(report, "stp"),
         number(report, "antt"));
}
