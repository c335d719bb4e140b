/* The groups of figures, one line each, in the order of the papers. */
#include "lab/figures/figure.h"

#include <stddef.h>

extern const struct figure figures_t[], figures_b[], figures_a[], figures_d[], figures_c[];
const struct figure *const figure_groups[] = {figures_t, figures_b, figures_a, figures_d, figures_c, NULL};
