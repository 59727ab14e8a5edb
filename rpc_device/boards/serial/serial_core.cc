#include "rpc_device/boards/serial/serial_core.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <random>
#include <utility>

#include "base/check.h"
#include "base/little_endian.h"
#include "rpc_device/boards/firmware/wire.h"

namespace tinytune {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;
using Bytes = std::vector<uint8_t>;

constexpr size_t kStackAlignment = 16;
constexpr size_t kReturnBytes = 20, kDigestBytes = 16;  // wire.h
constexpr size_t kMostHelloBytes = 45;                  // wire.h: 13 and an id of at most 32
constexpr milliseconds kPatienceBeforeLoading{1'000};
// Below the speed of SplitMix64 and XXH3 on the slowest known core.
constexpr uint32_t kBytesPerMs = 50;

Error lost(const std::string& what) { return Error(ErrorCode::kDeviceLost, what); }

Bytes words(uint32_t first, uint32_t second) {
  return little_endian_bytes(std::array{first, second});
}

// Returns the size of an answer about a range: a digest, or the bytes themselves for short ranges.
size_t bytes_of_digest(const AddressRange& range) {
  return range.size_bytes < WIRE_LEAST_DIGEST ? range.size_bytes : kDigestBytes;
}

// Parses the answers to SerialCore::add_digest().
std::vector<Digest> digests_in(std::span<const uint8_t> answers,
                               std::span<const AddressRange> ranges) {
  std::vector<Digest> digests;
  for (const AddressRange& range : ranges) {
    const bool is_short = range.size_bytes < WIRE_LEAST_DIGEST;
    digests.push_back(is_short ? digest_of(answers.first(range.size_bytes))
                               : Digest{little_endian_at<uint64_t>(answers, 0),
                                        little_endian_at<uint64_t>(answers, 8)});
    answers = answers.subspan(bytes_of_digest(range));
  }
  return digests;
}

}  // namespace

Result<std::unique_ptr<SerialCore>> SerialCore::open(const Device& device, OpenLink open_link,
                                                     const std::string& name,
                                                     const SerialOptions& options) {
  std::unique_ptr<SerialCore> core(new SerialCore(device, std::move(open_link), options));
  TT_TRY(core->begin_session(name));
  return core;
}

Result<Bytes> SerialCore::hello() {
  const auto ask = [&](milliseconds patience) {
    return request(WIRE_HELLO, {}, kMostHelloBytes, milliseconds(0), patience);
  };
  if (!options_.load) return ask(std::min(options_.hello_patience, options_.patience));
  auto answer = ask(kPatienceBeforeLoading);
  if (answer || answer.error().code() != ErrorCode::kDeviceLost) return answer;
  TT_TRY(options_.load(*link_));
  reader_.clear();
  line_wait_ = serial::ReplyWait(options_.reply_timeout);
  return ask(std::min(options_.hello_patience, options_.patience));
}

Status SerialCore::begin_session(const std::string& name) {
  link_.reset();
  reader_.clear();
  TT_TRY_ASSIGN(link_, open_link_());
  // Differs from the last session, and most likely from one that a running runner may remember.
  session_ = static_cast<uint16_t>(session_ + 1 + std::random_device{}() % 0xFFFE);
  sequence_ = 0;
  forget_commands();
  TT_TRY_ASSIGN(const Bytes hello, this->hello());
  if (hello.size() < 13 || hello.size() != 13u + hello[12])
    return lost("a runner's hello is damaged");
  if (little_endian_at<uint16_t>(hello, 0) != WIRE_PROTOCOL)
    return Error(ErrorCode::kUnsupported, "the runner on the board speaks protocol " +
                                              std::to_string(little_endian_at<uint16_t>(hello, 0)) +
                                              ", this program " + std::to_string(WIRE_PROTOCOL) +
                                              ": load it anew (tune firmware)");
  most_payload_ = std::clamp<size_t>(little_endian_at<uint16_t>(hello, 2), 64, WIRE_MOST_PAYLOAD);
  const uint32_t clock = little_endian_at<uint32_t>(hello, 4);
  if (clock > 0) traits_.clock_hz = clock;
  const uint32_t flags = little_endian_at<uint32_t>(hello, 8);
  traits_.limits_cycles = (flags & WIRE_FLAG_LIMITS_CYCLES) != 0;
  traits_.shares_its_core = (flags & WIRE_FLAG_SHARES_ITS_CORE) != 0;
  traits_.checks_registers = traits_.copies = traits_.queues_calls = true;
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

Result<Bytes> SerialCore::request(uint8_t kind, const Bytes& payload, size_t reply_bytes,
                                  milliseconds work, milliseconds patience) {
  ++sequence_;
  const size_t wire_bytes = 2 * (payload.size() + reply_bytes + 2 * WIRE_HEADER_BYTES + 16);
  serial::Frame frame{session_, sequence_, kind, 0, payload};
  const milliseconds line(wire_bytes * 10 * 1000 / options_.baud);
  serial::ReplyWait& wait = work >= options_.call_timeout ? call_wait_ : line_wait_;
  const auto deadline = Clock::now() + patience + line + work;
  std::array<Clock::time_point, serial::Frame::kMostAttempts + 1> sent;
  for (size_t attempt = 0; Clock::now() < deadline; ++attempt) {
    frame.attempt = static_cast<uint8_t>(attempt % sent.size());
    sent[frame.attempt] = Clock::now();
    TT_TRY(link_->write(serial::encode(frame)));
    TT_TRY_ASSIGN(const auto reply, receive(std::chrono::ceil<milliseconds>(wait.now()) + line));
    if (!reply) {
      ++repeated_;
      wait.not_answered();
      continue;
    }
    if (reply->attempt <= attempt) {
      const serial::ReplyWait::Milliseconds late = Clock::now() - sent[reply->attempt] - line;
      wait.answered(std::max(late, serial::ReplyWait::Milliseconds(0)));
    }
    if (reply->status == WIRE_NO_SESSION) return lost("the board was reset meanwhile");
    if (reply->status == WIRE_REFUSED)
      return Error(ErrorCode::kInvalidInput, "the runner refuses: that memory is not for kernels");
    return reply->payload;
  }
  return lost("no runner answers on the serial line");
}

void SerialCore::forget_commands() {
  commands_.clear();
  answers_.clear();
  asked_.clear();
  answer_bytes_ = 0;
  work_ = milliseconds(0);
}

Status SerialCore::add(const Command& command) {
  const size_t arguments = command.head.size() + command.body.size();
  const size_t size = WIRE_COMMAND_BYTES + arguments;
  if (commands_.size() + size > most_payload_ ||
      answer_bytes_ + command.answer_bytes > most_payload_)
    TT_TRY(send_commands());
  append_little_endian(commands_, command.which);
  append_little_endian(commands_, static_cast<uint16_t>(arguments));
  commands_.insert(commands_.end(), command.head.begin(), command.head.end());
  commands_.insert(commands_.end(), command.body.begin(), command.body.end());
  answer_bytes_ += command.answer_bytes;
  work_ += command.work;
  return ok_status();
}

Status SerialCore::send_commands() {
  if (commands_.empty()) return ok_status();
  const auto answer =
      request(WIRE_COMMANDS, std::exchange(commands_, {}), answer_bytes_, work_, options_.patience);
  if (!answer) {
    forget_commands();
    return answer.error();
  }
  if (answer->size() != answer_bytes_)
    return lost("the runner answers with other bytes than asked");
  answers_.insert(answers_.end(), answer->begin(), answer->end());
  answer_bytes_ = 0;
  work_ = milliseconds(0);
  return ok_status();
}

Result<Bytes> SerialCore::take_answers() {
  TT_TRY(send_commands());
  return std::exchange(answers_, {});
}

Status SerialCore::write(uint32_t address, std::span<const uint8_t> bytes) {
  constexpr size_t kHead = WIRE_COMMAND_BYTES + sizeof address, kLeastPart = 128;
  while (!bytes.empty()) {
    if (commands_.size() + kHead + std::min(kLeastPart, bytes.size()) > most_payload_)
      TT_TRY(send_commands());
    const auto part = bytes.first(std::min(bytes.size(), most_payload_ - commands_.size() - kHead));
    Command command{WIRE_WRITE, {}, part};
    append_little_endian(command.head, address);
    TT_TRY(add(command));
    bytes = bytes.subspan(part.size());
    address += static_cast<uint32_t>(part.size());
  }
  return ok_status();
}

Result<Bytes> SerialCore::read(uint32_t address, uint32_t size_bytes) {
  for (uint32_t at = 0; at < size_bytes;) {
    const auto part = static_cast<uint32_t>(std::min<size_t>(size_bytes - at, most_payload_));
    TT_TRY(add({WIRE_READ, words(address + at, part), {}, part}));
    at += part;
  }
  return take_answers();
}

// Sends contents of two values as one bit per byte: inputs that drive sums to their limits.
Status SerialCore::choose(uint32_t address, std::span<const uint8_t> bytes, uint8_t zero,
                          uint8_t one) {
  constexpr size_t kHead = WIRE_COMMAND_BYTES + 10;
  while (!bytes.empty()) {
    const auto part = bytes.first(std::min(bytes.size(), 8 * (most_payload_ - kHead)));
    Bytes bits((part.size() + 7) / 8);
    for (size_t i = 0; i < part.size(); ++i)
      bits[i / 8] |= static_cast<uint8_t>((part[i] == one ? 1 : 0) << i % 8);
    const auto size = static_cast<uint32_t>(part.size());
    Command command{WIRE_CHOOSE, words(address, size), bits, 0, milliseconds(size / kBytesPerMs)};
    append_little_endian(command.head, zero);
    append_little_endian(command.head, one);
    TT_TRY(add(command));
    bytes = bytes.subspan(part.size());
    address += static_cast<uint32_t>(part.size());
  }
  return ok_status();
}

Status SerialCore::fill(uint32_t address, uint32_t size_bytes, const Contents& contents) {
  if (contents.kind == Contents::Kind::kBytes) {
    const std::span<const uint8_t> bytes = contents.bytes;
    if (bytes.empty()) return ok_status();
    const uint8_t zero = bytes.front();
    const auto other =
        std::find_if(bytes.begin(), bytes.end(), [&](uint8_t b) { return b != zero; });
    const uint8_t one = other == bytes.end() ? zero : *other;
    if (std::all_of(other, bytes.end(), [&](uint8_t b) { return b == zero || b == one; }))
      return choose(address, bytes, zero, one);
    return write(address, bytes);
  }
  const bool seed = contents.kind == Contents::Kind::kSeed;
  Command command{
      WIRE_FILL, words(address, size_bytes), {}, 0, milliseconds(size_bytes / kBytesPerMs)};
  command.head.push_back(seed ? WIRE_FILL_SEED : WIRE_FILL_BYTE);
  append_little_endian(command.head, seed ? contents.seed : uint64_t{contents.fill});
  return add(command);
}

Status SerialCore::copy(uint32_t from, uint32_t to, uint32_t size_bytes) {
  Command command{WIRE_COPY, words(from, to), {}, 0, milliseconds(size_bytes / kBytesPerMs)};
  append_little_endian(command.head, size_bytes);
  return add(command);
}

Status SerialCore::add_digest(const AddressRange& of) {
  const Bytes where = words(of.address, of.size_bytes);
  if (of.size_bytes < WIRE_LEAST_DIGEST) return add({WIRE_READ, where, {}, of.size_bytes});
  return add({WIRE_DIGEST, where, {}, kDigestBytes, milliseconds(of.size_bytes / kBytesPerMs)});
}

Result<std::vector<Digest>> SerialCore::digests(std::span<const AddressRange> ranges) {
  for (const AddressRange& range : ranges) TT_TRY(add_digest(range));
  TT_TRY_ASSIGN(const Bytes answers, take_answers());
  return digests_in(answers, ranges);
}

Result<CoreReturn> SerialCore::call(const CoreCall& call) {
  TT_TRY(ask(call));
  return answer();
}

Status SerialCore::ask(const CoreCall& call) {
  const MemoryRegion& stack = device_.memory(device_.stack_memory);
  Command command{WIRE_CALL, {}, {}, kReturnBytes, options_.call_timeout};
  append_little_endian(command.head, call.function);
  append_little_endian(command.head, static_cast<uint32_t>((stack.address + stack.size_bytes) /
                                                           kStackAlignment * kStackAlignment));
  append_little_endian(command.head, call.limits.cycles.value_or(0));
  for (const uint32_t word : call.arguments) append_little_endian(command.head, word);
  TT_TRY(add(command));
  for (const AddressRange& range : call.digests) TT_TRY(add_digest(range));
  asked_.push_back({call.limits.cycles, call.digests});
  return ok_status();
}

Result<CoreReturn> SerialCore::answer() {
  TT_CHECK(!asked_.empty(), "an answer is of a call that was asked for");
  const Asked asked = asked_.front();
  TT_TRY(send_commands());
  asked_.pop_front();
  const std::span<const uint8_t> answers = answers_;
  CoreReturn done;
  done.registers_restored = answers[1] != 0;
  if (!done.registers_restored) done.clobbered = "a callee-saved register";
  const auto cycles = little_endian_at<uint64_t>(answers, 4);
  if (answers[0] == WIRE_FAULT) {
    char text[64];
    std::snprintf(text, sizeof text, "trap: cause %u, pc 0x%08x",
                  little_endian_at<uint32_t>(answers, 12), little_endian_at<uint32_t>(answers, 16));
    done.end = RunEnd::kFault;
    done.detail = text;
  } else if (answers[0] == WIRE_CYCLE_LIMIT || (asked.cycle_limit && cycles > *asked.cycle_limit)) {
    done.end = RunEnd::kCycleLimit;
    done.detail = "limit of " + std::to_string(asked.cycle_limit.value_or(0)) + " cycles";
  } else {
    done.cycles = cycles;
    done.digests = digests_in(answers.subspan(kReturnBytes), asked.digests);
  }
  size_t taken = kReturnBytes;
  for (const AddressRange& range : asked.digests) taken += bytes_of_digest(range);
  answers_.erase(answers_.begin(), answers_.begin() + static_cast<std::ptrdiff_t>(taken));
  return done;
}

Status SerialCore::reset() {
  const std::string id = traits_.id;
  TT_TRY(begin_session(""));
  // Keeps the id, which is the link's name or the chip's number: it is the same board.
  traits_.id = id;
  return ok_status();
}

}  // namespace tinytune
