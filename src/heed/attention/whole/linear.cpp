// SPDX-License-Identifier: Apache-2.0
// Linear attention: a feature map of query and key in place of the exponential, so that sums over
// keys serve all queries, and a decoder keeps one matrix instead of its past.
//
// Values get one more column of ones: with v' = (v, 1), S = sum_j phi(k_j) v'_j^T [D,Dv+1] and
// y = phi(q)^T S, the context is y without its last entry, divided by it.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <vector>

#include "heed/attention/whole.h"
#include "heed/base/error.h"
#include "heed/base/threads.h"

namespace heed::attention {
namespace {

enum class Feature { elu, relu };

// phi is never negative, so the weights are a distribution.
Real feature_of(Feature feature, Real x) {
  if (feature == Feature::relu) return std::max(x, Real{0});
  return x > 0 ? x + 1 : std::exp(x);
}
Real slope_of(Feature feature, Real x) {
  if (x > 0) return 1;
  return feature == Feature::relu ? Real{0} : std::exp(x);
}

struct Sizes {
  Sizes(const Tensor& query, const Tensor& keys, const Tensor& values)
      : batch(query.size(0)),
        heads(query.size(1)),
        queries(query.size(2)),
        key_heads(keys.size(1)),
        keys(keys.size(2)),
        width(keys.size(3)),
        columns(values.size(3)) {}
  std::int64_t group() const { return heads / key_heads; }
  std::int64_t sums() const { return width * (columns + 1); }
  std::int64_t batch, heads, queries, key_heads, keys, width, columns;
};

// One call's tensors, contiguous; kept for backward.
struct LinearOperands {
  Feature feature;
  Sizes sizes;
  Tensor query, keys, values;
  Tensor before;  // [B,G,D,Dv+1], or not defined
  std::vector<std::int64_t> visible;

  const Real* key(std::int64_t pair, std::int64_t j) const {
    return keys.data() + (pair * sizes.keys + j) * sizes.width;
  }
  const Real* value(std::int64_t pair, std::int64_t j) const {
    return values.data() + (pair * sizes.keys + j) * sizes.columns;
  }
  // The row of query q of the h-th head that shares key head `pair` = b G + g.
  std::int64_t row(std::int64_t pair, std::int64_t h, std::int64_t q) const {
    return (pair * sizes.group() + h) * sizes.queries + q;
  }
  // Queries of a sequence that see a key, by the number of keys they see.
  std::vector<std::int64_t> in_order(std::int64_t b) const {
    std::vector<std::int64_t> order;
    for (std::int64_t q = 0; q < sizes.queries; ++q) {
      if (seen(b, q) >= 0) order.push_back(q);
    }
    std::ranges::stable_sort(order, {}, [&](std::int64_t q) { return seen(b, q); });
    return order;
  }
  std::int64_t seen(std::int64_t b, std::int64_t q) const {
    return visible[static_cast<std::size_t>(b * sizes.queries + q)];
  }
};

// S of one key head as keys are added to it.
class Sums {
 public:
  Sums(const LinearOperands& of, std::int64_t pair)
      : of_(of), pair_(pair), values_(static_cast<std::size_t>(of.sizes.sums()), 0) {
    if (of.before.defined()) {
      std::copy_n(of.before.data() + pair * of.sizes.sums(), of.sizes.sums(), values_.begin());
    }
  }
  // Adds keys until `count` are in.
  void reach(std::int64_t count) {
    const std::int64_t columns = of_.sizes.columns;
    for (; next_ < count; ++next_) {
      const Real* const key = of_.key(pair_, next_);
      const Real* const value = of_.value(pair_, next_);
      for (std::int64_t d = 0; d < of_.sizes.width; ++d) {
        const Real f = feature_of(of_.feature, key[d]);
        Real* const row = values_.data() + d * (columns + 1);
        for (std::int64_t e = 0; e < columns; ++e) row[e] += f * value[e];
        row[columns] += f;
      }
    }
  }
  std::span<const Real> values() const { return values_; }

