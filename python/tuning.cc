// Bindings of tuning. Ctrl-C ends a run like `cancel` and raises KeyboardInterrupt.
#include "python/bindings.h"

namespace tinytune::python {
namespace {

/// Results of a run's callbacks: a request to stop, or an exception to raise after the run stopped.
struct Callbacks {
  py::object on_progress;
  std::atomic<bool> cancel{false};
  std::optional<py::error_already_set> raised = {};

  /// Calls `function` unless an earlier call has raised an exception.
  template <typename Function>
  void call(const Function& function) {
    const py::gil_scoped_acquire held;
    if (raised) return;
    try {
      function();
    } catch (py::error_already_set& error) {
      raised.emplace(error);
      cancel = true;
    } catch (const py::cast_error&) {
      PyErr_SetString(PyExc_TypeError, "ask() returns the number of a point, or None");
      raised.emplace();
      cancel = true;
    }
  }

  void progress(const TuneProgress& now) {
    call([&] {
      if (PyErr_CheckSignals() != 0) throw py::error_already_set();
      if (!on_progress.is_none() && on_progress(now).is(py::bool_(false))) cancel = true;
    });
  }
};

/// A strategy implemented by the Python object that the caller's maker returned.
class AskedInPython final : public SearchStrategy {
 public:
  AskedInPython(py::object own, Callbacks& callbacks)
      : own_(std::move(own)), callbacks_(callbacks) {}
  ~AskedInPython() override {
    // gil_scoped_acquire and dec_ref() may throw, so the destructor uses the C API.
    const PyGILState_STATE held = PyGILState_Ensure();
    Py_DECREF(own_.release().ptr());
    PyGILState_Release(held);
  }

  std::optional<size_t> ask() override {
    std::optional<size_t> point;
    callbacks_.call([&] { point = py::cast<std::optional<size_t>>(own_.attr("ask")()); });
    return point;
  }
  void tell(size_t point, std::optional<double> cycles) override {
    callbacks_.call([&] { own_.attr("tell")(point, cycles); });
  }

