// Activations stored plane by plane, [n][c][h][w]: how kernels of that layout bound, read and pad
// their input. Coordinates are (column, row, channel, image), innermost first.
//
// The two ways to give a convolution its border are those of input_window.h. A plane's rows are
// short, so the copy seldom moves whole words; that makes "test" the better default here.
#pragma once

#include <string>
#include <vector>

#include "schedules/workload.h"
#include "templates/input_window.h"

namespace Halide {
class Func;
}  // namespace Halide

namespace tinytune {

/// Extents and strides of the buffer that the loops read.
void bound_planes(const Workload& workload, const InputWindow& window, Halide::ImageParam& input);

/// The same of the result, as `columns` by `rows`.
void bound_output_planes(const Workload& workload, int columns, int rows, Halide::Func& output);

/// The input at (column, row, channel, image) of the window; with "test", coordinates may lie
/// outside and then give the zero point.
Halide::Expr plane_value(const Workload& workload, const InputWindow& window,
                         const Halide::ImageParam& input, const std::vector<Halide::Expr>& at);

/// Appends the copying stage (buffers "input", "scratch") to `module`, if there is one.
void append_plane_padding(Halide::Module& module, const Workload& workload,
                          const InputWindow& window, const std::string& symbol);

}  // namespace tinytune
