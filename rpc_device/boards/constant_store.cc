#include "rpc_device/boards/constant_store.h"

#include <algorithm>

namespace tinytune {

void ConstantStore::keep(const Digest& digest, std::span<const uint8_t> bytes) {
  const auto [at, is_new] = kept_.try_emplace(digest);
  at->second.load = load_;
  if (!is_new) return;
  at->second.bytes.assign(bytes.begin(), bytes.end());
  size_bytes_ += bytes.size();
  make_room();
}

const std::vector<uint8_t>* ConstantStore::name(const Digest& digest) {
  const auto at = kept_.find(digest);
  if (at == kept_.end()) return nullptr;
  at->second.load = load_;
  return &at->second.bytes;
}

void ConstantStore::make_room() {
  while (size_bytes_ > room_bytes_) {
    const auto oldest = std::min_element(
        kept_.begin(), kept_.end(),
        [](const auto& a, const auto& b) { return a.second.load < b.second.load; });
    if (oldest->second.load == load_) return;
    size_bytes_ -= oldest->second.bytes.size();
    kept_.erase(oldest);
  }
}

Result<NamedConstants> name_constants(ConstantStore& store, std::span<const Argument> arguments) {
  NamedConstants named;
  named.contents.resize(arguments.size());
  store.begin_load();
  for (size_t i = 0; i < arguments.size(); ++i) {
    const Argument& argument = arguments[i];
    if (argument.role != BufferRole::kConstant) continue;
    const std::vector<uint8_t>* kept = store.name(argument.constant);
    if (kept == nullptr) {
      if (std::find(named.lacking.begin(), named.lacking.end(), argument.constant) ==
          named.lacking.end())
        named.lacking.push_back(argument.constant);
    } else if (kept->size() != argument.size_bytes) {
      return Error(ErrorCode::kInvalidInput, "a constant of another size than its argument");
    } else {
      named.contents[i] = *kept;
    }
  }
  return named;
}

}  // namespace tinytune
