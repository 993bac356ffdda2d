// SPDX-License-Identifier: Apache-2.0
// Parts of the catalogue by their written names and options.
#pragma once  // public header

#include <memory>
#include <string>
#include <string_view>

#include "heed/attention/pattern.h"
#include "heed/attention/written/catalogue.h"
#include "heed/attention/written/spec.h"

#pragma GCC visibility push(default)  // exported

namespace heed::attention {

class Addressing;
class Bias;
class Normaliser;
class Score;

// A part that is in the catalogue, with its options set; `text` is the written form that the places
// in `spec` point into.
template <typename Interface>
inline std::unique_ptr<Interface> make_part(const PartSpec& spec, std::string_view text) {
  std::unique_ptr<Interface> part = Catalogue<Interface>::find(spec.name)->make();
  Options options;
  part->declare(options);
  set_options(options, spec.name, spec.arguments, text);
  return part;
}

// The pattern a spec asks for by names of the catalogue.
std::unique_ptr<Pattern> make_pattern(const PatternSpec& spec, std::string_view text);

// The part, or pattern, of this written form, such as "causal & window(64)" or
// "entmax(alpha=1.25)". UsageError that points into the text for a name there is not and for
// options it does not take. Learnable tensors are there after build().
std::unique_ptr<Pattern> pattern_of(const std::string& written);
std::unique_ptr<Normaliser> normaliser_of(const std::string& written);
std::unique_ptr<Score> score_of(const std::string& written);
std::unique_ptr<Bias> bias_of(const std::string& written);
std::unique_ptr<Addressing> addressing_of(const std::string& written);

// UsageError as check_names has it, by the names of the catalogue.
void check_part_names(const Spec& spec);

}  // namespace heed::attention

#pragma GCC visibility pop
