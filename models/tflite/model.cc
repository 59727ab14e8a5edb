#include "models/tflite/model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "models/c_array.h"
#include "models/file_formats.h"
#include "models/limits.h"
#include "models/schema/tflite_subset_generated.h"

namespace tinytune {
namespace {

Error invalid(std::string why) { return Error(ErrorCode::kInvalidInput, std::move(why)); }

/// Returns the model in C source; the bytes of other files unchanged.
Result<std::vector<uint8_t>> model_bytes(std::vector<uint8_t> bytes, const std::string& path) {
  if (!is_c_source(path)) return bytes;
  auto models = models_in_c_source({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  if (models.size() == 1) return std::move(models.front());
  const std::string shown = printable_ascii(path, kLongestPath);
  if (models.size() > 1)
    return invalid(
        fmt::format("{} arrays of C source in it hold different models, give a file "
                    "with one: '{}'",
                    models.size(), shown));
  return invalid(
      fmt::format("no array of C source in it holds a TensorFlow Lite model; a header "
                  "may only declare what the .c or .cc file beside it has: '{}'",
                  shown));
}

}  // namespace

Result<TfliteModel> TfliteModel::open(std::span<const uint8_t> bytes) {
  constexpr size_t kSmallest = 8;  // root offset and identifier
  if (bytes.size() < kSmallest || !schema::ModelBufferHasIdentifier(bytes.data()))
    return invalid("not a TensorFlow Lite file" + other_format(bytes));
  if (bytes.size() >= FLATBUFFERS_MAX_BUFFER_SIZE)
    return invalid("larger than a FlatBuffer can be (2 GiB)");
  TfliteModel opened;
  opened.bytes_ = std::make_unique<std::vector<uint64_t>>((bytes.size() + 7) / 8);
  std::memcpy(opened.bytes_->data(), bytes.data(), bytes.size());
  const auto* data = reinterpret_cast<const uint8_t*>(opened.bytes_->data());
  flatbuffers::Verifier verifier(data, bytes.size());
  if (!schema::VerifyModelBuffer(verifier))
    return invalid("damaged or truncated: the FlatBuffer's offsets do not hold together");
  opened.model_ = schema::GetModel(data);
  if (opened.model_->version() != 3)
    return invalid(fmt::format("schema version {}, only 3 is known", opened.model_->version()));
  return opened;
}

Result<std::vector<uint8_t>> read_model_file(const std::string& path) {
  std::error_code failed;
  if (!std::filesystem::exists(path, failed))
    return Error(ErrorCode::kNotFound,
                 fmt::format("no such file: '{}'", printable_ascii(path, kLongestPath)));
  if (std::filesystem::is_directory(path, failed)) return invalid(folder_is_no_model(path));
  if (!std::filesystem::is_regular_file(path, failed))
    return invalid(fmt::format("not a file: '{}'", printable_ascii(path, kLongestPath)));
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  const std::streamoff size = file ? static_cast<std::streamoff>(file.tellg()) : -1;
  if (size < 0)
    return invalid(fmt::format("cannot read '{}'", printable_ascii(path, kLongestPath)));
  if (size > kMostFileBytes)
    return invalid(fmt::format("larger than {} bytes: '{}'", kMostFileBytes,
                               printable_ascii(path, kLongestPath)));
  std::vector<uint8_t> bytes(static_cast<size_t>(size));
  file.seekg(0);
  if (size > 0 && !file.read(reinterpret_cast<char*>(bytes.data()), size))
    return invalid(fmt::format("cannot read '{}'", printable_ascii(path, kLongestPath)));
  return model_bytes(std::move(bytes), path);
}

std::optional<int> builtin_code(const schema::Model& model, const schema::Operator& op) {
  const auto* codes = model.operator_codes();
  if (codes == nullptr || op.opcode_index() >= codes->size()) return std::nullopt;
  const schema::OperatorCode& code = *codes->Get(op.opcode_index());
  // Old writers fill only the byte, new ones both while the number fits.
  return std::max<int>(code.deprecated_builtin_code(), code.builtin_code());
}

const char* builtin_name(int code) {
  static constexpr const char* kNames[] = {
#define BUILTIN(name) #name,
#include "models/builtin_names.inc"
#undef BUILTIN
  };
  return code >= 0 && static_cast<size_t>(code) < std::size(kNames) ? kNames[code] : nullptr;
}

std::string printable_ascii(std::string_view text, size_t longest) {
  std::string result(text.substr(0, longest));
  for (char& c : result)
    if (c < 0x20 || c > 0x7e) c = '?';
  return result;
}

}  // namespace tinytune
