// SPDX-License-Identifier: Apache-2.0
// Uses a score that Heed does not have, metric.cpp: from examples alone it learns which of their
// features matter.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>

#include "heed/attention/mechanism.h"
#include "heed/autograd/gradcheck.h"
#include "heed/autograd/ops.h"
#include "heed/training/optimiser.h"

using namespace heed;
using namespace heed::attention;

namespace {

constexpr std::int64_t kExamples = 200, kFeatures = 4;

// Each example is a query, a key, and a value to predict: the weighted mean of the others' values
// (Nadaraya 1964). Only the first feature matters.
struct Data {
  Tensor features{{1, 1, kExamples, kFeatures}};
  Tensor values{{1, 1, kExamples, 1}};
  Tensor others = Tensor::full({1, 1, kExamples, kExamples}, 1);  // all but oneself
};

Data make_data(std::uint64_t seed) {
  Data data;
  Random random(seed);
  fill_uniform({data.features.mutable_data(), kExamples * kFeatures}, random, Real{-1}, Real{1});
  for (std::int64_t i = 0; i < kExamples; ++i) {
    data.values.mutable_data()[i] =
        std::sin(3 * data.features.data()[i * kFeatures]) + Real(0.05) * random.normal<Real>();
    data.others.mutable_data()[i * kExamples + i] = 0;
  }
  return data;
}

Variable error(const Mechanism& look, const Data& data) {
  const Memory memory = look.memory(data.features, data.values);
  const Attended found = look.attend(data.features, memory, {}, {.given = {.mask = data.others}});
  return mean(square(found.context - data.values));
}

// Trains on some examples; gives the error among others.
double error_after_training(Mechanism& look) {
  const Data training = make_data(1);
  training::Optimiser adam(nn::parameters(look), training::Adam{});
  for (int update = 0; update < 200; ++update) {
    backward(error(look, training));
    adam.step({.learning_rate = 0.1});
  }
  return error(look, make_data(2)).item();
}

bool gradients_hold(const Mechanism& look) {
  Random random(3);
  std::vector<Tensor> inputs;
  for (int i = 0; i < 3; ++i) {
    inputs.emplace_back(Shape{1, 1, 6, kFeatures});
    fill_normal({inputs.back().mutable_data(), 6 * kFeatures}, random);
  }
  const GradcheckResult result = gradcheck(
      [&](std::span<const Variable> x) {
        const Memory memory = look.memory(x[1], x[2]);
        return look.attend(x[0], memory, {}, {.given = {.mask = Tensor::full({1, 1, 6, 6}, 1)}})
            .context;
      },
      inputs, {.step = 1e-2f, .tolerance = 2e-3f});
  std::printf("gradients by finite differences: %s\n",
              result.passed ? "agree" : result.where.c_str());
  return result.passed;
}

}  // namespace

int main() {
  Random random(1);
  const MechanismShape shape = {kFeatures, kFeatures, 1};
  Mechanism plain("distance(learnable=true) | tensor", shape, random);
  Mechanism own("metric(scale=2) | tensor", shape, random);
  const bool exact = gradients_hold(own);

  const double given = error_after_training(plain), learnt = error_after_training(own);
  std::printf("mean square error on new examples: %.4f by distance, %.4f by metric\n", given,
              learnt);
  // How much a step along each feature counts: the lengths of the columns of L.
  const Variable L = nn::parameters(own)[0].variable;
  const std::vector<Real> counts = sqrt(sum(square(L), 0)).value().values();
  std::printf("what a step along each feature counts:");
  for (const Real count : counts) std::printf(" %.2f", count);
  std::printf("\n");
  const Real next = *std::max_element(counts.begin() + 1, counts.end());
  return exact && learnt < given / 2 && counts[0] > 3 * next ? 0 : 1;
}
