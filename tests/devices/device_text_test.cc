// A device file is data: whatever text it holds, none of it is executed, ends a comment or a line,
// or reaches a compiler that would crash on it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "devices/device.h"
#include "tests/devices/device_file_text.h"

namespace tinytune {
namespace {

using testing::HasSubstr;

constexpr const char* kName = "name = \"esp32c3\"";

TEST(DeviceText, NameOtherThanOfAFewCharacters_IsRefused) {
  for (const char* name :
       {"\"\"", "\"a\\nexecute_process(COMMAND id)\"", "\"a */ int x;\"", "\"A\"", "\"-a\"",
        "\"../a\"", "\"a b\"", "\"é\"", "\"a\\u001b[31m\"", "\"\"\"a\nb\"\"\""})
    EXPECT_THAT(refusal(changed(kName, "name = " + std::string(name))),
                HasSubstr("key 'name' in the file must be 1 to 64 of a-z"))
        << name;
  const std::string longest(64, 'a');
  EXPECT_EQ(refusal(changed(kName, "name = \"" + longest + "\"")), "");
  EXPECT_THAT(refusal(changed(kName, "name = \"" + longest + "a\"")), HasSubstr("1 to 64"));
  EXPECT_EQ(refusal(changed(kName, "name = \"9.a_b-c\"")), "");
}

TEST(DeviceText, DescriptionOfOneLine_MayHoldAnythingButTheEndOfAComment) {
  const auto described = [](const std::string& words) {
    return refusal(changed("description = \"Espressif ESP32-C3", "description = \"" + words));
  };
  EXPECT_EQ(described("Prüfstand <5> µs, \\\"schnell\\\""), "");
  for (const char* words : {"a\\nb", "a */ b", "\\u001b[2J", "\\u009b", "\\u0000"})
    EXPECT_THAT(described(words), HasSubstr("must be one line")) << words;
  EXPECT_THAT(described(std::string(300, 'x')), HasSubstr("must be one line"));
}

TEST(DeviceText, SourcesAndNames_FollowTheSameRules) {
  EXPECT_THAT(refusal(changed("source = \"niccle\"", "source = \"a\\nb\"")),
              HasSubstr("must be one line"));
  EXPECT_THAT(refusal(changed("source = \"unsourced: derived", "source = \"*/ derived")),
              HasSubstr("must be one line"));
  EXPECT_THAT(refusal(changed("name = \"iram\"", "name = \"i ram\"")),
              HasSubstr("key 'name' in [[memory]] must be 1 to 64"));
  EXPECT_THAT(refusal(changed("name = \"flash_cache\"", "name = \"\\n\"")),
              HasSubstr("key 'name' in [[cache]] must be 1 to 64"));
  EXPECT_THAT(refusal(changed("model = \"in_order\"", "model = \"in order\"")),
              HasSubstr("key 'model' in [timing] must be"));
  EXPECT_THAT(refusal(changed("[\"simulator\", \"gdb\", \"serial\"]", "[\"a b\"]")),
              HasSubstr("transport"));
  EXPECT_THAT(refusal(changed("\".iram1.tinytune\"", "\".iram1) } > code\"")),
              HasSubstr("key 'fast_code_section' in [placement] must be"));
}

TEST(DeviceText, RefusalsShowNoControlCharacters) {
  for (const auto& text :
       {changed("clock_hz", "\"a\\n\\u001b[31m\""), changed("\"riscv32\"", "\"a\\n\\u001b[31m\""),
        changed("code = \"iram\"", "code = \"a\\n\\u001b[31m\"")}) {
    EXPECT_THAT(refusal(text), HasSubstr("a\\x0a\\x1b[31m"));
    EXPECT_EQ(refusal(text).find_first_of("\n\x1b"), std::string::npos);
  }
}

// LLVM ends the process on most of these.
TEST(DeviceText, CoreThatLlvmDoesNotKnow_IsRefused) {
  EXPECT_THAT(refusal(changed("\"generic-rv32\"", "\"warp9\"")),
              HasSubstr("key 'cpu' in [target] must be one of generic-rv32, "));
  EXPECT_THAT(refusal(changed("\"generic-rv32\"", "\"cortex-m4\"")), HasSubstr("'cpu'"));
  EXPECT_THAT(refusal(changed("\"generic-rv32\"", "\"sifive-u74\"")), HasSubstr("'cpu'"));
  for (const char* triple :
       {"riscv64-unknown-elf", "riscv32", "riscv32-unknown-linux-gnu", "x86_64"})
    EXPECT_THAT(refusal(changed("\"riscv32-unknown-elf\"", "\"" + std::string(triple) + "\"")),
                HasSubstr("key 'triple' in [target] must be riscv32-unknown-elf for generic-rv32"));
  for (const char* features : {"+64bit", "+e", "m", "+m,,+c", "+m +c", "+m,+warp", "-"})
    EXPECT_THAT(refusal(changed("\"+m,+c\"", "\"" + std::string(features) + "\"")),
                HasSubstr("key 'features' in [target] must be + or -"))
        << features;
  EXPECT_THAT(refusal(changed("\"ilp32\"", "\"lp64d\"")), HasSubstr("key 'abi' in [target]"));
  EXPECT_THAT(refusal(changed("\"rv32imc\"", "\"rv32imc -fplugin=x\"")),
              HasSubstr("key 'isa' in [target] must be a name like rv32i"));
}

TEST(DeviceText, ClangArguments_FollowFromTheTarget) {
  const std::vector<std::string> arguments = {"--target=riscv32-unknown-elf", "-march=rv32imc",
                                              "-mabi=ilp32"};
  EXPECT_EQ(clang_arguments(load_device("esp32c3")->target), arguments);
  const auto written = [](const std::string& list) {
    return refusal(changed("abi = ", "clang_arguments = [" + list + "]\nabi = "));
  };
  // The form that files of version 0.1 have.
  EXPECT_EQ(written("\"--target=riscv32-unknown-elf\", \"-march=rv32imc\", \"-mabi=ilp32\""), "");
  for (const char* other : {"\"-fplugin=x.so\"", "",
                            "\"--target=riscv32-unknown-elf\", \"-march=rv32imc\", "
                            "\"-mabi=ilp32\", \"-Xclang\", \"-load\""})
    EXPECT_THAT(written(other), HasSubstr("clang_arguments follow from the other keys")) << other;
}

TEST(DeviceText, SizesThatTakeTheHostsMemory_AreRefused) {
  EXPECT_THAT(refusal(changed("0x00030000", "0x20000000")), HasSubstr("256 MiB at most"));
  EXPECT_THAT(refusal(changed("size_bytes = 16384", "size_bytes = 0x40000000")),
              HasSubstr("65536 lines at most"));
  EXPECT_THAT(refusal(changed("160_000_000", "9_000_000_000_000_000_000")),
              HasSubstr("at most 10 GHz"));
  std::string many = changed("clock_hz", "clock_hz");
  for (int i = 0; i < 33; ++i) many += "\n[[cache]]\n";
  EXPECT_THAT(refusal(many), HasSubstr("32 at most"));
}

// The parser is recursive for nested values, and so are the tables of a dotted key.
TEST(DeviceText, DeepNesting_IsRefused) {
  const auto times = [](std::string_view text, int count) {
    std::string all;
    for (int i = 0; i < count; ++i) all += text;
    return all;
  };
  for (const char* bracket : {"[", "[\n", "{a=", "["})
    EXPECT_THAT(refusal("x = " + times(bracket, 100'000)), HasSubstr("board.toml:")) << bracket;
  EXPECT_THAT(refusal(times("[", 100'000)), HasSubstr("board.toml:1: "));
  EXPECT_THAT(refusal(times("a.", 300'000) + "a = 1"), HasSubstr("more than 4096 bytes"));
  EXPECT_THAT(refusal("[" + times("a.", 300'000) + "a]"), HasSubstr("more than 4096 bytes"));
  EXPECT_THAT(refusal("\n[" + times("a.", 2000) + "a]\n" + times("a.", 2000) + "a = 1"),
              HasSubstr("unknown key 'a'"));
}

// A device file must not be able to run a program of its own choice.
TEST(DeviceText, Compiler_IsANameOfACompilerAndFlagsChooseAMachine) {
  const auto with = [](const std::string& compiler, const std::string& flags) {
    const Device host = *load_device("host");
    std::string text = file_of("host");
    const std::string line = "compiler = \"" + host.target.compiler + "\"";
    text.replace(text.find(line), line.size(),
                 "compiler = \"" + compiler + "\"\nflags = [" + flags + "]");
    return refusal(text);
  };
  EXPECT_EQ(with("xtensa-lx106-elf-gcc", "\"-mabi=call0\""), "");
  EXPECT_EQ(with("clang-14", "\"--target=avr\", \"-mmcu=atmega2560\""), "");
  for (const char* program : {"sh", "./gcc", "/opt/gcc", "a gcc", "gcc;", "", "gccx"})
    EXPECT_THAT(with(program, ""), HasSubstr("ends in gcc, clang or cc")) << program;
  for (const char* flag : {"-fplugin=a.so", "-o", "@file", "-mllvm", "-Wl,-rpath", "-m a", "-B.",
                           "--target=a/b", "-include"})
    EXPECT_THAT(with("gcc", '"' + std::string(flag) + '"'), HasSubstr("no flag of the core"))
        << flag;
}

}  // namespace
}  // namespace tinytune
