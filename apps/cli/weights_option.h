// SPDX-License-Identifier: Apache-2.0
// What the verbs that use a model share: --weights, the form in which its weights are multiplied.
#pragma once

#include <memory>
#include <utility>

#include "heed/base/options.h"
#include "heed/tensor/packed_weights.h"

namespace heed::cli {

struct WeightsOption {
  WeightForm form = WeightForm::f32;

  void declare(Options& list) {
    list.add("weights", form, weight_form_names(),
             "in what form weights are multiplied: as they are; as bfloat16, half as large; as "
             "whole numbers of 8 bits with a scale for each row, a quarter (heed compare --weights "
             "says what that costs)");
  }
};

// While it lives, what this thread computes goes by weights in this form.
class WeightsInForm {
 public:
  explicit WeightsInForm(const WeightsOption& option) {
    if (option.form == WeightForm::f32) return;
    kept_ = std::make_unique<PackedWeights>(option.form);
    scope_ = std::make_unique<PackedWeights::Scope>(*kept_);
  }

 private:
  std::unique_ptr<PackedWeights> kept_{};
  std::unique_ptr<PackedWeights::Scope> scope_{};
};

}  // namespace heed::cli
