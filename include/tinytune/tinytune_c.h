/* The C interface of tinytune, with everything that the C++ interface reaches.
 *
 * Every function that can fail returns a tinytune_status; tinytune_last_error() then returns the
 * message in the same thread, valid until that thread's next call. Strings and arrays passed in are
 * copied; returned ones belong to the object they came from and live as long as it does. The caller
 * frees objects that a function returns through a `**`; free functions accept null. The caller
 * zero-initialises structs: every 0 and NULL stands for the default. Cycles are the device's, sizes
 * are bytes. Calls on different objects may run in different threads at once, except those that
 * build kernels (compile, run, explain): only one of these at a time. */
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
  TINYTUNE_UNSUPPORTED = 2,   /* well formed, but not supported by this version */
  TINYTUNE_NOT_FOUND = 3,     /* no such file, device or program */
  TINYTUNE_FAILED = 4,        /* the work itself failed */
  TINYTUNE_DEVICE_LOST = 5,   /* a board is in an unknown state */
  TINYTUNE_INTERRUPTED = 6    /* cancelled; what was reported is in the log */
} tinytune_status;

/* Returns the version, "0.2.0". */
const char *tinytune_version(void);

/* Returns one line about this thread's last failure; "" if there was none. */
const char *tinytune_last_error(void);

/* Receives one line without its newline, in the thread that made the call. warning is 1 or 0. */
typedef void (*tinytune_message_callback)(int warning, const char *line, void *context);

/* ---- Devices ------------------------------------------------------------------------------- */

/* A known device. Strings live as long as the library. */
typedef struct {
  const char *name;        /* for `device` arguments */
  const char *description; /* for people */
  const char *isa;         /* "rv32imc" */
  uint64_t clock_hz;       /* 0: counts instructions only */
} tinytune_device;

/* Returns the number of devices known to the library. */
size_t tinytune_device_count(void);
/* Fills `device`. NOT_FOUND: an index out of range. Its strings live as long as the process. */
tinytune_status tinytune_device_at(size_t index, tinytune_device *device);

/* ---- Models -------------------------------------------------------------------------------- */

/* A loaded model. Thread-safe; freed by tinytune_model_free(). */
typedef struct tinytune_model tinytune_model;

/* Reads a .tflite file, C source that holds one in an array, or a quantised .onnx file. NOT_FOUND,
 * INVALID_INPUT, UNSUPPORTED. */
tinytune_status tinytune_model_load(const char *path, tinytune_model **model);
/* The same without the named graph passes; "all" skips every pass. */
tinytune_status tinytune_model_load_without(const char *path, const char *const *passes,
                                            size_t pass_count, tinytune_model **model);
/* How a model is read; an array may be NULL if its count is 0. */
typedef struct tinytune_load_options {
  const char *const *disabled_passes; /* as for tinytune_model_load_without() */
  size_t disabled_pass_count;         /* elements of disabled_passes */
  const char *const *input_types;     /* for an .onnx network of plain integers: "name=int8" */
  size_t input_type_count;            /* elements of input_types */
  const char *const *states; /* for an .onnx network: "input=output" becomes state in the arena */
  size_t state_count;        /* elements of states */
} tinytune_load_options;
/* The same with options; INVALID_INPUT also if one of them is wrong. */
tinytune_status tinytune_model_load_with(const char *path, const tinytune_load_options *options,
                                         tinytune_model **model);
/* Null is allowed. */
void tinytune_model_free(tinytune_model *model);

/* Returns the number of tuning tasks. */
size_t tinytune_task_count(const tinytune_model *model);
/* Lives as long as the model; null: an index out of range. */
const char *tinytune_task_name(const tinytune_model *model, size_t task);
const char *tinytune_task_workload(const tinytune_model *model, size_t task); /* as in logs */
/* Returns the number of operators that share the task; 0: an index out of range. */
size_t tinytune_task_layer_count(const tinytune_model *model, size_t task);

/* Returns the number of the model's inputs. */
size_t tinytune_input_count(const tinytune_model *model);
/* Returns the bytes of one input; 0: an index out of range. */
size_t tinytune_input_bytes(const tinytune_model *model, size_t input);
/* Returns the number of the model's outputs. */
size_t tinytune_output_count(const tinytune_model *model);
/* Returns the bytes of one output; 0: an index out of range. */
size_t tinytune_output_bytes(const tinytune_model *model, size_t output);

/* ---- Layers: one operator, without a model --------------------------------------------------- */

/* One operator without a model. Freed by tinytune_layer_free(). */
typedef struct tinytune_layer tinytune_layer;

