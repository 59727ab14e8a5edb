#include "rpc_device/boards/gdb/client.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <map>

#include "base/little_endian.h"
#include "base/printable.h"

namespace tinytune::gdb {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

constexpr int kTries = 3;         // attempts of a request without a reply
constexpr int kMostResends = 16;  // of one packet, if it or its reply arrives damaged
constexpr size_t kMostConsole = 64 * 1024;
constexpr size_t kSmallestPacket = 64, kLargestPacket = 1 << 16, kOverhead = 32;
constexpr size_t kLargestObject = 1 << 20;
constexpr milliseconds kInterruptPatience{3'000};

Error lost(const std::string& what) { return Error(ErrorCode::kDeviceLost, what); }

std::string shown(std::string_view payload) { return printable(std::string(payload), 60); }

Error refused(std::string_view reply, std::string_view request) {
  return Error(ErrorCode::kFailed,
               "the GDB server answers '" + shown(reply) + "' to " + shown(request));
}

std::string hex_number(uint64_t value) {
  char text[20];
  std::snprintf(text, sizeof text, "%llx", static_cast<unsigned long long>(value));
  return text;
}

// Returns whether it is an O packet: 'O' and whole bytes in hexadecimal, which "OK" is not.
bool is_console(const std::string& payload) {
  return !payload.empty() && payload[0] == 'O' && from_hex(std::string_view(payload).substr(1));
}

bool is_error(const std::string& reply) {
  return reply.starts_with("E.") || (reply.size() == 3 && reply[0] == 'E');
}

std::optional<Stop> stop_in(const std::string& reply) {
  if (reply.size() < 3 || (reply[0] != 'T' && reply[0] != 'S')) return std::nullopt;
  const auto signal = from_hex(std::string_view(reply).substr(1, 2));
  if (!signal) return std::nullopt;
  return Stop{(*signal)[0]};
}

uint64_t little_endian(std::span<const uint8_t> bytes) {
  uint64_t value = 0;
  for (size_t i = std::min<size_t>(bytes.size(), 8); i-- > 0;) value = value << 8 | bytes[i];
  return value;
}

}  // namespace

Result<Client> Client::connect(std::unique_ptr<ByteLink> link, const ClientOptions& options) {
  Client client(std::move(link), options);
  TT_TRY(client.greet());
  return client;
}

Status Client::greet() {
  TT_TRY(link_->write(std::vector<uint8_t>{'+'}));  // acknowledges a packet to an earlier client
  TT_TRY_ASSIGN(const std::string features,
                request("qSupported:swbreak+;hwbreak+;vContSupported+"));
  const auto offers = [&](std::string_view feature) {
    return (";" + features + ";").find(";" + std::string(feature) + ";") != std::string::npos;
  };
  if (const size_t at = features.find("PacketSize="); at != std::string::npos) {
    size_t bytes = 0;
    const char* first = features.data() + at + 11;
    std::from_chars(first, features.data() + features.size(), bytes, 16);
    packet_bytes_ = std::clamp<size_t>(bytes, kSmallestPacket, kLargestPacket);
  }
  if (offers("QStartNoAckMode+") && !options_.keep_acks) {
    TT_TRY(expect_ok("QStartNoAckMode"));
    acks_ = false;
  }
  TT_TRY_ASSIGN(const std::string stop, request("?"));
  if (!stop_in(stop)) return lost("the GDB server has no core that stands: " + shown(stop));
  TT_TRY_ASSIGN(const std::string actions, request("vCont?"));
  vcont_ = (actions + ";").find(";c;") != std::string::npos;
  if (!offers("qXfer:features:read+"))
    return Error(ErrorCode::kUnsupported, "the GDB server does not describe its registers");
  TT_TRY_ASSIGN(registers_, gdb::read_registers([&](const std::string& name) {
                  return read_object("features", name);
                }));
  return offers("qXfer:memory-map:read+") ? read_memory_map() : ok_status();
}

// OpenOCD offers a memory map but answers with an error if no flash is configured.
Status Client::read_memory_map() {
  const auto map = read_object("memory-map", "");
  if (!map) return map.error().code() == ErrorCode::kFailed ? ok_status() : Status(map.error());
  TT_TRY_ASSIGN(memory_map_, parse_memory_map(*map));
  return ok_status();
}

Status Client::send(std::string_view payload) { return link_->write(frame(payload)); }

Result<std::optional<std::string>> Client::receive(std::string_view again, milliseconds timeout) {
  const auto deadline = Clock::now() + timeout;
  const auto say = [&](char answer) {
    return link_->write(std::vector<uint8_t>{static_cast<uint8_t>(answer)});
  };
  std::vector<uint8_t> bytes(4096);
  for (int resends = 0; resends < kMostResends;) {
    while (const auto event = reader_.next()) {
      switch (event->kind) {
        case Event::Kind::kAck:
          break;
        case Event::Kind::kNak:
          ++resends;
          if (acks_ && !again.empty()) TT_TRY(send(again));
          break;
        case Event::Kind::kDamaged:
          ++resends;
          if (!acks_) return std::optional<std::string>();
          TT_TRY(say('-'));
          break;
        case Event::Kind::kPacket:
          if (acks_) TT_TRY(say('+'));
          if (!is_console(event->payload)) return std::optional(event->payload);
          if (const auto text = from_hex(std::string_view(event->payload).substr(1));
              console_.size() + text->size() <= kMostConsole)
            console_.append(text->begin(), text->end());
      }
    }
    const auto left = std::chrono::duration_cast<milliseconds>(deadline - Clock::now());
    if (left.count() <= 0) break;
    TT_TRY_ASSIGN(const size_t got, link_->read(bytes, left));
    reader_.feed(std::span(bytes).first(got));
  }
  return std::optional<std::string>();
}

// Each try uses another length, so that a late answer to one is not taken for that to the next.
Status Client::resynchronise() {
  for (int i = 0; i < (has_answered_ ? 2 * kTries : 1); ++i) {
    const size_t length = 33 + 2 * (++resyncs_ % 64);
    const std::string sentinel =
        "m" + hex_number(options_.readable_address) + "," + hex_number(length);
    TT_TRY(send(sentinel));
    const auto deadline = Clock::now() + options_.reply_timeout;
    while (Clock::now() < deadline) {
      TT_TRY_ASSIGN(
          const auto reply,
          receive(sentinel, std::chrono::duration_cast<milliseconds>(deadline - Clock::now())));
      if (reply && reply->size() == 2 * length) return ok_status();
    }
  }
  return lost("the GDB server does not answer");
}

Result<std::string> Client::request(std::string_view payload) {
  for (int i = 0; i < kTries; ++i) {
    // Bytes that are already here answer no pending request: a copy made by the link, or noise.
    uint8_t stale[512];
    while (true) {
      TT_TRY_ASSIGN(const size_t got, link_->read(stale, milliseconds(0)));
      if (got == 0) break;
    }
    reader_.clear();
    TT_TRY(send(payload));
    TT_TRY_ASSIGN(const auto reply, receive(payload, options_.reply_timeout));
    has_answered_ = has_answered_ || reply;
    if (reply) return *reply;
    TT_TRY(resynchronise());
  }
  return lost("the GDB server does not answer " + shown(payload));
}

Status Client::expect_ok(std::string_view payload) {
  TT_TRY_ASSIGN(const std::string reply, request(payload));
  return reply == "OK" ? ok_status() : Status(refused(reply, payload));
}

Result<std::string> Client::read_object(const std::string& object, const std::string& annex) {
  std::string text;
  const size_t chunk = (packet_bytes_ - kOverhead) / 2;  // each byte may have to be escaped
  while (text.size() <= kLargestObject) {
    TT_TRY_ASSIGN(const std::string reply,
                  request("qXfer:" + object + ":read:" + annex + ":" + hex_number(text.size()) +
                          "," + hex_number(chunk)));
    if (reply.empty() || (reply[0] != 'm' && reply[0] != 'l') || (reply == "m"))
      return Error(ErrorCode::kFailed,
                   "the GDB server answers '" + shown(reply) + "' for its " + object + " " + annex);
    text.append(reply, 1);
    if (reply[0] == 'l') return text;
  }
  return Error(ErrorCode::kInvalidInput, "the GDB server's " + object + " is longer than 1 MiB");
}

Status Client::write_memory(uint32_t address, std::span<const uint8_t> bytes) {
  if (!binary_writes_) {
    TT_TRY_ASSIGN(const std::string reply, request("X" + hex_number(address) + ",0:"));
    binary_writes_ = std::string_view(reply) == "OK";
  }
  // Whole words, because servers write odd addresses byte by byte.
  const size_t most = (packet_bytes_ - kOverhead) / 2 / 4 * 4;
  while (!bytes.empty()) {
    const auto part = bytes.first(std::min(most, bytes.size()));
    const std::string where = hex_number(address) + "," + hex_number(part.size()) + ":";
    TT_TRY(expect_ok(*binary_writes_
                         ? "X" + where +
                               std::string(reinterpret_cast<const char*>(part.data()), part.size())
                         : "M" + where + to_hex(part)));
    bytes = bytes.subspan(part.size());
    address += static_cast<uint32_t>(part.size());
  }
  return ok_status();
}

Result<std::vector<uint8_t>> Client::read_memory(uint32_t address, size_t size_bytes) {
  std::vector<uint8_t> all;
  const size_t most = (packet_bytes_ - kOverhead) / 2 / 4 * 4;
  while (all.size() < size_bytes) {
    const size_t part = std::min(most, size_bytes - all.size());
    const std::string asked = "m" + hex_number(address + all.size()) + "," + hex_number(part);
    TT_TRY_ASSIGN(const std::string reply, request(asked));
    const auto bytes = from_hex(reply);
    if (!bytes || bytes->empty() || bytes->size() > part)  // a server may read fewer
      return refused(reply, asked);
    all.insert(all.end(), bytes->begin(), bytes->end());
  }
  return all;
}

std::optional<size_t> Client::digits_before(const Register& of) const {
  size_t digits = 0;
  for (const Register& one : registers_.all()) {
    if (one.number == of.number) return digits;
    digits += one.bits / 4;
  }
  return std::nullopt;
}

// A server may take one register at a time, or all of them, or both.
Result<uint64_t> Client::read_register(const Register& of) {
  TT_TRY_ASSIGN(std::string reply, request("p" + hex_number(of.number)));
  if (const auto at = digits_before(of); reply.empty() && at) {
    TT_TRY_ASSIGN(const std::string all, request("g"));
    if (!is_error(all) && all.size() > *at) reply = all.substr(*at, of.bits / 4);
  }
  const auto bytes = from_hex(reply);
  if (is_error(reply) || !bytes || bytes->empty())
    return Error(ErrorCode::kFailed,
                 "the GDB server answers '" + shown(reply) + "' for register " + of.name);
  return little_endian(*bytes);
}

Status Client::write_register(const Register& of, uint64_t value) {
  std::vector<uint8_t> bytes;
  append_little_endian(bytes, value);
  bytes.resize(of.bits / 8);
  const std::string digits = to_hex(bytes);
  const std::string one = "P" + hex_number(of.number) + "=" + digits;
  TT_TRY_ASSIGN(const std::string reply, request(one));
  if (reply == "OK") return ok_status();
  const auto at = digits_before(of);
  if (!reply.empty() || !at) return refused(reply, one);
  TT_TRY_ASSIGN(std::string all, request("g"));
  if (is_error(all) || all.size() < *at + digits.size()) return refused(all, "g");
  return expect_ok("G" + all.replace(*at, digits.size(), digits));
}

Result<std::map<std::string, uint64_t>> Client::read_registers() {
  TT_TRY_ASSIGN(const std::string reply, request("g"));
  if (is_error(reply)) return refused(reply, "g");
  std::map<std::string, uint64_t> values;
  size_t at = 0;
  for (const Register& one : registers_.all()) {
    const size_t digits = one.bits / 4;
    if (at + digits > reply.size()) break;
    // "xxxx" is a register that cannot be read now.
    if (const auto bytes = from_hex(std::string_view(reply).substr(at, digits)))
      values[one.name] = little_endian(*bytes);
    at += digits;
  }
  return values;
}

// A second breakpoint at one address would use another of the core's few, or be refused. So one of
// this session is removed first; one of an earlier session is removed only if the server refuses,
// because removing a missing breakpoint is an error.
Status Client::set_breakpoint(uint32_t address) {
  const std::string where = hex_number(address) + ",2";
  const auto known = breakpoints_.find(address);
  if (known != breakpoints_.end()) {
    TT_TRY(request(std::string("z") + known->second + "," + where));
    breakpoints_.erase(known);
  }
  TT_TRY_ASSIGN(std::string reply, request("Z1," + where));
  if (is_error(reply)) {
    TT_TRY(request("z1," + where));
    TT_TRY_ASSIGN(reply, request("Z1," + where));
  }
  if (reply != "OK") TT_TRY(expect_ok("Z0," + where));
  breakpoints_[address] = reply == "OK" ? '1' : '0';
  return ok_status();
}

Status Client::resume() {
  reader_.clear();
  return send(vcont_ ? "vCont;c" : "c");
}

Result<std::optional<Stop>> Client::wait_for_stop(milliseconds timeout) {
  const auto deadline = Clock::now() + timeout;
  while (Clock::now() < deadline) {
    TT_TRY_ASSIGN(const auto reply,
                  receive(vcont_ ? "vCont;c" : "c",
                          std::chrono::duration_cast<milliseconds>(deadline - Clock::now())));
    if (!reply) continue;
    if (reply->starts_with("W") || reply->starts_with("X"))
      return lost("the GDB server says that the core is gone: " + shown(*reply));
    if (is_error(*reply))
      return Error(ErrorCode::kFailed, "the GDB server does not start the core: " + shown(*reply));
    if (const auto stop = stop_in(*reply)) return std::optional(*stop);
  }
  return std::optional<Stop>();
}

// A stopped core does not answer an interrupt, and one that has just stopped answers twice. So the
// state is queried after resynchronisation.
Status Client::interrupt() {
  TT_TRY(link_->write(std::vector<uint8_t>{3}));
  TT_TRY_ASSIGN(const auto stop, wait_for_stop(kInterruptPatience));
  if (!stop) TT_TRY(resynchronise());
  TT_TRY_ASSIGN(const std::string now, request("?"));
  return stop_in(now) ? ok_status() : Status(lost("the core cannot be stopped: " + shown(now)));
}

Result<std::string> Client::command(std::string_view text) {
  console_.clear();
  const std::span bytes(reinterpret_cast<const uint8_t*>(text.data()), text.size());
  TT_TRY_ASSIGN(const std::string reply, request("qRcmd," + to_hex(bytes)));
  if (reply.empty())
    return Error(ErrorCode::kUnsupported, "the GDB server takes no commands of its own");
  // Servers send output in O packets or in the reply.
  if (const auto printed = from_hex(reply); printed && reply != "OK" && !is_error(reply))
    console_.append(printed->begin(), printed->end());
  return std::exchange(console_, "");
}

}  // namespace tinytune::gdb
