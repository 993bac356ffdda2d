// SPDX-License-Identifier: Apache-2.0
// The list of corpora that write their own files.
#include "heed/corpora/file_corpus.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "heed/base/error.h"

namespace heed::corpora {
namespace {

TEST(FileCorpus, IsListedByNameApartFromThoseOfLines) {
  EXPECT_FALSE(file_corpora().empty());
  EXPECT_TRUE(std::ranges::is_sorted(file_corpora(), {}, &FileCorpus::name));
  for (const FileCorpus& corpus : file_corpora()) {
    EXPECT_EQ(find_file_corpus(corpus.name), &corpus);
    EXPECT_THROW(find_corpus(corpus.name), UsageError);
  }
  EXPECT_EQ(find_file_corpus("phrases"), nullptr);
}

}  // namespace
}  // namespace heed::corpora
