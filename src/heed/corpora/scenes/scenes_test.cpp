// SPDX-License-Identifier: Apache-2.0
// Scenes as a corpus: all parts are written and read back.
#include <gtest/gtest.h>

#include "heed/base/error.h"
#include "heed/base/testing.h"
#include "heed/corpora/file_corpus.h"
#include "heed/corpora/scenes/picture_files.h"
#include "heed/corpora/scenes/scene_set.h"

namespace heed::corpora {
namespace {

TEST(Scenes, AreWrittenInAllParts) {
  const FileCorpus* scenes = find_file_corpus("scenes");
  ASSERT_NE(scenes, nullptr);
  const heed::test::TemporaryFolder folder;
  EXPECT_EQ(scenes->write(folder.path(), {.seed = 3, .size = 46}, Existing::refused),
            "train 40, valid 2, test 4, test-far 4, test-new 4 pictures as .png, with "
            ".captions.tsv, .questions.tsv and .regions.tsv");
  for (const std::string_view part : kScenePartNames) {
    EXPECT_GE(read_pictures(folder.path(), std::string(part)).size(), 2) << part;
  }
  EXPECT_THROW(scenes->write(folder.path(), {.size = 2}, Existing::refused), UsageError);
  EXPECT_THROW(scenes->write(folder.path(), {.min_length = 3}, Existing::refused), UsageError);
  EXPECT_FALSE(scenes->example().empty());
}

}  // namespace
}  // namespace heed::corpora
