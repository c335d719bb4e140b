/* See slurm.h. */
#include "lab/sweep/slurm.h"

#include "base/str.h"

#include <errno.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- writing ------------------------------------------------------------------------------------------------------------- */

/* Slurm reads its own lines of the script without a shell's quoting. */
static bool plain(const char *path, struct err *e) {
  const char *odd = path;
  while (*odd && !strchr("'\"\\%$` \t\n", *odd)) odd++;
  return !*odd || err_set(e, ERR_INPUT, "the path '%s' cannot be used in a Slurm script: it has a '%c' in it", path, *odd);
}

static void add_script(struct str *s, const struct lab_slurm *j, const char *folder, const char *here, const char *programs) {
  str_add(s, "#!/bin/bash\n#SBATCH --job-name=heddle\n#SBATCH --array=1-%u", j->tasks);
  if (j->at_once) str_add(s, "%%%u", j->at_once);
  str_add(s,
          "\n#SBATCH --ntasks=1\n#SBATCH --cpus-per-task=1\n#SBATCH --chdir=%s\n#SBATCH --output=%s/task-%%a.log\n"
          "# Made by heddle --slurm. Submit: sbatch %s/job.sh; then: heddle collect %s --db FILE\n"
          "# Submitted again, it does only what is missing.\n"
          "task=%s/task-$SLURM_ARRAY_TASK_ID.db\n"
          "scratch=$(mktemp -d) || exit 3\n"
          "trap 'rm -rf \"$scratch\"' EXIT\n"
          "if [ -e \"$task\" ]; then cp \"$task\" \"$scratch/task.db\" || exit 3; fi\n",
          here, folder, folder, folder, folder);
  str_add(s,
          "%s %s%s%s%s%s --shard \"$SLURM_ARRAY_TASK_ID/%u\" --db \"$scratch/task.db\" --jobs 1\n"
          "status=$?\n"
          "if [ -e \"$scratch/task.db\" ]; then\n"
          "  cp \"$scratch/task.db\" \"$task.part\" && mv \"$task.part\" \"$task\" || status=3\n"
          "fi\n"
          "exit $status\n",
          j->heddle, j->plan ? "sweep " : j->command, j->plan ? folder : "", j->plan ? "/plan.toml" : "",
          *programs ? " --programs " : "", programs, j->tasks);
}

static bool write_file(const char *folder, const char *name, const char *text, size_t n, mode_t mode, struct err *e) {
  struct str path = {0};
  str_add(&path, "%s/%s", folder, name);
  FILE *f = fopen(path.s, "w");
  bool ok = f && fwrite(text, 1, n, f) == n;
  if (f && fclose(f) != 0) ok = false;
  ok = (ok && chmod(path.s, mode) == 0) || err_set(e, ERR_SYSTEM, "cannot write '%s': %s", path.s, strerror(errno));
  str_free(&path);
  return ok;
}

static bool copy_plan(const char *from, const char *folder, struct err *e) {
  struct str text = {0};
  bool ok = str_add_file(&text, from) || err_set(e, ERR_INPUT, "cannot read the plan '%s': %s", from, strerror(errno));
  ok = ok && write_file(folder, "plan.toml", text.s, text.n, 0644, e);
  str_free(&text);
  return ok;
}

bool lab_slurm_write(const struct lab_slurm *s, struct err *e) {
  char folder[PATH_MAX], here[PATH_MAX], programs[PATH_MAX] = "";
  if (mkdir(s->folder, 0777) != 0 && errno != EEXIST)
    return err_set(e, ERR_SYSTEM, "cannot make the folder '%s': %s", s->folder, strerror(errno));
  if (!realpath(s->folder, folder) || !getcwd(here, sizeof here))
    return err_set(e, ERR_SYSTEM, "cannot use the folder '%s': %s", s->folder, strerror(errno));
  if (s->programs && !realpath(s->programs, programs))
    return err_set(e, ERR_SYSTEM, "cannot find '%s': %s", s->programs, strerror(errno));
  if (!plain(folder, e) || !plain(here, e) || !plain(programs, e) || !plain(s->heddle, e)) return false;
  struct str script = {0};
  add_script(&script, s, folder, here, programs);
  bool ok = (s->plan ? copy_plan(s->plan, folder, e) : write_file(folder, "claims.txt", s->command, strlen(s->command), 0644, e)) &&
            write_file(folder, "job.sh", script.s, script.n, 0755, e);
  str_free(&script);
  return ok;
}

/* ---- collecting ---------------------------------------------------------------------------------------------------------- */

static size_t count(struct lab_db *db, const char *sql, struct err *e) {
  json_t *rows = lab_db_query(db, sql, e);
  json_int_t v = json_integer_value(json_array_get(json_array_get(rows, 0), 0));
  json_decref(rows);
  return (size_t)v;
}

static bool collect_file(struct lab_db *db, const char *path, struct lab_collected *out, struct err *e) {
  struct lab_db *task = lab_db_open(path, false, e); /* refuses what is not ours */
  if (!task) return false;
  out->runs += count(task, "SELECT count(*) FROM runs", e);
  lab_db_close(task);
  size_t before = count(db, "SELECT count(*) FROM runs WHERE status = 'ok'", e);
  size_t all = count(db, "SELECT count(*) FROM runs", e);
  bool ok = lab_db_merge(db, path, e);
  size_t more = count(db, "SELECT count(*) FROM runs", e) - all;
  size_t better = count(db, "SELECT count(*) FROM runs WHERE status = 'ok'", e) - before;
  out->added += more > better ? more : better;
  return ok && !e->kind;
}

bool lab_collect(struct lab_db *db, const char *folder, struct lab_collected *out, struct err *e) {
  struct str pattern = {0};
  glob_t found = {0};
  *out = (struct lab_collected){0};
  for (const char *c = folder; *c; c++) str_add(&pattern, strchr("*?[\\", *c) ? "\\%c" : "%c", *c);
  str_add(&pattern, "/task-*.db");
  int code = glob(pattern.s, 0, NULL, &found);
  bool ok = code == 0 || err_set(e, code == GLOB_NOMATCH ? ERR_INPUT : ERR_SYSTEM,
                                 "there is no result of a task (task-*.db) in the folder '%s'", folder);
  for (; ok && out->files < found.gl_pathc; out->files++) ok = collect_file(db, found.gl_pathv[out->files], out, e);
  globfree(&found);
  str_free(&pattern);
  return ok;
}
