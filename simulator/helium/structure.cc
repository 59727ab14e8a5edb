// Interleaved loads and stores of two or four vectors (VLD2, VLD4, VST2, VST4).
//
// One instruction moves half (a quarter) of the bytes of all vectors, four words of memory. Its
// number selects the words, such that each beat accesses another bank. It is not predicated.
#include "simulator/helium/lanes.h"

namespace tinytune::helium {
namespace {

// For each number and beat, the first structure that the beat's word is part of.
constexpr uint8_t kPairsOfBytes[2][4] = {{0, 2, 12, 14}, {4, 6, 8, 10}};
constexpr uint8_t kPairsOfHalves[2][4] = {{0, 1, 6, 7}, {2, 3, 4, 5}};
constexpr uint8_t kPairsOfWords[2][4] = {{0, 1, 6, 7}, {2, 3, 4, 5}};  // words
constexpr uint8_t kFoursOfBytes[4][4] = {
    {0, 1, 10, 11}, {2, 3, 12, 13}, {4, 5, 14, 15}, {6, 7, 8, 9}};
constexpr uint8_t kFoursOfHalves[4][2] = {{0, 5}, {1, 6}, {2, 7}, {3, 4}};
constexpr uint8_t kFoursOfWords[4][4] = {
    {0, 1, 10, 11}, {2, 3, 12, 13}, {4, 5, 14, 15}, {6, 7, 8, 9}};  // words

/// The word of memory that a beat moves, counted from Rn.
unsigned word_of(unsigned vectors, unsigned log, unsigned number, unsigned beat) {
  if (vectors == 2) {
    if (log == 0) return kPairsOfBytes[number][beat] / 2;
    return log == 1 ? kPairsOfHalves[number][beat] : kPairsOfWords[number][beat];
  }
  if (log == 0) return kFoursOfBytes[number][beat];
  if (log == 1) return kFoursOfHalves[number][beat / 2] * 2 + beat % 2;
  return kFoursOfWords[number][beat];
}

template <typename T>
void move(Machine& m, uint32_t code, unsigned vectors, unsigned number) {
  constexpr unsigned kPerWord = 4 / sizeof(T);
  constexpr unsigned kLog = sizeof(T) / 2;
  const bool loads = field(code, 20, 20) != 0;
  const uint32_t base = m.get(field(code, 19, 16));
  for (unsigned beat = 0; beat < 4; ++beat) {
    const unsigned word = word_of(vectors, kLog, number, beat);
    std::array<T, kPerWord> parts;
    uint32_t packed = loads ? m.load<uint32_t>(base + 4 * word) : 0;
    if (m.faulted()) return;
    std::memcpy(parts.data(), &packed, 4);
    for (unsigned i = 0; i < kPerWord; ++i) {
      const unsigned element = word * kPerWord + i;
      const unsigned q = qd(code) + element % vectors, lane = element / vectors;
      if (loads) m.put<T>(q, lane, parts[i]);
      parts[i] = m.lane<T>(q, lane);
    }
    std::memcpy(&packed, parts.data(), 4);
    if (!loads) m.store<uint32_t>(base + 4 * word, packed);
  }
}

template <unsigned vectors>
bool structures(Machine& m, uint32_t code) {
  const unsigned rn = field(code, 19, 16);
  const bool writes_back = field(code, 21, 21) != 0;
  const unsigned number = vectors == 2 ? field(code, 5, 5) : field(code, 6, 5);
  if (qd(code) + vectors > 8 || rn == kPc || (rn == kSp && writes_back)) return false;
  return with_unsigned(field(code, 8, 7), [&]<typename T>() {
    move<T>(m, code, vectors, number);
    if (writes_back && !m.faulted()) m.set(rn, m.get(rn) + 16 * vectors);
    return true;
  });
}

constexpr Row kRows[] = {
    // clang-format off
    {"1111 1100 10w0 rrrr ddd1 111s s0i0 0000", "vst2", Kind::kOutside, structures<2>},
    {"1111 1100 10w0 rrrr ddd1 111s sii0 0001", "vst4", Kind::kOutside, structures<4>},
    {"1111 1100 10w1 rrrr ddd1 111s s0i0 0000", "vld2", Kind::kOutside, structures<2>},
    {"1111 1100 10w1 rrrr ddd1 111s sii0 0001", "vld4", Kind::kOutside, structures<4>},
    // clang-format on
};

}  // namespace

std::span<const Row> structure_rows() { return kRows; }

}  // namespace tinytune::helium
