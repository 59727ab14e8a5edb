// The spelling of portable C: unsigned integers of fixed width that wrap, and words in memory.
//
// Arithmetic of less than 32 bits is done in 32: C would promote it to an int, which may overflow.
// All texts are expressions that may be operands of others.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace tinytune::portable_c {

enum class Width { k1, k8, k16, k32, k64, kPointer };

/// Returns nothing if C has no integer of so many bits.
std::optional<Width> width_of_bits(unsigned bits);

/// "uint32_t v3"; a truth value is an int, a pointer one to bytes.
std::string declaration(Width width, const std::string& name);
std::string literal(Width width, uint64_t value);
std::string signed_literal(Width width, int64_t value);

std::string cast_to(Width width, const std::string& value);
/// The same bits as a signed integer of that width.
std::string signed_of(Width width, const std::string& value);
std::string sign_extended(Width to, Width from, const std::string& value);
/// `a op b`, wrapped to the width.
std::string wrapping(Width width, const std::string& a, const std::string& op,
                     const std::string& b);

/// Access memory, k8 to k64. `aligned`: the address is a multiple of the width's bytes.
std::string load(Width width, bool aligned, const std::string& address);
std::string store(Width width, bool aligned, const std::string& address, const std::string& value);

/// Whether one pair of parentheses is around all of it.
bool is_enclosed(const std::string& text);

}  // namespace tinytune::portable_c
