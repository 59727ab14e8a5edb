/* The C interface of tinytune: everything that the C++ one reaches.
 *
 * Every function that can fail returns a tinytune_status; the message for people is then in
 * tinytune_last_error() of the same thread, valid until that thread's next call. Strings and arrays
 * passed in are copied; those handed out belong to the object they came from and live as long as
 * it does. What a function hands out through a `**` is the caller's to free; free functions take
 * null. Structs are zero-initialised by the caller: every 0 and NULL stands for the default. Cycles
 * are the device's, sizes are bytes. Calls on different objects may run in different threads at
 * once, but for those that build kernels (compile, run, explain), which are one at a time. */
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

/* "0.2.0". */
const char *tinytune_version(void);

/* One line about this thread's last failure; "" if there was none. */
const char *tinytune_last_error(void);

/* One line without its newline; warning is 1 or 0. In the thread that made the call. */
typedef void (*tinytune_message_callback)(int warning, const char *line, void *context);

/* ---- Devices ------------------------------------------------------------------------------- */

/* A known device. Strings live as long as the library. */
typedef struct {
  const char *name;        /* for `device` arguments */
  const char *description; /* for people */
  const char *isa;         /* "rv32imc" */
  uint64_t clock_hz;       /* 0: counts instructions only */
} tinytune_device;

/* Of the devices that the library knows. */
size_t tinytune_device_count(void);
/* NOT_FOUND: an index out of range. The strings live as long as the process. */
tinytune_status tinytune_device_at(size_t index, tinytune_device *device);

/* ---- Models -------------------------------------------------------------------------------- */

/* A loaded model. Thread-safe; freed by tinytune_model_free(). */
typedef struct tinytune_model tinytune_model;

/* Reads a .tflite file, C source with one in an array, or a quantised .onnx file. NOT_FOUND,
 * INVALID_INPUT, UNSUPPORTED. */
tinytune_status tinytune_model_load(const char *path, tinytune_model **model);
/* The same without some graph passes; "all" leaves out every one. */
tinytune_status tinytune_model_load_without(const char *path, const char *const *passes,
                                            size_t pass_count, tinytune_model **model);
/* How a model is read; arrays of text, each NULL where its count is 0. */
typedef struct tinytune_load_options {
  const char *const *disabled_passes; /* as tinytune_model_load_without() has them */
  size_t disabled_pass_count;         /* elements of disabled_passes */
  const char *const *input_types; /* of an .onnx network of plain integers: "name=int8" */
  size_t input_type_count;        /* elements of input_types */
  const char *const *states; /* of an .onnx network: "input=output" becomes state in the arena */
  size_t state_count;        /* elements of states */
} tinytune_load_options;
/* The same as the options say; INVALID_INPUT also where one of them is wrong. */
tinytune_status tinytune_model_load_with(const char *path, const tinytune_load_options *options,
                                         tinytune_model **model);
/* Null is allowed. */
void tinytune_model_free(tinytune_model *model);

/* What there is to tune. Null or 0 for an index out of range. */
size_t tinytune_task_count(const tinytune_model *model);
/* Lives as long as the model; null: an index out of range. */
const char *tinytune_task_name(const tinytune_model *model, size_t task);
const char *tinytune_task_workload(const tinytune_model *model, size_t task); /* the log's line */
/* Operators that share the task; 0: an index out of range. */
size_t tinytune_task_layer_count(const tinytune_model *model, size_t task);

/* Of the model. */
size_t tinytune_input_count(const tinytune_model *model);
/* Of one input; 0: an index out of range. */
size_t tinytune_input_bytes(const tinytune_model *model, size_t input);
/* Of the model. */
size_t tinytune_output_count(const tinytune_model *model);
/* Of one output; 0: an index out of range. */
size_t tinytune_output_bytes(const tinytune_model *model, size_t output);

/* ---- Layers: one operator, without a model --------------------------------------------------- */

/* One operator without a model. Freed by tinytune_layer_free(). */
typedef struct tinytune_layer tinytune_layer;

