// Bindings of a log's records.
#include "python/bindings.h"

namespace tinytune::python {

void bind_logs(py::module_& module) {
  py::class_<LogRecord>(module, "LogRecord")
      .def_readonly("device", &LogRecord::device, "In text forms (doc/naming.md).")
      .def_readonly("workload", &LogRecord::workload, "In text forms (doc/naming.md).")
      .def_readonly("schedule", &LogRecord::schedule, "In text forms (doc/naming.md).")
      .def_readonly("outcome", &LogRecord::outcome, "\"ok\", \"wrong_output\", ….")
      .def_readonly("cycles", &LogRecord::cycles, "Median of the repeats; only with \"ok\".")
      .def_readonly("instructions", &LogRecord::instructions, "Of one call; 0 unless \"ok\".")
      .def_readonly("code_bytes", &LogRecord::code_bytes, "Of the image; of scratch and stack.")
      .def_readonly("ram_bytes", &LogRecord::ram_bytes, "Of the image; of scratch and stack.")
      .def_readonly("fidelity", &LogRecord::fidelity, "\"build\", \"simulate\", \"board\".")
      .def_readonly("tuner", &LogRecord::tuner, "As doc/records.md has them.")
      .def_readonly("tool", &LogRecord::tool, "As doc/records.md has them.")
      .def_readonly("time", &LogRecord::time, "As doc/records.md has them.")
      .def_readonly("detail", &LogRecord::detail, "As doc/records.md has them.")
      .def_readonly("seconds", &LogRecord::seconds, "That it took a worker; 0: not said.");
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
