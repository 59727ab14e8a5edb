#include "models/tflite/tflite.h"

#include <filesystem>

#include "models/external_operator.h"
#include "models/refusal.h"
#include "models/summary.h"
#include "models/tflite/model.h"
#include "models/tflite/scan.h"

namespace tinytune {
namespace {

Result<TfliteScan> scan(const TfliteModel& opened, const std::string& name,
                        std::span<const ExternalDeclaration> externals) {
  TfliteScan result(opened.model(), name, externals);
  TT_TRY(result.run());
  return result;
}

std::string stem_of(const std::string& path) { return std::filesystem::path(path).stem().string(); }

Error refused(const ModelSummary& summary, const std::string& shown) {
  return Error(ErrorCode::kUnsupported, refusal_of(summary)).within(shown);
}

}  // namespace

Result<Graph> import_tflite(const std::string& path) {
  TT_TRY_ASSIGN(const std::vector<uint8_t> bytes, read_model_file(path));
  return import_tflite(bytes, stem_of(path), path);
}

Result<Graph> import_tflite(std::span<const uint8_t> bytes, const std::string& name,
                            const std::string& label,
                            std::span<const ExternalDeclaration> externals) {
  const std::string shown = printable_ascii(label, kLongestPath);
  auto opened = TfliteModel::open(bytes);
  if (!opened) return opened.error().within(shown);
  auto scanned = scan(*opened, name, externals);
  if (!scanned) return scanned.error().within(shown);
  if (!scanned->summary.unsupported.empty()) return refused(scanned->summary, shown);
  return std::move(scanned->graph);
}

Result<Graph> import_tflite(std::span<const uint8_t> bytes, const std::string& name) {
  return import_tflite(bytes, name, name);
}

Result<ModelSummary> summarise_tflite(const std::string& path,
                                      std::span<const ExternalDeclaration> externals) {
  const std::string shown = printable_ascii(path, kLongestPath);
  TT_TRY_ASSIGN(const std::vector<uint8_t> bytes, read_model_file(path));
  auto opened = TfliteModel::open(bytes);
  if (!opened) return opened.error().within(shown);
  auto scanned = scan(*opened, stem_of(path), externals);
  if (!scanned) return scanned.error().within(shown);
  ModelSummary& summary = scanned->summary;
  if (!summary.unsupported.empty()) summary.refusal = refused(summary, shown).message();
  return std::move(summary);
}

}  // namespace tinytune