 private:
  py::object own_;
  Callbacks& callbacks_;
};

// Captures `make` as a plain handle, because std::function is copied without the interpreter's lock
// during the run. `make` must outlive the run.
OwnSearch search_of(py::handle make, Callbacks& callbacks) {
  const std::string name = py::hasattr(make, "__name__")
                               ? py::cast<std::string>(make.attr("__name__"))
                               : py::cast<std::string>(py::type::of(make).attr("__name__"));
  return {name, [make, &callbacks](const Candidates& candidates) {
            const py::gil_scoped_acquire held;
            std::unique_ptr<SearchStrategy> own;
            callbacks.call([&] {
              py::object made = make(candidates);
              if (!made.is_none())
                own = std::make_unique<AskedInPython>(std::move(made), callbacks);
            });
            return own;
          }};
}

TuneOptions options_from(const py::kwargs& given) {
  TuneOptions options;
  for (const auto& [key, value] : given) {
    const auto name = py::cast<std::string>(key);
    if (name == "records") {
      options.records = py::cast<std::string>(py::str(value));
    } else if (name == "trials") {
      options.trials = py::cast<std::optional<uint64_t>>(value);
    } else if (name == "budget_seconds") {
      options.budget_seconds = py::cast<std::optional<double>>(value);
    } else if (name == "early_stop") {
      options.early_stop = py::cast<std::optional<uint64_t>>(value);
    } else if (name == "tuner") {
      options.tuner = py::cast<std::string>(value);
    } else if (name == "seed") {
      options.seed = py::cast<uint64_t>(value);
    } else if (name == "window") {
      options.window = py::cast<uint64_t>(value);
    } else if (name == "layout") {
      options.layout = layout_of(py::cast<std::string>(value));
    } else if (name == "limits") {
      options.limits = py::cast<MemoryLimits>(value);
    } else if (name == "tasks") {
      options.tasks = py::cast<std::vector<int>>(value);
    } else if (name == "workers") {
      options.workers = py::cast<std::optional<int>>(value);
    } else if (name == "listen") {
      options.listen = py::cast<std::string>(value);
    } else if (name == "keys") {
      options.keys = py::cast<std::string>(py::str(value));
    } else if (name == "insecure") {
      options.insecure = py::cast<bool>(value);
    } else if (name == "board_patience_seconds") {
      options.board_patience_seconds = py::cast<double>(value);
    } else if (name == "worker_program") {
      options.worker_program = py::cast<std::string>(py::str(value));
    } else if (name == "on_message") {
      options.on_message = sink_of(py::reinterpret_borrow<py::object>(value));
    } else if (name != "on_progress" && name != "search") {
      throw py::type_error("unexpected option '" + name + "'");
    }
  }
  return options;
}

template <typename What, typename Tune>
TuneReport tune(const What& what, const std::string& device, const py::kwargs& given,
                const Tune& engine) {
  TuneOptions options = options_from(given);
  Callbacks callbacks{given.contains("on_progress") ? py::object(given["on_progress"])
                                                    : py::object(py::none())};
  options.cancel = &callbacks.cancel;
  options.on_progress = [&](const TuneProgress& now) { callbacks.progress(now); };
  if (given.contains("search") && !given["search"].is_none())
    options.search = search_of(given["search"], callbacks);
  Result<TuneReport> report = [&] {
    const py::gil_scoped_release released;
    return engine(what, device, options);
  }();
  if (callbacks.raised) throw py::error_already_set(*callbacks.raised);
  return value_of(std::move(report));
}

}  // namespace

void bind_tuning(py::module_& module) {
  py::class_<MemoryLimits>(module, "MemoryLimits", "Bytes; None leaves the default.")
      .def(py::init([](std::optional<uint64_t> ram, std::optional<uint64_t> arena,
                       std::optional<uint64_t> flash, std::optional<uint64_t> fast_ram) {
             return MemoryLimits{ram, arena, flash, fast_ram};
           }),
           py::kw_only(), py::arg("ram_bytes") = py::none(), py::arg("arena_bytes") = py::none(),
           py::arg("flash_bytes") = py::none(), py::arg("fast_ram_bytes") = py::none())
      .def_readwrite("ram_bytes", &MemoryLimits::ram_bytes,
                     "Of all RAM: arena, copied code and weights, stack. Default: the device's. "
                     "With it the arena may grow, and copies may take, as far as it allows.")
      .def_readwrite("arena_bytes", &MemoryLimits::arena_bytes,
                     "Of tensors and scratch. Default: what its bytes are worth, or the least "
                     "that kernels need.")
      .def_readwrite("flash_bytes", &MemoryLimits::flash_bytes,
                     "Of the library: weights and code. Default: the device's.")
      .def_readwrite("fast_ram_bytes", &MemoryLimits::fast_ram_bytes,
                     "Of code and weights copied to the device's fast memory, if it has any; "
                     "kAllFastRam: what fits. Default: half of what the arena leaves free, with "
                     "room for a small application.");
  module.attr("ALL_FAST_RAM") = kAllFastRam;
  py::class_<Candidates>(module, "Candidates", "The schedules of one task, by number.")
      .def_readonly("workload", &Candidates::workload, "As logs write it.")
      .def_readonly("size", &Candidates::size, "Points are 0 to size - 1.")
      .def_readonly("default_point", &Candidates::default_point, "What an untuned layer gets.")
      .def_readonly("seed", &Candidates::seed, "The run's, mixed with the task.")
      .def(
          "schedule",
          [](const Candidates& of, size_t point) {
            if (point >= of.size) throw py::index_error("there is no such point");
            return of.schedule(point);
          },
          py::arg("point"), "As logs write it.");
  py::class_<TuneProgress>(module, "TuneProgress")
      .def_readonly("trials", &TuneProgress::trials,
                    "In the log and synced, those of earlier runs included.")
      .def_readonly("trials_total", &TuneProgress::trials_total,
                    "Where the run ends, unless its time ends first.")
      .def_readonly("measured", &TuneProgress::measured, "Of them, by this run.")
      .def_readonly("valid", &TuneProgress::valid, "Of `trials`, those with outcome ok.")
      .def_readonly("trials_per_second", &TuneProgress::trials_per_second, "Of this run.")
      .def_readonly("best_cycles", &TuneProgress::best_cycles,
                    "Of the tasks' layers together, once each has one.")
      .def_readonly("seconds_left", &TuneProgress::seconds_left, "An estimate.");
  py::class_<TaskResult>(module, "TaskResult")
      .def_readonly("index", &TaskResult::index, "In the model, as TaskInfo's.")
      .def_readonly("name", &TaskResult::name, "For people.")
      .def_readonly("layers", &TaskResult::layers, "Operators that share the kernel.")
      .def_readonly("default_cycles", &TaskResult::default_cycles,
                    "Of one layer; absent if not measured.")
      .def_readonly("best_cycles", &TaskResult::best_cycles,
                    "Of one layer; absent if not measured.")
      .def_readonly("best_schedule", &TaskResult::best_schedule, "As logs write it; empty: none.")
      .def_readonly("trials", &TaskResult::trials, "In the log; those that were exact.")
      .def_readonly("valid", &TaskResult::valid, "In the log; those that were exact.");
  py::class_<TuneReport>(module, "TuneReport")
      .def_readonly("tasks", &TuneReport::tasks, "In the order of `tune inspect`.")
      .def_readonly(
          "default_cycles", &TuneReport::default_cycles,
          "Sums over the layers of the tasks above; absent while one of them has no valid "
          "measurement. With kAuto, of a layer's two tasks the better one counts (and NHWC for the "
          "default), and transforms between layouts are not in the sum.")
      .def_readonly(
          "best_cycles", &TuneReport::best_cycles,
          "Sums over the layers of the tasks above; absent while one of them has no valid "
          "measurement. With kAuto, of a layer's two tasks the better one counts (and NHWC for the "
          "default), and transforms between layouts are not in the sum.")
      .def_readonly("clock_hz", &TuneReport::clock_hz, "Of the device; absent on counters.")
      .def_readonly("records", &TuneReport::records, "The log.")
      .def_readonly("measured", &TuneReport::measured,
                    "By this call; 0 when the log already held everything.")
      .def_readonly("exhausted", &TuneReport::exhausted, "No schedule left is worth a trial.")
      .def_readonly("stopped_early", &TuneReport::stopped_early, "By `early_stop`.")
      .def_readonly("seconds", &TuneReport::seconds, "Of this call, by the wall.");

  static constexpr const char* kOptions =
      "Options: records (required), trials, budget_seconds, early_stop, tuner, search, seed, "
      "window, "
      "layout, limits, "
      "tasks, workers, board_patience_seconds, listen, keys, insecure, worker_program, "
      "on_progress(TuneProgress; "
      "False cancels), "
      "on_message(warning, line).";
  module.def(
      "tune_model",
      [](const Model& model, const std::string& device, const py::kwargs& options) {
        return tune(model, device, options, &tune_model);
      },
      py::arg("model"), py::arg("device"), kOptions);
  module.def(
      "tune_workload",
      [](const Layer& layer, const std::string& device, const py::kwargs& options) {
        return tune(layer, device, options, &tune_workload);
      },
      py::arg("layer"), py::arg("device"), kOptions);
}

}  // namespace tinytune::python
