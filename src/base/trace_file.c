/* See trace_file.h. */
#include "base/trace_file.h"

#include <string.h>

void trace_begin(struct trace_file *t, FILE *f, uint64_t limit) {
  static const char head[] = "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[";
  *t = (struct trace_file){.f = f, .limit = limit, .bytes = sizeof head - 1};
  fputs(head, f);
}

/* A line that does not fit is left out as a whole. */
static bool put(struct trace_file *t, const char *line, size_t n) {
  if (t->bytes + n + 2 + TRACE_END_BYTES > t->limit) {
    t->left_out++;
    return false;
  }
  fputs(t->events++ ? ",\n" : "\n", t->f);
  fwrite(line, 1, n, t->f);
  t->bytes += n + 2;
  return true;
}

/* As in a JSON string; what does not fit is cut off. */
static const char *quoted(const char *name, char *out, size_t size) {
  size_t at = 0;
  for (; *name && at + 8 < size; name++) {
    unsigned char c = (unsigned char)*name;
    if (c == '"' || c == '\\') out[at++] = '\\';
    if (c < ' ' || c == 0x7f) at += (size_t)snprintf(out + at, size - at, "\\u%04x", c);
    else out[at++] = (char)c;
  }
  out[at] = 0;
  return out;
}

enum { LINE = 1024, NAME = 400 };

static void name_something(struct trace_file *t, const char *what, unsigned pid, unsigned tid, const char *name) {
  char line[LINE], text[NAME];
  int n = snprintf(line, sizeof line, "{\"ph\":\"M\",\"pid\":%u,\"tid\":%u,\"name\":\"%s\",\"args\":{\"name\":\"%s\"}}", pid, tid, what,
                   quoted(name, text, sizeof text));
  put(t, line, (size_t)n);
}

void trace_process(struct trace_file *t, unsigned pid, const char *name) {
  char line[LINE];
  name_something(t, "process_name", pid, 0, name);
  int n = snprintf(line, sizeof line,
                   "{\"ph\":\"M\",\"pid\":%u,\"tid\":0,\"name\":\"process_sort_index\",\"args\":{\"sort_index\":%u}}", pid, pid);
  put(t, line, (size_t)n);
}

void trace_thread(struct trace_file *t, unsigned pid, unsigned tid, const char *name) { name_something(t, "thread_name", pid, tid, name); }

/* Microseconds, exactly. */
#define US(ps) (unsigned long long)((ps) / 1000000), (unsigned)((ps) % 1000000)

bool trace_slice(struct trace_file *t, unsigned pid, unsigned tid, const char *name, uint64_t from, uint64_t to, const char *args) {
  char line[LINE], text[NAME];
  int n = snprintf(line, sizeof line, "{\"ph\":\"X\",\"pid\":%u,\"tid\":%u,\"name\":\"%s\",\"ts\":%llu.%06u,\"dur\":%llu.%06u%s%s%s}", pid,
                   tid, quoted(name, text, sizeof text), US(from), US(to - from), args ? ",\"args\":{" : "", args ? args : "",
                   args ? "}" : "");
  return put(t, line, (size_t)n);
}

bool trace_counter(struct trace_file *t, unsigned pid, const char *name, uint64_t at, const char *args) {
  char line[LINE], text[NAME];
  int n = snprintf(line, sizeof line, "{\"ph\":\"C\",\"pid\":%u,\"name\":\"%s\",\"ts\":%llu.%06u,\"args\":{%s}}", pid,
                   quoted(name, text, sizeof text), US(at), args);
  return put(t, line, (size_t)n);
}

void trace_end(struct trace_file *t, const char *more) {
  fprintf(t->f, "\n],\"otherData\":{\"left_out\":%llu%s%s}}\n", (unsigned long long)t->left_out, more ? "," : "", more ? more : "");
}
