// SPDX-License-Identifier: Apache-2.0
// The reader of traces in JSON; it trusts no byte of them.
#include "heed/insight/trace/trace_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "heed/base/base64.h"
#include "heed/base/error.h"
#include "heed/base/file.h"
#include "heed/base/text.h"

namespace heed::insight {
namespace {

using nlohmann::json;

constexpr int kVersion = 1;
constexpr int kDeepest = 16;  // Heed's own form goes 9 deep

// "line 3, column 14" of a byte.
std::string line_and_column(std::string_view text, std::size_t byte) {
  const std::string_view before = text.substr(0, std::min(byte, text.size()));
  const auto line = std::ranges::count(before, '\n') + 1;
  const std::size_t start = before.rfind('\n');
  const std::size_t column =
      start == std::string_view::npos ? before.size() : before.size() - start - 1;
  return fmt::format("line {}, column {}", line, std::max<std::size_t>(column, 1));
}

// Rows of weights become binary values while they are read: 4 bytes a weight instead of the 16 of a
// JSON number. Rows with anything but numbers and null stay, for the reader to complain about.
void pack_row(json& row) {
  const auto fits = [](const json& cell) { return cell.is_number() || cell.is_null(); };
  if (row.empty() || !std::ranges::all_of(row, fits)) return;
  std::vector<std::uint8_t> bytes(row.size() * sizeof(Real));
  for (std::size_t i = 0; i < row.size(); ++i) {
    const Real weight = row[i].is_null() ? kMasked : static_cast<Real>(row[i].get<double>());
    std::memcpy(bytes.data() + i * sizeof(Real), &weight, sizeof(Real));
  }
  row = json::binary(std::move(bytes));
}

// The text as a tree, without keys that come twice (the library would keep the last in silence).
json parse(std::string_view text, const std::string& where) {
  std::vector<std::set<std::string>> keys;
  std::string key;
  const auto follow = [&](int depth, json::parse_event_t event, json& parsed) {
    using Event = json::parse_event_t;
    if (depth > kDeepest)
      throw DataError("{}: brackets are nested more than {} deep", where, kDeepest);
    if (event == Event::object_start) {
      keys.emplace_back();
    } else if (event == Event::object_end) {
      keys.pop_back();
    } else if (event == Event::key) {
      key = parsed.get<std::string>();
      if (!keys.back().insert(key).second) {
        throw DataError("{}: the key \"{}\" comes twice in one object", where, key);
      }
    } else if (event == Event::array_end && key == "weights") {
      pack_row(parsed);
    }
    return true;
  };
  try {
    return json::parse(text.begin(), text.end(), follow);
  } catch (const json::parse_error& error) {
    std::string reason = error.what();
    reason = reason.substr(std::min(reason.size(), reason.find(": ") + 2));
    const std::string_view rest =
        text.substr(error.byte == 0 ? 0 : std::min(error.byte - 1, text.size()));
    const bool not_a_number =
        rest.starts_with("a") || rest.starts_with("N") || rest.starts_with("I");
    throw DataError(
        "{}: {}: this is not JSON: {}{}", where, line_and_column(text, error.byte), reason,
        not_a_number ? " (null is a masked weight; NaN and infinities are not weights)" : "");
  } catch (const json::exception& error) {
    throw DataError("{}: this is not JSON that can be read: {}", where, error.what());
  }
}

// A value of the tree and how it is reached: "trace.json: examples[0].strips[1]".
struct Node {
  const json& value;
  std::string place;

  [[noreturn]] void wrong(std::string_view wanted) const {
    const std::string found = value.is_binary()
                                  ? "a list of numbers"
                                  : value.dump(-1, ' ', false, json::error_handler_t::replace);
    const std::string_view colon = place.ends_with(':') ? "" : ":";
    throw DataError("{}{} {} where {} belongs", place, colon, shorten(found, 60), wanted);
  }
  Node operator[](const std::string& key) const {
    const bool root = place.ends_with(':');
    return {value.at(key), place + (root ? " " : ".") + key};
  }
  Node operator[](std::size_t i) const { return {value[i], fmt::format("{}[{}]", place, i)}; }
  bool has(const std::string& key) const { return value.contains(key); }

