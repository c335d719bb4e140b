/* The presets embedded in the program; the list is presets.def. */
#ifndef GPU_PRESETS_H
#define GPU_PRESETS_H

/* The text of a preset, by its name; NULL if there is none. */
const char *gpu_preset_text(const char *name);

#endif
