#include "rpc_device/boards/constant_store.h"

#include <gtest/gtest.h>

namespace tinytune {
namespace {

std::vector<uint8_t> ten(uint8_t value) { return std::vector<uint8_t>(10, value); }

TEST(ConstantStore, ShortRoom_CostsWhatWasNamedTheLongestAgo) {
  ConstantStore store(30);
  for (uint8_t i = 0; i < 3; ++i) {
    store.begin_load();
    store.keep({0, i}, ten(i));
  }
  store.begin_load();
  ASSERT_NE(store.name({0, 0}), nullptr);
  store.keep({0, 3}, ten(3));
  EXPECT_EQ(store.size_bytes(), 30u);
  EXPECT_EQ(store.name({0, 1}), nullptr);
  ASSERT_NE(store.name({0, 3}), nullptr);
  EXPECT_EQ(*store.name({0, 3}), ten(3));
}

// Otherwise a kernel whose constants exceed the capacity would lack one at every load.
TEST(ConstantStore, WhatTheLastLoadNamed_StaysWhateverTheRoom) {
  ConstantStore store(15);
  store.begin_load();
  for (uint8_t i = 0; i < 3; ++i) store.keep({0, i}, ten(i));
  store.begin_load();
  for (uint64_t i = 0; i < 3; ++i) EXPECT_NE(store.name({0, i}), nullptr) << i;
  store.begin_load();
  store.keep({0, 9}, ten(9));
  EXPECT_EQ(store.size_bytes(), 10u);
}

TEST(ConstantStore, SameConstantAgain_TakesNoMoreRoom) {
  ConstantStore store(100);
  store.begin_load();
  store.keep({0, 1}, ten(1));
  store.keep({0, 1}, ten(1));
  EXPECT_EQ(store.size_bytes(), 10u);
}

}  // namespace
}  // namespace tinytune