/* conv2d: weights [out_c][kernel_h][kernel_w][in_c / groups]; depthwise: [kernel_h][kernel_w]
 * [out_c]; dense: [out_c][in_c]. The other three have `channels` (out_c) elements: scaled sums are
 * multiplier * 2^(shift - 31), the multiplier 0 or in [2^30, 2^31). */
typedef struct {
  const int8_t *weights;             /* as TFLite stores them */
  size_t weight_count;               /* elements */
  const int32_t *bias;               /* NULL: zeros */
  const int32_t *multiplier, *shift; /* Q31; left if positive; one a channel */
  size_t channels;                   /* of the output */
} tinytune_constants;

/* The multiplier and shift nearest to a real scale. INVALID_INPUT: negative, or above 2^29. */
tinytune_status tinytune_fixed_point(double scale, int32_t *multiplier, int32_t *shift);

/* "conv2d 3x3 16->32 in24x24 s2 same relu": the grammar is in layer.h. `constants` may be null:
 * then they are generated from `seed` (0: 1). INVALID_INPUT, UNSUPPORTED. */
tinytune_status tinytune_layer_describe(const char *description,
                                        const tinytune_constants *constants, uint64_t seed,
                                        tinytune_layer **layer);
/* Null is allowed. */
void tinytune_layer_free(tinytune_layer *layer);
/* Its description, for people. Lives as long as the layer. */
const char *tinytune_layer_name(const tinytune_layer *layer);
const char *tinytune_layer_workload(const tinytune_layer *layer); /* as records have it */
/* The network of this layer alone, to run or package it; belongs to the layer. */
const tinytune_model *tinytune_layer_model(const tinytune_layer *layer);

/* ---- Limits, layouts, formats ---------------------------------------------------------------- */

/* What may be copied from flash to fast memory. */
typedef enum {
  TINYTUNE_FAST_RAM_DEFAULT = 0, /* half of what the arena leaves free */
  TINYTUNE_FAST_RAM_BYTES = 1,   /* at most fast_ram_bytes */
  TINYTUNE_FAST_RAM_NONE = 2,    /* nothing is copied from flash */
  TINYTUNE_FAST_RAM_ALL = 3      /* what fits */
} tinytune_fast_ram;

/* The most bytes that a network may take; 0: the device's. */
typedef struct {
  uint64_t ram_bytes;         /* all RAM; 0: the device's */
  uint64_t arena_bytes;       /* tensors and scratch; 0: what is worth it */
  uint64_t flash_bytes;       /* weights and code; 0: the device's */
  tinytune_fast_ram fast_ram; /* which of the four */
  uint64_t fast_ram_bytes;    /* for TINYTUNE_FAST_RAM_BYTES */
} tinytune_limits;

/* Layouts of activations; AUTO: by layer. */
typedef enum {
  TINYTUNE_LAYOUT_NHWC = 0,
  TINYTUNE_LAYOUT_NCHW = 1,
  TINYTUNE_LAYOUT_AUTO = 2
} tinytune_layout;

/* Build files for what. */
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

/* Where a run stands. */
typedef struct {
  uint64_t trials;          /* in the log and synced, those of earlier runs included */
  uint64_t trials_total;    /* where the run ends, unless its time ends first */
  uint64_t measured;        /* of them, by this call */
  uint64_t valid;           /* of `trials`, those that built, ran and were right */
  uint64_t best_cycles;     /* of the tuned layers together; 0 while one has no valid measurement */
  double trials_per_second; /* of this run */
  double seconds_left;      /* below 0: unknown */
} tinytune_progress;

/* Called in the thread of tinytune_tune(), after each measurement reached the log. Return 0 to go
 * on, anything else to cancel. */
typedef int (*tinytune_progress_callback)(const tinytune_progress *progress, void *context);

