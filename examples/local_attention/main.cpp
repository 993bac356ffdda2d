// SPDX-License-Identifier: Apache-2.0
// Luong's local attention: a window that walks along with the output, and one that learns its way.
#include <algorithm>
#include <cstdio>
#include <string>

#include "heed/attention/mechanism.h"
#include "heed/attention/positions.h"
#include "heed/autograd/ops.h"
#include "heed/insight/terminal/heatmap.h"
#include "heed/training/optimiser.h"

using namespace heed;
using namespace heed::attention;

namespace {

constexpr std::int64_t kLength = 10, kWidth = 16, kBatch = 16;
constexpr MechanismShape kShape = {kWidth, kWidth, 1};

// Luong's D is 2 here: a window of 2 D + 1 keys, and Gaussians of deviation D / 2.
constexpr std::int64_t kWindow = 5;
const std::string kWalking = "bilinear | local_m(half-width=2)";
const std::string kSteered = "bilinear + gaussian(width=2) | local_p(half-width=2)";
const std::string kWider = "bilinear + gaussian(width=6) | local_p(half-width=6)";

enum class Order { forwards, backwards };

struct Reading {
  double error = 0;  // mean square error on new inputs; always answering 0 has 1
  Tensor weights{};  // [Q,K]
};

// The task: write the input, numbers, in this order. Queries and keys know their positions only.
Reading learn(Mechanism& look, Order order) {
  Random random(1);
  training::Optimiser adam(nn::parameters(look), training::Adam{});
  const Variable places =
      sinusoidal_positions(kLength, kWidth).expand({kBatch, 1, kLength, kWidth});
  Reading reading;
  constexpr int kUpdates = 800, kMeasured = 100;  // the last ones
  for (int update = 0; update < kUpdates; ++update) {
    Tensor input({kBatch, 1, kLength, 1}), output(input.shape());
    fill_normal({input.mutable_data(), kBatch * kLength}, random);
    std::copy_n(input.data(), kBatch * kLength, output.mutable_data());
    for (std::int64_t b = 0; b < kBatch && order == Order::backwards; ++b) {
      std::reverse(output.mutable_data() + b * kLength, output.mutable_data() + (b + 1) * kLength);
    }
    const Attended found = look.attend(places, look.memory(places, input), {}, {.weights = true});
    const Variable loss = mean(square(found.context - output));
    if (update >= kUpdates - kMeasured) reading.error += loss.item() / kMeasured;
    reading.weights = found.weights.value().select(0, 0).select(0, 0);
    backward(loss);
    adam.step({.learning_rate = 0.02});
  }
  return reading;
}

Reading learn_walking(Order order) {
  Random random(2);
  Mechanism look(kWalking, kShape, random);
  return learn(look, order);
}

// A narrow window that is in the wrong place sees nothing that would move it: a wider one
// learns first, and hands its parameters on.
Reading learn_steered(Order order) {
  Random random(2);
  Mechanism wider(kWider, kShape, random), look(kSteered, kShape, random);
  learn(wider, order);
  nn::Parameters from = nn::parameters(wider), to = nn::parameters(look);
  for (std::size_t i = 0; i < to.size(); ++i) {
    to[i].variable.mutable_value().assign(from[i].variable.value());
  }
  return learn(look, order);
}

bool stays_in_its_window(const Tensor& weights) {
  for (std::int64_t query = 0; query < kLength; ++query) {
    const std::vector<Real> row = weights.select(0, query).values();
    if (kLength - std::ranges::count(row, Real{0}) > kWindow) return false;
  }
  return true;
}

}  // namespace

int main() {
  const Reading walked = learn_walking(Order::forwards), lost = learn_walking(Order::backwards);
  const Reading led = learn_steered(Order::forwards), turned = learn_steered(Order::backwards);
  std::printf("%-52s  forwards  backwards\n", "mean square error of writing the input");
  std::printf("%-52s  %8.3f  %9.3f\n", kWalking.c_str(), walked.error, lost.error);
  std::printf("%-52s  %8.3f  %9.3f\n\n", kSteered.c_str(), led.error, turned.error);
  const insight::HeatmapOptions options = {.screen = insight::screen_of(1)};
  std::printf("forwards, the window at the step:\n%s\n",
              insight::heatmap(walked.weights, options).c_str());
  std::printf("backwards, the window where the query wants it:\n%s",
              insight::heatmap(turned.weights, options).c_str());

  const bool local = stays_in_its_window(walked.weights) && stays_in_its_window(turned.weights);
  const bool learnt = walked.error < 0.05 && led.error < 0.05 && turned.error < 0.05;
  return local && learnt && lost.error > 0.5 ? 0 : 1;
}
