// SPDX-License-Identifier: Apache-2.0
// The rules that a trace keeps to, whoever wrote it.
#include "heed/insight/trace/trace_document.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>

#include "heed/base/error.h"
#include "heed/base/text.h"

namespace heed::insight {
namespace {

constexpr std::string_view kPngSignature = "\x89PNG\r\n\x1A\n";

std::vector<std::string> names_of(const TracedExample& example) {
  std::vector<std::string> names;
  for (const TokenStrip& strip : example.strips) names.push_back(strip.name);
  return names;
}

// Null when there is none.
const TokenStrip* find_strip(const TracedExample& example, const std::string& name) {
  const auto found = std::ranges::find(example.strips, name, &TokenStrip::name);
  return found == example.strips.end() ? nullptr : &*found;
}

const TokenStrip& strip_at(const TracedExample& example, const std::string& name,
                           const std::string& place) {
  const TokenStrip* found = find_strip(example, name);
  if (found != nullptr) return *found;
  const std::vector<std::string> names = names_of(example);
  throw UsageError("{}: there is no strip \"{}\"; its strips are {}{}", place, name,
                   names.empty() ? "missing" : join(names, ", "), did_you_mean(name, names));
}

// Words that a strip's tokens belong to.
std::int64_t word_count(const TokenStrip& strip) {
  if (strip.words.empty()) return static_cast<std::int64_t>(strip.tokens.size());
  return std::int64_t{*std::ranges::max_element(strip.words)} + 1;
}

void check_strip(const TokenStrip& strip, const std::string& place) {
  if (strip.name.empty()) throw UsageError("{}: the strip has no name", place);
  if (strip.words.empty()) return;
  if (strip.words.size() != strip.tokens.size()) {
    throw UsageError("{}.words: {} words for {} tokens: it takes the word of each token", place,
                     strip.words.size(), strip.tokens.size());
  }
  int last = 0;
  for (std::size_t i = 0; i < strip.words.size(); ++i) {
    const int word = strip.words[i];
    if (word < -1) {
      throw UsageError("{}.words[{}]: {} is not a word: they count from 0, and -1 is no word",
                       place, i, word);
    }
    if (word == -1) continue;
    if (word < last) {
      throw UsageError("{}.words[{}]: word {} comes after word {}: they go up", place, i, word,
                       last);
    }
    last = word;
  }
}

void check_values(const TracedHead& head, const std::string& place) {
  const Tensor weights = head.weights.packed();
  const std::int64_t columns = weights.size(1);
  const auto values = weights.span();
  const auto wrong =
      std::ranges::find_if(values, [](Real weight) { return weight < 0 || std::isinf(weight); });
  if (wrong == values.end()) return;
  const std::int64_t at = wrong - values.begin();
  throw UsageError("{}.weights[{}][{}]: {} is {}: weights are at least 0 and finite", place,
                   at / columns, at % columns, *wrong,
                   std::isinf(*wrong) ? "infinite" : "negative");
}

void check_heads(const AttentionSet& set, const Shape& shape, const std::string& place) {
  if (set.heads.empty()) throw UsageError("{}.heads: there is no head", place);
  for (std::size_t i = 0; i < set.heads.size(); ++i) {
    const TracedHead& head = set.heads[i];
    const std::string here = fmt::format("{}.heads[{}]", place, i);
    if (head.layer < 0 || head.head < 0) {
      throw UsageError("{}: layer {}, head {}: both count from 0", here, head.layer, head.head);
    }
    if (i > 0) {
      const std::pair before(set.heads[i - 1].layer, set.heads[i - 1].head);
      const std::pair now(head.layer, head.head);
      if (now <= before) {
        throw UsageError(
            "{}: layer {}, head {} comes {} layer {}, head {}: heads go up by layer, then by head",
            here, now.first, now.second, now == before ? "twice, after" : "after", before.first,
            before.second);
      }
    }
    if (!head.weights.defined() || head.weights.shape() != shape) {
      throw UsageError(
          "{}.weights: the shape is {}: {} queries of \"{}\" by {} keys of \"{}\" take {}", here,
          head.weights.defined() ? head.weights.shape().text() : "missing", shape[0], set.queries,
          shape[1], set.keys, shape.text());
    }
    check_values(head, here);
  }
}

void check_gold(const TracedExample& example, const std::string& place) {
  const std::int64_t sources = word_count(strip_at(example, "source", place));
  const std::int64_t targets = word_count(strip_at(example, "target", place));
  for (const text::Link& link : *example.gold) {
    if (link.source < 0 || link.target < 0 || link.source >= sources || link.target >= targets) {
      throw UsageError("{}: the link {}-{} lies beyond {} words of the source and {} of the target",
                       place, link.source, link.target, sources, targets);
    }
  }
}

void check_box(const ImageBox& box, const std::string& place) {
  for (const double edge : {box.left, box.top, box.right, box.bottom}) {
    if (!std::isfinite(edge)) throw UsageError("{}: an edge that is no number", place);
  }
  if (box.right <= box.left || box.bottom <= box.top) {
    throw UsageError("{}: from {}, {} to {}, {}; a box is left, top, right, bottom", place,
                     box.left, box.top, box.right, box.bottom);
  }
}

void check_image(const TracedExample& example, const std::string& place) {
  const ImageGrid& image = *example.image;
  const auto tokens =
      static_cast<std::int64_t>(strip_at(example, image.strip, place + ".strip").tokens.size());
  if (image.rows < 1 || image.columns < 1) {
    throw UsageError("{}: {} rows of {} regions: at least 1 of 1", place, image.rows,
                     image.columns);
  }
  if (std::int64_t{image.rows} * image.columns > tokens) {
    throw UsageError("{}: {} x {} regions, but the strip \"{}\" has {} tokens", place, image.rows,
                     image.columns, image.strip, tokens);
  }
  for (std::size_t i = 0; i < image.gold.size(); ++i) {
    check_box(image.gold[i], fmt::format("{}.gold[{}]", place, i));
  }
  for (std::size_t i = 0; i < image.looks.size(); ++i) {
    for (std::size_t k = 0; k < image.looks[i].size(); ++k) {
      check_box(image.looks[i][k], fmt::format("{}.looks[{}][{}]", place, i, k));
    }
  }
  if (!image.png.empty() && !image.png.starts_with(kPngSignature)) {
    throw UsageError("{}.png: these {} bytes are not a PNG file", place, image.png.size());
  }
}

}  // namespace

void check(const TraceDocument& document, const std::string& where) {
  if (document.examples.empty()) throw UsageError("{}: there is no example", where);
  for (std::size_t e = 0; e < document.examples.size(); ++e) {
    const TracedExample& example = document.examples[e];
    const std::string place = fmt::format("{}: examples[{}]", where, e);
    std::set<std::string> names;
    for (std::size_t i = 0; i < example.strips.size(); ++i) {
      const std::string here = fmt::format("{}.strips[{}]", place, i);
      check_strip(example.strips[i], here);
      if (!names.insert(example.strips[i].name).second) {
        throw UsageError("{}: the name \"{}\" is given twice", here, example.strips[i].name);
      }
    }
    for (std::size_t i = 0; i < example.attentions.size(); ++i) {
      const AttentionSet& set = example.attentions[i];
      const std::string here = fmt::format("{}.attentions[{}]", place, i);
      const TokenStrip& queries = strip_at(example, set.queries, here + ".queries");
      const TokenStrip& keys = strip_at(example, set.keys, here + ".keys");
      check_heads(set,
                  {static_cast<std::int64_t>(queries.tokens.size()),
                   static_cast<std::int64_t>(keys.tokens.size())},
                  here);
    }
    if (example.gold) check_gold(example, place + ".gold");
    if (example.image) check_image(example, place + ".image");
  }
}

const TokenStrip& strip_of(const TracedExample& example, const std::string& name) {
  return strip_at(example, name, "trace");
}

}  // namespace heed::insight