/* How to search, for how long, and whom to tell. */
typedef struct {
  const char *device;         /* required: a known device's name, or the path of a device file */
  const char *records;        /* required: the log, created if missing */
  uint64_t trials;            /* over all tasks, those in the log included; 0: 64 per task */
  double budget_seconds;      /* wall time; 0: none */
  const char *tuner;          /* "bayes" (the default), or another of `tune --help` */
  uint64_t seed;              /* 0: 1 */
  int workers;                /* processes to start; 0: one per core */
  const char *worker_program; /* the `tune` program; NULL: of this installation, or on PATH */
  tinytune_progress_callback on_progress; /* may be null */
  void *context;                          /* of both callbacks */
  tinytune_message_callback on_message;   /* may be null */
  uint64_t window;                        /* proposals out at a time; 0: 16 */
  tinytune_layout layout;                 /* of activations */
  tinytune_limits limits;                 /* 0: the device's */
  const int *tasks;                       /* indices; NULL: all */
  size_t task_count;                      /* of `tasks` */
  uint64_t early_stop; /* end after so many trials in a row that made no task faster; 0: never */
  const char *listen;  /* "unix:PATH" or "HOST:PORT" where workers dial in; NULL: private */
  const char *keys;    /* of `tune keys`, for `listen`; NULL: none */
  int insecure;        /* not 0: listen to other machines without keys */
  double board_patience_seconds; /* wait for a board that is lost during the run; 0: 300 */
} tinytune_tune_options;

/* What a run found. */
typedef struct {
  uint64_t default_cycles; /* of the network's tunable layers; 0 if not all are measured */
  uint64_t best_cycles;    /* the same, with the best */
  uint64_t measured;       /* by this call; 0 when the log already held everything */
  int exhausted;           /* no schedule left is worth a trial */
  double seconds;          /* by the wall */
} tinytune_tune_result;

/* Searches until trials or time run out. `result` may be null. Any status. */
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
  const char *schedule; /* this one instead, as logs write it */
  const char *symbol;   /* NULL: "tinytune_kernel" */
  tinytune_message_callback on_message; /* may be null */
  void *context;                        /* handed to on_message */
} tinytune_kernel_options;

/* A built kernel. Pointers live as long as the kernel. */
typedef struct {
  const char *symbol;              /* the kernel's C name */
  const char *prototype;           /* C, without the semicolon */
  const char *workload, *schedule; /* in text forms */
  int tuned;                       /* from the log, not the default */
  const char *assembly;            /* a .S file */
  const char *llvm_ir;             /* of LLVM 14 */
  const char *header;              /* C: prototype, sizes, SYMBOL_run() */
  const char *source;              /* C: constants, and SYMBOL_run() that passes them */
  const uint8_t *object;           /* ELF */
  size_t object_bytes;             /* ELF, relocatable */
  size_t constant_count;           /* packed arrays */
  uint64_t input_bytes, output_bytes, scratch_bytes; /* of the buffers that a call takes */
  uint64_t constant_bytes;                           /* of all packed arrays */
  uint64_t cycles, instructions; /* of one call, from the log; 0: not measured */
} tinytune_kernel_info;

/* An array that a kernel reads. Pointers live as long as the kernel. */
typedef struct {
  const char *name;     /* the parameter's */
  const char *c_type;   /* "int8_t", "int16_t" or "int32_t" */
  const uint8_t *bytes; /* little-endian */
  size_t size;          /* in bytes */
} tinytune_packed_array;

/* The best schedule of the log for the layer's workload, built. */
tinytune_status tinytune_compile_workload(const tinytune_layer *layer,
                                          const tinytune_kernel_options *options,
                                          tinytune_kernel **kernel);
/* Null is allowed. */
void tinytune_kernel_free(tinytune_kernel *kernel);
/* Fills `info`; both must not be null. */
void tinytune_kernel_get(const tinytune_kernel *kernel, tinytune_kernel_info *info);
/* In the prototype's order. NOT_FOUND: an index out of range. */
tinytune_status tinytune_kernel_constant(const tinytune_kernel *kernel, size_t index,
                                         tinytune_packed_array *array);

#ifdef __cplusplus
}
#endif

#include "tinytune/tinytune_c_network.h"

#endif /* TINYTUNE_C_H */
