#include <fcntl.h>
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

}  // namespace

Result<std::unique_ptr<ByteLink>> open_serial_link(const std::string& path, uint32_t baud) {
  const auto failed = [&](ErrorCode code, const std::string& why) {
    return Error(code, path + ": " + why);
  };
  speed_t speed = B0;
  for (const Rate& rate : kRates)
    if (rate.baud == baud) speed = rate.speed;
  if (speed == B0)
    return failed(ErrorCode::kInvalidInput, "no rate of " + std::to_string(baud) + " baud");
  Descriptor fd(::open(path.c_str(), O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC));
  if (fd.get() < 0) return failed(ErrorCode::kNotFound, std::strerror(errno));
  termios settings{};
  if (::tcgetattr(fd.get(), &settings) != 0)
    return failed(ErrorCode::kInvalidInput, "no serial line");
  ::cfmakeraw(&settings);
  settings.c_cflag |= CLOCAL | CREAD;
  settings.c_cflag &= ~static_cast<tcflag_t>(CRTSCTS);
  ::cfsetspeed(&settings, speed);
  if (::tcsetattr(fd.get(), TCSANOW, &settings) != 0)
    return failed(ErrorCode::kInvalidInput, std::strerror(errno));
  ::tcflush(fd.get(), TCIOFLUSH);
  return std::unique_ptr<ByteLink>(std::make_unique<DescriptorLink>(std::move(fd), path));
}

}  // namespace tinytune
