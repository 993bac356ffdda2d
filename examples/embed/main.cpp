// SPDX-License-Identifier: Apache-2.0
// A network of two layers learns "exclusive or" from its four rows, and is saved.
#include <cstdio>

#include "heed/nn/feed_forward.h"
#include "heed/training/optimiser.h"

int main() {
  using namespace heed;
  Random random(1);
  nn::FeedForward network({.width = 2, .inner = 16, .activation = Activation::tanh}, random);
  training::Optimiser adam(nn::parameters(network), training::Adam{});

  const Tensor questions = Tensor::of({4, 2}, {0, 0, 0, 1, 1, 0, 1, 1});
  const Ids answers = Ids::of({4}, {0, 1, 1, 0});
  for (int update = 0; update < 200; ++update) {
    backward(cross_entropy(network(questions), answers));
    adam.step({.learning_rate = 0.05});
  }
  const Ids learnt = maximum(network(questions).value(), -1).indices;
  std::printf("exclusive or: %s\n", learnt.text().c_str());
  nn::save(nn::parameters(network), "xor.safetensors");
}
