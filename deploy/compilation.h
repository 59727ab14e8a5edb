// One network from its model to the files of its package, in the steps that compiling one network
// and compiling several into one arena have in common.
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

/// load_ground() for a network whose weights arrive that way, or any: where the way locks flash,
/// the device keeps its memory for code although nothing else may be copied.
Result<Ground> load_ground_for(const std::string& device_name, const std::string& arrival,
                               const MemoryLimits& limits, const std::optional<std::string>& path,
                               const MessageSink& sink, bool portable = false);

/// load_ground_for() with the options of a run, which is told how its records match.
Result<Ground> load_ground_of(const Model& model, const std::string& device_name,
                              const RunOptions& options);

class Compilation {
 public:
  /// Runs the reference for the smoke test. What it is given outlives it. Errors as
  /// compile_model().
  static Result<Compilation> prepare(const Model& model, const std::string& device_name,
                                     const Ground& ground, const CompileOptions& options);

  /// Errors as compile_model().
  Result<Candidate> generate(const MessageSink& sink,
                             const std::optional<ArenaShare>& share = {}) const;

  struct Package {
    std::vector<GeneratedFile> files;  ///< as they are written
    CompileReport report;              ///< without the directory and names of files
  };
  /// Builds the network, and runs it unless it ran, where this machine can. kFailed: it does not
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
