// SPDX-License-Identifier: Apache-2.0
// Subjects whose every number is known: a sum over words, and a curved function of a sum.
#pragma once

#include <cmath>
#include <span>
#include <string>
#include <vector>

#include "heed/explain/explainer.h"
#include "heed/explain/subject.h"

namespace heed::explain {

// y = b + sum over words of v_t, bent where `curve` is not 0: y = b + s + curve s² + curve v_0 v_1.
// A word that is taken away has v = 0, whatever the way.
class SumSubject : public Subject {
 public:
  explicit SumSubject(std::vector<double> values, double curve = 0, double constant = .3)
      : values_(std::move(values)), curve_(curve), constant_(constant) {}

  std::size_t size() const override { return values_.size(); }
  std::vector<double> outputs(std::span<const Kept> copies, Removal) const override {
    std::vector<double> found;
    for (const Kept& kept : copies) {
      std::vector<double> factors;
      for (const bool there : kept) factors.push_back(there ? 1 : 0);
      found.push_back(output_at(factors));
    }
    return found;
  }
  bool has_gradients() const override { return true; }
  std::vector<std::vector<double>> factor_gradients(
      std::span<const std::vector<double>> factors) const override {
    std::vector<std::vector<double>> all;
    for (const std::vector<double>& at : factors) {
      std::vector<double>& mine = all.emplace_back();
      for (std::size_t t = 0; t < size(); ++t) {
        mine.push_back(values_[t] * (1 + 2 * curve_ * sum(at)));
        if (size() > 1 && t < 2) mine[t] += curve_ * values_[0] * values_[1] * at[1 - t];
      }
    }
    return all;
  }
  double output_at(std::span<const double> factors) const {
    const double all = sum(factors);
    double found = constant_ + all + curve_ * all * all;
    if (size() > 1) found += curve_ * values_[0] * values_[1] * factors[0] * factors[1];
    return found;
  }

 private:
  double sum(std::span<const double> factors) const {
    double sum = 0;
    for (std::size_t t = 0; t < size(); ++t) sum += factors[t] * values_[t];
    return sum;
  }

  std::vector<double> values_;
  double curve_;
  double constant_;
};

// The same with attention, which has its share of each word's value.
class AttendingSubject final : public SumSubject {
 public:
  using SumSubject::SumSubject;
  bool attends() const override { return true; }
  std::vector<double> attention() const override {
    return std::vector<double>(size(), 1 / static_cast<double>(size()));
  }
  bool has_attention_gradients() const override { return true; }
  std::vector<double> attention_gradients() const override {
    std::vector<double> found;
    for (std::size_t t = 0; t < size(); ++t) found.push_back(static_cast<double>(t));
    return found;
  }
};

inline std::vector<double> shares(const std::string& written, const Subject& subject) {
  return make_explainer(written)->explain(subject).shares;
}

}  // namespace heed::explain
