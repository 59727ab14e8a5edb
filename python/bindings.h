// Helpers shared by all parts of the module. Errors become exceptions only here; the interpreter's
// lock is released while the engine works.
#pragma once

#include <pybind11/functional.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <atomic>
#include <string>
#include <utility>

#include "tinytune/tinytune.h"

namespace tinytune::python {

namespace py = pybind11;

/// Carries an Error to Python, where it becomes an exception.
struct Raised {
  Error error;
};

template <typename T>
T value_of(Result<T> result) {
  if (!result) throw Raised{result.error()};
  return std::move(result).value();
}

inline py::bytes bytes_of(const std::vector<uint8_t>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}
inline std::vector<uint8_t> vector_of(const py::bytes& bytes) {
  const std::string_view view = bytes;
  return {view.begin(), view.end()};
}

/// Returns a sink that passes messages to a Python function (warning, line).
MessageSink sink_of(const py::object& callable);
LayoutPolicy layout_of(const std::string& name);

void bind_models(py::module_& module);
void bind_layers(py::module_& module);
void bind_tuning(py::module_& module);
void bind_networks(py::module_& module);
void bind_logs(py::module_& module);

}  // namespace tinytune::python
