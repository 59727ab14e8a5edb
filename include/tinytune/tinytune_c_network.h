/* The part of tinytune_c.h, which includes it and says what holds for every call, that is about whole
 * networks: written as a package, run, explained; and logs. */
#ifndef TINYTUNE_C_NETWORK_H
#define TINYTUNE_C_NETWORK_H

#include "tinytune/tinytune_c.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- A whole network ------------------------------------------------------------------------- */

/* RAM by its parts, flash and time of one network. */
typedef struct {
  uint64_t arena_bytes, weights_bytes, code_bytes, data_bytes, stack_bytes; /* together: RAM */
  uint64_t flash_bytes; /* what is copied to RAM included */
  uint64_t cycles;      /* of one inference */
} tinytune_footprint;

/* What to write, and within which limits. All zero: the defaults. */
typedef struct {
  const char *records;                  /* NULL: default schedules */
  int require_tuned;                    /* a layer without a usable record is then an error */
  tinytune_layout layout;               /* of activations */
  tinytune_format format;               /* build files for what */
  tinytune_limits limits;               /* 0: the device's */
  tinytune_message_callback on_message; /* may be null */
  void *context;                        /* handed to on_message */
} tinytune_compile_options;

/* What was written, and what it takes. */
typedef struct {
  uint64_t arena_bytes, arena_lower_bound; /* the caller's buffer; no plan is smaller */
  int layers_tuned, layers_tunable;        /* with a record; that could have one */
  int has_footprint;                       /* 0 where nothing here can build or simulate it */
  tinytune_footprint footprint;            /* of the smoke test's inference */
  uint64_t clock_hz;                       /* 0: unknown */
  int exact; /* whether that inference gave the reference's bytes, 1 or 0; -1: nothing ran it */
} tinytune_compile_result;

/* Writes the network as a C library into `directory`. `records` may be null: default schedules. */
tinytune_status tinytune_compile(const tinytune_model *model, const char *device,
                                 const char *records, const char *directory);
/* The same with everything that can be asked for. `options` and `result` may be null. */
tinytune_status tinytune_compile_with(const tinytune_model *model, const char *device,
                                      const char *directory,
                                      const tinytune_compile_options *options,
                                      tinytune_compile_result *result);

/* Networks that run one after another in one arena. */
typedef struct {
  uint64_t arena_bytes, state_bytes, apart_bytes; /* it; what keeps state; arenas of their own */
  int has_footprint;                              /* 0 where nothing here can simulate them */
  tinytune_footprint footprint; /* the arena once, the deepest stack, sums of the rest */
} tinytune_shared_arena_result;

/* Writes each model into a folder of its name; limits hold for all. The last three may be null. */
tinytune_status tinytune_compile_shared(const tinytune_model *const *models, size_t count,
                                        const char *device, const char *directory,
                                        const tinytune_compile_options *options,
                                        tinytune_shared_arena_result *result,
                                        tinytune_compile_result *networks);

/* What to run and to compare. All zero: the defaults. */
typedef struct {
  const char *records;          /* NULL: default schedules */
  const uint8_t *const *inputs; /* one per model input, of its size; NULL: the generator, seed 1 */
  int verify;                   /* compare with the reference operators, bit for bit */
  tinytune_layout layout;       /* of activations */
  tinytune_limits limits;       /* 0: the device's */
  tinytune_message_callback on_message; /* may be null */
  void *context;                        /* handed to on_message */
} tinytune_run_options;

/* What a run told. Freed by tinytune_run_free(). */
typedef struct tinytune_run tinytune_run;

/* What one inference computed and took. */
typedef struct {
  int exact;                                    /* 1 or 0 with verify; -1 without */
  const char *difference;                       /* the first one; "" unless exact is 0 */
  uint64_t instructions, overhead_instructions; /* of one inference; of no operator */
  tinytune_footprint footprint;                 /* as it ran */
  uint64_t clock_hz;                            /* 0: unknown */
  size_t layer_count, output_count;             /* for the calls below */
} tinytune_run_info;

/* What one operator takes in one inference. */
typedef struct {
  int index;                   /* of the model's operator */
  const char *op;              /* "CONV_2D" */
  int64_t macs, macs_executed; /* in the model; after folding */
  uint64_t instructions, cycles, multiplies, loads, stores, branches_taken; /* of one inference */
  int tuned;                                                                /* by a record */
} tinytune_layer_cost;

