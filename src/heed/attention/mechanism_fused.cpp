// SPDX-License-Identifier: Apache-2.0
// Attending by a fused kernel, where the parts of a group of heads allow it.
#include "heed/attention/bias.h"
#include "heed/attention/compose/head_weights.h"
#include "heed/attention/fused/additive.h"
#include "heed/attention/fused/dense.h"
#include "heed/attention/fused/sparse.h"
#include "heed/attention/mechanism.h"
#include "heed/attention/normaliser.h"
#include "heed/attention/score.h"
#include "heed/autograd/ops.h"

namespace heed::attention {
namespace {

TileChange times(Real factor) {
  return score_change(
      [factor](const ScoreTile& scores) {
        for (std::size_t r = 0; r < scores.rows; ++r) {
          for (std::size_t c = 0; c < scores.columns; ++c) scores.row(r)[c] *= factor;
        }
      },
      [factor](const ScoreTileBefore& before, Real* gradient) {
        for (std::size_t r = 0; r < before.rows; ++r, gradient += before.stride) {
          for (std::size_t c = 0; c < before.columns; ++c) gradient[c] *= factor;
        }
      });
}

// Joins a bias that is a product to the product of queries and keys; whether it could.
bool join_product(FusedInputs& inputs, const AddedProduct& added) {
  if (!inputs.query.defined() || !inputs.changes.empty()) return false;  // not the next in order
  inputs.query = (inputs.scale == 1 ? inputs.query : inputs.query * inputs.scale) + added.to_query;
  inputs.scale = 1;
  inputs.query = concat({inputs.query, added.query}, 3);
  return true;
}

}  // namespace

std::optional<Attended> Mechanism::attend_additive(std::size_t index, const Call& call,
                                                   const DropoutMask& dropout,
                                                   AdditiveQuery query) const {
  const Group& group = groups_[index];
  const double temperature = group.normaliser->fused()->temperature;
  if (temperature != 1) query.v = query.v * static_cast<Real>(1 / temperature);
  std::optional<AdditiveResult> result = additive_attention(
      {.query = query.query,
       .keys = call.memory.projected[index][0],
       .v = query.v,
       .values = heads_of(call.memory.values, group.first_key_head, group.key_heads),
       .activation = query.activation,
       .pattern = bound_pattern(group, call, {}),
       .dropout = dropout});
  if (!result) return {};
  Attended found;
  found.fused = true;
  found.context = std::move(result->context);
  if (call.options.log_sum_exp) found.log_sum_exp = std::move(result->log_sum_exp);
  return found;
}

std::optional<Attended> Mechanism::attend_fused(std::size_t index, const Call& call,
                                                const DropoutMask& dropout) const {
  const Group& group = groups_[index];
  const AttendOptions& options = call.options;
  const std::optional<FusedNormaliser> normaliser = group.normaliser->fused();
  if (!options.fuse || options.weights || options.shows_weights() || !normaliser) return {};
  if (looks_back()) return {};  // the next query needs the weights of all heads
  if (!group.addressing.empty()) return {};
  const bool sparse = normaliser->sparse.has_value();
  // The log-sum-exp of the kernel is that of the divided scores.
  if (options.log_sum_exp && (sparse || normaliser->temperature != 1)) return {};

  const Memory& memory = call.memory;
  const Variable query = heads_of(call.query, group.first, group.heads);
  const auto* first = std::get_if<std::shared_ptr<Score>>(&group.terms.front());
  if (first != nullptr && group.terms.size() == 1 && options.changes.empty() && !sparse) {
    if (const std::optional<AdditiveQuery> additive = (*first)->additive_query(query)) {
      return attend_additive(index, call, dropout, *additive);
    }
  }
  const Variable keys = heads_of(memory.keys, group.first_key_head, group.key_heads);
  const BiasCall bias_call = this->bias_call(call, group, query, keys);
  FusedInputs inputs;
  const bool whole_keys = same_elements(memory.projected[index][0], keys);
  Variable features;  // of the keys' places [K,E], which biases multiply
  for (const Term& term : group.terms) {
    if (const auto* score = std::get_if<std::shared_ptr<Score>>(&term)) {
      if (inputs.query.defined()) return {};  // a sum of scores
      const std::optional<DotQuery> dot = (*score)->dot_query(query);
      if (!dot) return {};
      inputs.query = dot->query;
      inputs.scale = dot->scale;
      continue;
    }
    const std::shared_ptr<Bias>& bias = std::get<std::shared_ptr<Bias>>(term);
    if (const std::optional<TileChange> change = bias->tile_change(bias_call)) {
      inputs.changes.push_back(*change);
      continue;
    }
    if (!whole_keys || features.defined()) return {};
    const std::optional<AddedProduct> added = bias->added_product(bias_call);
    if (!added || !join_product(inputs, *added)) return {};
    features = Variable(added->keys);
  }
  for (TileChange& change : own_changes(group, call)) inputs.changes.push_back(std::move(change));
  if (normaliser->temperature != 1 && inputs.changes.empty()) {
    inputs.scale = static_cast<Real>(inputs.scale / normaliser->temperature);
  } else if (normaliser->temperature != 1) {
    inputs.changes.push_back(times(static_cast<Real>(1 / normaliser->temperature)));
  }
  group.normaliser->check(memory.size());
  inputs.keys = memory.projected[index][0];
  if (features.defined()) {
    const Shape spread = inputs.keys.shape().with(3, features.size(1));
    inputs.keys = concat({inputs.keys, expand(features, spread)}, 3);
  }
  inputs.values = heads_of(memory.values, group.first_key_head, group.key_heads);
  inputs.pattern = bound_pattern(group, call, {});
  inputs.dropout = dropout;

  Attended found;
  found.fused = true;
  if (sparse) {
    std::optional<Variable> context =
        sparse_attention({std::move(inputs), group.normaliser, group.normaliser->parameters()});
    if (!context) return {};
    found.context = *std::move(context);
    return found;
  }
  std::optional<DenseResult> result = dense_attention(inputs);
  if (!result) return {};
  found.context = std::move(result->context);
  if (options.log_sum_exp) found.log_sum_exp = std::move(result->log_sum_exp);
  return found;
}

}  // namespace heed::attention
