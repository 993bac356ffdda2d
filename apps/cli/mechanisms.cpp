// SPDX-License-Identifier: Apache-2.0
// The verb `mechanisms`: the catalogue as a table, as JSON or as a page, one part in full, and the
// picture of a normaliser.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "attend/catalogue.h"
#include "cli/output_files.h"
#include "cli/verb.h"
#include "heed/attention/mechanism.h"
#include "heed/attention/normaliser.h"
#include "heed/base/error.h"
#include "heed/base/text.h"
#include "heed/insight/draw/normaliser_plot.h"

namespace heed::cli {
namespace {

using nlohmann::json;

using attend::to_json;
using attention::OptionRow;
using attention::PartRow;

std::string promises_text(const attention::Card& card) {
  std::vector<std::string> texts;
  for (const attention::Promise promise : card.promises) {
    texts.push_back(attention::promise_text(promise));
  }
  return join(texts, ", ");
}

// `alpha=1.5, learnable=false`
std::string options_text(const PartRow& row) {
  std::vector<std::string> texts;
  for (const OptionRow& option : row.options) {
    texts.push_back(fmt::format("{}={}", option.name, option.default_text));
  }
  return join(texts, ", ");
}

std::string plural(const std::string& kind) {
  return kind == "bias" ? "biases" : kind + "s";
}

void print_table(const std::vector<PartRow>& rows) {
  std::size_t name_width = 0;
  std::size_t formula_width = 0;
  for (const PartRow& row : rows) {
    name_width = std::max(name_width, display_width(row.card.name));
    formula_width = std::max(formula_width, display_width(row.card.formula));
  }
  formula_width = std::min<std::size_t>(formula_width, 48);
  fmt::print(
      "scores + biases | pattern | normaliser | addressing, or a whole mechanism | pattern\n");
  std::string kind;
  for (const PartRow& row : rows) {
    if (row.kind != kind) fmt::print("\n{}\n", plural(row.kind));
    kind = row.kind;
    fmt::print("  {}  {}  {}\n", pad_right(row.card.name, name_width),
               pad_right(shorten(row.card.formula, formula_width), formula_width),
               options_text(row));
  }
  fmt::print("\n`heed mechanisms NAME` describes one part.\n");
}

// In a Markdown table a bar would end the cell.
std::string cell(std::string_view text) {
  std::string safe;
  for (const char c : text) safe += c == '|' ? std::string("\\|") : std::string(1, c);
  return safe;
}

std::string markdown(const std::vector<PartRow>& rows) {
  std::string page =
      "# Mechanisms\n\nThe parts of `score + bias | pattern | normaliser | addressing`, and whole "
      "mechanisms, which stand alone or before a pattern, as in `linear | causal`. This page is "
      "what "
      "`heed mechanisms --markdown` prints: it is made from the catalogue, and a test compares "
      "them.\n\nOptions are shown with their defaults; `heed mechanisms NAME` gives ranges, "
      "promises and learnable parameters.\n";
  std::string kind;
  for (const PartRow& row : rows) {
    if (row.kind != kind) {
      std::string title = plural(row.kind);
      title[0] = static_cast<char>(title[0] - 'a' + 'A');
      page += fmt::format(
          "\n## {}\n\n| name | options | formula | what it does | source |\n"
          "|---|---|---|---|---|\n",
          title);
    }
    kind = row.kind;
    const std::string options = options_text(row);
    page += fmt::format("| `{}` | {} | {} | {} | {} |\n", row.card.name,
                        options.empty() ? "" : fmt::format("`{}`", cell(options)),
                        cell(row.card.formula), cell(row.card.summary), cell(row.card.source));
  }
  return page;
}

// Sizes that no default has, so that a parameter's shape can be told in letters.
struct Letter {
  std::int64_t size;
  const char* letter;
};
constexpr std::int64_t kQueryWidth = 1009;
constexpr std::int64_t kKeyWidth = 1013;
constexpr std::int64_t kValueWidth = 1019;
constexpr std::int64_t kHeads = 29;

std::string shape_text(const Shape& shape, bool equal_widths) {
  const std::vector<Letter> letters = {{kQueryWidth, equal_widths ? "D" : "Dq"},
                                       {kKeyWidth, "Dk"},
                                       {kValueWidth, "Dv"},
                                       {kHeads, "H"},
                                       {kQueryWidth + kKeyWidth, "Dq+Dk"},
                                       {2 * kQueryWidth, "2D"}};
  std::vector<std::string> sizes;
  for (const std::int64_t size : shape) {
    const auto found = std::ranges::find(letters, size, &Letter::size);
    sizes.push_back(found != letters.end() ? found->letter : fmt::format("{}", size));
  }
  return fmt::format("[{}]", join(sizes, ","));
}

// The learnable parameters of a mechanism with this part as written, "score.W1 [128,Dk]" each.
std::vector<std::string> parameters_of(const std::string& kind, const std::string& part) {
  std::string mechanism = "scaled_dot";
  if (kind == "score" || kind == "whole mechanism") mechanism = part;
  if (kind == "bias") mechanism += " + " + part;
  if (kind == "normaliser") mechanism += " | full | " + part;
  if (kind == "addressing part") mechanism += " | full | softmax | " + part;
  if (kind == "pattern") return {};
  const auto listed = [&](bool equal_widths) {
    Random random(1);
    const auto built =
        attention::make_attention(mechanism,
                                  {.query_width = kQueryWidth,
                                   .key_width = equal_widths ? kQueryWidth : kKeyWidth,
                                   .value_width = kValueWidth,
                                   .heads = kHeads,
                                   .key_heads = kHeads},
                                  random);
    std::vector<std::string> texts;
    for (const nn::Parameter& parameter : nn::parameters(*built)) {
      texts.push_back(fmt::format("{} {}", parameter.name,
                                  shape_text(parameter.variable.shape(), equal_widths)));
    }
    return texts;
  };
  try {
    return listed(false);
  } catch (const UsageError&) {
    return listed(true);  // it compares the two and needs equal widths
  }
}

void print_field(std::string_view name, std::string_view text) {
  if (!text.empty()) fmt::print("  {}{}\n", pad_right(name, 12), text);
}

void print_part(const PartRow& row, const std::string& written) {
  fmt::print("{}: a {}\n", row.card.name, row.kind);
  print_field("", row.card.summary);
  print_field("formula", row.card.formula);
  print_field("source", row.card.source);
  print_field("promises", promises_text(row.card));
  std::string_view label = "options";
  for (const OptionRow& option : row.options) {
    print_field(label, fmt::format("{}={}: {}; {}", option.name, option.default_text, option.help,
                                   option.wants));
    label = "";
  }
  label = "parameters";
  for (const std::string& parameter : parameters_of(row.kind, written)) {
    print_field(label, parameter);
    label = "";
  }
}

std::string plot_of(const attention::PartSpec& part, const std::string& text) {
  const auto* entry = attention::Catalogue<attention::Normaliser>::find(part.name);
  if (entry == nullptr) throw UsageError("--plot draws normalisers; \"{}\" is not one", part.name);
  const auto normaliser = entry->make();
  Options options;
  normaliser->declare(options);
  attention::set_options(options, part.name, part.arguments, text);
  return insight::normaliser_svg(*normaliser);
}

struct MechanismsVerb {
  std::string name;
  std::string plot;
  bool json = false;
  bool markdown = false;
  OutputFiles files;

