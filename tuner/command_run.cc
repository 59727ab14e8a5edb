#include <set>

#include "tinytune/deploy.h"
#include "tuner/arguments.h"
#include "tuner/commands.h"
#include "tuner/layouts.h"
#include "tuner/report_json.h"
#include "tuner/report_text.h"
#include "tuner/tensor_files.h"

namespace tinytune {
namespace {

Status write_dump(const std::string& directory, const RunReport& report, const Console& console) {
  for (const TensorDump& tensor : report.tensors)
    TT_TRY(write_file(directory + "/tensor_" + std::to_string(tensor.id) + ".bin", tensor.bytes));
  if (!report.fused_tensors.empty()) {
    std::string ids;
    for (int id : report.fused_tensors) ids += (ids.empty() ? "t" : ", t") + std::to_string(id);
    console.message(MessageKind::kInfo, "fused away, so not dumped: " + ids);
  }
  return ok_status();
}

Status check_output_count(const Model& model, const RunArguments& arguments) {
  const size_t given = arguments.outputs.size(), has = model.info().outputs.size();
  if (given <= 1 || given == has) return ok_status();
  return Error(ErrorCode::kInvalidInput, "--output is given " + std::to_string(given) +
                                             " times, but the model has " + std::to_string(has) +
                                             " output(s)");
}

}  // namespace

int run_run(const RunArguments& arguments, const Console& console) {
  const Result<Model> model = Model::load(arguments.model, {arguments.disabled_passes});
  if (!model) return console.fail(model.error());
  if (const Status status = check_output_count(*model, arguments); !status)
    return console.fail(status.error());
  auto inputs = read_inputs(*model, arguments.inputs);
  if (!inputs) return console.fail(inputs.error());

  RunOptions options;
  options.records = arguments.records;
  const Result<LayoutPolicy> layout = parse_layout_policy(arguments.layout);
  if (!layout) return console.fail(layout.error());
  options.layout = *layout;
  const Result<MemoryLimits> limits =
      parse_limits(arguments.ram, arguments.flash, arguments.fast_ram);
  if (!limits) return console.fail(limits.error());
  options.limits = *limits;
  options.inputs = std::move(*inputs);
  options.verify = arguments.verify;
  options.dump_tensors = arguments.dump_directory.has_value();
  options.on_message = console.sink();
  const Result<RunReport> report = run_model(*model, arguments.device, options);
  if (!report) return console.fail(report.error());

  Status written = write_outputs(*model, arguments.outputs, report->outputs);
  if (written && arguments.dump_directory)
    written = write_dump(*arguments.dump_directory, *report, console);
  if (!written) return console.fail(written.error());
  console.result(console.json() ? to_json(*report) : to_text(*report));
  if (report->exact == false) {
    console.message(MessageKind::kWarning, "differs from the reference: " + report->difference);
    return kExitFailed;
  }
  return 0;
}

}  // namespace tinytune
