// SPDX-License-Identifier: Apache-2.0
// A model of one's own in the hands of Heed's trainer: attention learns to point at the largest of
// some numbers. Run it again with more updates, and it resumes where it stopped.
#include <cstdio>

#include "heed/attention/mechanism.h"
#include "heed/autograd/ops.h"
#include "heed/nn/feed_forward.h"
#include "heed/nn/initialisers.h"
#include "heed/training/trainer.h"

using namespace heed;

constexpr std::int64_t kBatch = 64, kNumbers = 10, kWidth = 16;

struct Pointer {
  Random random{1};
  nn::Linear see{1, kWidth, random};
  Variable question = nn::parameter(nn::normal({1, 1, 1, kWidth}, random));
  attention::Mechanism look{"additive", {kWidth, kWidth, kWidth}, random};

  // numbers [B,K] -> weights [B,K]
  Variable operator()(const Tensor& numbers) const {
    const Variable seen = see(numbers.reshape({numbers.size(0), 1, kNumbers, 1}), Activation::tanh);
    const Variable query = expand(question, {numbers.size(0), 1, 1, kWidth});
    const auto found = look.attend(query, look.memory(seen, seen), {}, {.weights = true});
    return reshape(found.weights, {numbers.size(0), kNumbers});
  }
  void visit(nn::ParameterVisitor& visitor) {
    visitor("see", see);
    visitor("question", question);
    visitor("look", look);
  }
};

int main() {
  Pointer model;
  Random data(2);
  const auto draw = [&data] {
    Tensor numbers({kBatch, kNumbers});
    fill_uniform(std::span(numbers.mutable_data(), kBatch * kNumbers), data);
    return numbers;
  };
  const training::Task task{
      .parameters = nn::parameters(model),
      .next_batch_loss =
          [&](Random&) {
            const Tensor numbers = draw();
            const Variable surprise =
                cross_entropy(log(model(numbers) + Real(1e-9)), maximum(numbers, -1).indices,
                              {.reduction = Reduction::sum});
            return training::BatchLoss{.loss = surprise, .weight = kBatch, .words = kBatch};
          },
      .position = [&] { return std::to_string(data.position()); },
      .seek = [&](const std::string& place) { data.seek(std::stoull(place)); }};
  training::TrainerOptions options;
  options.max_updates = 600;
  options.schedule = {.decay = training::Decay::constant, .peak = .01};
  training::train(task, options, {.folder = "pointer", .print = [](std::string_view) {}});

  const Tensor numbers = draw();
  const Ids right = maximum(numbers, -1).indices;
  const Ids found = maximum(model(numbers).value(), -1).indices;
  int same = 0;
  for (std::int64_t i = 0; i < kBatch; ++i) same += right.at({i}) == found.at({i}) ? 1 : 0;
  std::printf("attention points at the largest of %d numbers in %d of %d cases\n",
              static_cast<int>(kNumbers), same, static_cast<int>(kBatch));
  return same >= 56 ? 0 : 1;
}
