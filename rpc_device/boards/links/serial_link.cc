#include <fcntl.h>
#include <sys/ioctl.h>
#include <termios.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "rpc_device/boards/links/descriptor_link.h"

namespace tinytune {
namespace {

struct Rate {
  uint32_t baud;
  speed_t speed;
};
constexpr std::array kRates = {
    Rate{9'600, B9600},        Rate{115'200, B115200},    Rate{230'400, B230400},
    Rate{460'800, B460800},    Rate{921'600, B921600},    Rate{1'000'000, B1000000},
    Rate{1'500'000, B1500000}, Rate{2'000'000, B2000000}, Rate{3'000'000, B3000000}};

Error failed(ErrorCode code, const std::string& name, const std::string& why) {
  return Error(code, name + ": " + why);
}

Result<speed_t> speed_of(uint32_t baud, const std::string& name) {
  for (const Rate& rate : kRates)
    if (rate.baud == baud) return rate.speed;
  return failed(ErrorCode::kInvalidInput, name, "no rate of " + std::to_string(baud) + " baud");
}

class SerialLink final : public DescriptorLink {
 public:
  using DescriptorLink::DescriptorLink;

  Status set_rate(uint32_t baud) override {
    TT_TRY_ASSIGN(const speed_t speed, speed_of(baud, name()));
    termios settings{};
    if (::tcgetattr(descriptor(), &settings) != 0 || ::cfsetspeed(&settings, speed) != 0 ||
        ::tcsetattr(descriptor(), TCSANOW, &settings) != 0)
      return failed(ErrorCode::kInvalidInput, name(), std::strerror(errno));
    return ok_status();
  }

  Status set_lines(bool dtr, bool rts) override {
    const int lines = (dtr ? TIOCM_DTR : 0) | (rts ? TIOCM_RTS : 0);
    if (::ioctl(descriptor(), TIOCMSET, &lines) != 0)
      return failed(ErrorCode::kUnsupported, name(), std::strerror(errno));
    return ok_status();
  }
};

}  // namespace

Result<std::unique_ptr<ByteLink>> open_serial_link(const std::string& path, uint32_t baud) {
  TT_TRY_ASSIGN(const speed_t speed, speed_of(baud, path));
  Descriptor fd(::open(path.c_str(), O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC));
  if (fd.get() < 0 && errno == EACCES)
    return failed(
        ErrorCode::kDeviceLost, path,
        "permission denied; add your user to the group of that file (dialout, as a rule)");
  if (fd.get() < 0) return failed(ErrorCode::kDeviceLost, path, std::strerror(errno));
  termios settings{};
  if (::tcgetattr(fd.get(), &settings) != 0)
    return failed(ErrorCode::kInvalidInput, path, "no serial line");
  ::cfmakeraw(&settings);
  settings.c_cflag |= CLOCAL | CREAD;
  settings.c_cflag &= ~static_cast<tcflag_t>(CRTSCTS);
  ::cfsetspeed(&settings, speed);
  if (::tcsetattr(fd.get(), TCSANOW, &settings) != 0)
    return failed(ErrorCode::kInvalidInput, path, std::strerror(errno));
  ::tcflush(fd.get(), TCIOFLUSH);
  return std::unique_ptr<ByteLink>(std::make_unique<SerialLink>(std::move(fd), path));
}

}  // namespace tinytune