 private:
  const LinearOperands& of_;
  std::int64_t pair_;
  std::int64_t next_ = 0;
  std::vector<Real> values_;
};

// Calls body(pair, b) for each key head b G + g.
template <typename Body>
void for_each_pair(const Sizes& sizes, const Body& body) {
  parallel_for(static_cast<std::size_t>(sizes.batch * sizes.key_heads), 1,
               [&](std::size_t begin, std::size_t end) {
                 for (auto pair = static_cast<std::int64_t>(begin);
                      pair < static_cast<std::int64_t>(end); ++pair) {
                   body(pair, pair / sizes.key_heads);
                 }
               });
}

// y = phi(q)^T S
void read_sums(const LinearOperands& of, const Real* query, std::span<const Real> sums,
               std::vector<Real>& y) {
  const std::int64_t columns = of.sizes.columns + 1;
  y.assign(static_cast<std::size_t>(columns), 0);
  for (std::int64_t d = 0; d < of.sizes.width; ++d) {
    const Real f = feature_of(of.feature, query[d]);
    const Real* const row = sums.data() + d * columns;
    for (std::int64_t e = 0; e < columns; ++e) y[static_cast<std::size_t>(e)] += f * row[e];
  }
}

Tensor context_of(const LinearOperands& of) {
  const Sizes& sizes = of.sizes;
  Tensor context = Tensor::zeros({sizes.batch, sizes.heads, sizes.queries, sizes.columns});
  Real* const out = context.mutable_data();
  for_each_pair(sizes, [&](std::int64_t pair, std::int64_t b) {
    Sums sums(of, pair);
    std::vector<Real> y;
    for (const std::int64_t q : of.in_order(b)) {
      sums.reach(of.seen(b, q));
      for (std::int64_t h = 0; h < sizes.group(); ++h) {
        const std::int64_t row = of.row(pair, h, q);
        read_sums(of, of.query.data() + row * sizes.width, sums.values(), y);
        // Features that all vanish see nothing.
        for (std::int64_t e = 0; e < sizes.columns && y.back() != 0; ++e) {
          out[row * sizes.columns + e] = y[static_cast<std::size_t>(e)] / y.back();
        }
      }
    }
  });
  return context;
}

// What belongs to phi(k_j) and v_j, given R [D,Dv+1], the gradient of the sum that they are in.
void key_gradient(const LinearOperands& of, std::int64_t pair, std::int64_t j,
                  std::span<const Real> r, Real* d_key, Real* d_value) {
  const std::int64_t columns = of.sizes.columns;
  const Real* const key = of.key(pair, j);
  const Real* const value = of.value(pair, j);
  for (std::int64_t d = 0; d < of.sizes.width; ++d) {
    const Real f = feature_of(of.feature, key[d]);
    const Real* const row = r.data() + d * (columns + 1);
    Real sum = row[columns];
    for (std::int64_t e = 0; e < columns; ++e) {
      sum += row[e] * value[e];
      d_value[e] += f * row[e];
    }
    d_key[d] = sum * slope_of(of.feature, key[d]);
  }
}

// With dy = (dc, -<c, dc>) / y_last: d phi(q) = S dy, and R += phi(q) dy^T for every key it sees.
Gradients context_gradients(const LinearOperands& of, const Tensor& context, const Tensor& dc) {
  const Sizes& sizes = of.sizes;
  Tensor d_query = Tensor::zeros(of.query.shape()), d_keys = Tensor::zeros(of.keys.shape());
  Tensor d_values = Tensor::zeros(of.values.shape());
  Tensor d_before = of.before.defined() ? Tensor::zeros(of.before.shape()) : Tensor();
  Real* const dq = d_query.mutable_data();
  Real* const dk = d_keys.mutable_data();
  Real* const dv = d_values.mutable_data();
  Real* const ds = d_before.mutable_data();
  const std::int64_t columns = sizes.columns + 1;
  for_each_pair(sizes, [&](std::int64_t pair, std::int64_t b) {
    const std::vector<std::int64_t> order = of.in_order(b);
    std::vector<Real> y;
    // dy of each head and query, kept for the way back over the keys.
    std::vector<Real> dys(static_cast<std::size_t>(sizes.group() * sizes.queries * columns), 0);
    const auto dy_of = [&](std::int64_t h, std::int64_t q) {
      return dys.data() + (h * sizes.queries + q) * columns;
    };
    Sums sums(of, pair);
    for (const std::int64_t q : order) {
      sums.reach(of.seen(b, q));
      for (std::int64_t h = 0; h < sizes.group(); ++h) {
        const std::int64_t row = of.row(pair, h, q);
        const Real* const query = of.query.data() + row * sizes.width;
        read_sums(of, query, sums.values(), y);
        if (y.back() == 0) continue;
        Real* const dy = dy_of(h, q);
        for (std::int64_t e = 0; e < sizes.columns; ++e) {
          const Real slope = dc.data()[row * sizes.columns + e] / y.back();
          dy[e] = slope;
          dy[sizes.columns] -= context.data()[row * sizes.columns + e] * slope;
        }
        for (std::int64_t d = 0; d < sizes.width; ++d) {
          const Real sum =
              std::inner_product(dy, dy + columns, sums.values().data() + d * columns, Real{0});
          dq[row * sizes.width + d] = sum * slope_of(of.feature, query[d]);
        }
      }
    }
    std::vector<Real> r(static_cast<std::size_t>(sizes.sums()), 0);
    auto last = order.rbegin();
    const auto take_queries_beyond = [&](std::int64_t j) {
      for (; last != order.rend() && of.seen(b, *last) > j; ++last) {
        for (std::int64_t h = 0; h < sizes.group(); ++h) {
          const Real* const query = of.query.data() + of.row(pair, h, *last) * sizes.width;
          const Real* const dy = dy_of(h, *last);
          for (std::int64_t d = 0; d < sizes.width; ++d) {
            const Real f = feature_of(of.feature, query[d]);
            Real* const row = r.data() + d * columns;
            for (std::int64_t e = 0; e < columns; ++e) row[e] += f * dy[e];
          }
        }
      }
    };
    const std::int64_t most = order.empty() ? 0 : of.seen(b, order.back());
    for (std::int64_t j = most; j-- > 0;) {
      take_queries_beyond(j);
      key_gradient(of, pair, j, r, dk + (pair * sizes.keys + j) * sizes.width,
                   dv + (pair * sizes.keys + j) * sizes.columns);
    }
    take_queries_beyond(-1);
    if (ds != nullptr) std::ranges::copy(r, ds + pair * sizes.sums());
  });
  return {d_query, d_keys, d_values, d_before.defined() ? Gradient(d_before) : Gradient()};
}

struct Linear {
  Feature feature = Feature::elu;

