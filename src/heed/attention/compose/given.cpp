// SPDX-License-Identifier: Apache-2.0
// Readers are found in the catalogue: the first part whose card says that it reads the data.
#include "heed/attention/compose/given.h"

#include <algorithm>

#include "heed/attention/bias.h"
#include "heed/attention/pattern.h"
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

bool pattern_reads(const PatternSpec& pattern, Given given) {
  if (pattern.kind == PatternSpec::Kind::part) return part_reads<NamedPattern>(pattern.part, given);
  return std::ranges::any_of(pattern.patterns,
                             [&](const auto& inner) { return pattern_reads(inner, given); });
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
  }
  throw InternalError("given data {} has no text", static_cast<int>(given));
}

Spec with_reader(Spec spec, Given given) {
  if (given == Given::bounds) return spec;
  for (HeadsSpec& group : spec.groups) {
    MechanismSpec& mechanism = group.mechanism;
    if (given == Given::bias) {
      const auto reader = [&](const PartSpec& term) { return part_reads<Bias>(term, given); };
      if (std::ranges::none_of(mechanism.terms, reader)) {
        mechanism.terms.push_back(reader_of<Bias>(given));
      }
    } else if (!pattern_reads(mechanism.pattern, given)) {
      mechanism.pattern = required(mechanism.pattern, {.part = reader_of<NamedPattern>(given)});
    }
  }
  return spec;
}

}  // namespace heed::attention
