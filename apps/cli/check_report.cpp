// SPDX-License-Identifier: Apache-2.0
// The report of `heed check`: a paragraph for each part of the data, then warnings, then costs.
#include "cli/check_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "heed/base/text.h"

namespace heed::cli {
namespace {

using nlohmann::json;
using text::CountedLines;
using text::LengthCounts;
using text::PartCheck;

constexpr std::size_t kShownClasses = 20;

struct OddLines {
  const char* name;  // in JSON
  const char* what;
  const CountedLines* lines;
};

std::vector<OddLines> odd_lines(const PartCheck& part) {
  return {{"empty", "without text", &part.empty},
          {"unreadable", "that cannot be read", &part.unreadable},
          {"encoding", "not UTF-8", &part.encoding},
          {"too_long", "very long", &part.too_long},
          {"control", "with control characters", &part.control},
          {"replaced", "with U+FFFD", &part.replaced},
          {"unequal", "of unequal lengths", &part.unequal},
          {"quoted", "in quotes that are kept", &part.quoted}};
}

std::string row(std::string_view name, std::string_view text) {
  return fmt::format("  {} {}\n", pad_right(name, 12), text);
}

std::string length_text(const LengthCounts& lengths) {
  return fmt::format("{} to {}, median {}, 95% have at most {}; {} in all", lengths.least(),
                     lengths.most(), lengths.median(), lengths.quantile(.95), lengths.total());
}

std::string first_lines(const std::vector<std::uint64_t>& lines, std::uint64_t count) {
  return lines.empty() ? ""
                       : fmt::format(" (line{} {}{})", count == 1 ? "" : "s",
                                     fmt::join(lines, ", "), count > lines.size() ? ", ..." : "");
}

// Classes with their counts, the most frequent first.
std::string classes_text(const text::Aspect& aspect, bool more) {
  std::vector<std::size_t> order(aspect.classes.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::stable_sort(order, std::greater<>(),
                           [&](std::size_t i) { return aspect.counts[i]; });
  std::string line = fmt::format("{}{} classes: ", more ? "more than " : "", order.size());
  for (std::size_t i = 0; i < std::min(order.size(), kShownClasses); ++i) {
    line += fmt::format("{}{} {}", i > 0 ? ", " : "", shorten(aspect.classes[order[i]], 30),
                        aspect.counts[order[i]]);
  }
  return line + (order.size() > kShownClasses ? ", ..." : "");
}

std::string part_text(const PartCheck& part) {
  const bool pairs = part.second_words.count() > 0;
  const text::LineSketch& sketch = *part.sketch;
  std::string text = fmt::format("{}: {} data\n", part.name, part.part.role);
  text += row(
      part.part.labelled ? "texts"
      : pairs            ? "pairs"
                         : "lines",
      fmt::format("{}{}, {}", part.whole ? "" : "the first ", part.texts, human_bytes(part.bytes)));
  if (part.part.labelled && !part.part.labelled->chosen().empty()) {
    text += row("columns", part.part.labelled->chosen());
  }
  if (part.texts > 0) text += row("words", length_text(part.words));
  if (pairs) text += row("second", length_text(part.second_words));
  for (const text::Aspect& aspect : part.classes) {
    text += row(aspect.name, classes_text(aspect, part.many_classes));
  }
  const std::string about =
      sketch.kept_one_in() > 1 ? fmt::format("about {{}} (by one text in {})", sketch.kept_one_in())
                               : "{}";
  text += row("again", fmt::format(fmt::runtime(about), sketch.repeated()) +
                           first_lines(sketch.first_repeated(), sketch.repeated()));
  if (part.part.labelled && sketch.contradicting() > 0) {
    text += row("", fmt::format("{} with another label{}", sketch.contradicting(),
                                first_lines(sketch.first_contradicting(), sketch.contradicting())));
  }
  if (part.compared > 0) {
    text += row("shared",
                fmt::format("{} of {} are in the training data too{}", part.shared.count,
                            part.compared, first_lines(part.shared.first, part.shared.count)));
  }
  for (const OddLines& odd : odd_lines(part)) {
    if (odd.lines->count > 0) text += row("odd", odd.what + (": " + odd.lines->to_string()));
  }
  return text;
}

json lengths_json(const LengthCounts& lengths) {
  return {{"least", lengths.least()},
          {"median", lengths.median()},
          {"most_of_95_percent", lengths.quantile(.95)},
          {"most", lengths.most()},
          {"total", lengths.total()}};
}

json part_json(const PartCheck& part) {
  const text::LineSketch& sketch = *part.sketch;
  json object = {{"files", part.name},
                 {"role", part.part.role},
                 {"bytes", part.bytes},
                 {"texts", part.texts},
                 {"whole", part.whole},
                 {"words", lengths_json(part.words)},
                 {"repeated",
                  {{"count", sketch.repeated()},
                   {"first_lines", sketch.first_repeated()},
                   {"by_one_text_in", sketch.kept_one_in()}}},
                 {"odd_lines", json::object()}};
  if (part.second_words.count() > 0) object["second_words"] = lengths_json(part.second_words);
  if (part.part.labelled) {
    object["columns"] = part.part.labelled->chosen();
    object["contradicting"] = sketch.contradicting();
    for (const text::Aspect& aspect : part.classes) {
      json& classes = object["classes"][aspect.name] = json::object();
      for (std::size_t i = 0; i < aspect.classes.size(); ++i) {
        classes[aspect.classes[i]] = aspect.counts[i];
      }
    }
  }
  if (part.compared > 0) {
    object["shared"] = {
        {"count", part.shared.count}, {"of", part.compared}, {"first_lines", part.shared.first}};
  }
  for (const OddLines& odd : odd_lines(part)) {
    if (odd.lines->count == 0) continue;
    object["odd_lines"][odd.name] = {{"count", odd.lines->count}, {"first", odd.lines->first}};
  }
  if (!part.problem.empty()) object["problem"] = part.problem;
  return object;
}

}  // namespace

std::string report_text(const CheckReport& report) {
  std::string text;
  for (const PartCheck& part : report.check.parts) text += part_text(part);
  if (report.guessed) {
    text += fmt::format("Taken for data of a {}; --task says otherwise.\n", report.noun);
  }
  for (const std::string& warning : report.check.warnings) text += "Warning: " + warning + "\n";
  for (const TriedTraining& one : report.trainings) {
    text += fmt::format("{}{}: ", one.command, one.preset.empty() ? "" : " --preset " + one.preset);
    text += one.problem.empty() ? one.cost.to_string() : "cannot be tried: " + one.problem;
    text += "\n";
    if (one.problem.empty() && one.cost.tokens.count() > 0) {
      text += row("tokens", length_text(one.cost.tokens));
    }
  }
  return text;
}

std::string report_json(const CheckReport& report) {
  json object = {{"task", report.task},
                 {"parts", json::array()},
                 {"warnings", report.check.warnings},
                 {"trainings", json::array()}};
  for (const PartCheck& part : report.check.parts) object["parts"].push_back(part_json(part));
  for (const TriedTraining& one : report.trainings) {
    json training = {{"command", one.command}, {"preset", one.preset}};
    if (!one.problem.empty()) {
      training["problem"] = one.problem;
    } else {
      training["vocabularies"] = one.cost.vocabularies;
      training["parameters"] = one.cost.parameters;
      training["memory_bytes"] = one.cost.memory ? json(*one.cost.memory) : json();
      training["seconds_per_update"] = one.cost.update_seconds;
      training["updates_per_epoch"] = std::llround(one.cost.epoch_updates);
      training["updates_made"] = one.cost.updates;
      training["texts_tried"] = one.cost.tried;
      training["sampled"] = one.cost.sampled;
      if (one.cost.tokens.count() > 0) training["tokens"] = lengths_json(one.cost.tokens);
    }
    object["trainings"].push_back(training);
  }
  return object.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

}  // namespace heed::cli
