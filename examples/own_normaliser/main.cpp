// SPDX-License-Identifier: Apache-2.0
// Uses a normaliser that Heed does not have, quiet_softmax.cpp, like any other part: by its name.
#include <cstdio>
#include <string>

#include "heed/attention/mechanism.h"
#include "heed/attention/normalise.h"
#include "heed/autograd/gradcheck.h"
#include "heed/autograd/ops.h"
#include "heed/insight/terminal/heatmap.h"
#include "heed/training/optimiser.h"

using namespace heed;
using namespace heed::attention;

namespace {

constexpr std::int64_t kWidth = 8;

Tensor normal(const Shape& shape, Random& random, Real mean = 0) {
  Tensor values(shape);
  fill_normal({values.mutable_data(), static_cast<std::size_t>(values.size())}, random, mean);
  return values;
}

// Finite differences against backward(): of scores and b alone, and through a whole mechanism.
bool gradients_hold(const std::string& written) {
  const GradcheckOptions in_float = {.step = 1e-2f, .tolerance = 2e-3f};
  Random random(1);
  const auto part = Catalogue<Normaliser>::find("quiet_softmax")->make();
  const std::vector<Tensor> row = {normal({3, 6}, random), Tensor::of({1}, {0.5f})};
  const GradcheckResult alone = gradcheck(
      [&](std::span<const Variable> x) { return normalise(*part, x[0], {.parameters = x[1]}); },
      row, in_float);
  const Mechanism look(written, {kWidth, kWidth, kWidth}, random);
  const Shape shape = {1, 1, 5, kWidth};
  const std::vector<Tensor> inputs = {normal(shape, random), normal(shape, random),
                                      normal(shape, random)};
  const GradcheckResult whole = gradcheck(
      [&](std::span<const Variable> x) {
        return look.attend(x[0], look.memory(x[1], x[2])).context;
      },
      inputs, in_float);
  std::printf("gradients by finite differences: %s\n",
              alone.passed && whole.passed ? "agree" : (alone.where + whole.where).c_str());
  return alone.passed && whole.passed;
}

// Half of the queries have their key among six, and answer its value; the others have none, and
// answer 0. Gives the mean square error on new ones after training.
double error_after_training(const std::string& written) {
  Random random(2);
  Mechanism look(written, {kWidth, kWidth, 1}, random);
  training::Optimiser adam(nn::parameters(look), training::Adam{});
  double error = 0;
  for (int update = 0; update < 300; ++update) {
    const Tensor keys = normal({64, 1, 6, kWidth}, random);
    const Tensor values = normal({64, 1, 6, 1}, random, 2);
    const Tensor strangers = normal({32, 1, 1, kWidth}, random);
    const Variable query = concat({keys.slice(0, 0, 32).slice(2, 0, 1), strangers}, 0);
    const Variable answer =
        concat({values.slice(0, 0, 32).slice(2, 0, 1), Tensor::zeros({32, 1, 1, 1})}, 0);
    const Variable context = look.attend(query, look.memory(keys, values)).context;
    const Variable loss = mean(square(context - answer));
    error = update < 250 ? 0 : error + loss.item() / 50;
    backward(loss);
    adam.step({.learning_rate = 0.1});
  }
  return error;
}

}  // namespace

int main() {
  const std::string written = "scaled_dot | causal | quiet_softmax(nothing=1)";
  Random random(3);
  const Mechanism look(written, {kWidth, kWidth, kWidth}, random);
  const Tensor words = normal({1, 1, 5, kWidth}, random);
  const Attended found = look.attend(words, look.memory(words, words), {}, {.weights = true});
  std::printf("%s\n%s\n", look.written().c_str(),
              insight::heatmap(found.weights.value().reshape({5, 5})).c_str());

  const bool exact = gradients_hold(written);
  const double softmax = error_after_training("cosine(learnable=true) | full | softmax");
  const double quiet = error_after_training("cosine(learnable=true) | full | quiet_softmax");
  std::printf("answering 0 when no key fits: error %.3f with softmax, %.3f with quiet_softmax\n",
              softmax, quiet);
  return exact && quiet < softmax / 5 ? 0 : 1;
}
