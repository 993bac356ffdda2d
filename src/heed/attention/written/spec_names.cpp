// SPDX-License-Identifier: Apache-2.0
// The names in a written mechanism: see spec_names.h.
#include "heed/attention/written/spec_names.h"

#include <algorithm>

#include "heed/attention/written/caret.h"
#include "heed/base/error.h"
#include "heed/base/text.h"

namespace heed::attention {
namespace {

bool contains(const std::vector<std::string>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

class Checker {
 public:
  Checker(const Spec& spec, const KnownNames& known) : spec_(spec), known_(known) {
    terms_ = known.scores;
    terms_.insert(terms_.end(), known.biases.begin(), known.biases.end());
  }

  void check(const MechanismSpec& mechanism) const {
    for (const PartSpec& term : mechanism.terms) check(term, terms_, "score or bias");
    const auto is_score = [&](const PartSpec& term) { return contains(known_.scores, term.name); };
    if (!std::ranges::any_of(mechanism.terms, is_score)) {
      fail(mechanism.terms.front(), "found biases only; a mechanism needs a score: {}",
           join(known_.scores, ", "));
    }
    check(mechanism.pattern);
    check(mechanism.normaliser, known_.normalisers, "normaliser");
  }

 private:
  void check(const PatternSpec& pattern) const {
    if (pattern.kind == PatternSpec::Kind::part) check(pattern.part, known_.patterns, "pattern");
    for (const PatternSpec& each : pattern.patterns) check(each);
  }

  void check(const PartSpec& part, const std::vector<std::string>& known,
             std::string_view kind) const {
    if (contains(known, part.name)) return;
    if (const std::string_view other = kind_of(part.name); !other.empty()) {
      fail(
          part,
          "{} is a {}, and this is the place of a {}; the sections are scores + biases | pattern | "
          "normaliser, and | between patterns goes inside parentheses",
          part.name, other, kind);
    }
    if (const auto renamed = known_.renamed.find(part.name);
        renamed != known_.renamed.end() && contains(known, renamed->second)) {
      fail(part, "the {} {} is called {} now", kind, part.name, renamed->second);
    }
    fail(part, "there is no {} \"{}\"{}; there are {}", kind, shorten(part.name, 40),
         did_you_mean(part.name, known), join(known, ", "));
  }

  std::string_view kind_of(std::string_view name) const {
    if (contains(known_.scores, name)) return "score";
    if (contains(known_.biases, name)) return "bias";
    if (contains(known_.patterns, name)) return "pattern";
    if (contains(known_.normalisers, name)) return "normaliser";
    return {};
  }

  template <typename... Values>
  [[noreturn]] void fail(const PartSpec& part, fmt::format_string<Values...> message,
                         Values&&... values) const {
    const std::string text = fmt::format(message, std::forward<Values>(values)...);
    throw UsageError(with_caret("mechanism: " + text, spec_.text, part.place));
  }

  const Spec& spec_;
  const KnownNames& known_;
  std::vector<std::string> terms_;  // scores and biases stand in one section
};

}  // namespace

void check_names(const Spec& spec, const KnownNames& known) {
  const Checker checker(spec, known);
  for (const HeadsSpec& group : spec.groups) checker.check(group.mechanism);
}

}  // namespace heed::attention
