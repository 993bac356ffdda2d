// SPDX-License-Identifier: Apache-2.0
// The parts of each group of heads, with the cards of the catalogue.
#include "heed/insight/describe/mechanism_description.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "heed/attention/addressing.h"
#include "heed/attention/bias.h"
#include "heed/attention/mechanism.h"
#include "heed/attention/normaliser.h"
#include "heed/attention/score.h"
#include "heed/attention/whole.h"

namespace heed::insight {
namespace {

using attention::MechanismSpec;
using attention::PartSpec;
using attention::PatternSpec;

template <typename Interface>
const attention::Card* card_of(std::string_view name) {
  const auto* const entry = attention::Catalogue<Interface>::find(name);
  return entry != nullptr ? &entry->card : nullptr;
}

Part part_of(const PartSpec& spec, std::string_view kind, const attention::Card* card) {
  const std::string formula = card != nullptr ? ": " + card->formula : std::string();
  return {.name = attention::written(spec),
          .note = fmt::format("{}{}", kind, formula),
          .trained = false};
}

void add_patterns(const PatternSpec& spec, std::vector<Part>& parts) {
  if (spec.kind == PatternSpec::Kind::part) {
    parts.push_back(
        part_of(spec.part, "pattern", card_of<attention::NamedPattern>(spec.part.name)));
    return;
  }
  for (const PatternSpec& inner : spec.patterns) add_patterns(inner, parts);
}

// Moves the parameters of a described branch ("score", "bias_2", "normaliser", "addressing") into
// the part.
void take_parameters(Part& part, const Part* described) {
  if (described == nullptr) return;
  part.trained = true;
  part.parameters = described->parameters;
  part.flops = described->flops;
  part.shape = described->shape;
  part.parts = described->parts;
}

const Part* find(const Part& tree, const std::string& path) {
  const auto found = std::ranges::find_if(tree.parts, [&](const Part& part) {
    return part.name == path || part.name.starts_with(path + '.');
  });
  return found == tree.parts.end() ? nullptr : &*found;
}

std::vector<Part> parts_of(const MechanismSpec& spec, const Part& learnt) {
  std::vector<Part> parts;
  if (const PartSpec& first = spec.terms.front();
      const attention::Card* const whole = card_of<attention::WholeAttention>(first.name)) {
    parts.push_back(part_of(first, "whole mechanism", whole));
    add_patterns(spec.pattern, parts);
    return parts;
  }
  int scores = 0, biases = 0;
  for (const PartSpec& term : spec.terms) {
    const attention::Card* const score = card_of<attention::Score>(term.name);
    const bool is_score = score != nullptr;
    Part part = part_of(term, is_score ? "score" : "bias",
                        is_score ? score : card_of<attention::Bias>(term.name));
    int& count = is_score ? scores : biases;
    const std::string path = is_score ? "score" : "bias";
    ++count;
    take_parameters(part, find(learnt, count == 1 ? path : fmt::format("{}_{}", path, count)));
    parts.push_back(std::move(part));
  }
  add_patterns(spec.pattern, parts);
  Part normaliser =
      part_of(spec.normaliser, "normaliser", card_of<attention::Normaliser>(spec.normaliser.name));
  take_parameters(normaliser, find(learnt, "normaliser"));
  parts.push_back(std::move(normaliser));
  int addressing = 0;
  for (const PartSpec& step : spec.addressing) {
    Part part = part_of(step, "addressing", card_of<attention::Addressing>(step.name));
    ++addressing;
    take_parameters(part, find(learnt, addressing == 1 ? "addressing"
                                                       : fmt::format("addressing_{}", addressing)));
    parts.push_back(std::move(part));
  }
  return parts;
}

}  // namespace

Description describe_mechanism(std::string_view text, const attention::MechanismShape& shape) {
  Random random(1);
  const attention::Spec spec = attention::parse_spec(text);
  const auto mechanism = attention::make_attention(spec, shape, random);
  Description description{.title = attention::written(spec)};
  const std::vector<NamedShape> shapes = shapes_of(nn::parameters(*mechanism));
  Part learnt;
  if (!shapes.empty()) {
    const Description parameters = describe({.title = description.title, .parameters = shapes});
    learnt = parameters.root;
    description.cost = parameters.cost;
  }
  int group = 0;
  for (const attention::HeadsSpec& heads : spec.groups) {
    ++group;
    const Part* own = &learnt;
    if (spec.groups.size() > 1) own = find(learnt, fmt::format("heads_{}", group));
    std::vector<Part> parts = parts_of(heads.mechanism, own != nullptr ? *own : Part{});
    if (spec.groups.size() == 1) {
      description.root.parts = std::move(parts);
      continue;
    }
    Part whole{
        .name = fmt::format("{}x", heads.heads), .trained = false, .parts = std::move(parts)};
    if (own != nullptr) take_parameters(whole, own);
    whole.parts = parts_of(heads.mechanism, own != nullptr ? *own : Part{});
    description.root.parts.push_back(std::move(whole));
  }
  description.root.parameters = description.cost.parameters;
  // A product with the key, or a sum, a tanh and a product for each unit of vᵀ tanh(W₁k + W₂q);
  // then the value is weighed.
  const auto product = [](std::int64_t width) { return 2 * static_cast<double>(width); };
  const auto units = std::ranges::find_if(
      shapes, [](const NamedShape& parameter) { return parameter.path.ends_with("score.v"); });
  const double score =
      units != shapes.end() ? 2 * product(units->shape.back()) : product(shape.key_width);
  description.cost.flops_per_key =
      static_cast<double>(shape.heads) * (score + product(shape.value_width));
  return description;
}

}  // namespace heed::insight
