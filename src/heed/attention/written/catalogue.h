// SPDX-License-Identifier: Apache-2.0
// The catalogue: parts list themselves here by kind; parser, help, docs and laws find them by name.
#pragma once  // public header

#include <algorithm>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heed/attention/written/card.h"

#pragma GCC visibility push(default)  // exported

namespace heed::attention {

// An option as written: `alpha=1.5`; `64` without a name (the first option not yet given);
// `positions=[0, 5]` (without a name the first list); or `of="entmax(alpha=1.5)"`.
struct Argument {
  std::string name = {};  // empty: by position
  std::string value = {};
  std::size_t place = 0;               // of its first character in the written form
  std::vector<std::string> list = {};  // several values; `value` is empty then
};

// Sets a part's options; UsageError for an unknown name (with the nearest), one given twice, too
// many values, and a value out of range, each opening with the part's name. Given the written form
// the arguments come from, the message also shows it with a caret under the argument.
void set_options(Options& options, std::string_view part, std::span<const Argument> arguments,
                 std::string_view written = {});

// A value as it is written: in quotes unless it is a name or a number.
std::string written_value(const std::string& value);

// `name(option=value, ...)` with the options whose values differ from those in `defaults`; `name`
// when none does.
std::string written_form(std::string_view part, const Options& options, const Options& defaults);

// The same for a part, against a part made with its defaults.
template <Part P>
std::string written_form(P part) {
  P fresh;
  Options options;
  Options defaults;
  part.declare(options);
  fresh.declare(defaults);
  return written_form(P::card().name, options, defaults);
}

// Throws the UsageError of a name that is listed twice.
[[noreturn]] void refuse_twice(std::string_view name);

// One kind of part behind its interface: Score, Bias, Pattern, Normaliser or Addressing.
template <typename Interface>
class Catalogue {
 public:
  struct Entry {
    Card card;
    std::function<std::unique_ptr<Interface>()> make;  // with default options
  };

  // Sorted by name. A function-local static, so that parts may list themselves in any order.
  static const std::vector<Entry>& entries() { return listed(); }
  // Null when there is none. Two parts of one name are a UsageError: which of them was meant would
  // depend on the order in which they were linked.
  static const Entry* find(std::string_view name) {
    const auto& all = listed();
    const auto at = std::ranges::lower_bound(
        all, name, {}, [](const Entry& entry) -> std::string_view { return entry.card.name; });
    if (at == all.end() || at->card.name != name) return nullptr;
    if (at + 1 != all.end() && (at + 1)->card.name == name) refuse_twice(name);
    return &*at;
  }
  static void add(Entry entry) {
    auto& all = listed();
    const auto place = std::ranges::lower_bound(all, entry.card.name, {},
                                                [](const Entry& other) { return other.card.name; });
    all.insert(place, std::move(entry));
  }

 private:
  // In catalogue_lists.cpp, so that every library and program of a process has the same.
  static std::vector<Entry>& listed();
};

}  // namespace heed::attention

#pragma GCC visibility pop
