// SPDX-License-Identifier: Apache-2.0
#include "heed/pipeline/model_kind.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "heed/base/error.h"
#include "heed/base/testing.h"
#include "heed/base/text.h"
#include "heed/models/transformer_stack_options.h"
#include "heed/pipeline/train.h"

namespace heed::pipeline {
namespace {

// Folders that list no kind are rooms that kinds share.
TEST(ModelKinds, AreTheFoldersOfThisLayer) {
  std::set<std::string> folders;
  const std::filesystem::path here = std::filesystem::path(HEED_SOURCE_DIR) / "src/heed/pipeline";
  for (const auto& entry : std::filesystem::directory_iterator(here)) {
    if (!entry.is_directory()) continue;
    const auto files = std::filesystem::directory_iterator(entry.path());
    const bool lists_a_kind = std::any_of(begin(files), end(files), [](const auto& file) {
      return file.path().filename().string().ends_with("_kind.cpp");
    });
    if (lists_a_kind) folders.insert(entry.path().filename().string());
  }
  const std::vector<std::string> names = kind_names();
  EXPECT_EQ(std::set<std::string>(names.begin(), names.end()), folders);
}

TEST(ModelKinds, SayAllThatIsAskedOfAKind) {
  std::set<int> ranks;
  for (const ModelKind& kind : kinds()) {
    EXPECT_FALSE(kind.noun.empty()) << kind.name;
    EXPECT_TRUE(kind.verb.starts_with("heed ")) << kind.name;
    EXPECT_TRUE(kind.use_of("FOLDER").starts_with(kind.verb)) << kind.name;
    EXPECT_NE(kind.use_of("FOLDER").find(" FOLDER"), std::string::npos) << kind.name;
    EXPECT_FALSE(kind.files.empty()) << kind.name;
    EXPECT_EQ(kind.scores == Scored::nothing, !kind.instead_of_scores.empty()) << kind.name;
    EXPECT_FALSE(kind.presets().empty()) << kind.name;
    EXPECT_TRUE(ranks.insert(kind.rank).second) << kind.name << ": its rank is taken";
    const std::unique_ptr<KindOptions> options = kind.options();
    EXPECT_EQ(&options->kind(), &kind);
    for (const std::string& name : kind.shaping_options()) {
      EXPECT_NE(options->list.find(name), nullptr) << kind.name << ": --" << name;
    }
  }
}

TEST(ModelKinds, HaveEveryOptionOfTheirTransformersStack) {
  models::TransformerStackOptions stack;
  Options every;
  stack.declare(every);
  for (const ModelKind& kind : kinds()) {
    const std::unique_ptr<KindOptions> options = kind.options();
    if (options->list.find("key-heads") == nullptr) continue;
    for (const std::string& name : every.names()) {
      EXPECT_NE(options->list.find(name), nullptr) << kind.name << ": --" << name;
    }
  }
  EXPECT_NE(kinds().front().options()->list.find("key-heads"), nullptr);
}

TEST(ModelKinds, StartFromTheirOwnAndFromThoseThatTeachThem) {
  const ModelKind teacher{.name = "a", .teaches = "reading"};
  const ModelKind pupil{.name = "b", .learns_from = "reading"};
  const ModelKind other{.name = "c"};
  EXPECT_TRUE(pupil.starts_from(teacher));
  EXPECT_TRUE(pupil.starts_from(pupil));
  EXPECT_FALSE(teacher.starts_from(pupil));
  EXPECT_FALSE(pupil.starts_from(other));
  EXPECT_FALSE(other.starts_from(teacher));
}

TEST(ModelKinds, ThatThereAreNotAreRefusedWithTheNearest) {
  EXPECT_EQ(find_kind("dance"), nullptr);
  EXPECT_EQ(test::message_of<UsageError>([] { kind_called("translat"); }),
            "--task: no task is called \"translat\" (did you mean \"translate\"?); there are " +
                join(kind_names(), ", "));
}

}  // namespace
}  // namespace heed::pipeline
