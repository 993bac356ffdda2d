// SPDX-License-Identifier: Apache-2.0
// Readers are found in the catalogue: the first part whose card says that it reads the data.
#include "heed/attention/compose/given.h"

#include <algorithm>

#include "heed/attention/bias.h"
#include "heed/attention/pattern.h"
#include "heed/attention/written/caret.h"
#include "heed/base/error.h"

namespace heed::attention {
namespace {

template <typename Interface>
bool part_reads(const PartSpec& part, Given given) {
  const auto* entry = Catalogue<Interface>::find(part.name);
  return entry != nullptr && reads(entry->card, given);
}

template <typename Interface>
PartSpec reader_of(Given given) {
  const auto& entries = Catalogue<Interface>::entries();
  const auto found =
      std::ranges::find_if(entries, [&](const auto& entry) { return reads(entry.card, given); });
  if (found == entries.end()) throw InternalError("no part reads {}", given_text(given));
  return {.name = found->card.name};
}

// The first part of a pattern that reads this; null: none does.
const PartSpec* reader_in(const PatternSpec& pattern, Given given) {
  if (pattern.kind == PatternSpec::Kind::part) {
    return part_reads<NamedPattern>(pattern.part, given) ? &pattern.part : nullptr;
  }
  for (const PatternSpec& inner : pattern.patterns) {
    if (const PartSpec* found = reader_in(inner, given)) return found;
  }
  return nullptr;
}

bool card_gives(const Card& card, Given given) {
  return std::ranges::find(card.gives, given) != card.gives.end();
}

// The part of this group's pattern that reads what none of its biases gives; null: there is none.
const PartSpec* reader_without_giver(const MechanismSpec& mechanism, Given given) {
  const bool is_given = std::ranges::any_of(mechanism.terms, [&](const PartSpec& term) {
    const auto* bias = Catalogue<Bias>::find(term.name);
    return bias != nullptr && card_gives(bias->card, given);
  });
  return is_given ? nullptr : reader_in(mechanism.pattern, given);
}

// The spec with a bias that gives this in every group of heads that lacks it.
Spec with_giver(Spec spec, Given given) {
  const auto& biases = Catalogue<Bias>::entries();
  const auto giver = std::ranges::find_if(
      biases, [&](const auto& entry) { return card_gives(entry.card, given); });
  if (giver == biases.end()) throw InternalError("no bias gives {}", given_text(given));
  for (HeadsSpec& group : spec.groups) {
    if (reader_without_giver(group.mechanism, given) == nullptr) continue;
    group.mechanism.terms.push_back({.name = giver->card.name});
  }
  return spec;
}

}  // namespace

bool reads(const Card& card, Given given) {
  return std::ranges::find(card.reads, given) != card.reads.end();
}

std::string given_text(Given given) {
  switch (given) {
    case Given::lengths:
      return "lengths";
    case Given::segments:
      return "segments";
    case Given::mask:
      return "a mask";
    case Given::bias:
      return "a bias";
    case Given::bounds:
      return "bounds";
    case Given::centres:
      return "centres";
  }
  throw InternalError("given data {} has no text", static_cast<int>(given));
}

void check_givers(const Spec& spec) {
  for (const HeadsSpec& group : spec.groups) {
    const PartSpec* reader = reader_without_giver(group.mechanism, Given::centres);
    if (reader == nullptr) continue;
    throw UsageError(with_caret(
        fmt::format("mechanism: {} needs a bias that gives {}; write \"{}\"", reader->name,
                    given_text(Given::centres), written(with_giver(spec, Given::centres))),
        spec.text, reader->place));
  }
}

Spec with_reader(Spec spec, Given given) {
  if (given == Given::bounds || given == Given::centres) return spec;
  for (HeadsSpec& group : spec.groups) {
    MechanismSpec& mechanism = group.mechanism;
    if (given == Given::bias) {
      const auto reader = [&](const PartSpec& term) { return part_reads<Bias>(term, given); };
      if (std::ranges::none_of(mechanism.terms, reader)) {
        mechanism.terms.push_back(reader_of<Bias>(given));
      }
    } else if (reader_in(mechanism.pattern, given) == nullptr) {
      mechanism.pattern = required(mechanism.pattern, {.part = reader_of<NamedPattern>(given)});
    }
  }
  return spec;
}

}  // namespace heed::attention
