// tune_operator DESCRIPTION DEVICE LOG TRIALS: tunes one operator and prints how to call its kernel.
#include <tinytune/tinytune.h>

#include <cstdio>
#include <cstdlib>

namespace {

int fail(const tinytune::Error& error) {
  std::fprintf(stderr, "%s\n", error.message().c_str());
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) return 2;
  const auto layer = tinytune::Layer::describe(argv[1]);
  if (!layer) return fail(layer.error());

  tinytune::TuneOptions options;
  options.records = argv[3];
  options.trials = std::strtoull(argv[4], nullptr, 10);
  const auto report = tinytune::tune_workload(*layer, argv[2], options);
  if (!report) return fail(report.error());

  tinytune::KernelOptions best;
  best.records = options.records;
  const auto kernel = tinytune::compile_workload(*layer, argv[2], best);
  if (!kernel) return fail(kernel.error());
  std::printf("%s\n%s;\n%llu cycles\n", kernel->schedule.c_str(), kernel->prototype.c_str(),
              static_cast<unsigned long long>(kernel->cycles.value_or(0)));
  return 0;
}
