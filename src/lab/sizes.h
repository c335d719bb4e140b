/* The sizes of workloads' inputs, smallest first: one list for plans, tables of programs, claims and pages. */
#ifndef LAB_SIZES_H
#define LAB_SIZES_H

enum { LAB_SIZES = 3 };
extern const char *const lab_sizes[LAB_SIZES];
/* The place of a size in the list; -1 if there is no such size. */
int lab_size_index(const char *name);

#endif
