// Whatever a model file is called, its network has a name that nothing else has.
#include "codegen/networks/names.h"

#include <gtest/gtest.h>

#include <set>

#include "base/rng.h"

namespace tinytune {
namespace {

TEST(NetworkName, StemThatIsAName_StaysAsItIs) {
  for (const char* stem :
       {"kws", "kws_ref_model", "pretrainedResnet_quant", "vww_96_int8", "Net2"}) {
    EXPECT_EQ(network_name(stem), stem);
    EXPECT_TRUE(is_network_name(stem));
  }
}

TEST(NetworkName, PunctuationAndDigits_BecomeWords) {
  EXPECT_EQ(network_name("mobilenet-v2.0 (int8)"), "mobilenet_v2_0_int8");
  EXPECT_EQ(network_name("96x96"), "model_96x96");
  EXPECT_EQ(network_name("__net__"), "net");
  EXPECT_EQ(network_name(""), "model");
  EXPECT_EQ(network_name("..."), "model");
}

TEST(NetworkName, NamesOfOthers_AreNotTaken) {
  for (const char* stem : {"stdint", "stddef", "math", "STDINT", "all", "install", "help", "clean",
                           "arena", "int", "class", "m", "no", "aux", "PUBLIC", "esp", "test"}) {
    EXPECT_FALSE(is_network_name(stem)) << stem;
    EXPECT_EQ(network_name(stem), std::string("model_") + stem);
  }
}

TEST(NetworkName, PartOfAReservedWord_IsFree) {
  for (const char* stem : {"mat", "std", "stdin_t", "allow", "code", "re"})
    EXPECT_EQ(network_name(stem), stem);
}

TEST(NetworkName, LongOrForeignStems_AreToldApartByAHash) {
  const std::string name = network_name(std::string(240, 'x'));
  EXPECT_EQ(name.size(), kMostNameLength);
  EXPECT_EQ(name.substr(0, 52), std::string(51, 'x') + "_");
  std::set<std::string> names = {name,
                                 network_name(std::string(241, 'x')),
                                 network_name(std::string(kMostNameLength + 1, 'x')),
                                 network_name("\xe6\xa8\xa1"),
                                 network_name("\xe5\x9e\x8b"),
                                 network_name("net\xff"),
                                 network_name("net")};
  EXPECT_EQ(names.size(), 7U);
  EXPECT_EQ(network_name(std::string(kMostNameLength, 'x')), std::string(kMostNameLength, 'x'));
}

TEST(NetworkName, AnyBytes_GiveANameThatIsItsOwnName) {
  for (uint64_t seed = 1; seed <= 2000; ++seed) {
    Rng rng(seed);
    std::string stem(rng.below(300), '\0');
    // Half of the stems use few characters, so that words, runs and borders are met often.
    for (char& c : stem)
      c = seed % 2 == 0 ? static_cast<char>(rng.next()) : "a_-0\n*/\\?\"$"[rng.below(11)];
    const std::string name = network_name(stem);
    EXPECT_TRUE(is_network_name(name)) << "seed " << seed << ": " << name;
    EXPECT_EQ(network_name(name), name) << "seed " << seed;
  }
}

}  // namespace
}  // namespace tinytune
