/* The C interface of tinytune: load a model, tune it, write its library.
 *
 * Every function that can fail returns a tinytune_status; the message for people is then in
 * tinytune_last_error() of the same thread, valid until that thread's next call. Strings passed in
 * are copied; strings handed out belong to the object they came from. Cycles are the device's,
 * sizes are bytes. Calls on different objects may run in different threads at once. */
#ifndef TINYTUNE_C_H
#define TINYTUNE_C_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
  TINYTUNE_OK = 0,
  TINYTUNE_INVALID_INPUT = 1, /* malformed model, log, device file, option or argument */
  TINYTUNE_UNSUPPORTED = 2,   /* well formed, but outside what this version does */
  TINYTUNE_NOT_FOUND = 3,     /* no such file, device or program */
  TINYTUNE_FAILED = 4,        /* the work itself failed */
  TINYTUNE_DEVICE_LOST = 5,   /* a board is in an unknown state */
  TINYTUNE_INTERRUPTED = 6    /* cancelled; what was reported is in the log */
} tinytune_status;

/* "0.1.0". */
const char *tinytune_version(void);

/* One line about this thread's last failure; "" if there was none. */
const char *tinytune_last_error(void);

typedef struct tinytune_model tinytune_model;

/* Reads a .tflite file. NOT_FOUND, INVALID_INPUT, UNSUPPORTED. On success *model is the caller's
 * to free. */
tinytune_status tinytune_model_load(const char *path, tinytune_model **model);
void tinytune_model_free(tinytune_model *model); /* null is allowed */

/* What there is to tune. The strings live as long as the model; null for an index out of range. */
size_t tinytune_task_count(const tinytune_model *model);
const char *tinytune_task_name(const tinytune_model *model, size_t task);
size_t tinytune_task_layer_count(const tinytune_model *model, size_t task);

typedef struct {
  uint64_t trials;       /* in the log and synced, those of earlier runs included */
  uint64_t trials_total; /* where the run ends, unless its time ends first */
  uint64_t measured;     /* of them, by this call */
  uint64_t valid;        /* of `trials`, those that built, ran and were right */
  uint64_t best_cycles;  /* of the tuned layers together; 0 while one has no valid measurement */
} tinytune_progress;

/* Called in the thread of tinytune_tune(), after each measurement reached the log. Return 0 to go
 * on, anything else to cancel. */
typedef int (*tinytune_progress_callback)(const tinytune_progress *progress, void *context);

/* Zero-initialise it; every 0 and NULL then stands for the default. */
typedef struct {
  const char *device;         /* required: a known device's name, or the path of a device file */
  const char *records;        /* required: the log, created if missing */
  uint64_t trials;            /* over all tasks, those in the log included; 0: 64 per task */
  double budget_seconds;      /* wall time; 0: none */
  const char *tuner;          /* "xgb" (the default), "random" or "grid" */
  uint64_t seed;              /* 0: 1 */
  int workers;                /* processes to start; 0: one per core */
  const char *worker_program; /* the `tune` program; NULL: found on PATH */
  tinytune_progress_callback on_progress;
  void *context;
} tinytune_tune_options;

typedef struct {
  uint64_t default_cycles; /* of the network's tunable layers; 0 if not all are measured */
  uint64_t best_cycles;
  uint64_t measured; /* by this call; 0 when the log already held everything */
} tinytune_tune_result;

/* Searches until trials or time run out. `result` may be null. Any status. */
tinytune_status tinytune_tune(const tinytune_model *model, const tinytune_tune_options *options,
                              tinytune_tune_result *result);

/* Writes the network as a C library into `directory`. `records` may be null: default schedules. */
tinytune_status tinytune_compile(const tinytune_model *model, const char *device,
                                 const char *records, const char *directory);

#ifdef __cplusplus
}
#endif

#endif /* TINYTUNE_C_H */
