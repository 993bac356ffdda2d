// SPDX-License-Identifier: Apache-2.0
// shift: weights move along the keys, round the end; how far is a distribution.
#include <algorithm>
#include <cmath>
#include <vector>

#include "heed/attention/addressing.h"
#include "heed/attention/addressing/allowed_rows.h"
#include "heed/attention/compose/query_or.h"
#include "heed/autograd/ops.h"
#include "heed/base/error.h"
#include "heed/base/text.h"

namespace heed::attention {
namespace {

// Of n keys the one `by` after `key`, round the end.
std::size_t moved(std::size_t key, std::int64_t by, std::size_t n) {
  const auto count = static_cast<std::int64_t>(n);
  return static_cast<std::size_t>(((static_cast<std::int64_t>(key) + by) % count + count) % count);
}

// y_i = Σ_o s_o w_(i-o) over the allowed keys, o from -R to R: s of +1 moves the focus to the next
// key (released code that correlates instead of convolving moves it the other way).
// dw_j = Σ_o s_o dy_(j+o), ds_o = Σ_i dy_i w_(i-o). weights [B,H,Q,K], shares [B,H,Q,2R+1]
Variable shifted(const Variable& weights, const Variable& shares,
                 const std::shared_ptr<const BoundPattern>& pattern) {
  const Tensor w = weights.value().packed();
  const Tensor s = shares.value().packed();
  const std::int64_t count = w.size(3);
  const std::int64_t width = s.size(3);
  const std::int64_t range = width / 2;
  Tensor y = Tensor::zeros(w.shape());
  Real* out = y.mutable_data();
  for_allowed_rows(pattern.get(), w.shape(), [&](std::int64_t row, auto keys) {
    for (std::int64_t o = 0; o < width; ++o) {
      const Real share = s.data()[row * width + o];
      for (std::size_t j = 0; j < keys.size(); ++j) {
        const std::int32_t to = keys[moved(j, o - range, keys.size())];
        out[row * count + to] += share * w.data()[row * count + keys[j]];
      }
    }
  });
  return record("shift", y, {weights, shares}, [=](const Tensor& dy) -> Gradients {
    const Tensor upstream = dy.packed();
    Tensor d_weights = Tensor::zeros(w.shape()), d_shares = Tensor::zeros(s.shape());
    Real* dw = d_weights.mutable_data();
    Real* ds = d_shares.mutable_data();
    for_allowed_rows(pattern.get(), w.shape(), [&](std::int64_t row, auto keys) {
      for (std::int64_t o = 0; o < width; ++o) {
        const Real share = s.data()[row * width + o];
        double sum = 0;
        for (std::size_t j = 0; j < keys.size(); ++j) {
          const Real from_above =
              upstream.data()[row * count + keys[moved(j, o - range, keys.size())]];
          dw[row * count + keys[j]] += share * from_above;
          sum += static_cast<double>(from_above) * w.data()[row * count + keys[j]];
        }
        ds[row * width + o] = static_cast<Real>(sum);
      }
    });
    return {d_weights, d_shares};
  });
}

struct Shift {
  std::int64_t range = 1;
  std::vector<std::string> shares;
  QueryControl control;       // of 2R+1 numbers
  std::vector<double> fixed;  // the shares as numbers

  static Card card() {
    return {
        .name = "shift",
        .summary = "The weights move on by -R to R keys, round the end, as far as the shares say.",
        .formula =
            "Σ_o s_o w_(j-o), o = -R … R, j - o among the allowed keys, round the end; "
            "s = softmax(W q + b)",
        .source = "Graves et al. 2014",
        .examples = {"range=2", "shares=[0, 0.25, 0.75]"}};
  }
  void declare(Options& options) {
    options.add("range", range, "R: the most keys that weights move by").range(0, 1 << 16);
    options.add("shares", shares,
                "s as it always is, from -R to R, adding up to 1; none: the query says");
  }
  void build(const AddressingShape& shape, Random& random) {
    if (shares.empty()) {
      control.build(2 * range + 1, shape.query_width, shape.heads, random);
      return;
    }
    if (shares.size() % 2 == 0) {
      throw UsageError("shift: {} shares; it takes 2R+1 of them, that of staying in the middle",
                       shares.size());
    }
    fixed.clear();
    double sum = 0;
    for (const std::string& share : shares) {
      fixed.push_back(parse_number(share, "shift: a share"));
      sum += fixed.back();
    }
    if (std::ranges::any_of(fixed, [](double share) { return share < 0; }) ||
        std::abs(sum - 1) > 1e-6) {
      throw UsageError("shift: shares {} add up to {:.6g}; they are not negative and add up to 1",
                       join(shares, ", "), sum);
    }
  }
  void visit(nn::ParameterVisitor& visitor) { visitor("shares", control); }
  Variable address(const Variable& weights, const AddressingCall& call) const {
    if (fixed.empty()) return shifted(weights, softmax(control(call.query)), call.pattern);
    Tensor alike(Shape{static_cast<std::int64_t>(fixed.size())});
    for (std::size_t o = 0; o < fixed.size(); ++o) {
      alike.mutable_data()[o] = static_cast<Real>(fixed[o]);
    }
    return shifted(weights, Variable(alike.expand(weights.shape().with(3, alike.size()))),
                   call.pattern);
  }
};

const ListedAddressing<Shift> kListed;

}  // namespace
}  // namespace heed::attention
