/* Turns text into tokens, one at a time. Knows comments, numbers in all bases, hexadecimal floats, names, dotted words with '::' inside,
 * strings and operators; does not know the meaning of words. */
#include "ptx/ptx_reader.h"

#include <locale.h>
#include <stdlib.h>
#include <string.h>

/* Classes of characters; the table is indexed by the unsigned byte. */
enum {
  C_SPACE = 1,
  C_NAME = 2 /* may continue a name */,
  C_START = 4 /* may begin one */,
  C_DIGIT = 8,
  C_HEX = 16
};

static const unsigned char char_class[256] = {
    [' '] = C_SPACE,
    ['\t'] = C_SPACE,
    ['\r'] = C_SPACE,
    ['\f'] = C_SPACE,
    ['\v'] = C_SPACE,
    ['0' ... '9'] = C_NAME | C_DIGIT | C_HEX,
    ['a' ... 'f'] = C_NAME | C_START | C_HEX,
    ['A' ... 'F'] = C_NAME | C_START | C_HEX,
    ['g' ... 'z'] = C_NAME | C_START,
    ['G' ... 'Z'] = C_NAME | C_START,
    ['_'] = C_NAME | C_START,
    ['$'] = C_NAME | C_START,
    ['%'] = C_START,
};

static bool is(char c, int class) { return (char_class[(unsigned char)c] & class) != 0; }

static const char *skip_class(const char *s, const char *end, int class) {
  while (s < end && is(*s, class)) s++;
  return s;
}

static void skip_line(struct ptx_reader *r) {
  const char *nl = memchr(r->cur, '\n', (size_t)(r->end - r->cur));
  r->cur = nl ? nl : r->end;
}

static bool skip_block_comment(struct ptx_reader *r) {
  const char *start = r->cur;
  for (const char *s = start + 2; s + 1 < r->end; s++) {
    if (*s == '\n') {
      r->line++;
      r->line_start = s + 1;
    }
    if (s[0] == '*' && s[1] == '/') {
      r->cur = s + 2;
      return true;
    }
  }
  return ptx_fail(r, start, "this comment is not closed");
}

static bool starts(const struct ptx_reader *r, const char *word) {
  size_t n = strlen(word);
  return (size_t)(r->end - r->cur) >= n && memcmp(r->cur, word, n) == 0;
}

/* White space, comments, lines of a preprocessor, and the DWARF lines of old compilers ("@@DWARF ..."). */
static bool skip_blank(struct ptx_reader *r) {
  while (r->cur < r->end) {
    char c = *r->cur;
    if (is(c, C_SPACE)) {
      r->cur++;
    } else if (c == '\n') {
      r->cur++;
      r->line++;
      r->line_start = r->cur;
    } else if (starts(r, "//") || starts(r, "@@DWARF") || (c == '#' && r->cur == r->line_start)) {
      skip_line(r);
    } else if (starts(r, "/*")) {
      if (!skip_block_comment(r)) return false;
    } else {
      break;
    }
  }
  return true;
}

/* ---- numbers ------------------------------------------------------------------------------------------- */

static bool bad_number(struct ptx_reader *r, const char *why) {
  return ptx_fail(r, r->tok.start, "malformed number: %s", why);
}

static bool end_number(struct ptx_reader *r, const char *s) {
  if (s < r->end && is(*s, C_NAME)) return bad_number(r, "a letter or digit that does not belong to it");
  r->cur = s;
  return true;
}

static unsigned digit_value(char c) {
  return c <= '9' ? (unsigned)(c - '0') : (unsigned)((c | 32) - 'a') + 10;
}

static bool lex_hex_float(struct ptx_reader *r, unsigned digits, enum ptx_tok_kind kind) {
  const char *s = r->cur + 2, *stop = skip_class(s, r->end, C_HEX);
  if ((size_t)(stop - s) != digits)
    return bad_number(r, digits == 8 ? "0f takes 8 hexadecimal digits" : "0d takes 16 hexadecimal digits");
  r->tok.kind = (uint8_t)kind;
  for (; s < stop; s++) r->tok.value = r->tok.value << 4 | digit_value(*s);
  return end_number(r, stop);
}

