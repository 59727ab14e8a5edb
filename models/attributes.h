// The options of an operator as in the model file: a variant of one struct per operator folder.
#pragma once

#include <variant>

#include "models/operators/arithmetic/attributes.h"
#include "models/operators/elementwise/attributes.h"
#include "models/operators/external/attributes.h"
#include "models/operators/gather/attributes.h"
#include "models/operators/kernels/attributes.h"
#include "models/operators/lookups/attributes.h"
#include "models/operators/lstm/attributes.h"
#include "models/operators/matmul/attributes.h"
#include "models/operators/moves/attributes.h"
#include "models/operators/pooling/attributes.h"
#include "models/operators/reduce/attributes.h"
#include "models/operators/resize/attributes.h"
#include "models/operators/softmax/attributes.h"
#include "models/operators/svdf/attributes.h"
#include "models/operators/transpose_conv/attributes.h"

namespace tinytune {

using Attributes =
    std::variant<std::monostate, ConvAttributes, PoolAttributes, ActivationAttributes,
                 SoftmaxAttributes, AxisAttributes, ReducerAttributes, LeakyReluAttributes,
                 GeluAttributes, ResizeAttributes, StridedSliceAttributes, TransposeConvAttributes,
                 BlockAttributes, MirrorPadAttributes, GatherAttributes, BatchMatMulAttributes,
                 CumsumAttributes, SvdfAttributes, LstmAttributes, TableAttributes,
                 QLinearAttributes, WindowMeanAttributes, ExternalAttributes>;

}  // namespace tinytune
