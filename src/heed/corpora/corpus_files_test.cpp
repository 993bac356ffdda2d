// SPDX-License-Identifier: Apache-2.0
#include "heed/corpora/corpus_files.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"
#include "heed/base/file.h"
#include "heed/base/testing.h"

namespace heed::corpora {
namespace {

TEST(CorpusFiles, HoldOneLinePerPair) {
  test::TemporaryFolder folder;
  const Corpus corpus{.train = {{"a b", "B A", {{0, 1}, {1, 0}}}, {"c", "C", {{0, 0}}}},
                      .valid = {{"d", "D", {{0, 0}}}},
                      .test = {{"e", "E", {}}}};
  write_corpus(corpus, find_corpus("phrases"), folder / "data");
  EXPECT_EQ(read_file(folder / "data/train.en"), "a b\nc\n");
  EXPECT_EQ(read_file(folder / "data/train.fr"), "B A\nC\n");
  EXPECT_EQ(read_file(folder / "data/train.align"), "0-1 1-0\n0-0\n");
  EXPECT_EQ(read_file(folder / "data/test.fr"), "E\n");
  EXPECT_FALSE(std::filesystem::exists(folder / "data/test.align"));
}

TEST(CorpusFiles, SetDocumentsApartAndCountTheirLines) {
  test::TemporaryFolder folder;
  const Example first{.source = "A.\nIt.", .target = "B.\nElle.", .hidden = {{1, 0, "elle"}}};
  const Example second{.source = "C.\nIt.\nD.", .target = "E.\nIl.\nF.", .hidden = {{1, 0, "il"}}};
  const Corpus corpus{.train = {first, second}, .valid = {first}, .test = {second}};
  const CorpusCard& card = find_corpus("documents");
  write_corpus(corpus, card, folder / "data");
  EXPECT_EQ(read_file(folder / "data/train.en"), "A.\nIt.\n\nC.\nIt.\nD.\n");
  EXPECT_EQ(read_file(folder / "data/train.fr"), "B.\nElle.\n\nE.\nIl.\nF.\n");
  EXPECT_EQ(read_file(folder / "data/train.pronouns"), "2\t0\telle\n5\t0\til\n");
  EXPECT_EQ(describe_files(corpus, card),
            "train 2, valid 1, test 1 documents as .en and .fr, pronouns as .pronouns");
}

TEST(CorpusFiles, OfLabelsAreATableWithTheEvidenceBeside) {
  test::TemporaryFolder folder;
  const Example review{.source = "a fine bed",
                       .labels = {"good", "none"},
                       .second = "why?",
                       .evidence = {{1, 2}, {}}};
  const Corpus corpus{.train = {review}, .valid = {review}, .test = {review}, .far = {review}};
  const CorpusCard card{
      .name = "beds", .description = "", .kind = CorpusKind::labelled, .units = "beds"};
  write_corpus(corpus, card, folder / "data");
  EXPECT_EQ(read_file(folder / "data/train.tsv"), "good\tnone\ta fine bed\twhy?\n");
  EXPECT_EQ(read_file(folder / "data/test-far.tsv"), "good\tnone\ta fine bed\twhy?\n");
  EXPECT_EQ(read_file(folder / "data/test.evidence"), "1 2\t\n");
  EXPECT_EQ(describe_files(corpus, card),
            "train 1, valid 1, test 1, test-far 1 beds as .tsv, evidence as .evidence");
}

TEST(CorpusFiles, OfTreesHaveTheHeadsBeside) {
  test::TemporaryFolder folder;
  const Example phrase{.source = "the old key", .labels = {"one"}, .heads = {2, 2, 2}};
  const Corpus corpus{.train = {phrase}, .valid = {}, .test = {phrase}};
  const CorpusCard card{
      .name = "keys", .description = "", .kind = CorpusKind::labelled, .units = "phrases"};
  write_corpus(corpus, card, folder / "data");
  EXPECT_EQ(read_file(folder / "data/test.heads"), "3 3 0\n");
  EXPECT_EQ(describe_files(corpus, card),
            "train 1, valid 0, test 1 phrases as .tsv, heads as .heads");
}

TEST(CorpusFiles, OfTextHaveAnEmptyLineBetweenExamples) {
  test::TemporaryFolder folder;
  const Corpus corpus{.train = {{"Once."}, {"Twice.\nThen."}}, .valid = {}, .test = {}};
  const CorpusCard card{.name = "tales", .description = "", .kind = CorpusKind::text};
  write_corpus(corpus, card, folder / "data");
  EXPECT_EQ(read_file(folder / "data/train.txt"), "Once.\n\nTwice.\nThen.\n");
}

TEST(CorpusFiles, OfAFolderThatCannotBeAreADataError) {
  test::TemporaryFolder folder;
  write_atomically(folder / "file", "");
  EXPECT_THROW(write_corpus({}, find_corpus("phrases"), folder / "file/data"), DataError);
}

}  // namespace
}  // namespace heed::corpora
