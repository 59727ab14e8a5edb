// Records of a log.
#include "python/bindings.h"

namespace tinytune::python {

void bind_logs(py::module_& module) {
  py::class_<LogRecord>(module, "LogRecord")
      .def_readonly("device", &LogRecord::device)
      .def_readonly("workload", &LogRecord::workload)
      .def_readonly("schedule", &LogRecord::schedule)
      .def_readonly("outcome", &LogRecord::outcome)
      .def_readonly("cycles", &LogRecord::cycles)
      .def_readonly("instructions", &LogRecord::instructions)
      .def_readonly("code_bytes", &LogRecord::code_bytes)
      .def_readonly("ram_bytes", &LogRecord::ram_bytes)
      .def_readonly("fidelity", &LogRecord::fidelity)
      .def_readonly("tuner", &LogRecord::tuner)
      .def_readonly("tool", &LogRecord::tool)
      .def_readonly("time", &LogRecord::time)
      .def_readonly("detail", &LogRecord::detail)
      .def_readonly("seconds", &LogRecord::seconds);
  module.def(
      "query_log",
      [](const std::string& path, std::string device, std::string workload, bool best_only,
         const py::object& on_message) {
        return value_of(query_log(
            path, {std::move(device), std::move(workload), best_only, sink_of(on_message)}));
      },
      py::arg("path"), py::kw_only(), py::arg("device") = "", py::arg("workload") = "",
      py::arg("best_only") = false, py::arg("on_message") = py::none(),
      "Records in the log's order; of one device those that this build would use there.");
}

}  // namespace tinytune::python
