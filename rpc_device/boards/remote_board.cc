#include "rpc_device/boards/remote_board.h"

#include <algorithm>

namespace tinytune {
namespace {

// On the host: several networks' worth of weights.
constexpr uint64_t kConstantRoom = uint64_t{64} << 20;

LoadReport refused(LoadEnd end, std::string detail) {
  LoadReport report;
  report.end = end;
  report.detail = std::move(detail);
  return report;
}

}  // namespace

RemoteBoard::RemoteBoard(const Device& device, std::unique_ptr<RemoteCore> core)
    : device_(device), core_(std::move(core)), constants_(kConstantRoom) {}

BoardIdentity RemoteBoard::identity() const {
  const MemoryRegion& data = device_.memory(device_.data_memory);
  return {core_->traits().id, core_->traits().clock_hz, data.address, data.size_bytes};
}

BoardCapabilities RemoteBoard::capabilities() const {
  const CoreTraits& traits = core_->traits();
  BoardCapabilities can;
  can.checks_registers = traits.checks_registers;
  can.checks_inputs = true;
  can.limits_cycles = traits.limits_cycles;
  can.limits_time = traits.limits_time;
  return can;
}

Status RemoteBoard::keep(const Digest& digest, std::span<const uint8_t> bytes) {
  if (digest_of(bytes) != digest)
    return Error(ErrorCode::kInvalidInput, "a constant differs from its digest");
  constants_.keep(digest, bytes);
  return ok_status();
}

// Only what differs from what stands there; an overlap with something else forgets that.
Result<bool> RemoteBoard::place(uint32_t address, std::span<const uint8_t> bytes) {
  const auto known = placed_.find(address);
  if (known != placed_.end() &&
      std::equal(bytes.begin(), bytes.end(), known->second.begin(), known->second.end()))
    return false;
  std::erase_if(placed_, [&](const auto& other) {
    return other.first < uint64_t{address} + bytes.size() &&
           address < uint64_t{other.first} + other.second.size();
  });
  TT_TRY(core_->write(address, bytes));
  placed_[address].assign(bytes.begin(), bytes.end());
  return true;
}

// kInvalidInput: the board cannot hold it.
Status RemoteBoard::send_image(const BoardImage& image) {
  changing_.clear();
  const MemoryRegion& data = device_.memory(device_.data_memory);
  std::vector<AddressRange> sent;
  std::vector<Digest> expected;
  for (const ImageSegment& segment : image.segments) {
    TT_TRY_ASSIGN(const bool is_new, place(segment.address, segment.bytes));
    if (is_new) {
      sent.push_back({segment.address, static_cast<uint32_t>(segment.bytes.size())});
      expected.push_back(digest_of(segment.bytes));
    }
    if (segment.address - data.address < data.size_bytes) changing_.push_back(segment);
  }
  TT_TRY_ASSIGN(const std::vector<Digest> there, core_->digests(sent));
  if (there == expected) return ok_status();
  return Error(ErrorCode::kDeviceLost, "memory does not hold what was written to it");
}

Result<LoadReport> RemoteBoard::load(const LoadRequest& request) {
  loaded_ = returned_ = inputs_compared_ = false;
  if (request.arguments.empty() || request.arguments.back().role != BufferRole::kOutput)
    return Error(ErrorCode::kInvalidInput, "a kernel's last argument is its output");
  TT_TRY_ASSIGN(NamedConstants named, name_constants(constants_, request.arguments));
  if (!named.lacking.empty()) {
    LoadReport report;
    report.end = LoadEnd::kLacksConstants;
    report.lacking = std::move(named.lacking);
    return report;
  }
  const auto image = read_image(request.elf, device_);
  if (!image) return refused(LoadEnd::kRefused, image.error().message());
  const auto function = image->address_of(request.symbol);
  if (!function) return refused(LoadEnd::kRefused, "the image has no function " + request.symbol);
  auto layout =
      place_as_firmware_does(device_, request.arguments,
                             image->info.data_bytes + image->info.bss_bytes, image->info.segments);
  if (!layout)
    return refused(LoadEnd::kDoesNotFit,
                   "tensors and constants exceed the " +
                       std::to_string(device_.memory(device_.data_memory).size_bytes) +
                       " bytes of memory '" + device_.data_memory + "'");
  const Status sent = send_image(*image);
  if (!sent) forget();
  if (!sent && sent.error().code() == ErrorCode::kInvalidInput)
    return refused(LoadEnd::kDoesNotFit, sent.error().message());
  TT_TRY(sent);
  compared_.clear();
  for (size_t i = 0; i < request.arguments.size(); ++i) {
    const Argument& argument = request.arguments[i];
    if (argument.role == BufferRole::kConstant)
      TT_TRY(place(layout->addresses[i], named.contents[i]));
    if (!is_written(argument.role) && argument.size_bytes > 0) compared_.push_back(i);
  }
  layout_ = std::move(*layout);
  function_ = *function;
  arguments_ = request.arguments;
  loaded_ = true;
  return LoadReport{};
}

Status RemoteBoard::fill_buffers(const RunRequest& request) {
  for (const ImageSegment& segment : changing_)
    TT_TRY(core_->write(segment.address, segment.bytes));
  for (size_t i = 0; i < arguments_.size(); ++i) {
    const Argument& argument = arguments_[i];
    if (argument.role == BufferRole::kConstant) continue;
    const Contents scratch = Contents::filled_with(request.scratch);
    const Contents& contents = argument.role == BufferRole::kInput    ? request.input
                               : argument.role == BufferRole::kOutput ? request.output
                                                                      : scratch;
    const uint32_t address = layout_.addresses[i];
    std::erase_if(placed_, [&](const auto& other) {
      return other.first < uint64_t{address} + argument.size_bytes &&
             address < uint64_t{other.first} + other.second.size();
    });
    TT_TRY(core_->fill(address, argument.size_bytes, contents));
  }
  return ok_status();
}

// `now` are digests of the arguments in compared_.
bool RemoteBoard::same_inputs(const RunRequest& request, std::span<const Digest> now,
                              KernelRunReport& report) {
  for (size_t i = 0; i < compared_.size(); ++i) {
    const Argument& argument = arguments_[compared_[i]];
    const Digest sent = argument.role == BufferRole::kConstant
                            ? argument.constant
                            : digest_of(bytes_of(request.input, argument.size_bytes));
    if (now[i] == sent) continue;
    report.inputs_unchanged = false;
    report.detail = "argument " + std::to_string(compared_[i]) + " was changed";
    return false;
  }
  return true;
}

Result<bool> RemoteBoard::call_once(const RunRequest& request, KernelRunReport& report) {
  TT_TRY(fill_buffers(request));
  CoreCall call{function_, layout_.addresses, request.limits, {}};
  const auto want = [&](size_t argument) {
    call.digests.push_back({layout_.addresses[argument], arguments_[argument].size_bytes});
  };
  want(arguments_.size() - 1);
  // Once for each kernel: where it stores does not depend on data.
  if (!inputs_compared_) std::for_each(compared_.begin(), compared_.end(), want);
  TT_TRY_ASSIGN(const CoreReturn done, core_->call(call));
  report.end = done.end;
  report.detail = done.detail;
  if (done.end != RunEnd::kReturned) {
    forget();
    return false;
  }
  if (!done.registers_restored) {
    report.registers_restored = false;
    report.detail = "not restored: " + done.clobbered;
  }
  if (!inputs_compared_ && !same_inputs(request, std::span(done.digests).subspan(1), report))
    forget();
  inputs_compared_ = true;
  report.samples.push_back({done.cycles, 0, done.digests.front()});
  return true;
}

Result<KernelRunReport> RemoteBoard::run(const RunRequest& request) {
  if (!loaded_) return Error(ErrorCode::kInvalidInput, "no kernel is loaded");
  if (request.watch.accesses || request.watch.guard != Guard::kNone)
    return Error(ErrorCode::kInvalidInput, "this board has no memory protection");
  const auto fits = [](const Contents& contents, const Argument& argument) {
    return contents.kind != Contents::Kind::kBytes || contents.bytes.size() == argument.size_bytes;
  };
  for (const Argument& argument : arguments_)
    if ((argument.role == BufferRole::kInput && !fits(request.input, argument)) ||
        (argument.role == BufferRole::kOutput && !fits(request.output, argument)))
      return Error(ErrorCode::kInvalidInput, "contents of another size than their buffer");
  KernelRunReport report;
  returned_ = false;
  for (int i = 0; i < request.repeats; ++i) {
    TT_TRY_ASSIGN(returned_, call_once(request, report));
    if (!returned_) {
      report.samples.clear();
      break;
    }
  }
  return report;
}

Result<std::vector<uint8_t>> RemoteBoard::read_output() {
  if (!returned_) return Error(ErrorCode::kInvalidInput, "no call has returned");
  return core_->read(layout_.addresses.back(), arguments_.back().size_bytes);
}

Status RemoteBoard::reset() {
  loaded_ = returned_ = false;
  forget();
  constants_ = ConstantStore(kConstantRoom);
  return core_->reset();
}

}  // namespace tinytune
