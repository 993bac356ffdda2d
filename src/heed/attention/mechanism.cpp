// SPDX-License-Identifier: Apache-2.0
// Building mechanisms from text, and attending by composition: score, bias, weigh, combine.
#include "heed/attention/mechanism.h"

#include "heed/attention/bind.h"
#include "heed/attention/products.h"
#include "heed/attention/spec_names.h"
#include "heed/attention/weigh.h"
#include "heed/autograd/ops.h"
#include "heed/base/error.h"
#include "heed/nn/initialisers.h"

namespace heed::attention {
namespace {

// `text` is the written form that the places in `spec` point into.
template <typename Interface>
std::unique_ptr<Interface> make_part(const PartSpec& spec, std::string_view text) {
  std::unique_ptr<Interface> part = Catalogue<Interface>::find(spec.name)->make();
  Options options;
  part->declare(options);
  set_options(options, spec.name, spec.arguments, text);
  return part;
}

}  // namespace

std::unique_ptr<Pattern> make_pattern(const PatternSpec& spec, std::string_view text) {
  if (spec.kind == PatternSpec::Kind::part) return make_part<NamedPattern>(spec.part, text);
  const auto join = spec.kind == PatternSpec::Kind::both ? both : either;
  std::unique_ptr<Pattern> joined = make_pattern(spec.patterns.front(), text);
  for (std::size_t i = 1; i < spec.patterns.size(); ++i) {
    joined = join(std::move(joined), make_pattern(spec.patterns[i], text));
  }
  return joined;
}

Mechanism::Mechanism(std::string_view text, const MechanismShape& shape, Random& random)
    : shape_(shape), spec_(parse_spec(text)) {
  if (shape.heads < 1 || shape.key_heads < 1 || shape.heads % shape.key_heads != 0) {
    throw UsageError(
        "mechanism: {} heads over {} key heads; the first must be a multiple of the second",
        shape.heads, shape.key_heads);
  }
  check_names(spec_, {listed_names<Score>(), listed_names<Bias>(), listed_names<NamedPattern>(),
                      listed_names<Normaliser>()});
  const std::int64_t per_key_head = shape.heads / shape.key_heads;
  std::int64_t first = 0;
  for (const HeadsSpec& heads : spec_.groups) {
    const std::int64_t count = heads.heads == 0 ? shape.heads : heads.heads;
    const bool splits_a_key_head = count != shape.heads && shape.key_heads > 1 &&
                                   (first % per_key_head != 0 || count % per_key_head != 0);
    if (splits_a_key_head) {
      throw UsageError(
          "mechanism: a group of {} heads does not divide by the {} heads that share a key head",
          count, per_key_head);
    }
    Group group{.first = first, .heads = count};
    group.first_key_head = shape.key_heads == 1 ? 0 : first / per_key_head;
    group.key_heads = shape.key_heads == 1 ? 1 : count / per_key_head;
    groups_.push_back(make_group(heads.mechanism, group, random));
    first += count;
  }
  if (first != shape.heads) {
    throw UsageError("mechanism: the groups of \"{}\" have {} heads together; the shape has {}",
                     spec_.text, first, shape.heads);
  }
}

Mechanism::Group Mechanism::make_group(const MechanismSpec& spec, const Group& heads,
                                       Random& random) const {
  Group group = heads;
  for (const PartSpec& term : spec.terms) {
    if (Catalogue<Score>::find(term.name) != nullptr) {
      std::shared_ptr<Score> score = make_part<Score>(term, spec_.text);
      score->build({shape_.query_width, shape_.key_width, group.heads, group.key_heads}, random);
      group.terms.emplace_back(std::move(score));
    } else {
      std::shared_ptr<Bias> bias = make_part<Bias>(term, spec_.text);
      bias->build(
          {shape_.query_width, shape_.key_width, shape_.value_width, group.heads, group.key_heads},
          random);
      group.terms.emplace_back(std::move(bias));
    }
  }
  group.pattern = make_pattern(spec.pattern, spec_.text);
  group.normaliser = make_part<Normaliser>(spec.normaliser, spec_.text);
  const std::vector<double> first = group.normaliser->first_parameters();
  if (!first.empty()) {
    Tensor values({group.heads, static_cast<std::int64_t>(first.size())});
    Real* data = values.mutable_data();
    for (std::int64_t i = 0; i < values.size(); ++i) {
      data[i] = static_cast<Real>(first[static_cast<std::size_t>(i) % first.size()]);
    }
    group.parameters = nn::parameter(values);
  }
  return group;
}

std::string Mechanism::written() const {
  return attention::written(spec_);
}

void Mechanism::visit(nn::ParameterVisitor& visitor) {
  const auto name = [](const char* kind, int nth) {
    return nth == 1 ? std::string(kind) : fmt::format("{}_{}", kind, nth);
  };
  // A group of heads, seen as a module.
  struct GroupModule {
    Group& group;
    decltype(name)& named;
    void visit(nn::ParameterVisitor& inner) {
      int scores = 0;
      int biases = 0;
      for (Term& term : group.terms) {
        if (auto* score = std::get_if<std::shared_ptr<Score>>(&term)) {
          inner(named("score", ++scores), **score);
        } else {
          inner(named("bias", ++biases), *std::get<std::shared_ptr<Bias>>(term));
        }
      }
      inner("normaliser", group.parameters);
    }
  };
  for (std::size_t i = 0; i < groups_.size(); ++i) {
    GroupModule module{groups_[i], name};
    if (groups_.size() == 1) {
      module.visit(visitor);
    } else {
      visitor(fmt::format("heads_{}", i + 1), module);
    }
  }
}

Memory Mechanism::memory(const Variable& keys, const Variable& values,
                         const MemoryData& data) const {
  if (keys.rank() != 4 || values.rank() != 4 || keys.size(0) != values.size(0) ||
      keys.size(1) != shape_.key_heads || values.size(1) != shape_.key_heads ||
      keys.size(2) != values.size(2) || keys.size(3) != shape_.key_width) {
    throw UsageError(
        "memory: keys {} and values {}; it takes [B,{},K,{}] and [B,{},K,D] with equal B and K",
        keys.shape().text(), values.shape().text(), shape_.key_heads, shape_.key_width,
        shape_.key_heads);
  }
  Memory memory{keys, values, {}, data, 0};
  for (const Group& group : groups_) {
    const Variable mine = heads_of(keys, group.first_key_head, group.key_heads);
    Variables projected;
    for (const Term& term : group.terms) {
      if (const auto* score = std::get_if<std::shared_ptr<Score>>(&term)) {
        projected.push_back((*score)->project(mine));
      }
    }
    memory.projected.push_back(std::move(projected));
  }
  return memory;
}

Memory Mechanism::grown(const Memory& memory, const Variable& keys, const Variable& values) const {
  Memory added = this->memory(keys, values, memory.data);
  Memory all{concat({memory.keys, keys}, 2),
             concat({memory.values, values}, 2),
             {},
             memory.data,
             memory.first_query};
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    Variables projected;
    for (const Term& term : groups_[g].terms) {
      const auto* score = std::get_if<std::shared_ptr<Score>>(&term);
      if (score == nullptr) continue;
      const std::size_t i = projected.size();
      projected.push_back((*score)->grows()
                              ? concat({memory.projected[g][i], added.projected[g][i]}, 2)
                              : (*score)->project(heads_of(all.keys, groups_[g].first_key_head,
                                                           groups_[g].key_heads)));
    }
    all.projected.push_back(std::move(projected));
  }
  return all;
}

