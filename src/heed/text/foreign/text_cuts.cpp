// SPDX-License-Identifier: Apache-2.0
// Cuts, each from parts to smaller parts.
#include "heed/text/foreign/text_cuts.h"

#include <algorithm>
#include <string>
#include <utility>

#include "heed/text/foreign/cut_patterns.h"
#include "heed/text/unicode.h"

namespace heed::text {
namespace {

// Each part cut by `next(text, at)`, which says where the piece at `at` ends.
template <typename Next>
TextCut cut_by(const Next& next) {
  return [next](CutText cut) {
    std::vector<ByteSpan> parts;
    for (const ByteSpan& part : cut.parts) {
      const std::string_view text =
          std::string_view(cut.text.text()).substr(part.begin, part.end - part.begin);
      for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = next(text, at);
        parts.push_back({part.begin + at, part.begin + end});
        at = end;
      }
    }
    cut.parts = std::move(parts);
    return cut;
  };
}

// White space goes, and what `alone` holds for is a part by itself.
template <typename Alone>
TextCut cut_at_spaces(const Alone& alone) {
  return [alone](CutText cut) {
    std::vector<ByteSpan> parts;
    for (const ByteSpan& part : cut.parts) {
      std::size_t begin = part.begin;
      const auto close = [&](std::size_t end) {
        if (end > begin) parts.push_back({begin, end});
      };
      for (std::size_t at = part.begin; at < part.end;) {
        const std::size_t start = at;
        const CharacterClasses classes = classes_of(next_code_point(cut.text.text(), at));
        const bool single = !classes.space && alone(cut.text.text()[start], classes);
        if (!classes.space && !single) continue;
        close(start);
        if (single) parts.push_back({start, at});
        begin = at;
      }
      close(part.end);
    }
    cut.parts = std::move(parts);
    return cut;
  };
}

bool is_ascii_punctuation(char byte) {
  return (byte >= 33 && byte <= 47) || (byte >= 58 && byte <= 64) || (byte >= 91 && byte <= 96) ||
         (byte >= 123 && byte <= 126);
}

// Each number alone, and what is between them.
std::size_t digit_end(std::string_view text, std::size_t at) {
  if (classes_of(next_code_point(text, at)).number) return at;
  while (at < text.size()) {
    std::size_t behind = at;
    if (classes_of(next_code_point(text, behind)).number) break;
    at = behind;
  }
  return at;
}
// All numbers together, and what is between them.
std::size_t digits_end(std::string_view text, std::size_t at) {
  const bool number = classes_of(next_code_point(text, at)).number;
  while (at < text.size()) {
    std::size_t behind = at;
    if (classes_of(next_code_point(text, behind)).number != number) break;
    at = behind;
  }
  return at;
}

// A space in front of a text that has none.
TextCut space_in_front() {
  return [](CutText cut) {
    if (cut.text.size() == 0 || cut.text.text().front() == ' ') return cut;
    CutText made;
    made.text.add(" ", cut.text.origin(0, 0));
    made.text.add(cut.text, 0, cut.text.size());
    for (ByteSpan part : cut.parts) {
      made.parts.push_back({part.begin == 0 ? 0 : part.begin + 1, part.end + 1});
    }
    return made;
  };
}

enum class Prefix { never, first, always };

// Spaces become the mark, which words begin with.
TextCut metaspace(std::string mark, Prefix prefix, bool split) {
  return [mark = std::move(mark), prefix, split](CutText cut) {
    CutText made;
    for (const ByteSpan& part : cut.parts) {
      const std::size_t begin = made.text.size();
      const bool marked = cut.text.text().compare(part.begin, mark.size(), mark) == 0 ||
                          cut.text.text()[part.begin] == ' ';
      const bool wanted = prefix == Prefix::always || (prefix == Prefix::first && part.begin == 0);
      if (wanted && !marked) made.text.add(mark, cut.text.origin(part.begin, part.begin));
      for (std::size_t at = part.begin; at < part.end; ++at) {
        if (cut.text.text()[at] == ' ') {
          made.text.add(mark, cut.text.origin(at, at + 1));
        } else {
          made.text.add(cut.text, at, at + 1);
        }
      }
      if (!split) {
        made.parts.push_back({begin, made.text.size()});
        continue;
      }
      for (std::size_t at = begin; at < made.text.size();) {
        const std::size_t next = made.text.text().find(mark, at + 1);
        const std::size_t end = std::min(next, made.text.size());
        made.parts.push_back({at, end});
        at = end;
      }
    }
    return made;
  };
}

TextCut metaspace_of(const JsonPlace& place) {
  const std::string& mark = place.at("replacement").text();
  if (mark.empty()) place.fail("an empty replacement; it takes the mark of a space");
  Prefix prefix = Prefix::always;
  if (const auto old = place.find("add_prefix_space")) {
    prefix = old->truth() ? Prefix::always : Prefix::never;
  }
  if (const auto scheme = place.find("prepend_scheme")) {
    const std::string& name = scheme->text();
    if (name != "always" && name != "first" && name != "never") {
      scheme->fail("\"{}\"; it takes always, first or never", name);
    }
    prefix = name == "always" ? Prefix::always : name == "first" ? Prefix::first : Prefix::never;
  }
  const auto split = place.find("split");
  return metaspace(mark, prefix, !split || split->truth());
}

TextCut split_of(const JsonPlace& place) {
  const auto written = place.at("pattern").find("Regex");
  const std::optional<CutPattern> pattern = written ? known_pattern(written->text()) : std::nullopt;
  if (!pattern) {
    place.fail(
        "a pattern that Heed does not know, {}; it knows those of GPT-2, LLaMA 3, Qwen 2 and "
        "Mistral Nemo, and runs no regular expression of a file",
        place.at("pattern").value().text());
  }
  if (place.at("behavior").text() != "Isolated") {
    place.fail("behavior \"{}\"; it takes Isolated", place.at("behavior").text());
  }
  if (const auto invert = place.find("invert"); invert && invert->truth()) {
    place.fail("invert is true; it takes false");
  }
  return cut_by([pattern = *pattern](std::string_view text, std::size_t at) {
    return pattern.end(text, at);
  });
}

void add_cuts(const JsonPlace& place, TextCuts& cuts) {
  const std::string& type = place.at("type").text();
  const auto flag = [&](const char* name, bool otherwise) {
    const auto found = place.find(name);
    return found ? found->truth() : otherwise;
  };
  if (type == "Sequence") {
    const JsonPlace parts = place.at("pretokenizers");
    for (std::size_t i = 0; i < parts.list().size(); ++i) add_cuts(parts.at(i), cuts);
  } else if (type == "BertPreTokenizer") {
    cuts.cuts.push_back(cut_at_spaces([](char byte, const CharacterClasses& classes) {
      return is_ascii_punctuation(byte) || classes.punctuation;
    }));
  } else if (type == "WhitespaceSplit") {
    cuts.cuts.push_back(cut_at_spaces([](char, const CharacterClasses&) { return false; }));
  } else if (type == "ByteLevel") {
    cuts.bytes = true;
    if (flag("add_prefix_space", true)) cuts.cuts.push_back(space_in_front());
    if (!flag("use_regex", true)) return;
    cuts.cuts.push_back(
        cut_by([](std::string_view text, std::size_t at) { return kGpt2Cuts.end(text, at); }));
  } else if (type == "Split") {
    cuts.cuts.push_back(split_of(place));
  } else if (type == "Digits") {
    cuts.cuts.push_back(cut_by(flag("individual_digits", false) ? digit_end : digits_end));
  } else if (type == "Metaspace") {
    cuts.cuts.push_back(metaspace_of(place));
  } else {
    place.fail(
        "a pre_tokenizer \"{}\"; Heed knows Sequence, BertPreTokenizer, ByteLevel, Split, Digits, "
        "WhitespaceSplit and Metaspace",
        type);
  }
}

}  // namespace

TextCuts text_cuts(const JsonPlace& pre_tokenizer) {
  TextCuts cuts;
  if (!pre_tokenizer.is_null()) add_cuts(pre_tokenizer, cuts);
  return cuts;
}

}  // namespace heed::text
