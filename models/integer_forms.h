// All integer forms of operators (integer_op.h): a struct each, declared in the folder of the code
// that prepares, executes and prints it.
//
// int8 unless stated; extents in elements, NHWC. Operators on int16 activations, TFLite's 16x8
// quantisation (ADR 3), have separate forms, not a type field in the int8 forms: zero points are
// all 0, sums may need 64 bits, and techniques that rely on 256 values (tables, the proofs of cheap
// requantisation, ranges of channels) do not carry over.
#pragma once

#include "models/operators/arithmetic/form.h"
#include "models/operators/elementwise/form.h"
#include "models/operators/external/form.h"
#include "models/operators/gather/form.h"
#include "models/operators/kernels/form.h"
#include "models/operators/lookups/form.h"
#include "models/operators/lstm/form.h"
#include "models/operators/matmul/form.h"
#include "models/operators/moves/form.h"
#include "models/operators/normalization/form.h"
#include "models/operators/plain/form.h"
#include "models/operators/pooling/form.h"
#include "models/operators/predicates/form.h"
#include "models/operators/quantize/form.h"
#include "models/operators/reduce/form.h"
#include "models/operators/resize/form.h"
#include "models/operators/same_bytes/form.h"
#include "models/operators/softmax/form.h"
#include "models/operators/svdf/form.h"
#include "models/operators/transpose_conv/form.h"
#include "models/operators/update_slice/form.h"
