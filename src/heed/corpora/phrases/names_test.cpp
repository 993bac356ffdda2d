// SPDX-License-Identifier: Apache-2.0
#include "heed/corpora/phrases/names.h"

#include <gtest/gtest.h>

#include <cctype>
#include <set>

#include "heed/base/text.h"
#include "heed/corpora/phrases/sentence.h"
#include "heed/corpora/phrases/testing.h"

namespace heed::corpora::phrases {
namespace {

using test::a;
using test::np;
using test::the;

// "Benor's." -> "Benor".
std::string letters_of(std::string_view word) {
  std::size_t end = 0;
  while (end < word.size() && std::isalpha(static_cast<unsigned char>(word[end])) != 0) ++end;
  return std::string(word.substr(0, end));
}

TEST(NamedPhrases, NameThoseOneCanPointAt) {
  Clause clause{.subject = np(Determiner::my, "uncle", {"old"}), .verb = &verb("call")};
  clause.object = a("farmer");
  Sentence sentence{.clauses = {clause}};
  Random random(1);
  EXPECT_EQ(name_people(sentence, random, Part::train), 1);
  const std::string name = sentence.clauses[0].subject.name;
  const Example example = write_sentence(sentence);
  EXPECT_EQ(example.source, "My old uncle " + name + " calls a farmer.");
  EXPECT_EQ(example.target, "Mon vieil oncle " + name + " appelle un fermier.");
  EXPECT_EQ(text::to_pharaoh(example.alignment), "0-0 1-1 2-2 3-3 4-4 5-5 6-6");
}

TEST(NamedPhrases, NameOwnersToo) {
  Clause clause{.subject = test::with_owner(the("coat", {"black"}), the("king"))};
  clause.quality = &adjective("old");
  Sentence sentence{.clauses = {clause}};
  Random random(2);
  ASSERT_EQ(name_people(sentence, random, Part::valid), 1);
  const std::string name = sentence.clauses[0].subject.owner->name;
  const Example example = write_sentence(sentence);
  EXPECT_EQ(example.source, "The king " + name + "'s black coat is old.");
  EXPECT_EQ(example.target, "Le manteau noir du roi " + name + " est vieux.");
}

TEST(NamedPhrases, HaveANameOfTheirPartInBothLanguages) {
  Random random(3);
  for (const Part part : {Part::train, Part::valid, Part::test}) {
    for (int i = 0; i < 300; ++i) {
      const Example example = draw_named_phrase(random, part, 3, 20);
      int names = 0;
      const auto english = split(example.source, ' '), french = split(example.target, ' ');
      for (const text::Link& link : example.alignment) {
        const std::string name = letters_of(english[static_cast<std::size_t>(link.source)]);
        const bool copied = letters_of(french[static_cast<std::size_t>(link.target)]) == name;
        if (!link.sure || !copied || link.source == 0 || name.size() < 4) continue;
        if (std::isupper(static_cast<unsigned char>(name[0])) == 0) continue;
        ++names;
        EXPECT_EQ(part_of_name(name), part) << name << " in " << example.source;
      }
      EXPECT_GE(names, 1) << example.source << " | " << example.target;
    }
  }
}

}  // namespace
}  // namespace heed::corpora::phrases
