// SPDX-License-Identifier: Apache-2.0
// Rows go to the normaliser with their allowed keys packed together; masked keys do not exist for
// it.
#include "heed/attention/compose/weigh.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "heed/attention/normalisers/bounds.h"
#include "heed/attention/trace.h"
#include "heed/autograd/ops.h"
#include "heed/base/error.h"
#include "heed/base/threads.h"

namespace heed::attention {
namespace {

struct Sizes {
  explicit Sizes(const Shape& scores)
      : batch(scores[0]), heads(scores[1]), queries(scores[2]), keys(scores[3]) {}
  std::int64_t rows() const { return batch * heads * queries; }
  // Rows per thread worth waking one for.
  std::size_t grain() const {
    return static_cast<std::size_t>(1 + 4096 / std::max<std::int64_t>(keys, 1));
  }
  std::int64_t batch, heads, queries, keys;
};

// The allowed keys of one row, and their values packed together and spread out again.
class AllowedKeys {
 public:
  explicit AllowedKeys(std::int64_t keys) : all_(static_cast<std::size_t>(keys)) {
    std::iota(all_.begin(), all_.end(), 0);
  }
  void look(const BoundPattern& pattern, const Sizes& sizes, std::int64_t row) {
    const std::int64_t query = row % sizes.queries;
    head = row / sizes.queries % sizes.heads;
    pattern.runs(row / sizes.queries / sizes.heads, head, query, runs_);
    one_run_ = runs_.size() == 1 && runs_[0].step == 1;
    if (one_run_) {
      keys = std::span<const std::int32_t>(all_).subspan(
          static_cast<std::size_t>(runs_[0].begin),
          static_cast<std::size_t>(runs_[0].end - runs_[0].begin));
      return;
    }
    picked_.clear();
    for (const KeyRun& run : runs_) {
      for (std::int64_t key = run.begin; key < run.end; key += run.step) {
        picked_.push_back(static_cast<std::int32_t>(key));
      }
    }
    keys = picked_;
  }
  // The row's elements at the allowed keys: in place for one run, else copied to `room`.
  std::span<const Real> pack(const Real* row, std::vector<Real>& room) const {
    if (one_run_) return {row + keys.front(), keys.size()};
    room.resize(keys.size());
    for (std::size_t i = 0; i < keys.size(); ++i) room[i] = row[keys[i]];
    return room;
  }
  void spread(std::span<const Real> packed, Real* row) const {
    for (std::size_t i = 0; i < keys.size(); ++i) row[keys[i]] = packed[i];
  }

  std::int64_t head = 0;
  std::span<const std::int32_t> keys;

 private:
  std::vector<std::int32_t> all_;
  std::vector<std::int32_t> picked_;
  std::vector<KeyRun> runs_;
  bool one_run_ = false;
};

// One call's tensors, contiguous; kept for backward.
struct Call {
  const Normaliser* normaliser;
  const BoundPattern* pattern;
  Sizes sizes;
  Tensor scores, parameters, bounds;
  std::uint64_t seed, stream;

