// SPDX-License-Identifier: Apache-2.0
// Whole classifiers against finite differences, in every parameter.
#include <gtest/gtest.h>

#include "heed/models/classifier_testing.h"

namespace heed::models {
namespace {

class ClassifierGradients
    : public ::testing::TestWithParam<std::pair<const char*, ClassifierOptions>> {};

TEST_P(ClassifierGradients, AreSlopesOfTheLoss) {
  const ClassifierOptions& options = GetParam().second;
  Random random(5);
  Classifier model(options, random);
  const ClassifierInput input = testing::classifier_input(options, random);
  testing::expect_slopes(nn::parameters(model), [&] {
    Variable loss(Tensor::scalar(0));
    for (const Variable& logits : model(input)) {
      loss = loss + cross_entropy(logits, Ids::of({4}, {0, 1, 1, 0}));
    }
    return loss;
  });
}

INSTANTIATE_TEST_SUITE_P(All, ClassifierGradients, ::testing::ValuesIn(testing::classifier_kinds()),
                         [](const auto& info) { return std::string(info.param.first); });

}  // namespace
}  // namespace heed::models
