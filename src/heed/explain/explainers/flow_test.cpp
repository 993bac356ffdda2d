// SPDX-License-Identifier: Apache-2.0
// Pipes between the answer and two words.
#include <gtest/gtest.h>

#include "heed/explain/looks_testing.h"

namespace heed::explain {
namespace {

TEST(Flow, IsWhatFitsThroughThePipes) {
  expect_shares("flow", two_tokens(1), {.2, .8});
}

}  // namespace
}  // namespace heed::explain
