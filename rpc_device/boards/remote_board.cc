#include "rpc_device/boards/remote_board.h"

#include <algorithm>

#include "rpc_device/boards/power.h"

namespace tinytune {
namespace {

// Memory on the host: enough for the weights of several networks.
constexpr uint64_t kConstantRoom = uint64_t{64} << 20;

// Smaller blocks take fewer bytes to send than the requests for two copies.
constexpr size_t kLeastOnShelf = 64;

LoadReport refused(LoadEnd end, std::string detail) {
  LoadReport report;
  report.end = end;
  report.detail = std::move(detail);
  return report;
}

// Makes a shelf in the data memory; without any room if calls have their stack there.
BlockShelf shelf_in(const Device& device) {
  const MemoryRegion& data = device.memory(device.data_memory);
  const bool is_free = device.stack_memory != device.data_memory;
  return BlockShelf(data.address, data.address + (is_free ? data.size_bytes : 0));
}

}  // namespace

RemoteBoard::RemoteBoard(const Device& device, std::unique_ptr<RemoteCore> core,
                         std::string power_switch)
    : device_(device),
      core_(std::move(core)),
      power_switch_(std::move(power_switch)),
      constants_(kConstantRoom),
      shelf_(shelf_in(device)) {}

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
  can.shares_its_core = traits.shares_its_core;
  return can;
}

Status RemoteBoard::keep(const Digest& digest, std::span<const uint8_t> bytes) {
  if (digest_of(bytes) != digest)
    return Error(ErrorCode::kInvalidInput, "a constant differs from its digest");
  constants_.keep(digest, bytes);
  return ok_status();
}

void RemoteBoard::overwrite(uint32_t address, uint64_t size_bytes) {
  std::erase_if(placed_, [&](const auto& other) {
    return other.first < address + size_bytes &&
           address < uint64_t{other.first} + other.second.size();
  });
}

void RemoteBoard::forget() {
  placed_.clear();
  shelf_.clear();
}

template <typename Send>
Status RemoteBoard::from_shelf(uint32_t address, std::span<const uint8_t> bytes, Send send,
                               bool is_cheap) {
  const auto size = static_cast<uint32_t>(bytes.size());
  if (!core_->traits().copies || size < kLeastOnShelf) return send();
  const Digest digest = digest_of(bytes);
  if (const auto there = shelf_.find(digest, size)) {
    sent_all_ = false;
    return core_->copy(*there, address, size);
  }
  TT_TRY(send());
  if (is_cheap && !shelf_.has_room(size)) return ok_status();
  const auto room = shelf_.add(digest, size);
  return room ? core_->copy(address, *room, size) : ok_status();
}

bool RemoteBoard::stands(uint32_t address, std::span<const uint8_t> bytes) {
  const auto known = placed_.find(address);
  if (known == placed_.end() || !std::ranges::equal(bytes, known->second)) return false;
  sent_all_ = false;
  return true;
}

// Sends changed segments. kInvalidInput: the board cannot hold them.
Status RemoteBoard::send_image() {
  changing_.clear();
  const MemoryRegion& data = device_.memory(device_.data_memory);
  std::vector<AddressRange> sent;
  std::vector<Digest> expected;
  for (const ImageSegment& segment : image_.segments) {
    if (segment.address - data.address < data.size_bytes) changing_.push_back(segment);
    if (stands(segment.address, segment.bytes)) continue;
    overwrite(segment.address, segment.bytes.size());
    TT_TRY(core_->write(segment.address, segment.bytes));
    placed_[segment.address] = segment.bytes;
    sent.push_back({segment.address, static_cast<uint32_t>(segment.bytes.size())});
    expected.push_back(digest_of(segment.bytes));
  }
  TT_TRY_ASSIGN(const std::vector<Digest> there, core_->digests(sent));
  if (there == expected) return ok_status();
  return Error(ErrorCode::kDeviceLost, "memory does not hold what was written to it");
}

