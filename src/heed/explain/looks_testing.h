// SPDX-License-Identifier: Apache-2.0
// Numbers with known looks, for explainers that follow attention.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "heed/explain/explainer.h"
#include "heed/explain/looks.h"
#include "heed/explain/subject.h"

namespace heed::explain {

// A number with these looks.
class Looked final : public Subject {
 public:
  explicit Looked(Looks looks) : looks_(std::move(looks)) {}
  std::size_t size() const override { return looks_.size; }
  std::vector<double> outputs(std::span<const Kept> copies, Removal) const override {
    return std::vector<double>(copies.size(), 0);
  }
  bool attends() const override { return true; }
  std::vector<double> attention() const override { return by_word(looks_, read_at(looks_)); }
  bool has_looks() const override { return true; }
  Looks looks() const override { return looks_; }

 private:
  Looks looks_;
};

inline Explanation explained(const std::string& written, const Looks& looks) {
  return make_explainer(written)->explain(Looked(looks));
}

inline void expect_shares(const std::string& written, const Looks& looks,
                          const std::vector<double>& wanted) {
  const std::vector<double> found = explained(written, looks).shares;
  ASSERT_EQ(found.size(), wanted.size()) << written;
  for (std::size_t t = 0; t < found.size(); ++t) EXPECT_NEAR(found[t], wanted[t], 1e-6) << written;
}

// The two layers of two tokens that specifications of rollout and flow calculate with; the number
// is read at one of them.
inline Looks two_tokens(std::size_t read) {
  Looks looks{.words = {0, 1}, .size = 2};
  looks.layers = {{.weights = Tensor::of({1, 2, 2}, {.5, .5, 0, 1})},
                  {.weights = Tensor::of({1, 2, 2}, {1, 0, .5, .5})}};
  looks.readout = {read == 0 ? 1. : 0., read == 1 ? 1. : 0.};
  return looks;
}

}  // namespace heed::explain
