// SPDX-License-Identifier: Apache-2.0
#include "heed/pipeline/model_folder.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"
#include "heed/base/file.h"
#include "heed/base/testing.h"
#include "heed/nn/linear.h"

namespace heed::pipeline {
namespace {

TEST(ModelFolder, GivesBackTheWeightsItWasGiven) {
  test::TemporaryFolder place;
  const ModelFolder folder{place.path()};
  Random random(1);
  nn::Linear one(3, 2, random);
  folder.save_weights(nn::parameters(one), "translate");
  nn::Linear other(3, 2, random);
  nn::Parameters parameters = nn::parameters(other);
  folder.load_weights(parameters);
  EXPECT_EQ(other.weight.value().values(), one.weight.value().values());
}

TEST(ModelFolder, OfAnotherTaskIsRefused) {
  test::TemporaryFolder place;
  const ModelFolder folder{place.path()};
  Random random(1);
  nn::Linear one(3, 2, random);
  folder.save_weights(nn::parameters(one), "classify");
  write_atomically(folder.config(), "");
  write_atomically(folder.tokeniser(), "");
  EXPECT_NO_THROW(folder.check("classify"));
  EXPECT_EQ(folder.task(), "classify");
  try {
    folder.check("translate");
    FAIL();
  } catch (const DataError& error) {
    EXPECT_NE(std::string(error.what()).find("\"classify\", not for \"translate\""),
              std::string::npos)
        << error.what();
  }
}

TEST(ModelFolder, WhoseTrainingHasNotSavedAModelYetSaysSo) {
  test::TemporaryFolder place;
  std::filesystem::create_directory(place / "checkpoints");
  try {
    ModelFolder{place.path()}.check("translate");
    FAIL();
  } catch (const DataError& error) {
    EXPECT_NE(std::string(error.what()).find("run it again"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace heed::pipeline
