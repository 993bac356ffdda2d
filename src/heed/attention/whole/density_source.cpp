// SPDX-License-Identifier: Apache-2.0
// A mechanism within a mechanism, and the layer that stands in for it.
#include "heed/attention/whole/density_source.h"

#include <cmath>

#include "heed/attention/compose/head_weights.h"
#include "heed/attention/make_parts.h"
#include "heed/attention/mechanism.h"
#include "heed/attention/normaliser.h"
#include "heed/attention/score.h"
#include "heed/autograd/ops.h"
#include "heed/base/error.h"
#include "heed/nn/initialisers.h"

namespace heed::attention {
namespace {

// [B,1,Q,K], 1 where a query sees the key.
Tensor mask_of(const std::vector<std::int64_t>& visible, std::int64_t batch, std::int64_t keys) {
  const auto rows = static_cast<std::int64_t>(visible.size());
  Tensor mask = Tensor::zeros({batch, 1, rows / batch, keys});
  Real* const out = mask.mutable_data();
  for (std::int64_t row = 0; row < rows; ++row) {
    const std::int64_t seen = std::max<std::int64_t>(0, visible[static_cast<std::size_t>(row)]);
    std::fill_n(out + row * keys, seen, Real{1});
  }
  return mask;
}

}  // namespace

void OfScore::read(const std::string& written) {
  if (score_of(written)->looks_back()) {
    throw UsageError(
        "\"{}\" looks back at past weights, which a density does not keep; it takes a score such "
        "as additive, bilinear or scaled_dot",
        written);
  }
  written_ = written;
}

void OfDistribution::read(const std::string& written) {
  const auto part = normaliser_of(written);
  const auto refuse = [&](const char* why) {
    throw UsageError("\"{}\" {}; it takes a normaliser such as softmax, sparsemax or entmax",
                     written, why);
  };
  if (dynamic_cast<const RowNormaliser*>(part.get()) == nullptr) {
    refuse("weighs all queries together");
  }
  if (part->keeps(Promise::random)) refuse("draws");
  if (!part->keeps(Promise::sums_to_one) || part->keeps(Promise::may_be_negative)) {
    refuse("gives weights that are no distribution");
  }
  written_ = written;
}

DensitySource& DensitySource::operator=(const DensitySource& other) {
  if (this == &other) return *this;
  from = other.from;
  score = other.score;
  normaliser = other.normaliser;
  discrete_ = other.discrete_ ? other.discrete_->clone() : nullptr;
  w_ = other.w_;
  b_ = other.b_;
  return *this;
}

void DensitySource::declare(Options& options) {
  options.add("from", from, {"weights", "query"},
              "the density is that of discrete weights, or a layer says it");
  options.add("score", score, "of the discrete attention, as it is written");
  options.add("normaliser", normaliser, "of the discrete attention, as it is written");
}

void DensitySource::build(const MechanismShape& shape, std::size_t moments, Random& random) {
  if (from == From::weights) {
    MechanismShape inside = shape;
    inside.value_width = 1;
    discrete_ = std::make_unique<Mechanism>(score.text() + " | tensor | " + normaliser.text(),
                                            inside, random);
    return;
  }
  const auto count = static_cast<std::int64_t>(moments);
  const std::int64_t width = shape.query_width + shape.key_width;
  w_ = head_parameter(shape.heads, [&] { return nn::glorot_uniform({count, width}, random); });
  // In the middle, with the deviation of even weights: softplus(b) = 1 / sqrt(12).
  b_ = head_parameter(shape.heads, [&] {
    Tensor first = Tensor::zeros({count});
    const auto even = static_cast<Real>(std::log(std::expm1(1 / std::sqrt(12.0))));
    Real* const out = first.mutable_data();
    if (count == 2) {
      out[1] = even;
    } else {
      out[2] = out[4] = even;
    }
    return first;
  });
}

void DensitySource::visit(nn::ParameterVisitor& visitor) {
  if (discrete_) visitor("discrete", *discrete_);
  if (w_.defined()) {
    visitor("W", w_);
    visitor("b", b_);
  }
}

Variable DensitySource::from_weights(const WholeCall& call, const CellsSeen& cells) const {
  const Variable& keys = call.memory.keys;
  const Variable nothing(Tensor::zeros({keys.size(0), keys.size(1), keys.size(2), 1}));
  const Attended found = discrete_->attend(
      call.query, discrete_->memory(keys, nothing), {},
      {.given = {.mask = mask_of(call.visible, keys.size(0), keys.size(2))}, .weights = true});
  return density_moments(found.weights, cells);
}

// Mean by a sigmoid; covariance L L^T, the diagonal of L by softplus.
Variable DensitySource::from_query(const WholeCall& call) const {
  const Variable& query = call.query;
  const std::int64_t keys = call.memory.keys.size(2);
  Tensor even = mask_of(call.visible, query.size(0), keys);
  Real* row = even.mutable_data();
  for (const std::int64_t seen : call.visible) {
    if (seen > 0) std::fill_n(row, seen, Real(1.0 / static_cast<double>(seen)));
    row += keys;
  }
  const Shape all{query.size(0), query.size(1), query.size(2), keys};
  const Variable mean_key = combine(expand(Variable(even), all), call.memory.keys);
  const Variable raw = project_heads(concat({query, mean_key}, 3), w_) + along_heads(b_, 1);
  const auto number = [&](std::int64_t m) { return slice(raw, 3, m, m + 1); };
  constexpr auto kLeast = static_cast<Real>(kLeastVariance);
  if (raw.size(3) == 2) {
    return concat({sigmoid(number(0)), square(softplus(number(1))) + kLeast}, 3);
  }
  const Variable first = softplus(number(2)), beside = number(3), second = softplus(number(4));
  return concat({sigmoid(number(0)), sigmoid(number(1)), square(first) + kLeast, first * beside,
                 square(beside) + square(second) + kLeast},
                3);
}

Variable DensitySource::moments(const WholeCall& call, const CellsSeen& cells) const {
  return from == From::weights ? from_weights(call, cells) : from_query(call);
}

WholeWeighed weigh_by_density(const DensitySource& source,
                              const std::shared_ptr<const ValueBasis>& basis,
                              const WholeCall& call) {
  const CellsSeen cells{basis, call.visible};
  const Variable moments = source.moments(call, cells);
  return {.weights = density_weights(moments, cells, call.memory.keys.size(2)),
          .densities = {moments.value(), basis->options().of == Density::sparsemax}};
}

}  // namespace heed::attention
