// SPDX-License-Identifier: Apache-2.0
#include "heed/pipeline/run_start.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"
#include "heed/base/file.h"
#include "heed/base/testing.h"
#include "heed/nn/linear.h"

namespace heed::pipeline {
namespace {

// A folder that says it has a model for this task.
void put_model(const std::filesystem::path& path, const std::string& task) {
  const ModelFolder folder{path};
  make_folder(path);
  Random random(1);
  nn::Linear one(3, 2, random);
  folder.save_weights(nn::parameters(one), task);
  for (const auto& file :
       {folder.config(), folder.file("tokeniser"), folder.file("source.tokeniser"),
        folder.file("labels.tsv"), folder.card()}) {
    write_atomically(file, "");
  }
}

struct StartOptions : RunOptions {};

std::string start_mistake(const RunOptions& options, const std::string& kind) {
  return test::message_of<UsageError>([&] { check_start(options, kind_called(kind)); });
}

TEST(CheckStart, RefusesAFolderThatHoldsAnotherTasksModel) {
  const test::TemporaryFolder place;
  put_model(place / "model", "language");
  StartOptions options;
  options.out = (place / "model").string();
  EXPECT_NO_THROW(check_start(options, kind_called("language")));
  EXPECT_EQ(start_mistake(options, "classify"),
            "--out " + options.out +
                ": the folder holds a model for the task language, and this is classify; give "
                "another --out, or --reset to start over");
  options.trainer.reset = true;
  EXPECT_NO_THROW(check_start(options, kind_called("classify")));
}

TEST(CheckStart, KnowsATrainingThatHasSavedNoModelByItsFiles) {
  const test::TemporaryFolder place;
  StartOptions options;
  options.out = place.path().string();
  write_atomically(options.folder().file("labels.tsv"), "");
  EXPECT_NO_THROW(check_start(options, kind_called("language"))) << "nothing was learnt yet";
  make_folder(place / "checkpoints");
  write_atomically(place / "checkpoints" / "update-00000001.safetensors", "");
  EXPECT_EQ(options.folder().kept_kind(), "classify");
  EXPECT_THROW(check_start(options, kind_called("language")), UsageError);
}

TEST(CheckStart, TakesWeightsOverFromTheSameTaskAndFromMaskedWordsForClassifiers) {
  const test::TemporaryFolder place;
  StartOptions options;
  options.out = (place / "new").string();
  options.init_from = (place / "masked").string();
  put_model(place / "masked", "masked");
  EXPECT_NO_THROW(check_start(options, kind_called("masked")));
  EXPECT_NO_THROW(check_start(options, kind_called("classify")));
  EXPECT_EQ(start_mistake(options, "translate"),
            "--init-from " + options.init_from +
                ": a model for the task masked; translate starts from one for translate");
  options.init_from = (place / "language").string();
  put_model(place / "language", "language");
  EXPECT_EQ(start_mistake(options, "classify"),
            "--init-from " + options.init_from +
                ": a model for the task language; classify starts from one for classify or masked "
                "or embed");
}

TEST(OutFolder, GoesWithTheFoldersAroundItUnlessTheRunWentWell) {
  const test::TemporaryFolder place;
  const ModelFolder folder{place / "new" / "model"};
  { const OutFolder failed(folder, kind_called("language")); }
  EXPECT_FALSE(std::filesystem::exists(place / "new"));
  {
    OutFolder ended(folder, kind_called("language"));
    ended.keep();
  }
  EXPECT_TRUE(std::filesystem::exists(folder.path));
}

TEST(RemoveOtherKind, LeavesThisKindsFilesAlone) {
  const test::TemporaryFolder place;
  const ModelFolder folder{place / "model"};
  put_model(folder.path, "classify");
  folder.remove_other_kind("classify");
  EXPECT_TRUE(std::filesystem::exists(folder.weights()));
  folder.remove_other_kind("language");
  EXPECT_TRUE(std::filesystem::exists(folder.file("tokeniser")));
  for (const auto& gone : {folder.weights(), folder.config(), folder.file("labels.tsv"),
                           folder.card(), folder.file("source.tokeniser")}) {
    EXPECT_FALSE(std::filesystem::exists(gone)) << gone;
  }
}

}  // namespace
}  // namespace heed::pipeline