static bool lex_integer(struct ptx_reader *r, const char *s, unsigned base) {
  const char *first = s;
  uint64_t v = 0;
  for (; s < r->end && is(*s, C_HEX) && digit_value(*s) < base; s++)
    if (__builtin_mul_overflow(v, base, &v) || __builtin_add_overflow(v, digit_value(*s), &v))
      return bad_number(r, "it does not fit in 64 bits");
  if (s == first) return bad_number(r, "a digit is missing");
  r->tok.kind = PTX_T_INT;
  r->tok.value = v;
  r->tok.is_unsigned = v >> 63;
  if (s < r->end && (*s == 'U' || *s == 'u')) {
    r->tok.is_unsigned = true;
    s++;
  }
  return end_number(r, s);
}

/* Decimal floats are converted in the C locale, whatever locale the host program has set. */
static bool lex_decimal_float(struct ptx_reader *r, const char *stop) {
  char text[128];
  size_t n = (size_t)(stop - r->cur);
  if (n >= sizeof text) return bad_number(r, "too many digits");
  memcpy(text, r->cur, n);
  text[n] = 0;
  locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  double d = c ? strtod_l(text, NULL, c) : strtod(text, NULL);
  if (c) freelocale(c);
  r->tok.kind = PTX_T_F64;
  memcpy(&r->tok.value, &d, sizeof d);
  return end_number(r, stop);
}

/* The end of a decimal float that starts at s, or s if an integer is there. */
static const char *decimal_float_end(const struct ptx_reader *r, const char *s) {
  const char *p = skip_class(s, r->end, C_DIGIT), *stop = s;
  if (p < r->end && *p == '.') stop = p = skip_class(p + 1, r->end, C_DIGIT);
  if (p < r->end && (*p | 32) == 'e') {
    p++;
    if (p < r->end && (*p == '+' || *p == '-')) p++;
    const char *digits = p;
    p = skip_class(p, r->end, C_DIGIT);
    if (p > digits) stop = p;
  }
  return stop;
}

static bool lex_number(struct ptx_reader *r) {
  const char *s = r->cur;
  char next = s + 1 < r->end ? s[1] : 0;
  if (*s == '0' && (next | 32) == 'x') return lex_integer(r, s + 2, 16);
  if (*s == '0' && (next | 32) == 'f') return lex_hex_float(r, 8, PTX_T_F32);
  if (*s == '0' && (next | 32) == 'd') return lex_hex_float(r, 16, PTX_T_F64);
  if (*s == '0' && (next | 32) == 'b') return lex_integer(r, s + 2, 2);
  const char *stop = decimal_float_end(r, s);
  if (stop != s) return lex_decimal_float(r, stop);
  return lex_integer(r, s, *s == '0' && is(next, C_DIGIT) ? 8 : 10);
}

/* A number without a digit before its point: .5, but not the word .1d. */
static bool is_fraction(const struct ptx_reader *r) {
  if (r->cur + 1 >= r->end || !is(r->cur[1], C_DIGIT)) return false;
  const char *stop = decimal_float_end(r, r->cur);
  return stop >= r->end || !is(*stop, C_NAME);
}

/* ---- words --------------------------------------------------------------------------------------------- */

static bool lex_name(struct ptx_reader *r) {
  const char *stop = skip_class(r->cur + 1, r->end, C_NAME);
  if (stop - r->cur > PTX_MAX_NAME)
    return ptx_fail(r, r->cur, "a name of more than %d characters", PTX_MAX_NAME);
  r->tok.kind = PTX_T_IDENT;
  r->tok.s = r->cur;
  r->tok.len = (uint32_t)(stop - r->cur);
  r->cur = stop;
  return true;
}

