// SPDX-License-Identifier: Apache-2.0
// The parser of the written form: recursive descent over the grammar of spec.h.
#include "heed/attention/written/spec.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "heed/attention/written/caret.h"
#include "heed/base/error.h"
#include "heed/base/text.h"

namespace heed::attention {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool begins_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

bool begins_number(char c) {
  return is_digit(c) || c == '-' || c == '.' || c == '+';
}

bool is_white(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

// a & (b & c) is a & b & c, and (a) is a.
PatternSpec combined(PatternSpec::Kind kind, std::vector<PatternSpec> patterns) {
  if (patterns.size() == 1) return std::move(patterns.front());
  PatternSpec result = {.kind = kind};
  for (PatternSpec& pattern : patterns) {
    if (pattern.kind == kind) {
      std::ranges::move(pattern.patterns, std::back_inserter(result.patterns));
    } else {
      result.patterns.push_back(std::move(pattern));
    }
  }
  return result;
}

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Spec spec() {
    check_text();
    Spec spec = {.text = std::string(text_)};
    if (is_digit(next())) {
      do {
        spec.groups.push_back(group());
      } while (accept(';'));
    } else {
      spec.groups.push_back({.mechanism = mechanism()});
      if (next() == ';') fail(at_, "found \";\"; groups of heads are written 4x(dot); 4x(dot)");
    }
    if (!at_end()) fail(at_, "found {}; {}", found(), what_may_follow(spec));
    return spec;
  }

  PatternSpec pattern_alone() {
    check_text();
    PatternSpec pattern = both(0);
    if (next() != '\0') fail(at_, "found {}; after a pattern stands & or the end", found());
    return pattern;
  }

  PartSpec part_alone() {
    check_text();
    PartSpec alone = part("a part");
    if (next() != '\0') fail(at_, "found {}; after one part stands the end", found());
    return alone;
  }

 private:
  void check_text() const {
    if (text_.size() > kLongestSpec) {
      fail(kLongestSpec, "the text has {} bytes; it takes at most {}", text_.size(), kLongestSpec);
    }
    if (const std::size_t bad = invalid_utf8(text_); bad != std::string_view::npos) {
      fail(bad, "the text is not UTF-8");
    }
  }

  HeadsSpec group() {
    HeadsSpec group;
    skip_white();
    const std::size_t begin = at_;
    if (!is_digit(next())) fail(at_, "found {}; a number of heads was expected", found());
    while (at_ < text_.size() && is_digit(text_[at_])) ++at_;
    const std::string_view digits = text_.substr(begin, at_ - begin);
    const auto read = std::from_chars(digits.begin(), digits.end(), group.heads);
    if (read.ec != std::errc() || group.heads < 1 || group.heads > kMostHeads) {
      fail(begin, "found {} heads; it takes a whole number from 1 to {}", shorten(digits, 24),
           kMostHeads);
    }
    expect('x', "after a number of heads, as in 4x(dot)");
    expect('(', "in front of the mechanism of these heads, as in 4x(dot)");
    group.mechanism = mechanism();
    expect(')', "after the mechanism of these heads");
    return group;
  }

  MechanismSpec mechanism() {
    MechanismSpec mechanism;
    do {
      mechanism.terms.push_back(part("a score"));
    } while (accept('+'));
    if (!accept('|')) return mechanism;
    mechanism.pattern = both(0);
    if (!accept('|')) return mechanism;
    mechanism.normaliser = part("a normaliser");
    while (accept('|')) mechanism.addressing.push_back(part("an addressing part"));
    return mechanism;
  }

  PatternSpec both(int depth) {
    std::vector<PatternSpec> operands;
    do {
      operands.push_back(operand(depth));
    } while (accept('&'));
    return combined(PatternSpec::Kind::both, std::move(operands));
  }

  PatternSpec operand(int depth) {
    if (next() != '(') return {.part = part("a pattern")};
    if (depth == kDeepestSpec) {
      fail(at_, "found parentheses inside {} others; it takes no more", kDeepestSpec);
    }
    accept('(');
    std::vector<PatternSpec> choices;
    do {
      choices.push_back(both(depth + 1));
    } while (accept('|'));
    expect(')', "after the patterns, or & or | between them");
    return combined(PatternSpec::Kind::either, std::move(choices));
  }

  PartSpec part(std::string_view kind) {
    PartSpec part;
    if (!begins_name(next())) fail(at_, "found {}; the name of {} was expected", found(), kind);
    part.place = at_;
    part.name = name();
    if (!accept('(') || accept(')')) return part;
    do {
      part.arguments.push_back(argument(part.name));
    } while (accept(','));
    expect(')', fmt::format("after the options of {}, or a comma between them", part.name));
    return part;
  }

  Argument argument(std::string_view part) {
    next();  // to its first character
    Argument argument = {.place = at_};
    if (begins_name(next())) {
      argument.value = name();
      if (!accept('=')) return argument;
      argument.name = std::exchange(argument.value, {});
    }
    if (accept('[')) {
      do {
        argument.list.push_back(value(part));
      } while (accept(','));
      expect(']', "after the list, or a comma between its values");
    } else {
      argument.value = value(part);
    }
    return argument;
  }

  std::string value(std::string_view part) {
    if (begins_name(next())) return name();
    if (begins_number(next())) return number();
    if (accept('"')) return quoted();
    fail(at_, "found {}; a value for {} was expected, a number or a word", found(), part);
  }

  // What is between two quotes; the first has been read.
  std::string quoted() {
    const std::size_t begin = at_;
    at_ = std::min(text_.find('"', begin), text_.size());
    if (at_end()) fail(begin - 1, "found a quote without its end; a value in quotes ends with \"");
    return std::string(text_.substr(begin, at_++ - begin));
  }

  std::string name() {
    const std::size_t begin = at_;
    while (at_ < text_.size() &&
           (begins_name(text_[at_]) || is_digit(text_[at_]) || text_[at_] == '-')) {
      ++at_;
    }
    return std::string(text_.substr(begin, at_ - begin));
  }

  // All that could be meant as one number: "1.5.2" is a mistake, not two numbers.
  std::string number() {
    const std::size_t begin = at_;
    for (char before = 'e'; at_ < text_.size(); before = text_[at_++]) {
      const char c = text_[at_];
      const bool sign = (c == '-' || c == '+') && (before == 'e' || before == 'E');
      if (!sign && !begins_name(c) && !is_digit(c) && c != '.') break;
    }
    std::string text(text_.substr(begin, at_ - begin));
    try {
      parse_number(text, "");
    } catch (const UsageError&) {
      fail(begin, "found \"{}\"; a finite number is written 3, -1.5 or 1e-3", shorten(text, 24));
    }
    return text;
  }

  std::string_view what_may_follow(const Spec& spec) const {
    if (spec.groups.back().heads > 0) return "after a group of heads comes \";\" or the end";
    return "after a part comes one of + | & or the end";
  }

  // The character at the next word, 0 at the end.
  char next() {
    skip_white();
    return at_end() ? '\0' : text_[at_];
  }
  void skip_white() {
    while (at_ < text_.size() && is_white(text_[at_])) ++at_;
  }
  bool at_end() const { return at_ == text_.size(); }
  bool accept(char wanted) {
    if (next() != wanted) return false;
    ++at_;
    return true;
  }
  void expect(char wanted, std::string_view where) {
    if (!accept(wanted)) fail(at_, "found {}; \"{}\" was expected {}", found(), wanted, where);
  }

  // The character at the place in quotes, all bytes of it.
  std::string found() const {
    if (at_end()) return "the end";
    std::size_t bytes = 1;
    while (at_ + bytes < text_.size() && (text_[at_ + bytes] & 0xC0) == 0x80) ++bytes;
    const char first = text_[at_];
    if (bytes == 1 && (first < ' ' || first == 0x7F)) {
      return fmt::format("the byte {}", static_cast<int>(first));
    }
    return fmt::format("\"{}\"", text_.substr(at_, bytes));
  }

  template <typename... Values>
  [[noreturn]] void fail(std::size_t place, fmt::format_string<Values...> message,
                         Values&&... values) const {
    const std::string text = fmt::format(message, std::forward<Values>(values)...);
    throw UsageError(with_caret("mechanism: " + text, text_, place));
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

bool same(const Argument& a, const Argument& b) {
  return a.name == b.name && a.value == b.value && a.list == b.list;
}

}  // namespace

bool PartSpec::operator==(const PartSpec& other) const {
  return name == other.name && std::ranges::equal(arguments, other.arguments, same);
}

bool PatternSpec::operator==(const PatternSpec& other) const {
  return kind == other.kind && part == other.part && patterns == other.patterns;
}

Spec parse_spec(std::string_view text) {
  return Parser(text).spec();
}

PatternSpec parse_pattern(std::string_view text) {
  return Parser(text).pattern_alone();
}

PartSpec parse_part(std::string_view text) {
  return Parser(text).part_alone();
}

Spec with_bias(Spec spec, const PartSpec& bias) {
  for (HeadsSpec& group : spec.groups) group.mechanism.terms.push_back(bias);
  return spec;
}

Spec with_pattern(Spec spec, const PatternSpec& pattern) {
  for (HeadsSpec& group : spec.groups) {
    group.mechanism.pattern = required(group.mechanism.pattern, pattern);
  }
  return spec;
}

PatternSpec required(const PatternSpec& pattern, const PatternSpec& more) {
  if (pattern == MechanismSpec{}.pattern) return more;
  return combined(PatternSpec::Kind::both, {pattern, more});
}

std::string written(const PartSpec& part) {
  std::vector<std::string> arguments;
  for (const Argument& argument : part.arguments) {
    std::vector<std::string> list;
    for (const std::string& one : argument.list) list.push_back(written_value(one));
    const std::string value =
        list.empty() ? written_value(argument.value) : fmt::format("[{}]", join(list, ", "));
    arguments.push_back(argument.name.empty() ? value : argument.name + "=" + value);
  }
  return arguments.empty() ? part.name : fmt::format("{}({})", part.name, join(arguments, ", "));
}

std::string written(const PatternSpec& pattern) {
  if (pattern.kind == PatternSpec::Kind::part) return written(pattern.part);
  std::vector<std::string> texts;
  for (const PatternSpec& each : pattern.patterns) texts.push_back(written(each));
  return pattern.kind == PatternSpec::Kind::both ? join(texts, " & ")
                                                 : fmt::format("({})", join(texts, " | "));
}

std::string written(const MechanismSpec& mechanism) {
  std::vector<std::string> terms;
  for (const PartSpec& term : mechanism.terms) terms.push_back(written(term));
  std::string text = join(terms, " + ");
  const MechanismSpec defaults;
  const bool normalised =
      mechanism.normaliser != defaults.normaliser || !mechanism.addressing.empty();
  if (normalised || mechanism.pattern != defaults.pattern)
    text += " | " + written(mechanism.pattern);
  if (normalised) text += " | " + written(mechanism.normaliser);
  for (const PartSpec& part : mechanism.addressing) text += " | " + written(part);
  return text;
}

std::string written(const Spec& spec) {
  std::vector<std::string> groups;
  for (const HeadsSpec& group : spec.groups) {
    const std::string text = written(group.mechanism);
    groups.push_back(group.heads == 0 ? text : fmt::format("{}x({})", group.heads, text));
  }
  return join(groups, "; ");
}

}  // namespace heed::attention