  static Card card() {
    return {.name = "linear",
            .summary =
                "Sums over keys serve all queries: time and memory grow with the length, and a "
                "decoder keeps one matrix instead of its past.",
            .formula = "φ(q)ᵀ Σ_j φ(k_j) v_jᵀ / φ(q)ᵀ Σ_j φ(k_j), φ(x) = elu(x) + 1 or relu(x)",
            .source = "Katharopoulos et al. 2020",
            .examples = {"feature=relu"}};
  }
  void declare(Options& options) {
    options.add("feature", feature, {"elu", "relu"}, "φ: elu(x) + 1, or relu(x)");
  }
  void build(const MechanismShape& shape, Random&) const {
    if (shape.query_width == shape.key_width) return;
    throw UsageError("linear: queries of width {} and keys of width {}; their widths must be equal",
                     shape.query_width, shape.key_width);
  }

  Variable context(const WholeCall& call) const {
    const auto of = operands(call);
    const Tensor context = context_of(*of);
    return record("linear_attention", context,
                  {call.query, call.memory.keys, call.memory.values, call.memory.sums},
                  [of, context](const Tensor& dc) -> Gradients {
                    return context_gradients(*of, context, dc.packed());
                  });
  }

  // w_j = phi(q).phi(k_j) / sum over what the query sees
  Variable weights(const WholeCall& call) const {
    const auto of = operands(call);
    const Sizes sizes = of->sizes;
    Tensor weights = Tensor::zeros({sizes.batch, sizes.heads, sizes.queries, sizes.keys});
    Tensor totals = Tensor::zeros({sizes.batch, sizes.heads, sizes.queries});
    Real* const out = weights.mutable_data();
    Real* const total = totals.mutable_data();
    each_row(*of, [&](std::int64_t pair, std::int64_t row, std::int64_t seen) {
      const Real* const query = of->query.data() + row * sizes.width;
      Real* const w = out + row * sizes.keys;
      for (std::int64_t j = 0; j < seen; ++j) total[row] += w[j] = product(*of, pair, query, j);
      for (std::int64_t j = 0; j < seen && total[row] != 0; ++j) w[j] /= total[row];
    });
    return record("linear_weights", weights, {call.query, call.memory.keys},
                  [of, weights, totals](const Tensor& dw) -> Gradients {
                    return weights_gradients(*of, weights, totals, dw.packed());
                  });
  }