static bool lex_dotted(struct ptx_reader *r) {
  const char *s = r->cur + 1, *stop = skip_class(s, r->end, C_NAME);
  while (stop + 2 < r->end && stop[0] == ':' && stop[1] == ':' && is(stop[2], C_NAME))
    stop = skip_class(stop + 2, r->end, C_NAME);
  if (stop == s) return ptx_fail(r, r->cur, "a word must follow the dot");
  if (stop - s > PTX_MAX_NAME) return ptx_fail(r, s, "a name of more than %d characters", PTX_MAX_NAME);
  r->tok.kind = PTX_T_DOT;
  r->tok.s = s;
  r->tok.len = (uint32_t)(stop - s);
  r->cur = stop;
  return true;
}

static bool lex_string(struct ptx_reader *r) {
  const char *s = r->cur + 1;
  while (s < r->end && *s != '"' && *s != '\n') s += *s == '\\' && s + 1 < r->end && s[1] != '\n' ? 2 : 1;
  if (s >= r->end || *s != '"') return ptx_fail(r, r->cur, "this string is not closed");
  r->tok.kind = PTX_T_STRING;
  r->tok.s = r->cur + 1;
  r->tok.len = (uint32_t)(s - r->tok.s);
  r->cur = s + 1;
  return true;
}

static bool lex_punct(struct ptx_reader *r) {
  static const char pairs[][3] = {"<<", ">>", "<=", ">=", "==", "!=", "&&", "||"};
  char c = *r->cur;
  if (!c || !strchr("{}()[]<>,;:=+-*/%!~&|^?@_", c)) {
    unsigned char u = (unsigned char)c;
    return u >= ' ' && u < 127 ? ptx_fail(r, r->cur, "unexpected character '%c'", c)
                               : ptx_fail(r, r->cur, "unexpected character with code %u", u);
  }
  r->tok.kind = PTX_T_PUNCT;
  r->tok.punct = c;
  for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++)
    if (starts(r, pairs[i])) {
      r->tok.punct = PTX_PUNCT2(pairs[i][0], pairs[i][1]);
      r->cur++;
      break;
    }
  r->cur++;
  return true;
}

bool ptx_next(struct ptx_reader *r) {
  if (r->e->kind != ERR_NONE || !skip_blank(r)) return false;
  r->tok = (struct ptx_tok){.kind = PTX_T_END, .s = r->cur, .start = r->cur};
  r->tok_line = r->line;
  r->tok_line_start = r->line_start;
  if (r->cur >= r->end) return true;
  char c = *r->cur;
  if (is(c, C_DIGIT)) return lex_number(r);
  if (c == '%' && !(r->cur + 1 < r->end && is(r->cur[1], C_NAME))) return lex_punct(r);
  if (is(c, C_START)) return lex_name(r);
  if (c == '.' && is_fraction(r)) return lex_decimal_float(r, decimal_float_end(r, r->cur));
  if (c == '.') return lex_dotted(r);
  if (c == '"') return lex_string(r);
  return lex_punct(r);
}

bool ptx_at_word(const struct ptx_reader *r, enum ptx_tok_kind kind, const char *word) {
  return r->tok.kind == kind && r->tok.len == strlen(word) && memcmp(r->tok.s, word, r->tok.len) == 0;
}

bool ptx_accept(struct ptx_reader *r, int punct) { return ptx_at(r, punct) && ptx_next(r); }

bool ptx_expect(struct ptx_reader *r, int punct) {
  char what[4] = {'\'', (char)punct, '\'', 0};
  return ptx_at(r, punct) ? ptx_next(r) : ptx_expected(r, what);
}

bool ptx_take_name(struct ptx_reader *r, const char *what, struct ptx_tok *out) {
  if (r->tok.kind != PTX_T_IDENT) return ptx_expected(r, what);
  *out = r->tok;
  return ptx_next(r);
}

char *ptx_keep(struct ptx_reader *r, const struct ptx_tok *t) {
  return arena_strndup(&r->m->arena, t->s, t->len);
}
