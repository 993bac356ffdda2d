// SPDX-License-Identifier: Apache-2.0
// A network of two layers learns "exclusive or" from its four rows.
#include <cstdio>

#include "heed/nn/linear.h"
#include "heed/training/optimiser.h"

using namespace heed;

struct Network {
  nn::Linear hidden, answer;
  explicit Network(Random& random) : hidden(2, 16, random), answer(16, 2, random) {}

  Variable operator()(const Variable& x) const { return answer(hidden(x, Activation::tanh)); }
  void visit(nn::ParameterVisitor& visitor) {
    visitor("hidden", hidden);
    visitor("answer", answer);
  }
};

int main() {
  Random random(1);
  Network network(random);
  training::Optimiser adam(nn::parameters(network), training::Adam{});
  const Tensor questions = Tensor::of({4, 2}, {0, 0, 0, 1, 1, 0, 1, 1});
  const Ids answers = Ids::of({4}, {0, 1, 1, 0});

  for (int update = 0; update < 200; ++update) {
    backward(cross_entropy(network(questions), answers));
    adam.step({.learning_rate = 0.05});
  }
  const Tensor probability = softmax(network(questions)).value();
  for (int row = 0; row < 4; ++row) {
    std::printf("%g xor %g: %.0f\n", questions.at({row, 0}), questions.at({row, 1}),
                probability.at({row, 1}));
  }
  nn::save(nn::parameters(network), "xor.safetensors");
}
