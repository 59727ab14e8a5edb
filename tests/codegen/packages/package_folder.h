// A temporary folder for each test, into which `tune compile` writes packages.
#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "base/temporary_directory.h"
#include "models/graph.h"

namespace tinytune::test {

class PackageFolder : public testing::Test {
 protected:
  void SetUp() override;

  std::string path(const std::string& name) const { return directory_->file(name); }

  /// Writes the graph as NAME.tflite and returns its path.
  std::string model(const Graph& graph, const std::string& name) const;

  /// Runs `tune compile` on a model file and returns the package's directory; an archive is
  /// unpacked. Empty after a test failure. `more`: further arguments.
  std::string compile(const std::string& model_file, const std::string& device,
                      const std::string& format, const std::vector<std::string>& more = {}) const;

 private:
  std::optional<TemporaryDirectory> directory_;
};

std::string text_of_file(const std::string& path);

}  // namespace tinytune::test