Attended Mechanism::attend_group(const Group& group, const Call& call) const {
  if (std::optional<Attended> fused = attend_fused(group, call)) return *std::move(fused);
  const Memory& memory = call.memory;
  const Variable query = heads_of(call.query, group.first, group.heads);
  const Variable keys = heads_of(memory.keys, group.first_key_head, group.key_heads);
  const BiasCall bias_call{.query = query,
                           .keys = keys,
                           .first_query = call.first_query(),
                           .first_head = group.first,
                           .all_heads = shape_.heads,
                           .given = memory.data.bias};
  Variable scores;
  Variable centres;
  std::size_t nth_score = 0;
  for (const Term& term : group.terms) {
    if (const auto* score = std::get_if<std::shared_ptr<Score>>(&term)) {
      const Variable more =
          (*score)->score(query, call.projected[nth_score++], {call.first_query(), call.state});
      scores = scores.defined() ? scores + more : more;
    } else {
      const Bias& bias = *std::get<std::shared_ptr<Bias>>(term);
      scores = bias.transform(scores, bias_call);
      if (const Variable found = bias.centres(bias_call); found.defined()) centres = found;
    }
  }

  for (const TileChange& change : own_changes(group, call)) scores = apply(change, scores);

  group.normaliser->check(memory.size());
  const auto pattern = bound_pattern(group, call, centres);
  Random* noise = call.options.noise;
  const Weighed weighed =
      weigh(*group.normaliser, pattern,
            {.scores = scores,
             .parameters = group.parameters,
             .bounds = memory.data.bounds.defined()
                           ? heads_of(memory.data.bounds, group.first, group.heads)
                           : Variable(),
             .seed = noise != nullptr ? noise->seed() : 0,
             .stream = noise != nullptr ? noise->next_u64() : 0});
  Variable weights = weighed.weights;
  if (call.dropout.probability > 0) weights = dropout(weights, call.dropout);
  for (const Term& term : group.terms) {
    if (const auto* bias = std::get_if<std::shared_ptr<Bias>>(&term)) {
      weights = (*bias)->scale_weights(weights, bias_call);
    }
  }
  Variable context =
      combine(weights, heads_of(memory.values, group.first_key_head, group.key_heads));
  for (const Term& term : group.terms) {
    const auto* bias = std::get_if<std::shared_ptr<Bias>>(&term);
    if (bias == nullptr) continue;
    const Variable more = (*bias)->add_to_context(weights, bias_call);
    if (more.defined()) context = context + more;
  }

  Attended found;
  found.context = context;
  found.weights = weights;
  found.scores = scores;
  found.log_probability = weighed.log_probability;
  found.entropy = weighed.entropy;
  if (call.options.log_sum_exp) found.log_sum_exp = log_sum_exp(*pattern, scores.value());
  return found;
}

}  // namespace heed::attention
