// SPDX-License-Identifier: Apache-2.0
// Blocks of whole batch rows, or of some queries of one head where those are many; backward makes
// the weights of a block again.
//
// With weights w = softmax(s) and context c = w . values: d_w = d_c . values', d_s = w (d_w - w .
// d_w), and d_s goes into the additive kernel. Scores made again are a third pass over the
// activations, beside one forward and one backward: weights that are few are kept instead.
#include "heed/attention/fused/additive.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "heed/attention/compose/products.h"
#include "heed/attention/compose/weigh.h"
#include "heed/attention/normaliser.h"
#include "heed/attention/scores/additive_scores.h"
#include "heed/base/error.h"
#include "heed/base/threads.h"
#include "heed/kernels/attention/additive_score.h"
#include "heed/kernels/dropout.h"
#include "heed/kernels/elementwise.h"
#include "heed/kernels/reductions.h"
#include "heed/kernels/softmax.h"

namespace heed::attention {
namespace {

// Weights of one block, and weights that are kept for backward: 256 Ki are 1 MiB of floats.
constexpr std::int64_t kBlockWeights = std::int64_t{1} << 18;

// Rows next to each other: `batch` batch rows with all heads and queries, or `queries` queries of
// one head.
struct ScoreBlock {
  std::int64_t first_batch, batch;
  std::int64_t first_head, heads, key_heads;
  std::int64_t first_query, queries;
};

// One call's tensors, contiguous; kept for backward.
struct Call {
  explicit Call(const AdditiveInputs& inputs)
      : query(inputs.query.value().packed()),
        keys(inputs.keys.value().packed()),
        v(inputs.v.value().packed()),
        values(inputs.values.value().packed()),
        activation(inputs.activation),
        pattern(inputs.pattern),
        dropout(inputs.dropout) {}

  std::int64_t batch() const { return query.size(0); }
  std::int64_t heads() const { return query.size(1); }
  std::int64_t key_heads() const { return keys.size(1); }
  std::int64_t queries() const { return query.size(2); }
  std::int64_t key_count() const { return keys.size(2); }
  std::int64_t size() const { return query.size(3); }
  std::int64_t width() const { return values.size(3); }
  std::int64_t group() const { return heads() / key_heads(); }

  std::int64_t row(const ScoreBlock& block) const {
    return (block.first_batch * heads() + block.first_head) * queries() + block.first_query;
  }
  std::int64_t rows(const ScoreBlock& block) const {
    return block.batch * block.heads * block.queries;
  }
  // The first key row the block reads.
  std::int64_t key_row(const ScoreBlock& block) const {
    return (block.first_batch * key_heads() + block.first_head / group()) * key_count();
  }
  kernels::AdditiveScore<Real> problem(const ScoreBlock& block) const {
    return {.batch = as_size(block.batch),
            .heads = as_size(block.heads),
            .key_heads = as_size(block.key_heads),
            .queries = as_size(block.queries),
            .keys = as_size(key_count()),
            .size = as_size(size()),
            .activation = activation,
            .query = query.data() + row(block) * size(),
            .key = keys.data() + key_row(block) * size(),
            .v = v.data() + block.first_head * size()};
  }

