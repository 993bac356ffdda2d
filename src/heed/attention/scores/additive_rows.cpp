// SPDX-License-Identifier: Apache-2.0
// The additive score one row of the batch at a time, the query's projection made where it is
// needed.
#include "heed/attention/scores/additive_rows.h"

#include "heed/attention/compose/products.h"
#include "heed/attention/scores/additive_scores.h"
#include "heed/base/error.h"
#include "heed/kernels/attention/additive_score.h"
#include "heed/tensor/arithmetic.h"

namespace heed::attention {
namespace {

void check_row_shapes(const AdditiveRows& rows) {
  const Variable& query = rows.query;
  const Variable& keys = rows.keys;
  const auto [v, W1, W2] = rows.weights;
  const auto projects = [](const Variable& x, const Variable& w) {
    return x.size(3) == w.size(-1) && (w.rank() == 2 || w.size(0) == x.size(1));
  };
  const bool fits = query.rank() == 4 && keys.rank() == 4 && query.size(0) == keys.size(0) &&
                    keys.size(1) > 0 && query.size(1) % keys.size(1) == 0 && projects(query, W2) &&
                    projects(keys, W1) && v.value().size() == query.size(1) * W2.size(-2) &&
                    W1.size(-2) == W2.size(-2) &&
                    rows.projected.shape() == keys.shape().with(3, W1.size(-2));
  if (!fits) {
    throw UsageError(
        "additive score: query {}, keys {}, projected {}, v {}, W1 {} and W2 {}; it takes "
        "[B,H,Q,Dq], [B,G,K,Dk], [B,G,K,S], [H,S], [G,S,Dk] and [H,S,Dq] with H a multiple of G",
        query.shape().text(), keys.shape().text(), rows.projected.shape().text(), v.shape().text(),
        W1.shape().text(), W2.shape().text());
  }
}

// What forward and backward read.
struct RowOperands {
  Tensor query, keys, projected, v, W1, W2;
  Activation activation;

  std::int64_t batch() const { return query.size(0); }
  // Row b of x, its axis of the batch kept.
  static Tensor row(const Tensor& x, std::int64_t b) { return x.slice(0, b, b + 1); }
  Tensor projected_query(std::int64_t b) const { return matmul(row(query, b), W2.transpose()); }
  // The score of row b alone.
  kernels::AdditiveScore<Real> problem(std::int64_t b, const Tensor& query_row) const {
    const std::int64_t key_row = projected.size() / projected.size(0);
    return {.batch = 1,
            .heads = as_size(query.size(1)),
            .key_heads = as_size(projected.size(1)),
            .queries = as_size(query.size(2)),
            .keys = as_size(projected.size(2)),
            .size = as_size(projected.size(3)),
            .activation = activation,
            .query = query_row.data(),
            .key = projected.data() + b * key_row,
            .v = v.data()};
  }
};

// The gradients of y = x w^T, added up row by row: dx = dy w, dw = dy^T x.
class Projection {
 public:
  Projection(const Tensor& x, const Tensor& w, bool needs_x, bool needs_w) : x_(x), w_(w) {
    if (needs_x) d_x_ = Tensor::zeros(x.shape());
    if (needs_w) d_w_ = Tensor::zeros(w.shape());
  }
  bool needed() const { return d_x_.defined() || d_w_.defined(); }
  // dy [1,H,S,out] of row b. A row of x whose dy is 0 takes no part in dw, so that a NaN in a
  // masked key stays out of it.
  void add(std::int64_t b, const Tensor& dy) {
    if (d_x_.defined()) {
      Tensor row = d_x_.slice(0, b, b + 1);
      add_product(row, dy, w_);
    }
    if (!d_w_.defined()) return;
    const Tensor x = x_.select(0, b);  // [H,S,D]
    const bool per_head = w_.rank() == 3;
    const Tensor from = per_head ? dy.squeeze(0) : dy.reshape({-1, dy.size(-1)});
    const Tensor to = per_head ? x : x.reshape({-1, x.size(-1)});
    add_to(d_w_, product_without_zeros(from.transpose(), to));
  }
  Gradient of_x() const { return d_x_.defined() ? Gradient(d_x_) : Gradient(); }
  Gradient of_w() const { return d_w_.defined() ? Gradient(d_w_) : Gradient(); }

 private:
  const Tensor& x_;
  const Tensor& w_;
  Tensor d_x_, d_w_;
};

Gradients gradients(const RowOperands& in, const Tensor& dy, Needs needs) {
  const Tensor upstream = dy.packed();
  Projection of_query(in.query, in.W2, needs[0], needs[4]);
  Projection of_keys(in.keys, in.W1, needs[1], needs[3]);
  Tensor d_v = needs[2] ? Tensor::zeros(in.v.shape()) : Tensor();
  for (std::int64_t b = 0; b < in.batch(); ++b) {
    const Tensor query = in.projected_query(b);
    Tensor d_query = room_for_gradient(of_query.needed(), query.shape());
    Tensor d_keys = room_for_gradient(of_keys.needed(), RowOperands::row(in.projected, b).shape());
    Tensor d_v_row = room_for_gradient(needs[2], in.v.shape());
    kernels::additive_score_backward(in.problem(b, query), RowOperands::row(upstream, b).data(),
                                     {.query = d_query.mutable_data(),
                                      .key = d_keys.mutable_data(),
                                      .v = d_v_row.mutable_data()});
    if (d_query.defined()) of_query.add(b, d_query);
    if (d_keys.defined()) of_keys.add(b, d_keys);
    if (needs[2]) add_to(d_v, d_v_row);
  }
  return {of_query.of_x(), of_keys.of_x(), needs[2] ? Gradient(d_v) : Gradient(), of_keys.of_w(),
          of_query.of_w()};
}

}  // namespace

Variable additive_row_scores(const AdditiveRows& rows, Activation activation) {
  check_row_shapes(rows);
  const AdditiveWeights& weights = rows.weights;
  const RowOperands in{.query = rows.query.value().packed(),
                       .keys = rows.keys.value().packed(),
                       .projected = rows.projected.packed(),
                       .v = weights.v.value().packed(),
                       .W1 = weights.W1.value(),
                       .W2 = weights.W2.value(),
                       .activation = activation};
  Tensor scores({in.query.size(0), in.query.size(1), in.query.size(2), in.keys.size(2)});
  Real* to = scores.mutable_data();
  for (std::int64_t b = 0; b < in.batch(); ++b, to += scores.size() / scores.size(0)) {
    const Tensor query = in.projected_query(b);
    kernels::additive_score(in.problem(b, query), to);
  }
  return record("additive_row_scores", scores,
                {rows.query, rows.keys, weights.v, weights.W1, weights.W2},
                [in](const Tensor& dy, Needs needs) { return gradients(in, dy, needs); });
}

}  // namespace heed::attention
