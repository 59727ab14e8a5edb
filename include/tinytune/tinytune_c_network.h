/* Second part of tinytune_c.h, which includes it and has the rules for every call: whole networks
 * (written as a package, run, explained) and logs. */
#ifndef TINYTUNE_C_NETWORK_H
#define TINYTUNE_C_NETWORK_H

#include "tinytune/tinytune_c.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- A whole network ------------------------------------------------------------------------- */

/* RAM by its parts, flash and time of one network. */
typedef struct {
  uint64_t arena_bytes, weights_bytes, code_bytes, data_bytes, stack_bytes; /* sum: RAM */
  uint64_t flash_bytes; /* including everything copied to RAM */
  uint64_t cycles;      /* of one inference */
} tinytune_footprint;

/* Options of tinytune_compile_with(): package and memory limits. All zero: the defaults. */
typedef struct {
  const char *records;                  /* NULL: default schedules */
  int require_tuned;                    /* makes a layer without a usable record an error */
  tinytune_layout layout;               /* of activations */
  tinytune_format format;               /* target build system */
  tinytune_limits limits;               /* all 0: the defaults */
  tinytune_message_callback on_message; /* may be null */
  void *context;                        /* passed to on_message */
} tinytune_compile_options;

/* Memory and tuning state of a generated library. */
typedef struct {
  uint64_t arena_bytes, arena_lower_bound; /* caller's buffer; lower bound of all plans */
  int layers_tuned, layers_tunable;        /* layers with a record; layers that have a task */
  int has_footprint;                       /* 0: this machine cannot build or simulate it */
  tinytune_footprint footprint;            /* of the smoke test's inference */
  uint64_t clock_hz;                       /* 0: unknown */
  int exact; /* 1 or 0: whether that inference matched the reference bit for bit; -1: not run */
} tinytune_compile_result;

/* Writes the network as a C library into `directory`. `records` may be null: default schedules. */
tinytune_status tinytune_compile(const tinytune_model *model, const char *device,
                                 const char *records, const char *directory);
/* The same with all options. `options` and `result` may be null. */
tinytune_status tinytune_compile_with(const tinytune_model *model, const char *device,
                                      const char *directory,
                                      const tinytune_compile_options *options,
                                      tinytune_compile_result *result);

/* Memory of networks that run one after another in one arena. */
typedef struct {
  uint64_t arena_bytes, state_bytes, apart_bytes; /* shared; part kept as state; sum if separate */
  int has_footprint;                              /* 0: a network cannot be built or simulated */
  tinytune_footprint footprint; /* the arena once, the deepest stack, sums of the rest */
} tinytune_shared_arena_result;

/* Writes each model into a folder of its name. Limits hold for the sum. The last three arguments
 * may be null. */
tinytune_status tinytune_compile_shared(const tinytune_model *const *models, size_t count,
                                        const char *device, const char *directory,
                                        const tinytune_compile_options *options,
                                        tinytune_shared_arena_result *result,
                                        tinytune_compile_result *networks);

/* Options of tinytune_run_model(). All zero: the defaults. */
typedef struct {
  const char *records;          /* NULL: default schedules */
  const uint8_t *const *inputs; /* one per model input, of its size; NULL: generated, seed 1 */
  int verify;                   /* compare with the reference operators, bit for bit */
  tinytune_layout layout;       /* of activations */
  tinytune_limits limits;       /* all 0: the defaults */
  tinytune_message_callback on_message; /* may be null */
  void *context;                        /* passed to on_message */
} tinytune_run_options;

/* Report of a run. Freed by tinytune_run_free(). */
typedef struct tinytune_run tinytune_run;

/* Results and costs of one inference. */
typedef struct {
  int exact;                                    /* 1 or 0 with verify; -1 without */
  const char *difference;                       /* the first one; "" unless exact is 0 */
  uint64_t instructions, overhead_instructions; /* of one inference; of these, of no operator */
  tinytune_footprint footprint;                 /* measured */
  uint64_t clock_hz;                            /* 0: unknown */
  size_t layer_count, output_count;             /* for the calls below */
} tinytune_run_info;

/* Cost of one operator in one inference. */
typedef struct {
  int index;                   /* index of the model's operator */
  const char *op;              /* "CONV_2D" */
  int64_t macs, macs_executed; /* in the model; after folding */
  uint64_t instructions, cycles, multiplies, loads, stores, branches_taken; /* of one inference */
  int tuned; /* 1: schedule from a record; 0: the default */
} tinytune_layer_cost;

/* Builds the network and calls it once in the simulator. Two runs, without and with records, make
 * a comparison. */
tinytune_status tinytune_run_model(const tinytune_model *model, const char *device,
                                   const tinytune_run_options *options, tinytune_run **run);
/* Null is allowed. */
void tinytune_run_free(tinytune_run *run);
/* Fills `info`. Neither pointer may be null. */
void tinytune_run_get(const tinytune_run *run, tinytune_run_info *info);
/* NOT_FOUND: an index out of range. */
tinytune_status tinytune_run_layer(const tinytune_run *run, size_t layer,
                                   tinytune_layer_cost *cost);
/* Bytes live as long as the run. NOT_FOUND: an index out of range. */
tinytune_status tinytune_run_output(const tinytune_run *run, size_t output, const uint8_t **bytes,
                                    size_t *size);

/* ---- Why ------------------------------------------------------------------------------------- */

/* Reasons why a kernel wins. Freed by tinytune_explanation_free(). */
typedef struct tinytune_explanation tinytune_explanation;

/* The task explained. Strings live as long as the explanation. */
typedef struct {
  const char *task, *workload;     /* name; text form */
  uint64_t trials, valid;          /* records in the log; exact ones */
  uint64_t least_multiplies;       /* no kernel of the winner's kind executes fewer instructions */
  size_t kernel_count, knob_count; /* for the calls below */
} tinytune_explanation_info;

/* Cost of one call of one kernel in the simulator. */
typedef struct {
  const char *role;     /* "winner", "default", "best direct_nhwc" */
  const char *schedule; /* as in the log */
  uint64_t instructions, cycles, multiplies, loads, stores, branches_taken; /* of one call */
} tinytune_kernel_cost;

/* Estimate, from the log, of the gain from the winner's value of one knob. */
typedef struct {
  const char *knob, *value, *other; /* name; winner's value; value of the best other record */
  double slowdown;                  /* of that record: 0.12 is 12 % more cycles */
} tinytune_knob_effect;

/* Builds and runs the winner of `task` and the kernels that it beat. FAILED: no valid record. */
tinytune_status tinytune_explain(const tinytune_model *model, const char *device,
                                 const char *records, size_t task,
                                 tinytune_explanation **explanation);
/* Null is allowed. */
void tinytune_explanation_free(tinytune_explanation *explanation);
/* Fills `info`. Neither pointer may be null. */
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

/* Reads records in the log's order. `device` (only records that this build would use for it) and
 * `workload` may be null: all. `best_only`: only the record of fewest cycles per workload. */
tinytune_status tinytune_log_query(const char *path, const char *device, const char *workload,
                                   int best_only, tinytune_log **log);
/* Null is allowed. */
void tinytune_log_free(tinytune_log *log);
/* Returns the number of matching records. */
size_t tinytune_log_count(const tinytune_log *log);
/* NOT_FOUND: an index out of range. */
tinytune_status tinytune_log_at(const tinytune_log *log, size_t index, tinytune_record *record);

#ifdef __cplusplus
}
#endif

#endif /* TINYTUNE_C_NETWORK_H */