  Variable sums(const WholeMemory& memory, const std::vector<std::int64_t>& count) const {
    // One query per sequence that sees `count` keys says how far to add.
    const Variable none = Tensor::zeros({memory.keys.size(0), memory.keys.size(1), 1, 1});
    const auto of = operands({none, memory, count});
    const Sizes sizes = of->sizes;
    Tensor all({sizes.batch, sizes.key_heads, sizes.width, sizes.columns + 1});
    Real* const out = all.mutable_data();
    for_each_pair(sizes, [&](std::int64_t pair, std::int64_t b) {
      Sums sums(*of, pair);
      sums.reach(of->seen(b, 0));
      std::ranges::copy(sums.values(), out + pair * sizes.sums());
    });
    return record(
        "linear_sums", all, {memory.keys, memory.values, memory.sums},
        [of](const Tensor& dy) -> Gradients {
          const Sizes& sizes = of->sizes;
          const Tensor r = dy.packed();
          Tensor d_keys = Tensor::zeros(of->keys.shape());
          Tensor d_values = Tensor::zeros(of->values.shape());
          Real* const dk = d_keys.mutable_data();
          Real* const dv = d_values.mutable_data();
          for_each_pair(sizes, [&](std::int64_t pair, std::int64_t b) {
            for (std::int64_t j = 0; j < of->seen(b, 0); ++j) {
              key_gradient(*of, pair, j,
                           {r.data() + pair * sizes.sums(), static_cast<std::size_t>(sizes.sums())},
                           dk + (pair * sizes.keys + j) * sizes.width,
                           dv + (pair * sizes.keys + j) * sizes.columns);
            }
          });
          return {d_keys, d_values, of->before.defined() ? Gradient(r) : Gradient()};
        });
  }

 private:
  std::shared_ptr<const LinearOperands> operands(const WholeCall& call) const {
    const WholeMemory& memory = call.memory;
    return std::make_shared<LinearOperands>(LinearOperands{
        .feature = feature,
        .sizes = Sizes(call.query.value(), memory.keys.value(), memory.values.value()),
        .query = call.query.value().packed(),
        .keys = memory.keys.value().packed(),
        .values = memory.values.value().packed(),
        .before = memory.sums.value().packed(),
        .visible = call.visible});
  }
  static Real product(const LinearOperands& of, std::int64_t pair, const Real* query,
                      std::int64_t j) {
    const Real* const key = of.key(pair, j);
    Real sum = 0;
    for (std::int64_t d = 0; d < of.sizes.width; ++d) {
      sum += feature_of(of.feature, query[d]) * feature_of(of.feature, key[d]);
    }
    return sum;
  }
  // Calls body(pair, row, keys that are seen) for every query that sees a key.
  template <typename Body>
  static void each_row(const LinearOperands& of, const Body& body) {
    for_each_pair(of.sizes, [&](std::int64_t pair, std::int64_t b) {
      for (const std::int64_t q : of.in_order(b)) {
        for (std::int64_t h = 0; h < of.sizes.group(); ++h) {
          body(pair, of.row(pair, h, q), of.seen(b, q));
        }
      }
    });
  }
  // d product_j = (dw_j - <w, dw>) / total
  static Gradients weights_gradients(const LinearOperands& of, const Tensor& weights,
                                     const Tensor& totals, const Tensor& dw) {
    const Sizes& sizes = of.sizes;
    Tensor d_query = Tensor::zeros(of.query.shape()), d_keys = Tensor::zeros(of.keys.shape());
    Real* const dq = d_query.mutable_data();
    Real* const dk = d_keys.mutable_data();
    each_row(of, [&](std::int64_t pair, std::int64_t row, std::int64_t seen) {
      const Real total = totals.data()[row];
      if (total == 0) return;
      const Real* const w = weights.data() + row * sizes.keys;
      const Real* const g = dw.data() + row * sizes.keys;
      const Real* const query = of.query.data() + row * sizes.width;
      const Real inner = std::inner_product(w, w + seen, g, Real{0});
      for (std::int64_t j = 0; j < seen; ++j) {
        const Real slope = (g[j] - inner) / total;
        const Real* const key = of.key(pair, j);
        for (std::int64_t d = 0; d < sizes.width; ++d) {
          dq[row * sizes.width + d] +=
              slope * feature_of(of.feature, key[d]) * slope_of(of.feature, query[d]);
          dk[(pair * sizes.keys + j) * sizes.width + d] +=
              slope * feature_of(of.feature, query[d]) * slope_of(of.feature, key[d]);
        }
      }
    });
    return {d_query, d_keys};
  }
};

const ListedWhole<Linear> kListed;

}  // namespace
}  // namespace heed::attention