  Tensor query, keys, v, values;
  Activation activation;
  std::shared_ptr<const BoundPattern> pattern;
  DropoutMask dropout;
};

void check_attention_shapes(const AdditiveInputs& inputs) {
  const Variable& keys = inputs.keys;
  const Variable& values = inputs.values;
  const bool fits = inputs.query.rank() == 4 && keys.rank() == 4 && values.rank() == 4 &&
                    inputs.query.size(0) == keys.size(0) && keys.size(1) > 0 &&
                    inputs.query.size(1) % keys.size(1) == 0 &&
                    inputs.query.size(3) == keys.size(3) &&
                    inputs.v.value().size() == inputs.query.size(1) * inputs.query.size(3) &&
                    values.size(0) == keys.size(0) && values.size(1) == keys.size(1) &&
                    values.size(2) == keys.size(2);
  if (!fits) {
    throw UsageError(
        "additive attention: query {}, keys {}, v {} and values {}; it takes [B,H,Q,S], [B,G,K,S] "
        "with H a multiple of G, [H,S] and [B,G,K,V]",
        inputs.query.shape().text(), keys.shape().text(), inputs.v.shape().text(),
        values.shape().text());
  }
}

template <typename Body>
void for_each_block(const Call& call, const Body& body) {
  const std::int64_t keys = std::max<std::int64_t>(call.key_count(), 1);
  const std::int64_t batch_weights = call.heads() * call.queries() * keys;
  if (batch_weights == 0) return;
  if (batch_weights <= kBlockWeights) {
    const std::int64_t step = kBlockWeights / batch_weights;
    for (std::int64_t b = 0; b < call.batch(); b += step) {
      body(ScoreBlock{b, std::min(step, call.batch() - b), 0, call.heads(), call.key_heads(), 0,
                      call.queries()});
    }
    return;
  }
  // At least 8 queries share a pass over the keys, however many those are.
  const std::int64_t step = std::max<std::int64_t>(kBlockWeights / keys, 8);
  for (std::int64_t b = 0; b < call.batch(); ++b) {
    for (std::int64_t h = 0; h < call.heads(); ++h) {
      for (std::int64_t q = 0; q < call.queries(); q += step) {
        body(ScoreBlock{b, 1, h, 1, 1, q, std::min(step, call.queries() - q)});
      }
    }
  }
}

// The largest block's weights.
std::int64_t block_weights(const Call& call) {
  std::int64_t most = 0;
  for_each_block(call, [&](const ScoreBlock& block) {
    most = std::max(most, call.rows(block) * call.key_count());
  });
  return most;
}

// Scores of masked keys become -infinity, which softmax gives the weight 0.
void hide(const Call& call, const ScoreBlock& block, Real* scores) {
  const std::int64_t keys = call.key_count();
  constexpr Real kHidden = -std::numeric_limits<Real>::infinity();
  parallel_for(as_size(call.rows(block)), 1 + 4096 / as_size(std::max<std::int64_t>(keys, 1)),
               [&](std::size_t begin, std::size_t end) {
                 std::vector<KeyRun> runs;
                 for (std::size_t i = begin; i < end; ++i) {
                   const std::int64_t row = call.row(block) + static_cast<std::int64_t>(i);
                   const std::int64_t head = row / call.queries();
                   call.pattern->runs(head / call.heads(), head % call.heads(),
                                      row % call.queries(), runs);
                   Real* at = scores + static_cast<std::int64_t>(i) * keys;
                   std::int64_t next = 0;  // the first key nothing is known of
                   for (const KeyRun& run : runs) {
                     std::fill(at + next, at + run.begin, kHidden);
                     next = run.end;
                     for (std::int64_t key = run.begin; run.step > 1 && key < run.end; ++key) {
                       if ((key - run.begin) % run.step != 0) at[key] = kHidden;
                     }
                   }
                   std::fill(at + next, at + keys, kHidden);
                 }
               });
}

void make_scores(const Call& call, const ScoreBlock& block, Real* scores) {
  kernels::additive_score(call.problem(block), scores);
  hide(call, block, scores);
}

void drop(const Call& call, const ScoreBlock& block, Real* weights) {
  kernels::dropout(weights, weights, as_size(call.rows(block) * call.key_count()),
                   {.probability = static_cast<double>(call.dropout.probability),
                    .seed = call.dropout.seed,
                    .stream = call.dropout.stream,
                    .first = as_size(call.row(block) * call.key_count())});
}

// Products over the key heads of a block. The query heads of a key head are rows of one matrix.
struct Products {
  Products(const Call& call, const ScoreBlock& block)
      : rows(as_size(call.rows(block) / (block.batch * block.key_heads))),
        keys(as_size(call.key_count())),
        width(as_size(call.width())),
        matrices(as_size(block.batch * block.key_heads)) {}