  Options list;

  MechanismsVerb() {
    list.add("plot", plot, "write the picture of a normaliser to this file as SVG");
    list.add("json", json, "print a JSON array");
    list.add("markdown", markdown, "print the page docs/mechanisms.md");
    files.declare(list);
  }
};

void run(const MechanismsVerb& verb) {
  if (verb.markdown + verb.json + !verb.plot.empty() > 1) {
    throw UsageError("--plot, --json and --markdown are three forms: give one of them");
  }
  std::vector<PartRow> rows = attention::part_rows();
  std::optional<attention::PartSpec> part;
  if (!verb.name.empty()) {
    part = attention::parse_part(verb.name);
    std::vector<std::string> names;
    for (const PartRow& row : rows) names.push_back(row.card.name);
    std::erase_if(rows, [&](const PartRow& row) { return row.card.name != part->name; });
    if (rows.empty()) {
      throw UsageError("there is no part \"{}\"{}; `heed mechanisms` lists them", part->name,
                       did_you_mean(part->name, names));
    }
  }
  if (!verb.plot.empty()) {
    if (!part) throw UsageError("--plot needs the name of a normaliser");
    verb.files.write(verb.plot, plot_of(*part, verb.name));
    return;
  }
  if (verb.markdown) {
    fmt::print("{}", markdown(rows));
  } else if (verb.json) {
    json list = json::array();
    for (const PartRow& row : rows) list.push_back(to_json(row));
    fmt::print("{}\n", list.dump(2));
  } else if (part) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (i > 0) fmt::print("\n");
      print_part(rows[i], verb.name);
    }
  } else {
    print_table(rows);
  }
}

Action set_up(CommandLine& line) {
  auto verb = std::make_shared<MechanismsVerb>();
  line.add("NAME", verb->name, "one part, with options or without").kind("");
  return line.with_options(verb->list, [verb] { run(*verb); });
}

const ListedVerb kListed(
    {.name = "mechanisms",
     .summary = "List the parts that mechanisms are made of, or describe one",
     .description = "Scores, biases, patterns, normalisers, addressing and whole mechanisms with "
                    "their options, "
                    "formulas and "
                    "sources. A normaliser can be drawn: its weights over two keys, and the "
                    "regions of equal support over three.",
     .example = "heed mechanisms\nheed mechanisms entmax\nheed mechanisms --json\n"
                "heed mechanisms \"entmax(alpha=1.3)\" --plot entmax.svg",
     .setup = set_up});

}  // namespace
}  // namespace heed::cli
