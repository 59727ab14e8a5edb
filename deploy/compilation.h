// Compiles one network from its model to the files of its package, in steps shared by the
// compilation of one network and of several networks in one arena.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "codegen/packages/package.h"
#include "deploy/deployment/deployment.h"
#include "deploy/knowledge/applicable_records.h"
#include "tinytune/deploy.h"
#include "tinytune/model.h"
#include "tinytune/result.h"

namespace tinytune {

/// Calls load_ground() for a network whose weights arrive by `arrival`, which may be empty. If that
/// way locks flash, the device keeps its fast memory for code even if nothing else may be copied.
Result<Ground> load_ground_for(const std::string& device_name, const std::string& arrival,
                               const MemoryLimits& limits, const std::optional<std::string>& path,
                               const MessageSink& sink, bool portable = false);

/// Calls load_ground_for() with the options of a run; reports how many records match.
Result<Ground> load_ground_of(const Model& model, const std::string& device_name,
                              const RunOptions& options);

class Compilation {
 public:
  /// Runs the reference for the smoke test. The arguments must outlive the compilation. Errors as
  /// for compile_model().
  static Result<Compilation> prepare(const Model& model, const std::string& device_name,
                                     const Ground& ground, const CompileOptions& options);

  /// Generates the network. Errors as for compile_model().
  Result<Candidate> generate(const MessageSink& sink,
                             const std::optional<ArenaShare>& share = {}) const;

  struct Package {
    std::vector<GeneratedFile> files;  ///< with their final contents
    CompileReport report;              ///< without directory and file names
  };
  /// Builds the network and, if this machine can, runs it unless it has run. kFailed: it does not
  /// fit the device.
  Result<Package> package(Candidate candidate) const;

  const Model& model() const { return *model_; }

 private:
  Deployment deployment(const MessageSink& sink, const std::optional<ArenaShare>& share) const;

  Compilation(const Model& model, const Ground& ground, const CompileOptions& options)
      : model_(&model), ground_(&ground), options_(&options) {}

  const Model* model_;
  const Ground* ground_;
  const CompileOptions* options_;
  PackagePrograms programs_;
  std::optional<ArrivalWay> arrival_;
};

}  // namespace tinytune
