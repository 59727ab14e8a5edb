#include "rpc_device/boards/serial/serial_core.h"

#include <algorithm>
#include <cstdio>
#include <random>

#include "rpc_device/boards/firmware/wire.h"

namespace tinytune {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;
using Bytes = std::vector<uint8_t>;

constexpr size_t kStackAlignment = 16;
// SplitMix64 and XXH3 on the slowest core that we know take less.
constexpr uint32_t kBytesPerMs = 50;

Error lost(const std::string& what) { return Error(ErrorCode::kDeviceLost, what); }

template <typename T>
void put(Bytes& bytes, T value) {
  for (size_t i = 0; i < sizeof value; ++i)
    bytes.push_back(static_cast<uint8_t>(static_cast<uint64_t>(value) >> (8 * i)));
}

template <typename T>
T get(const Bytes& bytes, size_t at) {
  uint64_t value = 0;
  for (size_t i = sizeof(T); i-- > 0;) value = value << 8 | bytes[at + i];
  return static_cast<T>(value);
}

Bytes range(uint32_t address, uint32_t size_bytes) {
  Bytes payload;
  put(payload, address);
  put(payload, size_bytes);
  return payload;
}

}  // namespace

Result<std::unique_ptr<SerialCore>> SerialCore::open(const Device& device, OpenLink open_link,
                                                     const std::string& name,
                                                     const SerialOptions& options) {
  std::unique_ptr<SerialCore> core(new SerialCore(device, std::move(open_link), options));
  TT_TRY(core->begin_session(name));
  return core;
}

Status SerialCore::begin_session(const std::string& name) {
  link_.reset();
  reader_.clear();
  TT_TRY_ASSIGN(link_, open_link_());
  // Neither the number of the last session nor one that a runner left on the desk may remember.
  session_ = static_cast<uint16_t>(session_ + 1 + std::random_device{}() % 0xFFFE);
  sequence_ = 0;
  TT_TRY_ASSIGN(const Bytes hello, request(WIRE_HELLO, {}, 45, milliseconds(0)));
  if (hello.size() < 13 || hello.size() != 13u + hello[12])
    return lost("a runner's hello is damaged");
  if (get<uint16_t>(hello, 0) != WIRE_PROTOCOL)
    return Error(ErrorCode::kUnsupported, "the runner on the board speaks protocol " +
                                              std::to_string(get<uint16_t>(hello, 0)) +
                                              ", this program " + std::to_string(WIRE_PROTOCOL) +
                                              ": load it anew (tune firmware)");
  most_payload_ = std::clamp<size_t>(get<uint16_t>(hello, 2), 64, WIRE_MOST_PAYLOAD);
  const uint32_t clock = get<uint32_t>(hello, 4);
  if (clock > 0) traits_.clock_hz = clock;
  traits_.limits_cycles = (get<uint32_t>(hello, 8) & WIRE_FLAG_LIMITS_CYCLES) != 0;
  traits_.checks_registers = traits_.digests_cheaply = true;
  if (hello[12] == 0) {
    traits_.id = device_.name + "@" + name;
    return ok_status();
  }
  traits_.id = device_.name + "-";
  for (size_t i = 13; i < hello.size(); ++i) {
    char digits[3];
    std::snprintf(digits, sizeof digits, "%02x", hello[i]);
    traits_.id += digits;
  }
  return ok_status();
}

Result<std::optional<serial::Frame>> SerialCore::receive(milliseconds timeout) {
  const auto deadline = Clock::now() + timeout;
  Bytes bytes(4096);
  while (true) {
    while (auto frame = reader_.next())
      if (frame->session == session_ && frame->sequence == sequence_) return frame;
    const auto left = std::chrono::duration_cast<milliseconds>(deadline - Clock::now());
    if (left.count() <= 0) return std::optional<serial::Frame>();
    TT_TRY_ASSIGN(const size_t got, link_->read(bytes, left));
    reader_.feed(std::span(bytes).first(got));
  }
}

