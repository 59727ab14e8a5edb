#include "models/operator_states.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "models/operator_kind.h"

namespace tinytune {
namespace {

OperatorState state_of(std::string_view name) {
  for (const OperatorStateRow& row : operator_states())
    if (row.name == name) return row.state;
  ADD_FAILURE() << name << " is not listed";
  return OperatorState::kMissing;
}

TEST(OperatorStates, WhatImportAccepts_IsSupportedAndListedOnce) {
  std::multiset<std::string_view> names;
  for (const OperatorStateRow& row : operator_states()) names.insert(row.name);
#define OPERATOR(kind, name, ...)                        \
  EXPECT_EQ(state_of(#name), OperatorState::kSupported); \
  EXPECT_EQ(names.count(#name), 1u) << #name;
#include "models/operators.inc"
#undef OPERATOR
}

TEST(OperatorStates, WhatTfliteMicroComputesInFloatOnly_SaysSo) {
  EXPECT_EQ(state_of("SQRT"), OperatorState::kFloatOnly);
  EXPECT_EQ(state_of("L2_POOL_2D"), OperatorState::kFloatOnly);
}

}  // namespace
}  // namespace tinytune