Status RemoteBoard::send_kernel() {
  sent_all_ = true;
  inputs_compared_ = false;
  shelf_.give_up_below(end_of_buffers());
  TT_TRY(send_image());
  for (size_t i = 0; i < arguments_.size(); ++i) {
    const uint32_t address = layout_.addresses[i];
    const std::vector<uint8_t>& bytes = constant_bytes_[i];
    if (arguments_[i].role != BufferRole::kConstant || stands(address, bytes)) continue;
    overwrite(address, bytes.size());
    TT_TRY(from_shelf(address, bytes, [&] { return core_->write(address, bytes); }));
    placed_[address] = bytes;
  }
  return ok_status();
}

// Returns the end of the buffers in the data memory.
uint32_t RemoteBoard::end_of_buffers() const {
  const MemoryRegion& data = device_.memory(device_.data_memory);
  uint32_t end = data.address;
  for (size_t i = 0; i < arguments_.size(); ++i)
    if (layout_.addresses[i] - data.address < data.size_bytes)
      end = std::max(end, layout_.addresses[i] + arguments_[i].size_bytes);
  return end;
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
  auto image = read_image(request.elf, device_);
  if (!image) return refused(LoadEnd::kRefused, image.error().message());
  const auto function = image->address_of(request.symbol);
  if (!function) return refused(LoadEnd::kRefused, "the image has no function " + request.symbol);
  auto layout = place_as_firmware_does(device_, request.arguments,
                                       image->info.data_bytes + image->info.bss_bytes,
                                       image->info.segments, Overflow::kNowhere);
  if (!layout)
    return refused(LoadEnd::kDoesNotFit,
                   "tensors and constants exceed the " +
                       std::to_string(device_.memory(device_.data_memory).size_bytes) +
                       " bytes of memory '" + device_.data_memory + "'");
  layout_ = std::move(*layout);
  function_ = *function;
  arguments_ = request.arguments;
  image_ = std::move(*image);
  constant_bytes_ = std::move(named.contents);
  if (const Status sent = send_kernel(); !sent) {
    forget();
    if (sent.error().code() == ErrorCode::kInvalidInput)
      return refused(LoadEnd::kDoesNotFit, sent.error().message());
    return sent.error();
  }
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
    overwrite(address, argument.size_bytes);
    const auto send = [&] { return core_->fill(address, argument.size_bytes, contents); };
    if (contents.kind == Contents::Kind::kFill)
      TT_TRY(send());
    else
      TT_TRY(from_shelf(address, bytes_of(contents, argument.size_bytes), send,
                        contents.kind == Contents::Kind::kSeed));
  }
  return ok_status();
}

// Arguments that no call may change are compared once per kernel, because its stores do not depend
// on data. Inputs copied from the shelf are compared each time, because an earlier kernel may have
// stored into the shelf.
std::vector<size_t> RemoteBoard::compared_in(const RunRequest& request) const {
  std::vector<size_t> compared;
  for (size_t i = 0; i < arguments_.size(); ++i) {
    const Argument& argument = arguments_[i];
    const bool may_be_copied =
        argument.role == BufferRole::kInput && request.input.kind != Contents::Kind::kFill;
    if (!is_written(argument.role) && argument.size_bytes > 0 &&
        (may_be_copied || !inputs_compared_))
      compared.push_back(i);
  }
  return compared;
}

// Returns the first of the arguments `compared` whose digest in `now` differs; nullopt: none.
std::optional<size_t> RemoteBoard::changed(const RunRequest& request,
                                           std::span<const size_t> compared,
                                           std::span<const Digest> now) const {
  for (size_t i = 0; i < compared.size(); ++i) {
    const Argument& argument = arguments_[compared[i]];
    const Digest sent = argument.role == BufferRole::kConstant
                            ? argument.constant
                            : digest_of(bytes_of(request.input, argument.size_bytes));
    if (now[i] != sent) return compared[i];
  }
  return std::nullopt;
}

