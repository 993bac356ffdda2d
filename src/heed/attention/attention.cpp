// SPDX-License-Identifier: Apache-2.0
// Making attention from its written form, whichever form it has.
#include "heed/attention/attention.h"

#include "heed/attention/make_parts.h"
#include "heed/attention/mechanism.h"
#include "heed/attention/whole_mechanism.h"
#include "heed/base/error.h"

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

void check_stepwise(const char* model, const Attention& attention) {
  if (!attention.weighs_all_queries()) return;
  throw UsageError(
      "{}: \"{}\" weighs all queries at once, so that a token would know of those that follow it; "
      "choose a normaliser that weighs each query by itself, such as softmax",
      model, attention.written());
}

void check_causal(const char* model, const Attention& attention) {
  check_stepwise(model, attention);
  if (!attention.mixes_keys()) return;
  throw UsageError(
      "{}: \"{}\" mixes all keys before any query reads them, so that a token would know of those "
      "that follow it; choose one that may be causal, such as a score with a window, or one of {}",
      model, attention.written(), causal_wholes());
}

}  // namespace heed::attention
