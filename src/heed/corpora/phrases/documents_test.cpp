// SPDX-License-Identifier: Apache-2.0
#include "heed/corpora/phrases/documents.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "heed/base/text.h"
#include "heed/corpora/phrases/lexicon.h"

namespace heed::corpora::phrases {
namespace {

// The nouns of a French line that can be "it" or "they", by their forms.
std::set<std::string> forms_that_may_be_meant(std::string_view french, bool plural) {
  std::set<std::string> forms;
  for (const std::string_view word : split(french, ' ')) {
    std::string bare = lower(word);
    if (bare.ends_with('.')) bare.pop_back();
    if (bare.starts_with("l'")) bare.erase(0, 2);
    for (const Noun& noun : nouns()) {
      const bool thing = (noun.kinds & (kThing | kClothes | kText)) != 0;
      const Number number = plural ? Number::plural : Number::singular;
      if (!thing || noun.is_substance() || noun.french_form(number) != bare) continue;
      forms.insert(std::string(noun.gender == Gender::feminine ? "elle" : "il") +
                   (plural ? "s" : ""));
    }
  }
  return forms;
}

TEST(Documents, HideThePronounsThatTheSentenceBeforeDecides) {
  Random random(1);
  int seen = 0;
  for (int i = 0; i < 2'000; ++i) {
    const Example document = draw_document(random);
    const auto english = split(document.source, '\n'), french = split(document.target, '\n');
    ASSERT_EQ(english.size(), french.size());
    ASSERT_GE(english.size(), 2u);
    ASSERT_LE(english.size(), 4u);
    ASSERT_FALSE(document.hidden.empty());
    for (const HiddenWord& hidden : document.hidden) {
      const auto line = static_cast<std::size_t>(hidden.line);
      const auto word = static_cast<std::size_t>(hidden.word);
      ASSERT_EQ(lower(split(french[line], ' ')[word]), hidden.form) << french[line];
      ASSERT_GE(line, 1u);
      const bool plural = hidden.form.ends_with('s');
      const auto meant = forms_that_may_be_meant(french[line - 1], plural);
      if (meant.empty()) continue;  // a noun of several words
      ++seen;
      ASSERT_TRUE(meant.contains(hidden.form)) << document.target;
    }
  }
  EXPECT_GT(seen, 1'800);
}

TEST(Documents, LeaveACoinTossToThoseWhoSeeOneSentence) {
  Random random(2);
  std::map<std::string, int> forms;
  std::map<std::string, std::map<bool, int>> by_sentence;  // English: how often feminine
  int all = 0;
  for (int i = 0; i < 20'000; ++i) {
    const Example document = draw_document(random);
    const auto english = split(document.source, '\n');
    for (const HiddenWord& hidden : document.hidden) {
      ++forms[hidden.form];
      ++by_sentence[std::string(english[static_cast<std::size_t>(hidden.line)])]
                   [hidden.form.starts_with("elle")];
      ++all;
    }
  }
  EXPECT_NEAR(forms["elle"] + forms["elles"], all / 2.0, .02 * all);
  int common = 0, feminine = 0;
  for (auto& [sentence, count] : by_sentence) {
    if (count[true] + count[false] < 200) continue;
    common += count[true] + count[false];
    feminine += count[true];
    const double share = double(count[true]) / (count[true] + count[false]);
    EXPECT_NEAR(share, .5, .15) << sentence;
  }
  EXPECT_GT(common, 1'000);
  EXPECT_NEAR(feminine, common / 2.0, .05 * common);
}

}  // namespace
}  // namespace heed::corpora::phrases
