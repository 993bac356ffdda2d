// SPDX-License-Identifier: Apache-2.0
// Building mechanisms from text, and memories of projected keys.
#include "heed/attention/mechanism.h"

#include <algorithm>

#include "heed/attention/addressing.h"
#include "heed/attention/bias.h"
#include "heed/attention/compose/checks.h"
#include "heed/attention/compose/given.h"
#include "heed/attention/compose/head_weights.h"
#include "heed/attention/make_parts.h"
#include "heed/attention/normaliser.h"
#include "heed/attention/score.h"
#include "heed/attention/whole.h"
#include "heed/attention/written/caret.h"
#include "heed/autograd/ops.h"
#include "heed/base/error.h"
#include "heed/nn/lengths.h"

namespace heed::attention {
namespace {

// A score that reads neighbours finds zeros beyond the end of a sequence, padded or not.
Variable projected_by(const Score& score, const Variable& keys, const Ids& lengths) {
  return score.project(score.grows() ? keys : nn::without_padding(keys, lengths));
}

}  // namespace

Mechanism::Mechanism(std::string_view text, const MechanismShape& shape, Random& random)
    : Mechanism(parse_spec(text), shape, random) {}

Mechanism::Mechanism(Spec spec, const MechanismShape& shape, Random& random)
    : shape_(shape), spec_(std::move(spec)) {
  check_part_names(spec_);
  check_shape(shape);
  if (const PartSpec& first = spec_.groups.front().mechanism.terms.front();
      Catalogue<WholeAttention>::find(first.name) != nullptr) {
    throw UsageError(with_caret(
        fmt::format("mechanism: {} is a whole mechanism, which make_attention makes", first.name),
        spec_.text, first.place));
  }
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
  check_givers(spec_);
  if (looks_back()) {
    for (const Group& group : groups_) {
      if (!looks_ahead(*group.normaliser)) continue;
      throw UsageError(
          "mechanism: {} weighs all queries at once, but \"{}\" has a part that takes them one by "
          "one, since it looks back at past weights",
          group.normaliser->card().name, spec_.text);
    }
  }
  if (first != shape.heads) {
    throw UsageError("mechanism: the groups of \"{}\" have {} heads together; the shape has {}",
                     spec_.text, first, shape.heads);
  }
}

std::unique_ptr<Attention> Mechanism::clone() const {
  auto twin = std::make_unique<Mechanism>(*this);
  twin->separate();
  return twin;
}

void Mechanism::separate() {
  for (Group& group : groups_) {
    for (Term& term : group.terms) {
      std::visit([](auto& part) { part = part->clone(); }, term);
    }
    group.pattern = group.pattern->clone();
    group.normaliser = group.normaliser->clone();
    for (auto& part : group.addressing) part = part->clone();
  }
}

Mechanism::Group Mechanism::make_group(const MechanismSpec& spec, const Group& heads,
                                       Random& random) const {
  Group group = heads;
  // All parts before the first is built: a mistake in what was written goes before shapes that do
  // not fit, which may be another's.
  for (const PartSpec& term : spec.terms) {
    if (Catalogue<Score>::find(term.name) != nullptr) {
      group.terms.emplace_back(std::shared_ptr<Score>(make_part<Score>(term, spec_.text)));
    } else {
      group.terms.emplace_back(std::shared_ptr<Bias>(make_part<Bias>(term, spec_.text)));
    }
  }
  group.pattern = make_pattern(spec.pattern, spec_.text);
  group.normaliser = make_part<Normaliser>(spec.normaliser, spec_.text);
  for (const PartSpec& part : spec.addressing) {
    group.addressing.emplace_back(make_part<Addressing>(part, spec_.text));
  }
  for (const Term& term : group.terms) {
    if (const auto* score = std::get_if<std::shared_ptr<Score>>(&term)) {
      (*score)->build({shape_.query_width, shape_.key_width, group.heads, group.key_heads}, random);
    } else {
      std::get<std::shared_ptr<Bias>>(term)->build(
          {shape_.query_width, shape_.key_width, shape_.value_width, group.heads, group.key_heads},
          random);
    }
  }
  group.normaliser->build({.heads = group.heads}, random);
  for (const auto& part : group.addressing) {
    part->build({.query_width = shape_.query_width, .heads = group.heads}, random);
  }
  return group;
}

std::string Mechanism::written() const {
  return attention::written(spec_);
}

bool Mechanism::weighs_all_queries() const {
  return std::ranges::any_of(groups_,
                             [](const Group& group) { return looks_ahead(*group.normaliser); });
}

bool Mechanism::has_log_sum_exp() const {
  return std::ranges::all_of(groups_, [](const Group& group) {
    const std::optional<FusedNormaliser> fused = group.normaliser->fused();
    return fused && !fused->sparse && fused->temperature == 1 && group.addressing.empty();
  });
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
      inner("normaliser", *group.normaliser);
      int addressing = 0;
      for (auto& part : group.addressing) inner(named("addressing", ++addressing), *part);
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

Memory Mechanism::memory(const Variable& keys, const Variable& values, const KeyData& data) const {
  check_keys(shape_, keys, values);
  nn::check_lengths("memory", data.lengths, keys.size(0), keys.size(2));
  Memory memory{.keys = keys, .values = values, .projected = {}, .data = data, .maker = identity()};
  for (const Group& group : groups_) {
    const Variable mine = heads_of(keys, group.first_key_head, group.key_heads);
    Variables projected;
    for (const Term& term : group.terms) {
      if (const auto* score = std::get_if<std::shared_ptr<Score>>(&term)) {
        projected.push_back(projected_by(**score, mine, data.lengths));
      }
    }
    memory.projected.push_back(std::move(projected));
  }
  return memory;
}

Memory Mechanism::grown(const Memory& memory, const Variable& keys, const Variable& values) const {
  check_memory(memory);
  Memory added = this->memory(keys, values);
  Memory all = with_more(memory, keys, values);
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    Variables projected;
    for (const Term& term : groups_[g].terms) {
      const auto* score = std::get_if<std::shared_ptr<Score>>(&term);
      if (score == nullptr) continue;
      const std::size_t i = projected.size();
      if (same_elements(added.projected[g][i], added.keys)) {
        projected.push_back(all.keys);
        continue;
      }
      projected.push_back(
          (*score)->grows()
              ? with_keys_after(memory.projected[g][i], added.projected[g][i], memory.data.lengths)
              : projected_by(**score,
                             heads_of(all.keys, groups_[g].first_key_head, groups_[g].key_heads),
                             all.data.lengths));
    }
    all.projected.push_back(std::move(projected));
  }
  return all;
}

}  // namespace heed::attention