CoreCall RemoteBoard::call_of(const RunRequest& request, std::span<const size_t> compared) const {
  CoreCall call{function_, layout_.addresses, request.limits, {}};
  const auto want = [&](size_t argument) {
    call.digests.push_back({layout_.addresses[argument], arguments_[argument].size_bytes});
  };
  want(arguments_.size() - 1);
  std::ranges::for_each(compared, want);
  return call;
}

void RemoteBoard::describe(const CoreReturn& done, std::optional<size_t> differs,
                           KernelRunReport& report) const {
  report.end = done.end;
  report.detail = done.detail;
  if (done.end != RunEnd::kReturned) return;
  if (differs) {
    report.inputs_unchanged = false;
    report.detail = "argument " + std::to_string(*differs) + " was changed";
  }
  if (!done.registers_restored) {
    report.registers_restored = false;
    report.detail = "not restored: " + done.clobbered;
  }
  report.samples.push_back({done.cycles, 0, done.digests.front()});
}

Result<bool> RemoteBoard::call_once(const RunRequest& request, KernelRunReport& report, bool anew) {
  TT_TRY(fill_buffers(request));
  const std::vector<size_t> compared = compared_in(request);
  TT_TRY_ASSIGN(const CoreReturn done, core_->call(call_of(request, compared)));
  std::optional<size_t> differs;
  if (done.end == RunEnd::kReturned)
    differs = changed(request, compared, std::span(done.digests).subspan(1));
  if (done.end != RunEnd::kReturned || differs) forget();
  if (differs && !sent_all_ && !anew) {
    TT_TRY(send_kernel());
    return call_once(request, report, true);
  }
  describe(done, differs, report);
  if (done.end != RunEnd::kReturned) return false;
  inputs_compared_ = true;
  return true;
}

Status RemoteBoard::check_request(const RunRequest& request) const {
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
  return ok_status();
}

Result<KernelRunReport> RemoteBoard::run(const RunRequest& request) {
  TT_TRY(check_request(request));
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

// A failed call may have corrupted the memory of the calls after it, the kernel included. So the
// reports end with the first failed call, which is repeated alone with everything sent again.
Result<std::vector<KernelRunReport>> RemoteBoard::run_each(std::span<const RunRequest> requests) {
  if (!core_->traits().queues_calls) return Board::run_each(requests);
  returned_ = false;
  std::vector<std::vector<size_t>> compared;
  for (const RunRequest& request : requests) {
    TT_TRY(check_request(request));
    TT_TRY(fill_buffers(request));
    compared.push_back(compared_in(request));
    TT_TRY(core_->ask(call_of(request, compared.back())));
  }
  std::vector<KernelRunReport> reports;
  bool all_clean = true;
  for (size_t i = 0; i < requests.size(); ++i) {
    TT_TRY_ASSIGN(const CoreReturn done, core_->answer());
    if (!all_clean) continue;
    std::optional<size_t> differs;
    if (done.end == RunEnd::kReturned)
      differs = changed(requests[i], compared[i], std::span(done.digests).subspan(1));
    KernelRunReport report;
    describe(done, differs, report);
    all_clean = clean(report);
    if (all_clean) reports.push_back(std::move(report));
  }
  returned_ = all_clean;
  if (all_clean) return reports;
  forget();
  TT_TRY(send_kernel());
  TT_TRY_ASSIGN(KernelRunReport again, run(requests[reports.size()]));
  reports.push_back(std::move(again));
  return reports;
}

Result<std::vector<uint8_t>> RemoteBoard::read_output() {
  if (!returned_) return Error(ErrorCode::kInvalidInput, "no call has returned");
  return core_->read(layout_.addresses.back(), arguments_.back().size_bytes);
}

Status RemoteBoard::reset() {
  loaded_ = returned_ = false;
  forget();
  constants_ = ConstantStore(kConstantRoom);
  const Status done = core_->reset();
  if (done || power_switch_.empty()) return done;
  TT_TRY(switch_off_and_on(power_switch_));
  return once_awake([&] { return core_->reset(); });
}

}  // namespace tinytune