/* Constants of a layer. Weights of conv2d: [out_c][kernel_h][kernel_w][in_c / groups]; depthwise:
 * [kernel_h][kernel_w][out_c]; dense: [out_c][in_c]. The other three arrays have `channels` (out_c)
 * elements. Sums are scaled by multiplier * 2^(shift - 31); the multiplier is 0 or in
 * [2^30, 2^31). */
typedef struct {
  const int8_t *weights;             /* as TFLite stores them */
  size_t weight_count;               /* elements of weights */
  const int32_t *bias;               /* NULL: zeros */
  const int32_t *multiplier, *shift; /* Q31; left if positive; one per channel */
  size_t channels;                   /* output channels */
} tinytune_constants;

/* Computes the multiplier and shift nearest to a real scale. INVALID_INPUT: negative, or above
 * 2^29. */
tinytune_status tinytune_fixed_point(double scale, int32_t *multiplier, int32_t *shift);

/* Parses "conv2d 3x3 16->32 in24x24 s2 same relu"; layer.h has the grammar. If `constants` is null,
 * constants are generated from `seed` (0: 1). INVALID_INPUT, UNSUPPORTED. */
tinytune_status tinytune_layer_describe(const char *description,
                                        const tinytune_constants *constants, uint64_t seed,
                                        tinytune_layer **layer);
/* Null is allowed. */
void tinytune_layer_free(tinytune_layer *layer);
/* Returns a short description, for people. Lives as long as the layer. */
const char *tinytune_layer_name(const tinytune_layer *layer);
const char *tinytune_layer_workload(const tinytune_layer *layer); /* as in records */
/* The network of this layer alone, to run or package it; belongs to the layer. */
const tinytune_model *tinytune_layer_model(const tinytune_layer *layer);

/* ---- Limits, layouts, formats ---------------------------------------------------------------- */

/* Limit on copies from flash to fast memory. */
typedef enum {
  TINYTUNE_FAST_RAM_DEFAULT = 0, /* half of the RAM outside the arena */
  TINYTUNE_FAST_RAM_BYTES = 1,   /* at most fast_ram_bytes */
  TINYTUNE_FAST_RAM_NONE = 2,    /* nothing is copied from flash */
  TINYTUNE_FAST_RAM_ALL = 3      /* as much as fits */
} tinytune_fast_ram;

/* Upper bounds on a network's memory, as MemoryLimits in memory.h. */
typedef struct {
  uint64_t ram_bytes;         /* all RAM; 0: the device's */
  uint64_t arena_bytes;       /* tensors and scratch; 0: as long as bytes buy enough speed */
  uint64_t flash_bytes;       /* weights and code; 0: the device's */
  tinytune_fast_ram fast_ram; /* limit on copies */
  uint64_t fast_ram_bytes;    /* for TINYTUNE_FAST_RAM_BYTES */
} tinytune_limits;

/* Layouts of activations; AUTO: chosen per layer. */
typedef enum {
  TINYTUNE_LAYOUT_NHWC = 0,
  TINYTUNE_LAYOUT_NCHW = 1,
  TINYTUNE_LAYOUT_AUTO = 2
} tinytune_layout;

/* Target build systems of a package. */
typedef enum {
  TINYTUNE_FORMAT_CMAKE = 0,
  TINYTUNE_FORMAT_ESP_IDF = 1,
  TINYTUNE_FORMAT_ZEPHYR = 2,
  TINYTUNE_FORMAT_ARDUINO = 3,
  TINYTUNE_FORMAT_MLF = 4,
  TINYTUNE_FORMAT_PLATFORMIO = 5,
  TINYTUNE_FORMAT_PICO_SDK = 6,
  TINYTUNE_FORMAT_STM32CUBE = 7
} tinytune_format;

/* ---- Tuning ---------------------------------------------------------------------------------- */

/* Progress of a run. */
typedef struct {
  uint64_t trials;          /* synced to the log, earlier runs included */
  uint64_t trials_total;    /* end of the run, unless its time ends first */
  uint64_t measured;        /* part of `trials` measured by this call */
  uint64_t valid;           /* part of `trials` that built, ran and was exact */
  uint64_t best_cycles;     /* sum over the tuned layers; 0 until all have a valid measurement */
  double trials_per_second; /* of this run */
  double seconds_left;      /* below 0: unknown */
} tinytune_progress;

/* Called in the thread of tinytune_tune(), after each measurement reached the log. Return 0 to go
 * on, anything else to cancel. */
typedef int (*tinytune_progress_callback)(const tinytune_progress *progress, void *context);

