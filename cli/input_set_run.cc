#include "cli/input_set_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "cli/accuracy.h"
#include "cli/input_set.h"
#include "cli/report_json.h"
#include "cli/run_options.h"
#include "cli/table.h"
#include "cli/tensor_files.h"
#include "cli/units.h"
#include "deploy/model/model_state.h"
#include "tinytune/deploy.h"

namespace tinytune {
namespace {

using Json = nlohmann::ordered_json;

struct Answers {
  std::vector<std::string> names;             ///< by item
  std::vector<std::vector<uint8_t>> outputs;  ///< as RunReport's
  std::optional<RunReport> report;            ///< absent if only the reference was run
  std::vector<int> classes;                   ///< answers, one per item that was run
  std::optional<Confusion> confusion;         ///< only with labels
  std::string differs;                        ///< item whose output differs from the reference
};

Error invalid(std::string why) { return Error(ErrorCode::kInvalidInput, std::move(why)); }

Status check_options(const RunArguments& arguments, const Model& model) {
  if (!arguments.inputs.empty()) return invalid("--inputs is given beside --input");
  if (arguments.steps != 1) return invalid("--inputs are each one step: no --steps");
  if (!arguments.stream_input.empty()) return invalid("--inputs are whole: no --stream-input");
  if (arguments.dump_directory) return invalid("--dump-tensors is of one --input");
  if (arguments.on) return invalid("--inputs run in the simulator: no --on");
  if (arguments.reference && arguments.verify)
    return invalid("--reference runs no kernel: no --verify");
  if (has_state(model.state().graph))
    return Error(ErrorCode::kUnsupported,
                 model.path() +
                     ": it keeps state, so inputs are steps of one run: --input FILE "
                     "--steps N");
  return ok_status();
}

/// Runs the reference operators on each item and returns the outputs; compiles nothing.
Result<std::vector<std::vector<uint8_t>>> by_reference(const Model& model, const InputSet& set) {
  const Graph& graph = model.state().graph;
  std::vector<std::vector<uint8_t>> outputs(graph.outputs.size());
  for (size_t item = 0; item < set.names.size(); ++item) {
    std::vector<std::vector<uint8_t>> inputs;
    for (size_t i = 0; i < set.inputs.size(); ++i) {
      const auto bytes = static_cast<ptrdiff_t>(model.info().inputs[i].bytes);
      const auto first = set.inputs[i].begin() + bytes * static_cast<ptrdiff_t>(item);
      inputs.emplace_back(first, first + bytes);
    }
    TT_TRY_ASSIGN(const auto tensors, model.state().reference(inputs));
    for (size_t i = 0; i < outputs.size(); ++i) {
      const auto& output = tensors.at(static_cast<size_t>(graph.outputs[i]));
      outputs[i].insert(outputs[i].end(), output.begin(), output.end());
    }
  }
  return outputs;
}

Result<RunReport> by_kernels(const Model& model, const RunArguments& arguments, InputSet set,
                             const Console& console) {
  TT_TRY_ASSIGN(RunOptions options, run_options(arguments, console));
  options.steps = static_cast<int>(set.names.size());  // without state, steps are independent
  options.inputs = std::move(set.inputs);
  options.verify = arguments.verify;
  return run_model(model, arguments.device, options);
}

Result<Answers> run(const RunArguments& arguments, const Console& console) {
  TT_TRY_ASSIGN(const Model model, Model::load(arguments.model, arguments.loading()));
  TT_TRY(check_options(arguments, model));
  const std::string labels_file = arguments.labels.value_or("");
  TT_TRY_ASSIGN(InputSet set, read_input_set(model, *arguments.input_set, labels_file));
  std::vector<int> labels;
  if (arguments.labels) {
    TT_TRY_ASSIGN(labels, read_labels(labels_file, set.names));
  }
  Answers answers;
  answers.names = set.names;
  if (arguments.reference) {
    TT_TRY_ASSIGN(answers.outputs, by_reference(model, set));
  } else {
    TT_TRY_ASSIGN(answers.report, by_kernels(model, arguments, std::move(set), console));
    answers.outputs = answers.report->outputs;
  }
  if (answers.report && answers.report->exact == false) {  // the run ended at this item
    const auto one = static_cast<size_t>(model.info().outputs[0].bytes);
    answers.differs = answers.names[answers.outputs[0].size() / one - 1];
  }
  TT_TRY(write_outputs(model, arguments.outputs, answers.outputs));
  const Graph& graph = model.state().graph;
  const Tensor& first = graph.tensor(graph.outputs.at(0));
  auto classes = classes_of(first, answers.outputs[0]);
  if (!classes && arguments.labels) return classes.error();
  if (classes) answers.classes = std::move(*classes);
  if (arguments.labels) {
    TT_TRY_ASSIGN(answers.confusion, confusion_of(labels, answers.classes, class_count(first)));
  }
  return answers;
}

std::string difference_of(const Answers& answers) {
  const std::string& where = answers.report->difference;  // "step 3, output 0 …"
  return answers.differs + ": " + where.substr(std::min(where.find("output "), where.size()));
}

std::string to_json(const Answers& answers) {
  Json all = answers.report ? Json::parse(to_json(*answers.report)) : Json::object();
  all["inputs"] = answers.names.size();
  all["first_difference"] = answers.differs.empty() ? Json() : Json(answers.differs);
  all["accuracy"] = answers.confusion ? Json(answers.confusion->accuracy()) : Json();
  all["correct"] = answers.confusion ? Json(answers.confusion->correct) : Json();
  all["confusion"] = answers.confusion ? Json(answers.confusion->counts) : Json();
  Json classes = Json::array();
  for (size_t i = 0; i < answers.classes.size(); ++i)
    classes.push_back({{"input", answers.names[i]}, {"class", answers.classes[i]}});
  all["classes"] = std::move(classes);
  return all.dump(2, ' ', false, Json::error_handler_t::replace);
}

/// Prints the rows and columns of classes that occur.
std::string confusion_text(const Confusion& confusion) {
  constexpr size_t kMost = 20;
  std::vector<size_t> occur;
  for (size_t c = 0; c < confusion.counts.size(); ++c) {
    const auto& row = confusion.counts[c];
    const bool answered = std::any_of(confusion.counts.begin(), confusion.counts.end(),
                                      [&](const std::vector<int>& r) { return r[c] > 0; });
    if (answered || std::any_of(row.begin(), row.end(), [](int n) { return n > 0; }))
      occur.push_back(c);
  }
  if (occur.size() > kMost)
    return fmt::format("{} classes occur; --json has the confusion of all\n", occur.size());
  std::vector<std::string> header = {"label \\ answer"};
  for (const size_t c : occur) header.push_back(std::to_string(c));
  Table table(std::move(header));
  for (const size_t label : occur) {
    std::vector<std::string> cells = {std::to_string(label)};
    for (const size_t answer : occur)
      cells.push_back(std::to_string(confusion.counts[label][answer]));
    table.add(std::move(cells));
  }
  return table.text();
}

std::string to_text(const Answers& answers) {
  std::string text = fmt::format("{} inputs", answers.names.size());
  if (answers.report)
    text += fmt::format(", {} an inference{}",
                        latency_text(answers.report->footprint.cycles, answers.report->clock_hz),
                        answers.report->exact == true ? ", all outputs equal the reference's" : "");
  text += "\n";
  if (!answers.confusion) return text;
  const Confusion& confusion = *answers.confusion;
  return text +
         fmt::format("accuracy {:.2f} %: {} of {} as labelled\n", 100 * confusion.accuracy(),
                     confusion.correct, confusion.total) +
         confusion_text(confusion);
}

}  // namespace

int run_input_set(const RunArguments& arguments, const Context& context) {
  const Console& console = context.console;
  const Result<Answers> answers = run(arguments, console);
  if (!answers) return console.fail(answers.error());
  const int told = console.result(arguments.json ? to_json(*answers) : to_text(*answers));
  if (answers->differs.empty()) return told;
  console.message(MessageKind::kWarning, "differs from the reference: " + difference_of(*answers));
  return kExitFailed;
}

}  // namespace tinytune
