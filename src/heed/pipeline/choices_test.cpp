// SPDX-License-Identifier: Apache-2.0
#include "heed/pipeline/choices.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"
#include "heed/base/file.h"
#include "heed/base/testing.h"

namespace heed::pipeline {
namespace {

const std::vector<KnownChoice>& known_choices() {
  static const std::vector<KnownChoice> known = {{"temperature of tone", .05, 20},
                                                 {"length-alpha", 0, 10}};
  return known;
}

// Empty for a text that is read.
std::string refusal_of(std::string_view text) {
  try {
    parse_choices(text, "choices.tsv", known_choices());
  } catch (const DataError& error) {
    return error.what();
  }
  return {};
}

void expect_refusal(std::string_view text, std::string_view part) {
  const std::string message = refusal_of(text);
  EXPECT_NE(message.find(part), message.npos) << text << ": " << message;
}

TEST(Choices, AreReadAsTheyWereWritten) {
  const test::TemporaryFolder folder;
  EXPECT_TRUE(read_choices(folder.path(), known_choices()).empty());
  const Choices written = {{"temperature of tone", 1.0 / 3}, {"length-alpha", 1.2}};
  write_choices(folder.path(), written);
  EXPECT_EQ(read_choices(folder.path(), known_choices()), written);
  EXPECT_EQ(chosen(written, "length-alpha", .6), 1.2);
  EXPECT_EQ(chosen(written, "threshold", .6), .6);
  write_choices(folder.path(), {});
  EXPECT_FALSE(std::filesystem::exists(folder / "choices.tsv"));
}

TEST(Choices, ThatWereEditedBadlyAreNamedWithTheirLine) {
  EXPECT_EQ(refusal_of("length-alpha\t1\r\n\n"), "");
  expect_refusal("length-alpha\t1\nlength_alpha\t2\n",
                 "choices.tsv:2: \"length_alpha\" is not a choice of this model, which knows "
                 "temperature of tone, length-alpha");
  for (const char* value : {"", "x", "1x", "nan", "inf", "-1", "11", "1e999"}) {
    expect_refusal(std::string("length-alpha\t") + value,
                   "it takes a number from 0 to 10; mend the line, or remove the file");
  }
  expect_refusal("length-alpha 1", "is not a choice");
  expect_refusal("length-alpha\t1\nlength-alpha\t1\n",
                 "choices.tsv:2: length-alpha is there twice");
}

TEST(Choices, OfAFileThatIsNoneAreRefusedBeforeItIsReadWhole) {
  const test::TemporaryFolder folder;
  write_atomically(folder / "choices.tsv", std::string(2 << 20, '\n'));
  EXPECT_THROW(read_choices(folder.path(), known_choices()), DataError);
}

}  // namespace
}  // namespace heed::pipeline
