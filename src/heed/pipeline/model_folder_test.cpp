// SPDX-License-Identifier: Apache-2.0
#include "heed/pipeline/model_folder.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"
#include "heed/base/file.h"
#include "heed/base/testing.h"
#include "heed/base/text.h"
#include "heed/nn/linear.h"
#include "heed/pipeline/model.h"
#include "heed/pipeline/model_kind.h"

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
  write_atomically(folder.file("tokeniser"), "");
  write_atomically(folder.file("labels.tsv"), "");
  EXPECT_NO_THROW(folder.check("classify"));
  EXPECT_EQ(folder.kind().name, "classify");
  EXPECT_EQ(test::message_of<DataError>([&] { folder.check("translate"); }),
            place.path().string() + ": this is a classifier, not a translator: use heed classify");
}

TEST(ModelFolder, OfAKindThatThisVersionDoesNotKnowSaysWhichItKnows) {
  test::TemporaryFolder place;
  const ModelFolder folder{place.path()};
  folder.save_weights({}, "dance");
  write_atomically(folder.config(), "");
  const std::string message = test::message_of<DataError>([&] { open_model(folder.path); });
  EXPECT_NE(message.find("a model for the task \"dance\", which this heed"), std::string::npos)
      << message;
  EXPECT_TRUE(message.ends_with("it knows " + join(kind_names(), ", "))) << message;
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

TEST(ModelFolder, NamesTheFileThatAFinishedModelLacks) {
  test::TemporaryFolder place;
  const ModelFolder folder{place.path()};
  std::filesystem::create_directory(place / "checkpoints");
  Random random(1);
  nn::Linear one(3, 2, random);
  folder.save_weights(nn::parameters(one), "language");
  write_atomically(folder.config(), "");
  const std::string message = test::message_of<DataError>([&] { folder.kind(); });
  EXPECT_NE(message.find(": tokeniser is missing"), std::string::npos) << message;
  EXPECT_EQ(message.find("has not saved"), std::string::npos) << message;
}

TEST(ModelFolder, CallsADamagedConfigBadDataAndNamesIt) {
  test::TemporaryFolder place;
  const ModelFolder folder{place.path()};
  Options options;
  int width = 1;
  options.add("width", width, "features").range(1, 9);
  const auto message = [&](std::string_view config) {
    write_atomically(folder.config(), config);
    return test::message_of<DataError>([&] { folder.read_config(options); });
  };
  for (const char* config : {"width = ", "width = \"x\"", "width = 10", "wdith = 3"}) {
    EXPECT_TRUE(message(config).starts_with(folder.config().string() + ":1:")) << message(config);
  }
  EXPECT_TRUE(test::message_of<DataError>([&] {
                folder.made([]() -> int { throw UsageError("there is no score \"bogus\""); });
              }).starts_with(folder.config().string() + ": there is no score \"bogus\""));
}

TEST(ModelFolder, RefusesAConfigWhoseModelWouldBeFarLargerThanTheWeights) {
  test::TemporaryFolder place;
  const ModelFolder folder{place.path()};
  write_atomically(folder.weights(), "few bytes");
  const auto make = [&] { folder.made([] { return Tensor({1 << 20, 1 << 10}); }); };
  EXPECT_EQ(test::message_of<DataError>(make),
            folder.config().string() +
                ": its model would be far larger than model.safetensors is; the file is damaged or "
                "was changed");
}

}  // namespace
}  // namespace heed::pipeline
