// SPDX-License-Identifier: Apache-2.0
// Making attention from its written form, whichever form it has.
#include "heed/attention/attention.h"

#include "heed/attention/make_parts.h"
#include "heed/attention/mechanism.h"
#include "heed/attention/whole_mechanism.h"

namespace heed::attention {

std::unique_ptr<Attention> make_attention(std::string_view text, const MechanismShape& shape,
                                          Random& random) {
  return make_attention(parse_spec(text), shape, random);
}

std::unique_ptr<Attention> make_attention(Spec spec, const MechanismShape& shape, Random& random) {
  check_part_names(spec);
  const PartSpec& first = spec.groups.front().mechanism.terms.front();
  if (Catalogue<WholeAttention>::find(first.name) != nullptr) {
    return std::make_unique<WholeMechanism>(spec, shape, random);
  }
  return std::make_unique<Mechanism>(std::move(spec), shape, random);
}

}  // namespace heed::attention