  void combine(const Real* weights, const Real* values, Real* context) const {
    kernels::batched_gemm(weights, values, context, {.m = rows, .n = width, .k = keys},
                          {matrices, rows * keys, keys * width, rows * width});
  }
  void weights_gradient(const Real* d_context, const Real* values, Real* d_weights) const {
    kernels::batched_gemm(d_context, values, d_weights,
                          {.m = rows, .n = keys, .k = width, .transpose_b = true},
                          {matrices, rows * width, keys * width, rows * keys});
  }
  void add_values_gradient(const Real* weights, const Real* d_context, Real* d_values) const {
    kernels::batched_gemm(weights, d_context, d_values,
                          {.m = keys, .n = width, .k = rows, .transpose_a = true, .beta = 1},
                          {matrices, rows * keys, rows * width, keys * width});
  }

  std::size_t rows, keys, width, matrices;
};

bool is_finite_sum(const Tensor& x) {
  return !x.defined() || std::isfinite(kernels::sum(x.data(), as_size(x.size())));
}

Gradients composed_gradients(const Call& call, const Tensor& d_context) {
  const AdditiveInputs inputs{.query = Variable::leaf(call.query),
                              .keys = Variable::leaf(call.keys),
                              .v = Variable::leaf(call.v),
                              .values = Variable::leaf(call.values),
                              .activation = call.activation,
                              .pattern = call.pattern,
                              .dropout = call.dropout};
  backward(composed_additive_attention(inputs).context, d_context);
  return {inputs.query.gradient(), inputs.keys.gradient(), inputs.v.gradient(),
          inputs.values.gradient()};
}

// The same for all rows at once, as a decoder's steps have it: the kernel writes into the gradients
// themselves, and that of the values is left to the tape as a product. Of the terms summed into
// d_keys each is summed into d_query too, so a NaN shows there.
std::optional<Gradients> one_block_gradients(const Call& call, const Tensor& kept,
                                             const Tensor& dy) {
  const std::int64_t rows = call.batch() * call.heads() * call.queries();
  if (!kept.defined() || call.group() != 1 || kept.size() == 0) return {};
  const ScoreBlock all{0, call.batch(), 0, call.heads(), call.key_heads(), 0, call.queries()};
  const Tensor d_context = dy.packed();
  Tensor d_query(call.query.shape()), d_keys(call.keys.shape());
  Tensor d_weights(kept.shape()), d_v_rows(Shape{call.batch()}.then(call.v.size()));
  Real* const d_weight = d_weights.mutable_data();
  Products(call, all).weights_gradient(d_context.data(), call.values.data(), d_weight);
  kernels::softmax_backward(kept.data(), d_weight, d_weight, as_size(rows),
                            as_size(call.key_count()));
  kernels::additive_score_backward(call.problem(all), d_weight,
                                   {.query = d_query.mutable_data(),
                                    .key = d_keys.mutable_data(),
                                    .v = d_v_rows.mutable_data()});
  const Tensor d_v = sum(d_v_rows, 0).reshape(call.v.shape());
  if (!is_finite_sum(d_weights) || !is_finite_sum(d_query) || !is_finite_sum(d_v)) return {};
  const Shape shape{call.batch(), call.heads(), call.queries(), call.key_count()};
  return Gradients(d_query, d_keys, d_v,
                   Gradient::product(kept.reshape(shape).transpose(), d_context));
}

// `kept` holds the weights before dropout, or is not defined.
Gradients additive_gradients(const Call& call, const Tensor& kept, const Tensor& dy) {
  if (std::optional<Gradients> found = one_block_gradients(call, kept, dy)) {
    return *std::move(found);
  }
  const Tensor d_context = dy.packed();
  Tensor d_query(call.query.shape());
  Tensor d_keys = Tensor::zeros(call.keys.shape());
  Tensor d_v = Tensor::zeros(call.v.shape());
  Tensor d_values = Tensor::zeros(call.values.shape());
  const bool drops = call.dropout.probability > 0;
  const std::int64_t most = block_weights(call);
  Tensor made({kept.defined() ? 0 : most});
  Tensor dropped({drops ? most : 0});
  Tensor d_weights({most});
  Tensor block_d_keys, block_d_v;
  Real* const d_weight = d_weights.mutable_data();
  for_each_block(call, [&](const ScoreBlock& block) {
    const std::int64_t row = call.row(block), key_row = call.key_row(block);
    const std::int64_t n = call.rows(block) * call.key_count();
    const Real* weights = kept.data() + (kept.defined() ? row * call.key_count() : 0);
    if (!kept.defined()) {
      Real* again = made.mutable_data();
      make_scores(call, block, again);
      kernels::softmax(again, again, as_size(call.rows(block)), as_size(call.key_count()));
      weights = again;
    }
    const Products products(call, block);
    const Real* const d_block = d_context.data() + row * call.width();
    products.weights_gradient(d_block, call.values.data() + key_row * call.width(), d_weight);
    const Real* seen = weights;
    if (drops) {
      std::copy_n(weights, n, dropped.mutable_data());
      drop(call, block, dropped.mutable_data());
      drop(call, block, d_weight);
      seen = dropped.data();
    }
    products.add_values_gradient(seen, d_block, d_values.mutable_data() + key_row * call.width());
    kernels::softmax_backward(weights, d_weight, d_weight, as_size(call.rows(block)),
                              as_size(call.key_count()));
    if (!block_d_keys.defined()) {
      block_d_keys = Tensor({block.batch * block.key_heads * call.key_count() * call.size()});
      block_d_v = Tensor({block.batch * block.heads * call.size()});
    }
    kernels::additive_score_backward(call.problem(block), d_weight,
                                     {.query = d_query.mutable_data() + row * call.size(),
                                      .key = block_d_keys.mutable_data(),
                                      .v = block_d_v.mutable_data()});
    const std::int64_t key_items = block.batch * block.key_heads * call.key_count() * call.size();
    kernels::add_scaled(Real{1}, block_d_keys.data(), d_keys.mutable_data() + key_row * call.size(),
                        as_size(key_items));
    for (std::int64_t b = 0; b < block.batch; ++b) {
      kernels::add_scaled(Real{1}, block_d_v.data() + b * block.heads * call.size(),
                          d_v.mutable_data() + block.first_head * call.size(),
                          as_size(block.heads * call.size()));
    }
  });
  if (!is_finite_sum(d_query) || !is_finite_sum(d_keys) || !is_finite_sum(d_v) ||
      !is_finite_sum(d_values)) {
    return composed_gradients(call, dy);
  }
  return {d_query, d_keys, d_v, d_values};
}

}  // namespace

std::optional<AdditiveResult> additive_attention(const AdditiveInputs& inputs) {
  check_attention_shapes(inputs);
  const Call call(inputs);
  Tensor context({call.batch(), call.heads(), call.queries(), call.width()});
  Tensor log_sum_exp({call.batch(), call.heads(), call.queries()});
  const std::int64_t all = call.batch() * call.heads() * call.queries() * call.key_count();
  const bool keeps = all <= kBlockWeights && call.dropout.probability == 0;
  Tensor weights({keeps ? all : block_weights(call)});
  for_each_block(call, [&](const ScoreBlock& block) {
    const std::int64_t row = call.row(block);
    Real* const at = weights.mutable_data() + (keeps ? row * call.key_count() : 0);
    make_scores(call, block, at);
    const std::size_t rows = as_size(call.rows(block)), keys = as_size(call.key_count());
    kernels::log_sum_exp(at, log_sum_exp.mutable_data() + row, rows, keys);
    kernels::softmax(at, at, rows, keys);
    if (call.dropout.probability > 0) drop(call, block, at);
    Products(call, block)
        .combine(at, call.values.data() + call.key_row(block) * call.width(),
                 context.mutable_data() + row * call.width());
  });
  if (!is_finite_sum(context)) return std::nullopt;
  if (!keeps) weights = Tensor();
  const Variable result =
      record("additive_attention", context, {inputs.query, inputs.keys, inputs.v, inputs.values},
             [call, weights](const Tensor& dy) -> Gradients {
               return additive_gradients(call, weights, dy);
             });
  return AdditiveResult{result, log_sum_exp};
}

AdditiveResult composed_additive_attention(const AdditiveInputs& inputs) {
  const Variable scores = additive_scores(inputs.query, inputs.keys, inputs.v, inputs.activation);
  Variable weights = softmax_weights(scores, inputs.pattern);
  if (inputs.dropout.probability > 0) weights = dropout(weights, inputs.dropout);
  return {combine(weights, inputs.values), log_sum_exp(*inputs.pattern, scores.value())};
}

}  // namespace heed::attention