/* Builds the network and calls it once in the simulator. A report is two of these: without and with
 * records. */
tinytune_status tinytune_run_model(const tinytune_model *model, const char *device,
                                   const tinytune_run_options *options, tinytune_run **run);
/* Null is allowed. */
void tinytune_run_free(tinytune_run *run);
/* Fills `info`; both must not be null. */
void tinytune_run_get(const tinytune_run *run, tinytune_run_info *info);
/* NOT_FOUND: an index out of range. */
tinytune_status tinytune_run_layer(const tinytune_run *run, size_t layer,
                                   tinytune_layer_cost *cost);
/* Bytes live as long as the run. NOT_FOUND: an index out of range. */
tinytune_status tinytune_run_output(const tinytune_run *run, size_t output, const uint8_t **bytes,
                                    size_t *size);

/* ---- Why ------------------------------------------------------------------------------------- */

/* Why a kernel wins. Freed by tinytune_explanation_free(). */
typedef struct tinytune_explanation tinytune_explanation;

/* What is explained. Strings live as long as the explanation. */
typedef struct {
  const char *task, *workload;     /* name; text form */
  uint64_t trials, valid;          /* in the log; those that were exact */
  uint64_t least_multiplies;       /* no kernel of the winner's kind executes fewer instructions */
  size_t kernel_count, knob_count; /* for the calls below */
} tinytune_explanation_info;

/* One call of one kernel in the simulator. */
typedef struct {
  const char *role;     /* "winner", "default", "best direct_nhwc" */
  const char *schedule; /* as in the log */
  uint64_t instructions, cycles, multiplies, loads, stores, branches_taken; /* of one call */
} tinytune_kernel_cost;

/* What the winner's choice of one knob is worth. */
typedef struct {
  const char *knob, *value, *other; /* the winner's value, and the best record's that has another */
  double slowdown;                  /* of that record: 0.12 is 12 % more cycles */
} tinytune_knob_effect;

/* Builds and runs the winner of `task` and what it beat. FAILED: no valid record of the task. */
tinytune_status tinytune_explain(const tinytune_model *model, const char *device,
                                 const char *records, size_t task,
                                 tinytune_explanation **explanation);
/* Null is allowed. */
void tinytune_explanation_free(tinytune_explanation *explanation);
/* Fills `info`; both must not be null. */
void tinytune_explanation_get(const tinytune_explanation *explanation,
                              tinytune_explanation_info *info);
/* NOT_FOUND: an index out of range. */
tinytune_status tinytune_explanation_kernel(const tinytune_explanation *explanation, size_t kernel,
                                            tinytune_kernel_cost *cost);
/* NOT_FOUND: an index out of range. */
tinytune_status tinytune_explanation_knob(const tinytune_explanation *explanation, size_t knob,
                                          tinytune_knob_effect *effect);

/* ---- Logs ------------------------------------------------------------------------------------ */

/* Records of a log. Freed by tinytune_log_free(). */
typedef struct tinytune_log tinytune_log;

/* One measurement. Strings live as long as the log. */
typedef struct {
  const char *device, *workload, *schedule, *outcome; /* in text forms */
  uint64_t cycles, instructions;                      /* 0 unless the outcome is "ok" */
  uint64_t code_bytes, ram_bytes;                     /* of the image; of scratch and stack */
  const char *tuner, *time, *detail;                  /* as doc/records.md has them */
} tinytune_record;

/* Records in the log's order. `device` (those that this build would use there) and `workload` may
 * be null: all. `best_only`: of each workload the one with the fewest cycles. */
tinytune_status tinytune_log_query(const char *path, const char *device, const char *workload,
                                   int best_only, tinytune_log **log);
/* Null is allowed. */
void tinytune_log_free(tinytune_log *log);
/* Of the records that were asked for. */
size_t tinytune_log_count(const tinytune_log *log);
/* NOT_FOUND: an index out of range. */
tinytune_status tinytune_log_at(const tinytune_log *log, size_t index, tinytune_record *record);

#ifdef __cplusplus
}
#endif

#endif /* TINYTUNE_C_NETWORK_H */
