// SPDX-License-Identifier: Apache-2.0
// Small networks trained from scratch: what they must have learnt at the end.
#include <gtest/gtest.h>

#include <cstdlib>

#include "adding.h"
#include "heed/autograd/ops.h"
#include "heed/nn/convolution.h"
#include "heed/nn/embedding.h"
#include "heed/nn/linear.h"
#include "heed/nn/recurrent.h"
#include "heed/tensor/arithmetic.h"
#include "heed/training/optimiser.h"

namespace heed {
namespace {

struct Adder {
  nn::RecurrentNetwork gru;
  nn::Linear answer;

  explicit Adder(Random& random)
      : gru({.cell = nn::Cell::gru, .inputs = 2, .hidden = 32}, random), answer(32, 1, random) {}
  Variable operator()(const Tensor& x) const { return answer(gru(Variable(x)).final[0].h); }
  void visit(nn::ParameterVisitor& visitor) {
    visitor("gru", gru);
    visitor("answer", answer);
  }
};

double adding_error(const Adder& model, Random& random, training::Optimiser* optimiser) {
  const std::int64_t steps = 12, batch = 64;
  const test::AddingBatch drawn = test::adding_batch(steps, batch, random);
  Tensor x(Shape{steps, batch, 2});
  Tensor wanted(Shape{batch, 1});
  std::copy(drawn.inputs.begin(), drawn.inputs.end(), x.mutable_data());
  std::copy(drawn.targets.begin(), drawn.targets.end(), wanted.mutable_data());
  const Variable loss = mean(square(model(x) - Variable(wanted)));
  if (optimiser != nullptr) {
    backward(loss);
    optimiser->step({.learning_rate = 0.01, .clip_norm = 1});
  }
  return loss.item();
}

TEST(Learning, AGruAddsTwoMarkedNumbers) {
  Random random(1);
  Adder model(random);
  training::Optimiser optimiser(nn::parameters(model), training::Adam{});
  for (int update = 0; update < 400; ++update) adding_error(model, random, &optimiser);
  EXPECT_LT(adding_error(model, random, nullptr), test::kAddingBaseline / 15);
}

// Ids in, one class per step out.
struct Tagger {
  nn::Embedding words;
  nn::RecurrentNetwork lstm;
  nn::Linear classes;

  explicit Tagger(Random& random)
      : words(11, 16, random, 0),
        lstm({.cell = nn::Cell::lstm,
              .inputs = 16,
              .hidden = 24,
              .layers = 2,
              .bidirectional = true,
              .dropout = Real(0.1)},
             random),
        classes(48, 11, random) {}
  // ids [T,B] -> logits [T,B,11]
  Variable operator()(const Ids& ids, const Ids& lengths, nn::Noise noise) const {
    return classes(lstm(words(ids), {.lengths = lengths, .noise = noise}).outputs);
  }
  void visit(nn::ParameterVisitor& visitor) {
    visitor("words", words);
    visitor("lstm", lstm);
    visitor("classes", classes);
  }
};

TEST(Learning, ABidirectionalLstmNamesTheOtherEndOfSequencesOfAnyLength) {
  // At its first step a sequence must answer its last id, at its last step the first id: only a
  // network that reads both ways from each sequence's own end can.
  Random random(2);
  Tagger model(random);
  training::Optimiser optimiser(nn::parameters(model), training::Adam{});
  const std::int64_t steps = 6, batch = 32;
  double accuracy = 0;
  for (int update = 0; update < 400; ++update) {
    Ids ids = Ids::full({steps, batch}, 0);
    Ids targets = Ids::full({steps, batch}, -1);
    Ids lengths(Shape{batch});
    for (std::int64_t b = 0; b < batch; ++b) {
      const auto length = static_cast<std::int64_t>(2 + random.integer(steps - 1));
      lengths.mutable_data()[b] = static_cast<std::int32_t>(length);
      for (std::int64_t t = 0; t < length; ++t) {
        ids.mutable_data()[t * batch + b] = static_cast<std::int32_t>(1 + random.integer(10));
      }
      targets.mutable_data()[b] = ids.at({length - 1, b});
      targets.mutable_data()[(length - 1) * batch + b] = ids.at({0, b});
    }
    const bool training = update < 380;
    const Variable logits = model(ids, lengths, training ? &random : nullptr);
    if (training) {
      backward(cross_entropy(logits, targets, {.ignored = -1}));
      optimiser.step({.learning_rate = 0.01, .clip_norm = 5});
      continue;
    }
    const Ids best = maximum(logits.value(), -1).indices;
    std::int64_t right = 0;
    for (std::int64_t i = 0; i < best.size(); ++i) right += best.data()[i] == targets.data()[i];
    accuracy += static_cast<double>(right) / static_cast<double>(2 * batch) / 20;
  }
  EXPECT_GT(accuracy, 0.95);
}

// Horizontal or vertical bars in noise.
struct BarReader {
  nn::Convolution2d filters;
  nn::Linear verdict;

  explicit BarReader(Random& random)
      : filters(1, 4, 3, random, {.padding = 1}), verdict(4, 2, random) {}
  Variable operator()(const Variable& images) const {  // [B,1,8,8] -> [B,2]
    const Variable features = pool_2d(Pooling::maximum, relu(filters(images)), 8, {});
    return verdict(reshape(features, {-1, 4}));
  }
  void visit(nn::ParameterVisitor& visitor) {
    visitor("filters", filters);
    visitor("verdict", verdict);
  }
};

TEST(Learning, AConvolutionTellsHorizontalFromVerticalBars) {
  Random random(3);
  BarReader model(random);
  training::Optimiser optimiser(nn::parameters(model), training::Adam{});
  const std::int64_t batch = 32;
  int right = 0;
  for (int update = 0; update < 220; ++update) {
    Tensor images = Tensor::zeros({batch, 1, 8, 8});
    Ids labels(Shape{batch});
    Real* pixels = images.mutable_data();
    for (std::int64_t i = 0; i < images.size(); ++i) pixels[i] = random.uniform<Real>() * Real(0.3);
    for (std::int64_t b = 0; b < batch; ++b) {
      const auto label = static_cast<std::int32_t>(random.integer(2));
      const auto line = static_cast<std::int64_t>(random.integer(8));
      labels.mutable_data()[b] = label;
      for (std::int64_t i = 0; i < 8; ++i) {
        pixels[b * 64 + (label == 0 ? line * 8 + i : i * 8 + line)] += Real(0.7);
      }
    }
    const Variable logits = model(Variable(images));
    if (update < 200) {
      backward(cross_entropy(logits, labels));
      optimiser.step({.learning_rate = 0.02});
      continue;
    }
    const Ids best = maximum(logits.value(), -1).indices;
    for (std::int64_t b = 0; b < batch; ++b) right += best.data()[b] == labels.data()[b];
  }
  EXPECT_GT(right, 20 * batch * 95 / 100);
}

TEST(Learning, GivesTheSameBitsForTheSameSeed) {
  const auto weights_after = [] {
    Random random(5);
    Adder model(random);
    training::Optimiser optimiser(nn::parameters(model), training::Adam{});
    for (int update = 0; update < 5; ++update) adding_error(model, random, &optimiser);
    return model.gru.layers[0].w_h.value().values();
  };
  EXPECT_EQ(weights_after(), weights_after());
}

}  // namespace
}  // namespace heed
