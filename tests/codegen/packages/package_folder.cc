#include "tests/codegen/packages/package_folder.h"

#include <filesystem>

#include "base/files.h"
#include "tests/codegen/packages/board.h"
#include "tests/tuner/small_model.h"

namespace tinytune::test {

namespace fs = std::filesystem;

void PackageFolder::SetUp() {
  auto directory = TemporaryDirectory::create("packages");
  ASSERT_TRUE(directory) << directory.error().message();
  directory_ = std::move(directory).value();
}

std::string PackageFolder::model(const Graph& graph, const std::string& name) const {
  const std::string file = path(name + ".tflite");
  write_model(graph, file);
  return file;
}

std::string PackageFolder::compile(const std::string& model_file, const std::string& device,
                                   const std::string& format,
                                   const std::vector<std::string>& more) const {
  const std::string directory = path(device + "-" + format);
  std::vector<std::string> words = {TINYTUNE_BINARY_DIR "/tune",
                                    "compile",
                                    "--model",
                                    model_file,
                                    "--device",
                                    device,
                                    "--format",
                                    format,
                                    "-o",
                                    directory};
  words.insert(words.end(), more.begin(), more.end());
  const ProcessResult done = run(words);
  EXPECT_EQ(done.exit_code, 0) << done.err;
  if (done.exit_code != 0 || format != "mlf") return done.exit_code == 0 ? directory : "";
  const std::string archive = directory + "/" + fs::path(model_file).stem().string() + ".tar";
  const std::string unpacked = directory + "-unpacked";
  fs::create_directories(unpacked);
  const ProcessResult tar = run({"tar", "-xf", archive, "-C", unpacked});
  EXPECT_EQ(tar.exit_code, 0) << tar.err;
  EXPECT_EQ(tar.err, "");
  return tar.exit_code == 0 ? unpacked : "";
}

std::string text_of_file(const std::string& path) {
  const auto bytes = read_file(path);
  EXPECT_TRUE(bytes) << bytes.error().message();
  return bytes ? std::string(text_of(*bytes)) : "";
}

}  // namespace tinytune::test
