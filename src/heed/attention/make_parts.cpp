// SPDX-License-Identifier: Apache-2.0
// Patterns of several parts, and the names there are.
#include "heed/attention/make_parts.h"

#include "heed/attention/addressing.h"
#include "heed/attention/bias.h"
#include "heed/attention/normaliser.h"
#include "heed/attention/patterns/pattern_algebra.h"
#include "heed/attention/score.h"
#include "heed/attention/whole.h"
#include "heed/attention/written/spec_names.h"

namespace heed::attention {
namespace {

KnownNames names_of_the_catalogue() {
  return {.scores = listed_names<Score>(),
          .biases = listed_names<Bias>(),
          .patterns = listed_names<NamedPattern>(),
          .normalisers = listed_names<Normaliser>(),
          .addressing = listed_names<Addressing>(),
          .wholes = listed_names<WholeAttention>(),
          .renamed = renamed_parts<Normaliser>()};
}

template <typename Interface>
std::unique_ptr<Interface> part_of(std::string_view kind, const std::string& written) {
  const PartSpec spec = parse_part(written);
  check_name(spec, kind, written, names_of_the_catalogue());
  return make_part<Interface>(spec, written);
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

std::unique_ptr<Pattern> pattern_of(const std::string& written) {
  const PatternSpec spec = parse_pattern(written);
  check_names(spec, written, names_of_the_catalogue());
  return make_pattern(spec, written);
}

std::unique_ptr<Normaliser> normaliser_of(const std::string& written) {
  return part_of<Normaliser>("normaliser", written);
}

std::unique_ptr<Score> score_of(const std::string& written) {
  return part_of<Score>("score", written);
}

std::unique_ptr<Bias> bias_of(const std::string& written) {
  return part_of<Bias>("bias", written);
}

std::unique_ptr<Addressing> addressing_of(const std::string& written) {
  return part_of<Addressing>("addressing part", written);
}

void check_part_names(const Spec& spec) {
  check_names(spec, names_of_the_catalogue());
}

}  // namespace heed::attention
