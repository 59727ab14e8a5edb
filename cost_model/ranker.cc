#include "cost_model/ranker.h"

#include <xgboost/c_api.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/check.h"

namespace tinytune {
namespace {

Status check_call(int code, const char* what) {
  if (code == 0) return ok_status();
  return Error(ErrorCode::kFailed, std::string("xgboost ") + what + ": " + XGBGetLastError());
}

// Owns a handle of the library. Both kinds are a void*, each with its own function to free it.
template <int (*kFree)(void*)>
class Handle {
 public:
  Handle() = default;
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() {
    if (handle_ != nullptr) kFree(handle_);
  }
  void* get() const { return handle_; }
  void** out() { return &handle_; }

 private:
  void* handle_ = nullptr;
};

using Matrix = Handle<&XGDMatrixFree>;

Status load(const FeatureMatrix& features, Matrix& matrix) {
  return check_call(XGDMatrixCreateFromMat(features.data(), features.rows(), features.columns(),
                                           std::numeric_limits<float>::quiet_NaN(), matrix.out()),
                    "matrix");
}

/// Describes an array by NumPy's array interface, so that the library reads it without a copy.
std::string array_interface(const void* data, const std::string& shape, const char* type) {
  return R"({"data":[)" + std::to_string(reinterpret_cast<uintptr_t>(data)) +
         R"(,true],"shape":[)" + shape + R"(],"typestr":")" + type + R"(","version":3})";
}

std::string array_interface(const FeatureMatrix& features) {
  return array_interface(features.data(),
                         std::to_string(features.rows()) + "," + std::to_string(features.columns()),
                         "<f4");
}

Status set_info(Matrix& matrix, const char* field, const void* data, size_t count,
                const char* type) {
  return check_call(
      XGDMatrixSetInfoFromInterface(matrix.get(), field,
                                    array_interface(data, std::to_string(count), type).c_str()),
      field);
}

using Parameters = std::vector<std::pair<const char*, std::string>>;

// Four pairs per row, of any two rows of its group. By default XGBoost 2 and 3 pair rows with the
// best rows only, and 3 also normalises its steps; it then orders 83 % of unseen pairs correctly
// (ranker_test.cc), and 97 % with these parameters.
Parameters pairs_of_rows() {
  int major = 0, minor = 0, patch = 0;
  XGBoostVersion(&major, &minor, &patch);
  if (major < 2) return {{"num_pairsample", "4"}};
  Parameters parameters = {{"lambdarank_pair_method", "mean"},
                           {"lambdarank_num_pair_per_sample", "4"},
                           {"lambdarank_normalization", "0"}};
  if (major >= 3) parameters.emplace_back("lambdarank_score_normalization", "0");
  return parameters;
}

// Threads do not affect a row's score. A search scores some thousands of rows at a time while
// builds run; at a microsecond each, one thread is enough for them.
size_t threads_for(size_t rows) {
  constexpr size_t kRowsOfAThread = 10'000;
  const size_t cores = std::max(1u, std::thread::hardware_concurrency());
  return std::clamp<size_t>(rows / kRowsOfAThread, 1, cores);
}

}  // namespace

struct Ranker::Booster {
  Handle<&XGBoosterFree> handle;
  size_t columns = 0;
};

Ranker::Ranker(std::unique_ptr<Booster> booster) : booster_(std::move(booster)) {}
Ranker::Ranker(Ranker&&) noexcept = default;
Ranker& Ranker::operator=(Ranker&&) noexcept = default;
Ranker::~Ranker() = default;

Result<Ranker> Ranker::train(const FeatureMatrix& features, std::span<const float> merit,
                             std::span<const RankedGroup> groups, const RankerOptions& options) {
  TT_CHECK(features.rows() > 0 && merit.size() == features.rows(), "one merit per row");
  for (float value : merit)
    if (!std::isfinite(value)) return Error(ErrorCode::kInvalidInput, "a merit is not a number");
  std::vector<unsigned> sizes;
  for (const RankedGroup& group : groups) sizes.push_back(static_cast<unsigned>(group.rows));
  TT_CHECK(std::accumulate(sizes.begin(), sizes.end(), size_t{0}) == features.rows(),
           "the groups cover the rows");

  Matrix matrix;
  TT_TRY(load(features, matrix));
  TT_TRY(set_info(matrix, "label", merit.data(), merit.size(), "<f4"));
  TT_TRY(set_info(matrix, "group", sizes.data(), sizes.size(), "<u4"));

  auto booster = std::make_unique<Booster>();
  booster->columns = features.columns();
  void* const matrices[] = {matrix.get()};
  TT_TRY(check_call(XGBoosterCreate(matrices, 1, booster->handle.out()), "booster"));
  // One thread: sums are always in the same order, and the other cores are compiling.
  Parameters parameters = {
      {"objective", "rank:pairwise"},
      {"tree_method", "exact"},
      {"nthread", "1"},
      {"verbosity", "0"},
      {"max_depth", std::to_string(options.depth)},
      {"eta", std::to_string(options.learning_rate)},
      {"seed", std::to_string(options.seed & 0x7fffffff)},
  };
  for (auto& pairing : pairs_of_rows()) parameters.push_back(std::move(pairing));
  for (const auto& [name, value] : parameters)
    TT_TRY(check_call(XGBoosterSetParam(booster->handle.get(), name, value.c_str()), name));
  for (int round = 0; round < options.rounds; ++round)
    TT_TRY(
        check_call(XGBoosterUpdateOneIter(booster->handle.get(), round, matrix.get()), "training"));
  return Ranker(std::move(booster));
}

Result<std::vector<float>> Ranker::scores(const FeatureMatrix& features) const {
  TT_CHECK(features.columns() == booster_->columns, "the columns it was trained on");
  if (features.rows() == 0) return std::vector<float>();
  const std::string threads = std::to_string(threads_for(features.rows()));
  TT_TRY(
      check_call(XGBoosterSetParam(booster_->handle.get(), "nthread", threads.c_str()), "threads"));
  constexpr const char* kValues =
      R"({"type":0,"training":false,"iteration_begin":0,"iteration_end":0,)"
      R"("strict_shape":false,"cache_id":0,"missing":NaN})";
  const bst_ulong* shape = nullptr;
  bst_ulong dimensions = 0;
  const float* scores = nullptr;
  TT_TRY(check_call(
      XGBoosterPredictFromDense(booster_->handle.get(), array_interface(features).c_str(), kValues,
                                nullptr, &shape, &dimensions, &scores),
      "prediction"));
  return std::vector<float>(scores, scores + features.rows());
}

}  // namespace tinytune
