/* Every policy of every plug-in point, for `heddle list policies`. */
#ifndef GPU_POLICIES_H
#define GPU_POLICIES_H

typedef void (*gpu_policy_fn)(void *user, const char *key, const char *name, const char *meaning);
void gpu_visit_policies(gpu_policy_fn fn, void *user);

#endif
