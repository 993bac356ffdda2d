// SPDX-License-Identifier: Apache-2.0
// Joining words into text, one language at a time.
#include "heed/corpora/phrases/spelling.h"

#include <algorithm>
#include <array>

namespace heed::corpora::phrases {
namespace {

// ASCII and the two-byte letters of Latin-1, which lie 0x20 apart.
void capitalise(std::string& text) {
  if (text.empty()) return;
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  if (text[0] >= 'a' && text[0] <= 'z') {
    text[0] = static_cast<char>(text[0] - 0x20);
  } else if (text.size() > 1 && byte(0) == 0xC3 && byte(1) >= 0xA0) {
    text[1] = static_cast<char>(byte(1) - 0x20);
  }
}

void add_senses(Senses& senses, const Senses& more, bool keep_sure) {
  for (const Meaning& meaning : more) senses.push_back(keep_sure ? meaning : possible(meaning));
}

// Collects texts and meanings, a new word wherever there is a space.
class Speller {
 public:
  void add(std::string_view text, const Word& word, bool attached, bool keep_sure = true) {
    if (!attached || spelt_.words.empty()) {
      if (!spelt_.words.empty()) spelt_.text += ' ';
      spelt_.words.emplace_back();
    }
    spelt_.text += text;
    add_senses(spelt_.words.back(), word.senses, keep_sure);
  }
  // Meanings without a text of their own, for the last word.
  void lend(const Word& word) { add_senses(spelt_.words.back(), word.senses, false); }

  Spelt done() {
    capitalise(spelt_.text);
    return std::move(spelt_);
  }

 private:
  Spelt spelt_;
};

std::string_view contracted(Role preposition, std::string_view article) {
  if (preposition == Role::de) return article == "le" ? "du" : "des";
  return article == "le" ? "au" : "aux";
}

}  // namespace

bool begins_with_vowel(std::string_view french) {
  constexpr std::array kVowels = {"a", "e", "i", "o", "u", "à", "â", "é",
                                  "è", "ê", "ë", "î", "ï", "ô", "û", "œ"};
  constexpr std::array kAspirated = {"haricot", "hibou", "héros"};  // and their plurals
  const auto begins = [&](const char* beginning) { return french.starts_with(beginning); };
  if (french == "y") return true;
  if (french.starts_with('h')) return std::ranges::none_of(kAspirated, begins);
  return std::ranges::any_of(kVowels, begins);
}

Spelt spell_english(const Words& words) {
  Speller speller;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const Word& word = words[i];
    const bool vowel =
        i + 1 < words.size() &&
        std::string_view("aeiouAEIOU").find(words[i + 1].text[0]) != std::string_view::npos;
    speller.add(vowel && !word.before_vowel.empty() ? word.before_vowel : word.text, word,
                word.attached);
  }
  return speller.done();
}

Spelt spell_french(const Words& words) {
  Speller speller;
  const auto elides = [&](std::size_t i) {  // or changes its form
    return i + 1 < words.size() && !words[i].before_vowel.empty() &&
           begins_with_vowel(words[i + 1].text);
  };
  bool joined = false;  // to the word before, by its apostrophe
  for (std::size_t i = 0; i < words.size(); ++i) {
    const Word& word = words[i];
    const bool takes_article = (word.role == Role::de || word.role == Role::a) &&
                               i + 1 < words.size() && words[i + 1].role == Role::article;
    if (takes_article && words[i + 1].text != "la" && !elides(i + 1)) {
      speller.add(contracted(word.role, words[i + 1].text), word, joined);
      speller.lend(words[++i]);
      joined = false;
    } else if (elides(i)) {
      const bool apostrophe = word.before_vowel.ends_with('\'');
      speller.add(word.before_vowel, word, joined, !apostrophe);
      joined = apostrophe;
    } else {
      speller.add(word.text, word, joined || word.attached);
      joined = false;
    }
  }
  return speller.done();
}

text::Alignment align(const Spelt& source, const Spelt& target) {
  std::vector<text::Link> links;
  for (std::size_t i = 0; i < source.words.size(); ++i) {
    for (std::size_t j = 0; j < target.words.size(); ++j) {
      for (const Meaning& a : source.words[i]) {
        for (const Meaning& b : target.words[j]) {
          if (a.id != b.id) continue;
          links.push_back({static_cast<int>(i), static_cast<int>(j), a.sure && b.sure});
        }
      }
    }
  }
  return text::ordered(std::move(links));
}

}  // namespace heed::corpora::phrases
