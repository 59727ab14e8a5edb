#include "tests/devices/device_file_text.h"

#include <gtest/gtest.h>

#include "base/files.h"
#include "devices/device.h"

namespace tinytune {

std::string file_of(const std::string& name) {
  return std::string(text_of(*read_file(TINYTUNE_SOURCE_DIR "/devices/" + name + ".toml")));
}

std::string changed(const std::string& from, const std::string& to) {
  std::string text = file_of("esp32c3");
  const size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

std::string refusal(const std::string& text) {
  const auto device = parse_device(text, "board.toml");
  if (device) return "";
  EXPECT_EQ(device.error().code(), ErrorCode::kInvalidInput);
  return device.error().message();
}

}  // namespace tinytune
