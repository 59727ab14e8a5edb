// XXH3, 128 bit: digests whose equality is taken as equality of the contents.
//
// Equality decides that a kernel is not run, or that bytes are not sent again, so an accidental
// collision must be practically impossible: with 128 bits, one becomes likely only among 2^64
// different inputs. Not secure against adversaries. Method and reference: Y. Collet,
// github.com/Cyan4973/xxHash.
#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tinytune {

struct Digest {
  uint64_t high = 0, low = 0;
  auto operator<=>(const Digest&) const = default;
};

/// Returns 32 lower-case hexadecimal digits.
std::string to_text(const Digest& digest);
/// Returns nullopt if the text is not 32 hexadecimal digits.
std::optional<Digest> parse_digest(std::string_view text);

/// Digests a sequence of pieces. Each is preceded by its length, so that ("ab", "c") and
/// ("a", "bc") differ.
class Digester {
 public:
  Digester();
  Digester(Digester&&) noexcept;
  ~Digester();

  Digester& add(std::string_view text);
  Digester& add(std::span<const uint8_t> bytes);
  Digester& add(uint64_t number);
  Digester& add(const Digest& digest);
  /// Adds numbers of 1 to 8 bytes, as little-endian bytes.
  template <typename T>
  Digester& add_all(const std::vector<T>& values) {
    return add(
        std::span(reinterpret_cast<const uint8_t*>(values.data()), values.size() * sizeof(T)));
  }

  Digest value() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tinytune
