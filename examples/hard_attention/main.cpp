// SPDX-License-Identifier: Apache-2.0
// Hard attention reads one key, drawn at random, and learns by REINFORCE; with a few keys the exact
// gradient of the expected loss is at hand to compare.
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "heed/attention/mechanism.h"
#include "heed/autograd/ops.h"
#include "heed/training/optimiser.h"

using namespace heed;
using namespace heed::attention;

namespace {

constexpr std::int64_t kCases = 32, kKeys = 5, kWidth = 4;
const std::string kSoft = "bilinear", kHard = "bilinear | full | sample";

// Each case asks for its first key in a language of its own: query = M key, M hidden. Reading that
// key costs 0, any other 1 to 3. The values are these losses, so that the context is the loss.
struct Cases {
  Tensor query{};  // [B,1,1,D]
  Tensor keys{{kCases, 1, kKeys, kWidth}};
  Tensor losses{{kCases, 1, kKeys, 1}};
};

Cases make_cases() {
  Random random(1);
  Cases cases;
  Tensor hidden({kWidth, kWidth});
  fill_normal({hidden.mutable_data(), kWidth * kWidth}, random);
  fill_normal({cases.keys.mutable_data(), kCases * kKeys * kWidth}, random);
  cases.keys = rms_norm(cases.keys, {}).value();  // of one length: none is louder than another
  cases.query = matmul(cases.keys.slice(2, 0, 1), hidden);
  fill_uniform({cases.losses.mutable_data(), kCases * kKeys}, random, Real{1}, Real{3});
  for (std::int64_t b = 0; b < kCases; ++b) cases.losses.mutable_data()[b * kKeys] = 0;
  return cases;
}

// Soft and hard ones start alike, from the only parameter, W of the score.
Mechanism start(const std::string& written) {
  Random random(2);
  return Mechanism(written, {kWidth, kWidth, 1}, random);
}
Variable weight_of(Mechanism& look) {
  return nn::parameters(look)[0].variable;
}

Attended read(const Mechanism& look, const Cases& cases, Random* noise = nullptr) {
  const Memory memory = look.memory(cases.keys, cases.losses);
  return look.attend(cases.query, memory, {}, {.weights = true, .noise = noise});
}

// One draw k per case. The gradient of the expected loss sum_k p_k L(k) is the expectation of
// (L(k) - baseline) d log p_k (Williams 1992); a bonus on the entropy keeps it exploring.
struct DrawOptions {
  Real baseline = 0;
  Real bonus = 0;
};
Variable reinforce_loss(const Attended& found, const DrawOptions& options) {
  const Variable losses = reshape(found.context, found.log_probability.shape());
  return mean((stop_gradient(losses) - options.baseline) * found.log_probability) -
         options.bonus * mean(found.entropy);
}

// How far the mean gradient of many draws is from the exact one, relative to its length.
double gradient_error(const Cases& cases, int draws, Real baseline) {
  Mechanism soft = start(kSoft), hard = start(kHard);
  backward(mean(read(soft, cases).context));
  Random noise(3);
  for (int i = 0; i < draws; ++i) {
    backward(reinforce_loss(read(hard, cases, &noise), {.baseline = baseline}));
  }
  const Variable exact = weight_of(soft).gradient(), total = weight_of(hard).gradient();
  const Real difference = sum(square(total / static_cast<Real>(draws) - exact)).item();
  return std::sqrt(difference / sum(square(exact)).item());
}

// What soft attention with the trained W reads.
Attended train(const Cases& cases, const std::string& written) {
  Mechanism look = start(written), soft = start(kSoft);
  training::Optimiser adam(nn::parameters(look), training::Adam{});
  Random noise(4);
  Real baseline = 0;  // a running mean of the losses
  for (int update = 0; update < 2000; ++update) {
    const Attended found = read(look, cases, &noise);
    const Variable loss = mean(found.context);
    const bool hard = written == kHard;
    backward(hard ? reinforce_loss(found, {.baseline = baseline, .bonus = Real(0.01)}) : loss);
    baseline += Real(0.05) * (loss.item() - baseline);
    adam.step({.learning_rate = 0.02});
  }
  weight_of(soft).mutable_value().assign(weight_of(look).value());
  return read(soft, cases);
}

}  // namespace

int main() {
  const Cases cases = make_cases();
  const Real before = mean(read(start(kSoft), cases).context).item();
  std::printf("how far the REINFORCE gradient is from the exact one\n");
  std::printf("draws per case  no baseline  baseline: the expected loss\n");
  std::vector<double> plain, based;
  for (const int draws : {10, 100, 1000, 10000}) {
    plain.push_back(gradient_error(cases, draws, 0));
    based.push_back(gradient_error(cases, draws, before));
    std::printf("%14d  %11.3f  %27.3f\n", draws, plain.back(), based.back());
  }
  const Attended exact = train(cases, kSoft), drawn = train(cases, kHard);
  const Real loss = mean(exact.context).item(), drawn_loss = mean(drawn.context).item();
  std::printf("\nexpected loss: %.3f at first, %.3f trained exactly, %.3f by REINFORCE\n", before,
              loss, drawn_loss);
  const auto best = [](const Attended& found) {
    return maximum(found.weights.value(), -1).indices.values();
  };
  const bool alike = best(exact) == best(drawn);
  std::printf("their likeliest keys: %s\n", alike ? "the same in every case" : "differ");
  return alike && drawn_loss < before / 10 && plain.back() < plain.front() / 10 &&
                 based.back() < based.front() / 10 && based.back() < plain.back()
             ? 0
             : 1;
}
