// SPDX-License-Identifier: Apache-2.0
// Gradients through the options of published families are slopes of the loss.
#include <gtest/gtest.h>

#include "heed/models/family_options_testing.h"
#include "heed/models/gpt.h"
#include "heed/models/language_testing.h"

namespace heed::models {
namespace {

TEST(FamilyOptionsGradients, AreSlopes) {
  for (TransformerStackOptions stack : {testing::llama_stack(), testing::t5_stack()}) {
    stack.width = 6;
    stack.head_width = 4;
    stack.inner = 5;
    Random random(5);
    Gpt model({.vocabulary = 7, .context = 8, .stack = stack}, random);
    testing::expect_gradients_are_slopes(model, 6);
  }
}

}  // namespace
}  // namespace heed::models
