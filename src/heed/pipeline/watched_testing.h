// SPDX-License-Identifier: Apache-2.0
// Watched data without a model: one attention of two heads, whose loss is what the first one lacks.
#pragma once

#include <vector>

#include "heed/attention/observer.h"
#include "heed/pipeline/watched.h"

namespace heed::pipeline::testing {

// Each example has two tokens that both heads look at alike; the loss is 1 - the first head's
// weights on both, so that it is 0 as it is, and the second head is worth nothing.
class OneUsefulHead final : public Watched {
 public:
  explicit OneUsefulHead(std::size_t examples) : examples_(examples) {}

  static attention::Site site() {
    return {.role = attention::Role::self, .set = "self", .queries = "text", .keys = "text"};
  }
  std::size_t size() const override { return examples_; }
  std::string unit() const override { return "texts"; }
  std::vector<insight::TokenStrip> strips(std::size_t) const override {
    return {{.name = "text", .tokens = {"one", "two"}, .words = {0, 1}}};
  }
  nn::Parameters parameters() const override { return {}; }
  WatchedRun run(std::span<const std::size_t> examples, const models::Call& call) const override {
    const auto rows = static_cast<std::int64_t>(examples.size());
    const Tensor even = Tensor::full({rows, 2, 2, 2}, Real(.5));
    Variable weights(even);
    const attention::Site here = site();
    if (call.watch != nullptr && call.watch->wants_weights(here)) {
      const Variable values(Tensor::zeros({rows, 2, 2, 1}));
      weights = call.watch->weights({here, 0, 0, 0, weights, weights, values, even});
    }
    if (call.watch != nullptr) {
      call.watch->attended({.site = here, .weights = weights.value()});
    }
    const Variable first = select(select(weights, 1, 0), 1, 0);  // [B,K] of its first query
    WatchedRun found{.losses = Real{1} - sum(first, 1),
                     .units = std::vector<double>(examples.size(), 1)};
    for (std::int64_t b = 0; b < rows; ++b) {
      found.right.push_back(found.losses.value().at({b}) < Real(.5) ? 1 : 0);
    }
    return found;
  }

 private:
  std::size_t examples_;
};

}  // namespace heed::pipeline::testing
