// [[arrival]]: ways to transfer out of flash without the core; every number needs a source.
#include "devices/arrival_way.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "devices/device.h"
#include "tests/devices/device_file_text.h"

namespace tinytune {
namespace {

using testing::HasSubstr;

TEST(ArrivalWays, AreThoseOfTheDeviceFile) {
  const auto ways = load_arrival_ways("rp2040").value();
  ASSERT_EQ(ways.size(), 2u);
  EXPECT_EQ(ways[0].name, "stream");
  EXPECT_EQ(ways[0].piece_cycles, 11 * ways[0].piece_bytes);
  EXPECT_FALSE(ways[0].locks_flash);
  EXPECT_EQ(ways[1].name, "burst");
  EXPECT_EQ(ways[1].piece_cycles, 4 * ways[1].piece_bytes);
  EXPECT_TRUE(ways[1].locks_flash);
  EXPECT_EQ(load_arrival_ways("rp2350-riscv").value().size(), 1u) << "its base has it";
  EXPECT_TRUE(load_arrival_ways("stm32f4").value().empty());
  EXPECT_FALSE(load_arrival_ways("no_such_device").has_value());
}

TEST(ArrivalWays, ChangeNoRecord) {
  const std::string text = changed("piece_cycles = 168", "piece_cycles = 336");
  EXPECT_EQ(parse_device(text, "c3.toml").value().hash, load_device("esp32c3").value().hash);
}

TEST(ArrivalWays, WhatIsWrongIsRefused) {
  EXPECT_THAT(refusal(changed("engine = \"esp32c3_preload\"", "engine = \"magic\"")),
              HasSubstr("no engine is named 'magic'"));
  EXPECT_THAT(refusal(changed("piece_bytes = 32", "piece_bytes = 30")), HasSubstr("whole words"));
  EXPECT_THAT(refusal(changed("cache = \"flash_cache\"\nsource = \"derived",
                              "cache = \"none\"\nsource = \"derived")),
              HasSubstr("no cache is named 'none'"));
  EXPECT_THAT(refusal(changed("pause_cycles = 0", "pause_cycles = 0\nlocks_flash = true")),
              HasSubstr("esp32c3_preload does without locks_flash = true"));
  EXPECT_THAT(refusal(changed("engine = \"esp32c3_preload\"", "engine = \"rp2040_burst\"")),
              HasSubstr("rp2040_burst needs locks_flash = true"));
  EXPECT_THAT(refusal(changed("pause_cycles = 0", "pauses = 0")),
              HasSubstr("unknown key 'pauses'"));
}

}  // namespace
}  // namespace tinytune
