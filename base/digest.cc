#include "base/digest.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <charconv>

#include "base/hash.h"

namespace tinytune {

std::string to_text(const Digest& digest) { return hex64(digest.high) + hex64(digest.low); }

std::optional<Digest> parse_digest(std::string_view text) {
  if (text.size() != 32) return std::nullopt;
  const auto half = [&](size_t at) -> std::optional<uint64_t> {
    uint64_t value = 0;
    const char* first = text.data() + at;
    const auto [end, error] = std::from_chars(first, first + 16, value, 16);
    if (error != std::errc() || end != first + 16) return std::nullopt;
    return value;
  };
  const auto high = half(0), low = half(16);
  if (!high || !low) return std::nullopt;
  return Digest{*high, *low};
}

struct Digester::State {
  XXH3_state_t xxh;
};

Digester::Digester() : state_(std::make_unique<State>()) { XXH3_128bits_reset(&state_->xxh); }
Digester::Digester(Digester&&) noexcept = default;
Digester::~Digester() = default;

Digester& Digester::add(std::span<const uint8_t> bytes) {
  add(uint64_t{bytes.size()});
  XXH3_128bits_update(&state_->xxh, bytes.data(), bytes.size());
  return *this;
}

Digester& Digester::add(std::string_view text) {
  return add(std::span(reinterpret_cast<const uint8_t*>(text.data()), text.size()));
}

Digester& Digester::add(uint64_t number) {
  uint8_t bytes[8];
  for (int i = 0; i < 8; ++i) bytes[i] = static_cast<uint8_t>(number >> (8 * i));
  XXH3_128bits_update(&state_->xxh, bytes, sizeof bytes);
  return *this;
}

Digester& Digester::add(const Digest& digest) { return add(digest.high).add(digest.low); }

Digest Digester::value() const {
  const XXH128_hash_t hash = XXH3_128bits_digest(&state_->xxh);
  return {hash.high64, hash.low64};
}

}  // namespace tinytune
