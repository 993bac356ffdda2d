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
  Checker(std::string_view text, const KnownNames& known) : text_(text), known_(known) {
    terms_ = known.scores;
    terms_.insert(terms_.end(), known.biases.begin(), known.biases.end());
    terms_.insert(terms_.end(), known.wholes.begin(), known.wholes.end());
  }

  void check(const HeadsSpec& group) const {
    const MechanismSpec& mechanism = group.mechanism;
    const auto is_whole = [&](const PartSpec& term) { return contains(known_.wholes, term.name); };
    if (const auto whole = std::ranges::find_if(mechanism.terms, is_whole);
        whole != mechanism.terms.end()) {
      check_whole(*whole, group);
      return;
    }
    for (const PartSpec& term : mechanism.terms) check(term, terms_, "score or bias");
    const auto is_score = [&](const PartSpec& term) { return contains(known_.scores, term.name); };
    if (!std::ranges::any_of(mechanism.terms, is_score)) {
      fail(mechanism.terms.front(), "found biases only; a mechanism needs a score: {}",
           join(known_.scores, ", "));
    }
    check(mechanism.pattern);
    check(mechanism.normaliser, known_.normalisers, "normaliser");
    for (const PartSpec& part : mechanism.addressing) {
      check(part, known_.addressing, "addressing part");
    }
  }

  void check(const PatternSpec& pattern) const {
    if (pattern.kind == PatternSpec::Kind::part) check(pattern.part, known_.patterns, "pattern");
    for (const PatternSpec& each : pattern.patterns) check(each);
  }

  void check(const PartSpec& part, std::string_view kind) const {
    check(part,
          kind == "score"        ? known_.scores
          : kind == "bias"       ? known_.biases
          : kind == "normaliser" ? known_.normalisers
                                 : known_.addressing,
          kind);
  }

 private:
  void check_whole(const PartSpec& whole, const HeadsSpec& group) const {
    const MechanismSpec& mechanism = group.mechanism;
    if (group.heads != 0) {
      fail(whole, "{} is a whole mechanism: it serves all heads and is written alone", whole.name);
    }
    for (const PartSpec& term : mechanism.terms) {
      if (term == whole && mechanism.terms.size() == 1) continue;
      fail(mechanism.terms[1], "{} is a whole mechanism: nothing is added to it", whole.name);
    }
    const PartSpec& normaliser = mechanism.normaliser;
    if (normaliser.place != 0 || !(normaliser == MechanismSpec{}.normaliser)) {
      fail(normaliser, "{} is a whole mechanism: it takes a pattern at most, and no normaliser",
           whole.name);
    }
    check(mechanism.pattern);
  }

  void check(const PartSpec& part, const std::vector<std::string>& known,
             std::string_view kind) const {
    if (contains(known, part.name)) return;
    if (const std::string_view other = kind_of(part.name); !other.empty()) {
      fail(part,
           "{} is {}, and this is the place of {}; the sections are scores + biases | pattern | "
           "normaliser | addressing, and | between patterns goes inside parentheses",
           part.name, with_article(other), with_article(kind));
    }
    if (const auto renamed = known_.renamed.find(part.name);
        renamed != known_.renamed.end() && contains(known, renamed->second)) {
      fail(part, "the {} {} is called {} now", kind, part.name, renamed->second);
    }
    // `dot | sofmax`: what is near may belong to the section after this one.
    const std::string normaliser = nearest(part.name, known_.normalisers);
    if (kind == "pattern" && nearest(part.name, known).empty() && !normaliser.empty()) {
      fail(part,
           "there is no pattern \"{}\"; did you mean the normaliser {}, which comes after a "
           "pattern: | full | {}",
           shorten(part.name, 40), normaliser, normaliser);
    }
    fail(part, "there is no {} \"{}\"{}; there are {}", kind, shorten(part.name, 40),
         did_you_mean(part.name, known), join(known, ", "));
  }

  static std::string with_article(std::string_view kind) {
    return fmt::format("{} {}", kind.starts_with('a') ? "an" : "a", kind);
  }

  std::string_view kind_of(std::string_view name) const {
    if (contains(known_.scores, name)) return "score";
    if (contains(known_.biases, name)) return "bias";
    if (contains(known_.patterns, name)) return "pattern";
    if (contains(known_.normalisers, name)) return "normaliser";
    if (contains(known_.addressing, name)) return "addressing part";
    if (contains(known_.wholes, name)) return "whole mechanism";
    return {};
  }

  template <typename... Values>
  [[noreturn]] void fail(const PartSpec& part, fmt::format_string<Values...> message,
                         Values&&... values) const {
    const std::string text = fmt::format(message, std::forward<Values>(values)...);
    throw UsageError(with_caret("mechanism: " + text, text_, part.place));
  }

  std::string_view text_;
  const KnownNames& known_;
  std::vector<std::string> terms_;  // what may be in the first section
};

}  // namespace

void check_names(const Spec& spec, const KnownNames& known) {
  const Checker checker(spec.text, known);
  for (const HeadsSpec& group : spec.groups) checker.check(group);
}

void check_names(const PatternSpec& pattern, std::string_view text, const KnownNames& known) {
  Checker(text, known).check(pattern);
}

void check_name(const PartSpec& part, std::string_view kind, std::string_view text,
                const KnownNames& known) {
  Checker(text, known).check(part, kind);
}

}  // namespace heed::attention