  std::int64_t parameter_count() const { return parameters.defined() ? parameters.size(1) : 0; }
};

// Calls body(row index, row, allowed) for every row that has an allowed key.
template <typename Body>
void for_each_row(const Call& call, const Body& body) {
  const Sizes& sizes = call.sizes;
  parallel_for(
      static_cast<std::size_t>(sizes.rows()), sizes.grain(),
      [&](std::size_t begin, std::size_t end) {
        AllowedKeys allowed(sizes.keys);
        std::vector<Real> scores_room;
        std::vector<Real> bounds_room;
        for (auto r = static_cast<std::int64_t>(begin); r < static_cast<std::int64_t>(end); ++r) {
          allowed.look(*call.pattern, sizes, r);
          if (allowed.keys.empty()) continue;
          const auto count = static_cast<std::size_t>(call.parameter_count());
          Row<Real> row{
              .scores = allowed.pack(call.scores.data() + r * sizes.keys, scores_room),
              .keys = allowed.keys,
              .head = allowed.head,
              .random = {call.seed, call.stream * static_cast<std::uint64_t>(sizes.rows()) +
                                        static_cast<std::uint64_t>(r)}};
          if (count > 0)
            row.parameters = {call.parameters.data() + allowed.head * call.parameter_count(),
                              count};
          if (call.bounds.defined()) {
            row.bounds = allowed.pack(call.bounds.data() + r * sizes.keys, bounds_room);
          }
          body(r, row, allowed);
        }
      });
}

Gradients weigh_backward(const Call& call, const Tensor& weights, std::span<const Tensor> dys,
                         Needs needs) {
  const Sizes& sizes = call.sizes;
  const Tensor d_weights = dys[0].packed();
  const Tensor d_log = dys.size() > 1 ? dys[1].packed() : Tensor();
  const Tensor d_entropy = dys.size() > 1 ? dys[2].packed() : Tensor();
  Tensor d_scores = Tensor::zeros(call.scores.shape());
  Tensor d_bounds = needs[2] ? Tensor::zeros(call.scores.shape()) : Tensor();
  // One line of parameter gradients per row, added up in order: the same bits whatever the threads.
  Tensor d_lines = needs[1] ? Tensor::zeros({sizes.rows(), call.parameter_count()}) : Tensor();
  Real* d_score = d_scores.mutable_data();
  Real* d_bound = d_bounds.mutable_data();
  Real* d_line = d_lines.mutable_data();
  for_each_row(call, [&](std::int64_t r, const Row<Real>& row, const AllowedKeys& allowed) {
    std::vector<Real> weights_room, upstream_room;
    const std::size_t n = allowed.keys.size();
    if (!d_weights.defined()) upstream_room.assign(n, 0);
    const RowUpstream<Real> upstream{
        .weights = d_weights.defined()
                       ? allowed.pack(d_weights.data() + r * sizes.keys, upstream_room)
                       : std::span<const Real>(upstream_room),
        .log_probability = d_log.defined() ? d_log.data()[r] : 0,
        .entropy = d_entropy.defined() ? d_entropy.data()[r] : 0};
    std::vector<Real> scores_gradient(n, 0);
    std::vector<Real> bounds_gradient(d_bound != nullptr ? n : 0, 0);
    RowGradient<Real> gradient{.scores = scores_gradient, .bounds = bounds_gradient};
    if (d_line != nullptr) {
      gradient.parameters = {d_line + r * call.parameter_count(),
                             static_cast<std::size_t>(call.parameter_count())};
    }
    call.normaliser->backward(row, allowed.pack(weights.data() + r * sizes.keys, weights_room),
                              upstream, gradient);
    allowed.spread(scores_gradient, d_score + r * sizes.keys);
    if (d_bound != nullptr) allowed.spread(bounds_gradient, d_bound + r * sizes.keys);
  });
  Gradient d_parameters;
  if (needs[1]) {
    const Tensor by_head =
        d_lines.reshape({sizes.batch, sizes.heads, sizes.queries, call.parameter_count()});
    d_parameters = sum(sum(by_head, 2), 0);
  }
  return {d_scores, d_parameters, d_bounds};
}

}  // namespace

Weighed weigh(const Normaliser& normaliser, std::shared_ptr<const BoundPattern> pattern,
              const WeighInputs& inputs) {
  if (inputs.scores.rank() != 4) {
    throw UsageError("{}: scores {}; it takes [B,H,Q,K]", normaliser.card().name,
                     inputs.scores.shape().text());
  }
  if (inputs.bounds.defined()) {
    check_bounds(normaliser, inputs.bounds.value(), inputs.scores.shape());
  }
  // The closure owns what it needs until backward.
  const std::shared_ptr<const Normaliser> own = normaliser.clone();
  Call call{.normaliser = own.get(),
            .pattern = pattern.get(),
            .sizes = Sizes(inputs.scores.shape()),
            .scores = inputs.scores.value().packed(),
            .parameters = inputs.parameters.value().packed(),
            .bounds = inputs.bounds.value().packed(),
            .seed = inputs.seed,
            .stream = inputs.stream};
  const bool draws = normaliser.draws();
  Tensor weights = Tensor::zeros(inputs.scores.shape());
  const Shape per_row{call.sizes.batch, call.sizes.heads, call.sizes.queries};
  PooledVector<Tensor> values{weights};
  if (draws) {
    values.push_back(Tensor::zeros(per_row));
    values.push_back(Tensor::zeros(per_row));
  }
  Real* weight = weights.mutable_data();
  Real* log_probability = draws ? values[1].mutable_data() : nullptr;
  Real* entropy = draws ? values[2].mutable_data() : nullptr;
  for_each_row(call, [&](std::int64_t r, const Row<Real>& row, const AllowedKeys& allowed) {
    std::vector<Real> found(allowed.keys.size());
    call.normaliser->forward(row, found);
    allowed.spread(found, weight + r * call.sizes.keys);
    if (draws) {
      const RowDraw<Real> drawn = call.normaliser->draw(row, found);
      log_probability[r] = drawn.log_probability;
      entropy[r] = drawn.entropy;
    }
  });
  Variables outputs =
      record_many("weigh", std::move(values), {inputs.scores, inputs.parameters, inputs.bounds},
                  [call, own, pattern, weights](const std::span<const Tensor>& dys, Needs needs) {
                    return weigh_backward(call, weights, dys, needs);
                  });
  return draws ? Weighed{outputs[0], outputs[1], outputs[2]} : Weighed{outputs[0], {}, {}};
}

Variable softmax_weights(const Variable& scores, std::shared_ptr<const BoundPattern> pattern) {
  static const std::unique_ptr<Normaliser> softmax = Catalogue<Normaliser>::find("softmax")->make();
  return weigh(*softmax, std::move(pattern), {.scores = scores}).weights;
}

Tensor masked_weights(const BoundPattern& pattern, const Tensor& weights) {
  const Sizes sizes(weights.shape());
  const Tensor packed = weights.packed();
  Tensor masked = Tensor::full(weights.shape(), kMasked);
  Real* out = masked.mutable_data();
  AllowedKeys allowed(sizes.keys);
  for (std::int64_t row = 0; row < sizes.rows(); ++row) {
    allowed.look(pattern, sizes, row);
    for (const std::int32_t key : allowed.keys) {
      const Real weight = packed.data()[row * sizes.keys + key];
      if (is_masked(weight)) {
        throw DataError(
            "attention: the weight of query {} for key {} is not a number; the model's parameters "
            "or what it reads are not finite",
            row % sizes.queries, key);
      }
      out[row * sizes.keys + key] = weight;
    }
  }
  return masked;
}

Tensor log_sum_exp(const BoundPattern& pattern, const Tensor& scores) {
  const Call call{.normaliser = nullptr,
                  .pattern = &pattern,
                  .sizes = Sizes(scores.shape()),
                  .scores = scores.packed(),
                  .parameters = {},
                  .bounds = {},
                  .seed = 0,
                  .stream = 0};
  Tensor result = Tensor::full({call.sizes.batch, call.sizes.heads, call.sizes.queries},
                               -std::numeric_limits<Real>::infinity());
  Real* out = result.mutable_data();
  for_each_row(call, [&](std::int64_t r, const Row<Real>& row, const AllowedKeys&) {
    const Real most = *std::max_element(row.scores.begin(), row.scores.end());
    if (!std::isfinite(most)) {
      out[r] = most;
      return;
    }
    double total = 0;
    for (const Real score : row.scores) total += std::exp(static_cast<double>(score - most));
    out[r] = most + static_cast<Real>(std::log(total));
  });
  return result;
}

}  // namespace heed::attention
