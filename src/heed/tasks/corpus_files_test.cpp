// SPDX-License-Identifier: Apache-2.0
#include "heed/tasks/corpus_files.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"
#include "heed/base/file.h"
#include "heed/base/testing.h"

namespace heed::tasks {
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

TEST(CorpusFiles, OfAFolderThatCannotBeAreADataError) {
  test::TemporaryFolder folder;
  write_atomically(folder / "file", "");
  EXPECT_THROW(write_corpus({}, find_corpus("phrases"), folder / "file/data"), DataError);
}

}  // namespace
}  // namespace heed::tasks
