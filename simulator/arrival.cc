#include "simulator/arrival.h"

#include <algorithm>

namespace tinytune {

void Arrival::start(uint32_t from, uint32_t to, uint32_t size_bytes) {
  fills_ = false;
  from_ = from;
  to_ = to;
  left_bytes_ = size_bytes;
  next_at_ = now_() + way_.start_cycles + way_.piece_cycles;
}

void Arrival::start_fill(uint32_t from, uint32_t size_bytes) {
  start(from, 0, size_bytes);
  fills_ = true;
}

Arrival::Rest Arrival::rest() {
  const uint64_t now = now_();
  advance(now);
  return {fills_, from_, to_, left_bytes_, left_bytes_ == 0 ? 0 : next_at_ - now};
}

void Arrival::go_on(const Rest& rest) {
  fills_ = rest.fills;
  from_ = rest.from;
  to_ = rest.to;
  left_bytes_ = rest.left_bytes;
  next_at_ = now_() + rest.next_in;
}

void Arrival::deliver() {
  const uint32_t bytes = std::min(left_bytes_, way_.piece_bytes);
  if (fills_) {
    fill_(from_, bytes);
  } else {
    const std::span<const uint8_t> source = memory_.at(from_, bytes);
    std::copy(source.begin(), source.end(), memory_.at(to_, bytes).begin());
  }
  from_ += bytes;
  to_ += bytes;
  left_bytes_ -= bytes;
}

void Arrival::advance(uint64_t now) {
  for (; left_bytes_ > 0 && next_at_ <= now; next_at_ += way_.piece_cycles) deliver();
}

uint64_t Arrival::miss(uint64_t cycles) {
  if (left_bytes_ == 0) return 0;
  const uint64_t now = now_();
  advance(now);
  if (left_bytes_ == 0) return 0;
  const bool is_under_way = next_at_ - now <= way_.piece_cycles;
  const uint64_t wait = is_under_way ? next_at_ - now : 0;
  if (is_under_way) {
    deliver();
    next_at_ = now + wait + way_.piece_cycles;
  }
  next_at_ += cycles + way_.pause_cycles;
  return wait;
}

std::vector<ArrivalRegisters> registers_of(Arrival& arrival) {
  if (arrival.way().engine == "rp2040_stream") return rp2040_stream(arrival);
  if (arrival.way().engine == "rp2350_stream") return rp2350_stream(arrival);
  if (arrival.way().engine == "rp2040_burst") return rp2040_burst(arrival);
  if (arrival.way().engine == "esp32c3_preload") return esp32c3_preload(arrival);
  return {};
}

}  // namespace tinytune
