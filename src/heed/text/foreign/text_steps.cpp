// SPDX-License-Identifier: Apache-2.0
// Steps of normalising, each a rewriting of traced text.
#include "heed/text/foreign/text_steps.h"

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <utility>

#include "heed/base/base64.h"
#include "heed/text/foreign/character_map.h"
#include "heed/text/unicode.h"

namespace heed::text {
namespace {

constexpr std::string_view kWordMark = "\u2581";  // ▁

// Marks reorder and compose within a grapheme cluster only, so that clusters are written anew one
// by one and keep their places.
TextStep in_normal_form(NormalForm form) {
  return [form](const TracedText& text) {
    TracedText out;
    const std::string& all = text.text();
    for (std::size_t at = 0; at < all.size();) {
      const std::size_t end = cluster_end(all, at);
      const std::string_view cluster = std::string_view(all).substr(at, end - at);
      const std::string written = in_form(form, cluster);
      if (written == cluster) {
        out.add(text, at, end);
      } else {
        out.add(written, text.origin(at, end));
      }
      at = end;
    }
    return out;
  };
}

TextStep lower_case() {
  return [](const TracedText& text) {
    return rewritten(
        text, [&](char32_t character, std::size_t begin, std::size_t end, TracedText& out) {
          // The one letter whose lower case is two code points.
          constexpr char32_t kDottedI = 0x130;
          const std::string written =
              character == kDottedI
                  ? "i\u0307"
                  : lower_cased(std::string_view(text.text()).substr(begin, end - begin));
          out.add(written, text.origin(begin, end));
        });
  };
}

// Leaves out the characters for which `drops` holds.
template <typename Drops>
TextStep without(const Drops& drops) {
  return [drops](const TracedText& text) {
    return rewritten(text,
                     [&](char32_t character, std::size_t begin, std::size_t end, TracedText& out) {
                       if (!drops(character)) out.add(text, begin, end);
                     });
  };
}

// White space is a space, what cannot be seen is nothing (BERT's clean_text).
TextStep cleaned() {
  return [](const TracedText& text) {
    return rewritten(
        text, [&](char32_t character, std::size_t begin, std::size_t end, TracedText& out) {
          const bool kept_control = character == '\t' || character == '\n' || character == '\r';
          if (character == 0 || character == 0xFFFD) return;
          const CharacterClasses classes = classes_of(character);
          if (classes.other && !kept_control) return;
          if (classes.space || kept_control) {
            out.add(" ", text.origin(begin, end));
          } else {
            out.add(text, begin, end);
          }
        });
  };
}

// The ideographs as BERT counts them: neither kana nor Hangul.
bool is_ideograph(char32_t character) {
  static constexpr std::array<std::pair<char32_t, char32_t>, 8> kRanges = {{{0x4E00, 0x9FFF},
                                                                            {0x3400, 0x4DBF},
                                                                            {0x20000, 0x2A6DF},
                                                                            {0x2A700, 0x2B73F},
                                                                            {0x2B740, 0x2B81F},
                                                                            {0x2B920, 0x2CEAF},
                                                                            {0xF900, 0xFAFF},
                                                                            {0x2F800, 0x2FA1F}}};
  return std::ranges::any_of(kRanges, [character](const auto& range) {
    return character >= range.first && character <= range.second;
  });
}

TextStep spaced_ideographs() {
  return [](const TracedText& text) {
    return rewritten(text,
                     [&](char32_t character, std::size_t begin, std::size_t end, TracedText& out) {
                       const bool apart = is_ideograph(character);
                       if (apart) out.add(" ", text.origin(begin, end));
                       out.add(text, begin, end);
                       if (apart) out.add(" ", text.origin(begin, end));
                     });
  };
}

TextStep prepend(std::string prefix) {
  return [prefix = std::move(prefix)](const TracedText& text) {
    TracedText out;
    if (text.size() > 0) out.add(prefix, text.origin(0, 0));
    out.add(text, 0, text.size());
    return out;
  };
}

TextStep replace(std::string pattern, std::string content) {
  return [pattern = std::move(pattern), content = std::move(content)](const TracedText& text) {
    TracedText out;
    std::size_t at = 0;
    for (std::size_t found = 0; (found = text.text().find(pattern, at)) != std::string::npos;) {
      out.add(text, at, found);
      at = found + pattern.size();
      out.add(content, text.origin(found, at));
    }
    out.add(text, at, text.size());
    return out;
  };
}

TextStep mapped(CharacterMap map) {
  return [map = std::make_shared<const CharacterMap>(std::move(map))](const TracedText& text) {
    TracedText out;
    const std::string_view all = text.text();
    for (std::size_t at = 0; at < all.size();) {
      const CharacterMap::Match match = map->longest(all.substr(at));
      if (match.bytes > 0) {
        out.add(match.written, text.origin(at, at + match.bytes));
        at += match.bytes;
      } else {
        const std::size_t begin = at;
        next_code_point(all, at);
        out.add(text, begin, at);
      }
    }
    return out;
  };
}

// Spaces at the ends are nothing, several in a row one.
TextStep squeezed_spaces() {
  return [](const TracedText& text) {
    TracedText out;
    const std::string& all = text.text();
    const std::size_t last = all.find_last_not_of(' ');
    if (last == std::string::npos) return out;
    for (std::size_t at = all.find_first_not_of(' '); at <= last; ++at) {
      if (all[at] != ' ' || all[at - 1] != ' ') out.add(text, at, at + 1);
    }
    return out;
  };
}

CharacterMap map_of(const JsonPlace& place) {
  const std::optional<std::string> bytes = base64_decode(place.text());
  if (!bytes) place.fail("the character map is no base64");
  return CharacterMap(*bytes, place.place());
}

void add_bert(const JsonPlace& normalizer, std::vector<TextStep>& steps) {
  const auto flag = [&](const char* name, bool otherwise) {
    const auto found = normalizer.find(name);
    return found ? found->truth() : otherwise;
  };
  const bool lowers = flag("lowercase", true);
  if (flag("clean_text", true)) steps.push_back(cleaned());
  if (flag("handle_chinese_chars", true)) steps.push_back(spaced_ideographs());
  if (flag("strip_accents", lowers)) {
    steps.push_back(in_normal_form(NormalForm::d));
    steps.push_back(without([](char32_t character) { return classes_of(character).combining; }));
  }
  if (lowers) steps.push_back(lower_case());
}

void add_sentence_piece(const JsonPlace& normalizer, std::vector<TextStep>& steps) {
  if (const auto map = normalizer.find("character_map")) steps.push_back(mapped(map_of(*map)));
  if (normalizer.at("remove_extra_whitespaces").truth()) steps.push_back(squeezed_spaces());
  if (normalizer.at("add_dummy_prefix").truth()) steps.push_back(prepend(" "));
  steps.push_back(replace(" ", std::string(kWordMark)));
}

void add_steps(const JsonPlace& normalizer, std::vector<TextStep>& steps) {
  const std::string& type = normalizer.at("type").text();
  if (type == "Sequence") {
    const JsonPlace parts = normalizer.at("normalizers");
    for (std::size_t i = 0; i < parts.list().size(); ++i) add_steps(parts.at(i), steps);
  } else if (type == "BertNormalizer") {
    add_bert(normalizer, steps);
  } else if (type == "NFC" || type == "NFD" || type == "NFKC" || type == "NFKD") {
    steps.push_back(in_normal_form(type == "NFC"    ? NormalForm::c
                                   : type == "NFD"  ? NormalForm::d
                                   : type == "NFKC" ? NormalForm::kc
                                                    : NormalForm::kd));
  } else if (type == "Lowercase") {
    steps.push_back(lower_case());
  } else if (type == "StripAccents") {
    steps.push_back(without([](char32_t character) { return classes_of(character).mark; }));
  } else if (type == "Prepend") {
    steps.push_back(prepend(normalizer.at("prepend").text()));
  } else if (type == "Replace") {
    steps.push_back(
        replace(plain_pattern(normalizer.at("pattern")), normalizer.at("content").text()));
  } else if (type == "Precompiled") {
    steps.push_back(mapped(map_of(normalizer.at("precompiled_charsmap"))));
  } else if (type == "SentencePiece") {
    add_sentence_piece(normalizer, steps);
  } else {
    normalizer.fail(
        "a normalizer \"{}\"; Heed knows Sequence, BertNormalizer, NFC, NFD, NFKC, NFKD, "
        "Lowercase, StripAccents, Prepend, Replace and Precompiled",
        type);
  }
}

}  // namespace

const std::string& plain_pattern(const JsonPlace& pattern) {
  const auto text = pattern.find("String");
  if (!text || text->text().empty()) {
    pattern.fail("{}; it takes {{\"String\": \"...\"}}", pattern.value().text());
  }
  return text->text();
}

std::vector<TextStep> text_steps(const JsonPlace& normalizer) {
  std::vector<TextStep> steps;
  if (!normalizer.is_null()) add_steps(normalizer, steps);
  return steps;
}

}  // namespace heed::text
