#include "cli/next_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tinytune/memory.h"

namespace tinytune {
namespace {

using testing::HasSubstr;

TEST(NextCommand, WhateverChangesTheNetwork_IsRepeated) {
  Arguments arguments;
  arguments.model = "my model.tflite";
  arguments.ram = 98304;
  arguments.arena = 4096;
  arguments.flash = 65536;
  arguments.fast_ram = 0;
  arguments.layout = "auto";
  arguments.disabled_passes = {"constant-channels"};
  arguments.externals = {"3=mine"};
  arguments.input_types = {"x=int8"};
  arguments.states = {"cache=longer"};
  arguments.portable = true;
  const std::string line =
      next_command("tune", "run", arguments, "esp32c3", std::string("log.jsonl"), {"--verify"});
  EXPECT_EQ(line.find("tune run --model 'my model.tflite' --device esp32c3"), 0U) << line;
  for (const char* part :
       {" --records log.jsonl", " --verify", " --layout auto", " --ram 98304", " --arena 4096",
        " --flash 65536", " --fast-ram 0", " --disable-pass constant-channels",
        " --external 3=mine", " --input-type x=int8", " --state cache=longer", " --portable"})
    EXPECT_THAT(line, HasSubstr(part));
}

TEST(NextCommand, AllFastMemory_IsAWord) {
  Arguments arguments;
  arguments.model = "m";
  arguments.fast_ram = kAllFastRam;
  EXPECT_THAT(next_command("tune", "run", arguments, "esp32c3", std::nullopt, {}),
              HasSubstr(" --fast-ram all"));
}

}  // namespace
}  // namespace tinytune