  // An object with all of `needed`, and of others only `optional`.
  void expect_keys(const std::vector<std::string>& needed,
                   const std::vector<std::string>& optional) const {
    if (!value.is_object()) wrong("an object {...}");
    std::vector<std::string> known = needed;
    known.insert(known.end(), optional.begin(), optional.end());
    const std::string here = place.ends_with(':') ? place : place + ":";
    for (const auto& [key, ignored] : value.items()) {
      if (std::ranges::count(known, key) == 0) {
        throw DataError("{} the key \"{}\" is unknown{}; it takes {}", here, shorten(key, 40),
                        did_you_mean(key, known), join(known, ", "));
      }
    }
    for (const std::string& key : needed) {
      if (!has(key)) throw DataError("{} \"{}\" is missing", here, key);
    }
  }
  std::string text() const {
    if (!value.is_string()) wrong("a text");
    return value.get<std::string>();
  }
  int whole(int least) const {
    constexpr int kMost = std::numeric_limits<int>::max();
    const bool fits =
        value.is_number_integer() && value.get<double>() >= least && value.get<double>() <= kMost;
    if (!fits) wrong(fmt::format("a whole number from {} on", least));
    return value.get<int>();
  }
  bool flag() const {
    if (!value.is_boolean()) wrong("true or false");
    return value.get<bool>();
  }
  const json& list() const {
    if (!value.is_array()) wrong("a list [...]");
    return value;
  }
  template <typename Read>
  auto list_of(Read&& read) const {
    std::vector<decltype(read(*this))> items;
    const std::size_t count = list().size();
    items.reserve(count);
    for (std::size_t i = 0; i < count; ++i) items.push_back(read((*this)[i]));
    return items;
  }
};

std::string text_or_nothing(const Node& node, const std::string& key) {
  return node.has(key) ? node[key].text() : "";
}

// [Q][K] -> [Q,K]; rows are binary, see pack_row.
Tensor read_weights(const Node& node, std::size_t keys) {
  const std::size_t queries = node.list().size();
  Tensor weights({static_cast<std::int64_t>(queries), static_cast<std::int64_t>(keys)});
  Real* row = weights.mutable_data();
  for (std::size_t q = 0; q < queries; ++q, row += keys) {
    const Node cells = node[q];
    if (!cells.value.is_binary()) {
      const std::size_t count = cells.list().size();
      for (std::size_t k = 0; k < count; ++k) {
        if (!cells.value[k].is_number() && !cells.value[k].is_null()) {
          cells[k].wrong("a weight or null");
        }
      }
    }
    const std::size_t count =
        cells.value.is_binary() ? cells.value.get_binary().size() / sizeof(Real) : 0;
    if (count != keys) {
      throw DataError("{}: {} weights for {} keys", cells.place, count, keys);
    }
    if (keys > 0) std::memcpy(row, cells.value.get_binary().data(), keys * sizeof(Real));
  }
  return weights;
}

TokenStrip read_strip(const Node& node) {
  node.expect_keys({"name", "tokens"}, {"words"});
  TokenStrip strip;
  strip.name = node["name"].text();
  strip.tokens = node["tokens"].list_of([](const Node& token) { return token.text(); });
  if (node.has("words")) {
    strip.words = node["words"].list_of([](const Node& word) { return word.whole(-1); });
  }
  return strip;
}

// The number of tokens of a strip; of one that is missing 0, which check() reports better.
std::size_t token_count(const TracedExample& example, const std::string& name) {
  const auto found = std::ranges::find(example.strips, name, &TokenStrip::name);
  return found == example.strips.end() ? 0 : found->tokens.size();
}

struct Reading {
  bool weights = true;
};

AttentionSet read_set(const Node& node, const TracedExample& example, const Reading& reading) {
  node.expect_keys({"kind", "queries", "keys", "heads"}, {"stepwise"});
  AttentionSet set;
  set.kind = node["kind"].text();
  set.queries = node["queries"].text();
  set.keys = node["keys"].text();
  if (node.has("stepwise")) set.stepwise = node["stepwise"].flag();
  for (const char* side : {"queries", "keys"}) {
    const std::string name = node[side].text();
    if (std::ranges::count(example.strips, name, &TokenStrip::name) == 0) {
      std::vector<std::string> names;
      for (const TokenStrip& strip : example.strips) names.push_back(strip.name);
      throw DataError("{}: there is no strip \"{}\"; its strips are {}{}", node[side].place,
                      shorten(name, 40), names.empty() ? "missing" : join(names, ", "),
                      did_you_mean(name, names));
    }
  }
  const std::size_t keys = token_count(example, set.keys);
  set.heads = node["heads"].list_of([&](const Node& head) {
    TracedHead traced;
    if (reading.weights) {
      head.expect_keys({"layer", "head", "weights"}, {});
      traced.weights = read_weights(head["weights"], keys);
    } else {
      head.expect_keys({"layer", "head"}, {});
    }
    traced.layer = head["layer"].whole(0);
    traced.head = head["head"].whole(0);
    return traced;
  });
  return set;
}

ImageBox read_box(const Node& node) {
  const auto edges = node.list_of([](const Node& edge) {
    if (!edge.value.is_number()) edge.wrong("a number");
    return edge.value.get<double>();
  });
  if (edges.size() != 4) node.wrong("[left, top, right, bottom]");
  return {edges[0], edges[1], edges[2], edges[3]};
}

ImageGrid read_image(const Node& node) {
  node.expect_keys({"strip", "rows", "columns"}, {"png", "gold", "looks"});
  ImageGrid image;
  image.strip = node["strip"].text();
  image.rows = node["rows"].whole(1);
  image.columns = node["columns"].whole(1);
  if (node.has("png")) {
    const std::optional<std::string> png = base64_decode(node["png"].text());
    if (!png) throw DataError("{}: this is not base64 text", node["png"].place);
    image.png = *png;
  }
  if (node.has("gold")) image.gold = node["gold"].list_of(read_box);
  if (node.has("looks")) {
    image.looks = node["looks"].list_of([](const Node& look) { return look.list_of(read_box); });
  }
  return image;
}

TracedExample read_example(const Node& node, const Reading& reading) {
  node.expect_keys({"strips", "attentions"}, {"title", "gold", "image"});
  TracedExample example;
  example.title = text_or_nothing(node, "title");
  example.strips = node["strips"].list_of(read_strip);
  example.attentions =
      node["attentions"].list_of([&](const Node& set) { return read_set(set, example, reading); });
  if (node.has("gold")) {
    example.gold = text::parse_pharaoh(node["gold"].text(), {.where = node["gold"].place});
  }
  if (node.has("image")) example.image = read_image(node["image"]);
  return example;
}

TraceDocument read_own(const Node& node, const Reading& reading) {
  node.expect_keys({"format", "version", "examples"}, {"model", "task"});
  if (node["format"].text() != "heed-trace") node["format"].wrong("\"heed-trace\"");
  if (node["version"].whole(1) != kVersion) {
    throw DataError("{}: version {} is newer than this program, which reads version {}",
                    node["version"].place, node["version"].whole(1), kVersion);
  }
  TraceDocument document;
  document.model = text_or_nothing(node, "model");
  document.task = text_or_nothing(node, "task");
  document.examples =
      node["examples"].list_of([&](const Node& example) { return read_example(example, reading); });
  return document;
}

// How many lists are around a row.
int levels(const json& value) {
  int count = 0;
  for (const json* inner = &value; inner->is_array() && !inner->empty(); inner = &inner->front())
    ++count;
  return count;
}

TraceDocument read_plain(const Node& node) {
  node.expect_keys({"source", "target", "weights"}, {"title"});
  TracedExample example;
  example.title = text_or_nothing(node, "title");
  for (const char* side : {"source", "target"}) {
    example.strips.push_back({.name = side, .tokens = node[side].list_of([](const Node& token) {
                                return token.text();
                              })});
  }
  AttentionSet set{.kind = "cross", .queries = "target", .keys = "source"};
  const std::size_t keys = example.strips[0].tokens.size();
  const Node weights = node["weights"];
  const int depth = levels(weights.value);
  if (depth != 1 && depth != 3) {
    weights.wrong("[targets][sources], or [layers][heads][targets][sources]");
  }
  if (depth == 1) set.heads.push_back({.weights = read_weights(weights, keys)});
  for (std::size_t layer = 0; depth == 3 && layer < weights.value.size(); ++layer) {
    const Node heads = weights[layer];
    for (std::size_t head = 0; head < heads.list().size(); ++head) {
      set.heads.push_back({.layer = static_cast<int>(layer),
                           .head = static_cast<int>(head),
                           .weights = read_weights(heads[head], keys)});
    }
  }
  example.attentions.push_back(std::move(set));
  TraceDocument document;
  document.examples.push_back(std::move(example));
  return document;
}

}  // namespace

TraceDocument parse_trace_json(std::string_view text, const std::string& where) {
  const json tree = parse(text, where);
  const Node root{tree, where + ":"};
  if (!tree.is_object()) root.wrong("an object {...}");
  const bool plain = root.has("source") || root.has("target") || root.has("weights");
  TraceDocument document = plain ? read_plain(root) : read_own(root, {});
  try {
    check(document, where);
  } catch (const UsageError& error) {
    throw DataError(error.what());
  }
  return document;
}

TraceDocument parse_trace_json_without_weights(std::string_view text, const std::string& where) {
  const json tree = parse(text, where);
  return read_own({tree, where + ":"}, {.weights = false});
}

TraceDocument read_trace_json(const std::filesystem::path& path) {
  return parse_trace_json(read_file(path), path.string());
}

}  // namespace heed::insight