/* Options of tinytune_tune(): search, limits, workers and callbacks. */
typedef struct {
  const char *device;         /* required: a known device's name, or the path of a device file */
  const char *records;        /* required: the log, created if missing */
  uint64_t trials;            /* over all tasks, trials in the log included; 0: 64 per task */
  double budget_seconds;      /* wall time; 0: none */
  const char *tuner;          /* "bayes" (the default), or another of `tune --help` */
  uint64_t seed;              /* 0: 1 */
  int workers;                /* processes to start; 0: one per core */
  const char *worker_program; /* `tune` program; NULL: of this installation, or on PATH */
  tinytune_progress_callback on_progress; /* may be null */
  void *context;                          /* passed to both callbacks */
  tinytune_message_callback on_message;   /* may be null */
  uint64_t window;                        /* proposals in flight; 0: 16 */
  tinytune_layout layout;                 /* of activations */
  tinytune_limits limits;                 /* all 0: the defaults */
  const int *tasks;                       /* indices; NULL: all */
  size_t task_count;                      /* elements of `tasks` */
  uint64_t early_stop; /* consecutive trials without a faster task that end the run; 0: no limit */
  const char *listen;  /* "unix:PATH" or "HOST:PORT" where workers dial in; NULL: private */
  const char *keys;    /* tuner/ folder of `tune keys`, for `listen`; NULL: none */
  int insecure;        /* not 0: listen to other machines without keys */
  double board_patience_seconds; /* wait for a board that is lost during the run; 0: 300 */
} tinytune_tune_options;

/* Result of a run. */
typedef struct {
  uint64_t default_cycles; /* of the network's tunable layers; 0 if not all are measured */
  uint64_t best_cycles;    /* the same with the best schedules */
  uint64_t measured;       /* trials of this call; 0 if the log already held all */
  int exhausted;           /* no schedule left is worth a trial */
  double seconds;          /* wall time */
} tinytune_tune_result;

/* Searches until trials or time run out. `result` may be null. Returns any status. */
tinytune_status tinytune_tune(const tinytune_model *model, const tinytune_tune_options *options,
                              tinytune_tune_result *result);
/* The same for a layer; `layout` and `tasks` are not read. */
tinytune_status tinytune_tune_workload(const tinytune_layer *layer,
                                       const tinytune_tune_options *options,
                                       tinytune_tune_result *result);

/* ---- One kernel ------------------------------------------------------------------------------ */

/* A built kernel. Freed by tinytune_kernel_free(). */
typedef struct tinytune_kernel tinytune_kernel;

/* Which kernel of a layer to build. */
typedef struct {
  const char *device;   /* required */
  const char *records;  /* the log to take the best schedule from; NULL: the default schedule */
  const char *schedule; /* overrides the log's, in the notation of logs; may be NULL */
  const char *symbol;   /* NULL: "tinytune_kernel" */
  tinytune_message_callback on_message; /* may be null */
  void *context;                        /* handed to on_message */
} tinytune_kernel_options;

/* A built kernel. Pointers live as long as the kernel. */
typedef struct {
  const char *symbol;              /* the kernel's C name */
  const char *prototype;           /* C, without the semicolon */
  const char *workload, *schedule; /* in text forms */
  int tuned;                       /* 1: the schedule is from the log; 0: it is the default */
  const char *assembly;            /* a .S file */
  const char *llvm_ir;             /* of LLVM 14 */
  const char *header;              /* C: prototype, sizes, SYMBOL_run() */
  const char *source;              /* C: constants, and SYMBOL_run() that passes them */
  const uint8_t *object;           /* ELF, relocatable */
  size_t object_bytes;             /* size of `object` */
  size_t constant_count;           /* number of packed arrays */
  uint64_t input_bytes, output_bytes, scratch_bytes; /* sizes of the caller's buffers */
  uint64_t constant_bytes;                           /* of all packed arrays */
  uint64_t cycles, instructions; /* of one call, from the log; 0: not measured */
} tinytune_kernel_info;

/* An array that a kernel reads. Pointers live as long as the kernel. */
typedef struct {
  const char *name;     /* name of the parameter */
  const char *c_type;   /* "int8_t", "int16_t" or "int32_t" */
  const uint8_t *bytes; /* little-endian */
  size_t size;          /* in bytes */
} tinytune_packed_array;

/* Builds the log's best schedule for the layer's workload, or the default schedule. */
tinytune_status tinytune_compile_workload(const tinytune_layer *layer,
                                          const tinytune_kernel_options *options,
                                          tinytune_kernel **kernel);
/* Null is allowed. */
void tinytune_kernel_free(tinytune_kernel *kernel);
/* Fills `info`. Neither pointer may be null. */
void tinytune_kernel_get(const tinytune_kernel *kernel, tinytune_kernel_info *info);
/* Fills `array`; arrays are in the prototype's order. NOT_FOUND: an index out of range. */
tinytune_status tinytune_kernel_constant(const tinytune_kernel *kernel, size_t index,
                                         tinytune_packed_array *array);

#ifdef __cplusplus
}
#endif

#include "tinytune/tinytune_c_network.h"

#endif /* TINYTUNE_C_H */