Result<SerialCore::Bytes> SerialCore::request(uint8_t kind, Bytes payload, size_t reply_bytes,
                                              milliseconds work) {
  ++sequence_;
  const size_t wire_bytes = 2 * (payload.size() + reply_bytes + 2 * WIRE_HEADER_BYTES + 16);
  const Bytes frame = serial::encode({session_, sequence_, kind, 0, std::move(payload)});
  const milliseconds line(wire_bytes * 10 * 1000 / options_.baud);
  const auto deadline = Clock::now() + options_.patience + line + work;
  for (milliseconds wait = options_.reply_timeout + line; Clock::now() < deadline;) {
    TT_TRY(link_->write(frame));
    TT_TRY_ASSIGN(const auto reply, receive(wait));
    if (!reply) {
      ++repeated_;
      // A runner that works does not listen: it is asked less and less often.
      if (work > options_.reply_timeout) wait = std::min(2 * wait, milliseconds(5'000));
      continue;
    }
    if (reply->status == WIRE_NO_SESSION) return lost("the board was reset meanwhile");
    if (reply->status == WIRE_REFUSED)
      return Error(ErrorCode::kInvalidInput, "the runner refuses: that memory is not for kernels");
    return reply->payload;
  }
  return lost("no runner answers on the serial line");
}

Status SerialCore::write(uint32_t address, std::span<const uint8_t> bytes) {
  while (!bytes.empty()) {
    const auto part = bytes.first(std::min(bytes.size(), most_payload_ - 4));
    Bytes payload;
    put(payload, address);
    payload.insert(payload.end(), part.begin(), part.end());
    TT_TRY(request(WIRE_WRITE, std::move(payload), 0, milliseconds(0)));
    bytes = bytes.subspan(part.size());
    address += static_cast<uint32_t>(part.size());
  }
  return ok_status();
}

Result<Bytes> SerialCore::read(uint32_t address, uint32_t size_bytes) {
  Bytes all;
  while (all.size() < size_bytes) {
    const auto part =
        static_cast<uint32_t>(std::min<size_t>(size_bytes - all.size(), most_payload_));
    TT_TRY_ASSIGN(const Bytes bytes,
                  request(WIRE_READ, range(address + static_cast<uint32_t>(all.size()), part), part,
                          milliseconds(0)));
    if (bytes.size() != part) return lost("the runner answered with other bytes than it was asked");
    all.insert(all.end(), bytes.begin(), bytes.end());
  }
  return all;
}

Status SerialCore::fill(uint32_t address, uint32_t size_bytes, const Contents& contents) {
  if (contents.kind == Contents::Kind::kBytes) return write(address, contents.bytes);
  const bool seed = contents.kind == Contents::Kind::kSeed;
  Bytes payload = range(address, size_bytes);
  payload.push_back(seed ? WIRE_FILL_SEED : WIRE_FILL_BYTE);
  put(payload, seed ? contents.seed : uint64_t{contents.fill});
  TT_TRY(request(WIRE_FILL, std::move(payload), 0, milliseconds(size_bytes / kBytesPerMs)));
  return ok_status();
}

Result<Digest> SerialCore::digest(uint32_t address, uint32_t size_bytes) {
  if (size_bytes < WIRE_LEAST_DIGEST) {
    TT_TRY_ASSIGN(const Bytes bytes, read(address, size_bytes));
    return digest_of(bytes);
  }
  TT_TRY_ASSIGN(const Bytes words, request(WIRE_DIGEST, range(address, size_bytes), 16,
                                           milliseconds(size_bytes / kBytesPerMs)));
  if (words.size() != 16) return lost("the runner's digest is of another size");
  return Digest{get<uint64_t>(words, 0), get<uint64_t>(words, 8)};
}

Result<CoreReturn> SerialCore::call(const CoreCall& call) {
  const MemoryRegion& stack = device_.memory(device_.stack_memory);
  Bytes payload;
  put(payload, call.function);
  put(payload, static_cast<uint32_t>((stack.address + stack.size_bytes) / kStackAlignment *
                                     kStackAlignment));
  put(payload, call.limits.cycles.value_or(0));
  for (const uint32_t word : call.arguments) put(payload, word);
  TT_TRY_ASSIGN(const Bytes reply,
                request(WIRE_CALL, std::move(payload), 20, options_.call_timeout));
  if (reply.size() != 20) return lost("the runner's report is of another size");
  CoreReturn done;
  done.registers_restored = reply[1] != 0;
  if (!done.registers_restored) done.clobbered = "a callee-saved register";
  const auto cycles = get<uint64_t>(reply, 4);
  if (reply[0] == WIRE_RETURNED) done.cycles = cycles;
  if (reply[0] == WIRE_FAULT) {
    char text[64];
    std::snprintf(text, sizeof text, "trap: cause %u, pc 0x%08x", get<uint32_t>(reply, 12),
                  get<uint32_t>(reply, 16));
    done.end = RunEnd::kFault;
    done.detail = text;
  } else if (reply[0] == WIRE_CYCLE_LIMIT || (call.limits.cycles && cycles > *call.limits.cycles)) {
    done.end = RunEnd::kCycleLimit;
    done.detail = "limit of " + std::to_string(call.limits.cycles.value_or(0)) + " cycles";
  }
  return done;
}

Status SerialCore::reset() {
  const std::string id = traits_.id;
  TT_TRY(begin_session(""));
  // By the link's name or by the chip's number: the board is the one that it was.
  traits_.id = id;
  return ok_status();
}

}  // namespace tinytune
