// Kernels whose sizes are constants of the program, as they are in the suite: one body for each of a workload's three sizes.
#define WITH_SIZE(n, small, medium, paper, body)                                                                       \
  do {                                                                                                                 \
    if ((n) == (small)) {                                                                                              \
      enum { N = (small) };                                                                                            \
      body;                                                                                                            \
    } else if ((n) == (medium)) {                                                                                      \
      enum { N = (medium) };                                                                                           \
      body;                                                                                                            \
    } else if ((n) == (paper)) {                                                                                       \
      enum { N = (paper) };                                                                                            \
      body;                                                                                                            \
    }                                                                                                                  \
  } while (0)
