// SPDX-License-Identifier: Apache-2.0
// transformer_xl: sinusoids of the distance, and what a key and a distance are worth to any query.
#include <cmath>
#include <complex>

#include "heed/attention/bias.h"
#include "heed/attention/biases/relative.h"
#include "heed/attention/compose/head_weights.h"
#include "heed/attention/compose/products.h"
#include "heed/autograd/ops.h"
#include "heed/base/error.h"
#include "heed/nn/initialisers.h"

namespace heed::attention {
namespace {

// Row n: sin and cos of (first - n) / 10000^(2i/D), the sines first.
Tensor sinusoids(std::int64_t first, std::int64_t rows, std::int64_t width) {
  Tensor r({rows, width});
  Real* out = r.mutable_data();
  const std::int64_t half = (width + 1) / 2;
  for (std::int64_t n = 0; n < rows; ++n) {
    for (std::int64_t i = 0; i < width; ++i) {
      const double rate =
          std::pow(10000.0, -2 * static_cast<double>(i % half) / static_cast<double>(width));
      const double angle = static_cast<double>(first - n) * rate;
      *out++ = static_cast<Real>(i < half ? std::sin(angle) : std::cos(angle));
    }
  }
  return r;
}

// sin and cos of n / 10000^(2i/D) for n from `first` on, [rows, (D + 1) / 2] each.
struct Waves {
  Tensor sines, cosines;

  Waves(std::int64_t first, std::int64_t rows, std::int64_t width)
      : sines({rows, (width + 1) / 2}), cosines({rows, (width + 1) / 2}) {
    const std::int64_t half = (width + 1) / 2;
    for (std::int64_t i = 0; i < half; ++i) {
      const double rate =
          std::pow(10000.0, -2 * static_cast<double>(i) / static_cast<double>(width));
      const std::complex<double> turn = std::polar(1.0, rate);
      // Turned from place to place: a table for 65,536 keys costs as many products, not sines.
      std::complex<double> now = std::polar(1.0, rate * static_cast<double>(first));
      for (std::int64_t n = 0; n < rows; ++n, now *= turn) {
        sines.mutable_data()[n * half + i] = static_cast<Real>(now.imag());
        cosines.mutable_data()[n * half + i] = static_cast<Real>(now.real());
      }
    }
  }
};

struct TransformerXl {
  double scale = 0;
  Variable u;    // [D] or [H,D]: what a key is worth to any query
  Variable v;    // [D] or [H,D]: what a distance is worth to any query
  Variable W_r;  // [D,D] or [H,D,D]

  static Card card() {
    return {.name = "transformer_xl",
            .summary =
                "What Transformer-XL adds to the product of query and key. Write scaled_dot "
                "+ transformer_xl, or dot + transformer_xl(scale=1).",
            .formula =
                "s + (u·k + (q + v)·W_r r_{i-j})/√D, r sinusoids; with s = q·k/√D: "
                "((q + u)·k + (q + v)·W_r r_{i-j})/√D",
            .source = "Dai et al. 2019",
            .examples = {"scale=0.5"}};
  }
  void declare(Options& options) {
    options.add("scale", scale, "what to multiply with; 0: one over the root of the width");
  }
  void build(const BiasShape& shape, Random& random) {
    const std::int64_t width = shape.query_width;
    if (width != shape.key_width) {
      throw UsageError(
          "transformer_xl: queries of width {} and keys of width {}; they must be equal", width,
          shape.key_width);
    }
    const auto vector = [&] { return nn::fan_in_uniform({1, width}, random).reshape({width}); };
    u = head_parameter(shape.heads, vector);
    v = head_parameter(shape.heads, vector);
    W_r = head_parameter(shape.heads, [&] { return nn::glorot_uniform({width, width}, random); });
  }
  void visit(nn::ParameterVisitor& visitor) {
    visitor("u", u);
    visitor("v", v);
    visitor("W_r", W_r);
  }
  // All distances once, [Q + K - 1, D]; each pair then reads its own (the relative shift).
  Variable transform(const Variable& scores, const BiasCall& call) const {
    const Variable& query = call.query;
    const std::int64_t queries = query.size(2), keys = scores.size(3), width = query.size(3);
    const double factor = scale != 0 ? scale : 1 / std::sqrt(static_cast<double>(width));
    const std::int64_t farthest = call.first_query + queries - 1;
    const std::int64_t rows = queries + keys - 1;
    const Variable distances = matmul(Variable(sinusoids(farthest, rows, width)), transpose(W_r));
    const Variable by_distance =  // [B,H,Q,Q+K-1]
        project_heads((query + along_heads(v, 1)) * static_cast<Real>(factor), distances);
    const Variable any = expand(along_heads(u, 1), query.shape().with(2, 1));  // [B,H,1,D]
    const Variable by_key = dot_products(any * static_cast<Real>(factor), call.keys);
    return add_by_offset(scores + by_key, by_distance,
                         Offsets(call.first_query, queries, keys, rows,
                                 [farthest](std::int64_t offset) { return offset + farthest; }));
  }
  // With g = W_r^T (q + v), and a and b its parts for sines and cosines of the rate w,
  //   a sin w(i - j) + b cos w(i - j)
  //     = (b sin wi - a cos wi) sin wj + (a sin wi + b cos wi) cos wj,
  // so that what a query makes of distances is a product with D features of each key's place.
  AddedProduct added_product(const BiasCall& call) const {
    const Variable& query = call.query;
    const std::int64_t width = query.size(3), half = (width + 1) / 2;
    const auto factor =
        static_cast<Real>(scale != 0 ? scale : 1 / std::sqrt(static_cast<double>(width)));
    const Variable by_rate =
        pad(project_heads((query + along_heads(v, 1)) * factor, transpose(W_r)), 3,
            {.after = 2 * half - width});
    const Variable a = slice(by_rate, 3, 0, half), b = slice(by_rate, 3, half, 2 * half);
    const Waves here(call.first_query, query.size(2), width), there(0, call.key_count(), width);
    return {
        .to_query = expand(along_heads(u, 1) * factor, query.shape()),
        .query = concat({b * here.sines - a * here.cosines, a * here.sines + b * here.cosines}, 3),
        .keys = concat({there.sines, there.cosines}, 1).value()};
  }
};

const ListedBias<TransformerXl> kListed;

}  // namespace
}  // namespace heed::attention
