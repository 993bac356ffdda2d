// SPDX-License-Identifier: Apache-2.0
// Classes kept sorted, so that their numbers do not depend on the order of the texts.
#include "heed/text/labels.h"

#include <algorithm>

#include "heed/base/error.h"
#include "heed/base/file.h"
#include "heed/base/text.h"
#include "heed/text/lines.h"

namespace heed::text {
namespace {

std::string listed(const Aspect& aspect) {
  constexpr std::size_t kShown = 10;
  const std::size_t count = std::min(aspect.classes.size(), kShown);
  return join(std::span(aspect.classes).first(count), ", ") +
         (count < aspect.classes.size() ? ", ..." : "");
}

void count_class(Aspect& aspect, const std::string& label, std::uint64_t count) {
  const auto place = std::ranges::lower_bound(aspect.classes, label);
  const auto at = place - aspect.classes.begin();
  if (place == aspect.classes.end() || *place != label) {
    aspect.classes.insert(place, label);
    aspect.counts.insert(aspect.counts.begin() + at, 0);
  }
  aspect.counts[static_cast<std::size_t>(at)] += count;
}

}  // namespace

std::int32_t Aspect::find(std::string_view label) const {
  const auto place = std::ranges::lower_bound(classes, label);
  if (place == classes.end() || *place != label) return -1;
  return static_cast<std::int32_t>(place - classes.begin());
}

Labels::Labels(std::span<const std::string> aspects) {
  if (aspects.empty()) throw UsageError("labels: no aspect; name one or more");
  for (const std::string& name : aspects) {
    if (name.empty() || name.find('\t') != std::string::npos) {
      throw UsageError("labels: \"{}\" is not a name for an aspect; it takes text without tabs",
                       name);
    }
    if (std::ranges::count(aspects_, name, &Aspect::name) > 0) {
      throw UsageError("labels: two aspects are named \"{}\"; each needs a name of its own", name);
    }
    aspects_.push_back({.name = name});
  }
}

void Labels::add(std::span<const std::string> labels) {
  for (std::size_t i = 0; i < aspects_.size(); ++i) count_class(aspects_[i], labels[i], 1);
}

std::vector<std::int32_t> Labels::classes_of(std::span<const std::string> labels,
                                             const std::string& where) const {
  std::vector<std::int32_t> classes;
  for (std::size_t i = 0; i < aspects_.size(); ++i) {
    const Aspect& aspect = aspects_[i];
    classes.push_back(aspect.find(labels[i]));
    if (classes.back() >= 0) continue;
    throw DataError("{}: no training text has the label \"{}\"{}; those of \"{}\" are {}", where,
                    labels[i], did_you_mean(labels[i], aspect.classes), aspect.name,
                    listed(aspect));
  }
  return classes;
}

void Labels::check(const std::string& where) const {
  for (const Aspect& aspect : aspects_) {
    if (aspect.classes.size() >= 2) continue;
    if (aspect.classes.empty()) throw DataError("{}: no labelled text", where);
    throw DataError(
        "{}: every text has the label \"{}\" for \"{}\", so there is nothing to tell apart; give "
        "texts of two classes or more",
        where, aspect.classes.front(), aspect.name);
  }
}

void Labels::save(const std::filesystem::path& path) const {
  std::string lines;
  for (const Aspect& aspect : aspects_) {
    for (std::size_t i = 0; i < aspect.classes.size(); ++i) {
      lines += fmt::format("{}\t{}\t{}\n", aspect.name, aspect.classes[i], aspect.counts[i]);
    }
  }
  write_atomically(path, lines);
}

Labels Labels::load(const std::filesystem::path& path) {
  Labels labels;
  LineReader reader(path);
  for (std::string line; reader.next(line);) {
    const std::vector<std::string_view> columns = split(line, '\t');
    const auto wrong = [&](std::string_view what) {
      return DataError("{}:{}: {}; each line must be ASPECT<TAB>CLASS<TAB>COUNT", reader.name(),
                       reader.line(), what);
    };
    if (columns.size() != 3 || columns[0].empty() || columns[1].empty()) {
      throw wrong(fmt::format("\"{}\"", shorten(line, 40)));
    }
    std::int64_t count = 0;
    try {
      count = parse_integer(columns[2], "count");
    } catch (const UsageError& error) {
      throw wrong(error.what());
    }
    if (count < 0) throw wrong("a count below 0");
    if (labels.aspects_.empty() || labels.aspects_.back().name != columns[0]) {
      if (std::ranges::count(labels.aspects_, columns[0], &Aspect::name) > 0) {
        throw wrong(fmt::format("the classes of \"{}\" are not together", columns[0]));
      }
      labels.aspects_.push_back({.name = std::string(columns[0])});
    }
    Aspect& aspect = labels.aspects_.back();
    if (aspect.find(columns[1]) >= 0) throw wrong("a class named twice");
    count_class(aspect, std::string(columns[1]), static_cast<std::uint64_t>(count));
  }
  labels.check(path.string());
  if (labels.aspects_.empty()) throw DataError("{}: no classes", path.string());
  return labels;
}

}  // namespace heed::text
