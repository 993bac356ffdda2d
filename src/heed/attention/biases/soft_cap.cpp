// SPDX-License-Identifier: Apache-2.0
// soft_cap: keeps scores between -cap and cap.
#include <vector>

#include "heed/attention/bias.h"
#include "heed/kernels/elementwise.h"

namespace heed::attention {
namespace {

// y = c tanh(s/c), ds = (1 - tanh²(s/c)) dy
class CapChange final : public ScoreChange {
 public:
  explicit CapChange(Real cap) : cap_(cap) {}
  void change(const ScoreTile& scores) const noexcept override {
    for (std::size_t r = 0; r < scores.rows; ++r) {
      Real* row = scores.row(r);
      bounded(row, row, scores.columns);
      for (std::size_t i = 0; i < scores.columns; ++i) row[i] *= cap_;
    }
  }
  void derivative(const ScoreTileBefore& before, Real* gradient, Real*) const noexcept override {
    thread_local std::vector<Real> t;
    t.resize(before.columns);
    for (std::size_t r = 0; r < before.rows; ++r, gradient += before.stride) {
      bounded(before.row(r), t.data(), before.columns);
      for (std::size_t i = 0; i < before.columns; ++i) gradient[i] *= 1 - t[i] * t[i];
    }
  }

 private:
  void bounded(const Real* s, Real* t, std::size_t n) const {
    for (std::size_t i = 0; i < n; ++i) t[i] = s[i] / cap_;
    kernels::tanh(t, t, n);
  }
  Real cap_;
};

struct SoftCap {
  double cap = 50;

  static Card card() {
    return {.name = "soft_cap",
            .summary = "Keeps scores between -cap and cap, small ones as they are.",
            .formula = "c tanh(s/c)",
            .source = "Bello et al. 2017; Gemma Team 2024",
            .examples = {"cap=1.5"}};
  }
  void declare(Options& options) { options.add("cap", cap, "c: no score goes beyond").above(0); }
  TileChange tile_change(const BiasCall&) const {
    return {std::make_shared<CapChange>(static_cast<Real>(cap))};
  }
};

const ListedBias<SoftCap> kListed;

}  // namespace
}  // namespace heed::attention
