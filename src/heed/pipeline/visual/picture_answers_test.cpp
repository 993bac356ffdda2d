// SPDX-License-Identifier: Apache-2.0
// Questions in use: answers, looks, measures, and what cannot be asked.
#include "heed/pipeline/visual/picture_answers.h"

#include <gtest/gtest.h>

#include <array>

#include "heed/base/base64.h"
#include "heed/base/error.h"
#include "heed/base/testing.h"
#include "heed/corpora/scenes/picture_files.h"
#include "heed/corpora/scenes/scene_set.h"
#include "heed/images/image_file.h"
#include "heed/pipeline/measure.h"
#include "heed/pipeline/testing.h"
#include "heed/pipeline/visual/visual_testing.h"

namespace heed::pipeline {
namespace {

using test::TemporaryFolder;

std::string trained_on_questions(const TemporaryFolder& folder, models::PictureReading reading) {
  VisualOptions options;
  testing::set_small(options, folder.path());
  options.reading = reading;
  train(options, testing::silent);
  return options.out;
}

TEST(PictureAnswerer, AnswersAndTracesAsEveryModelDoes) {
  const auto set = corpora::make_scenes(corpora::ScenePart::test, {.size = 3});
  for (const models::PictureReading reading :
       {models::PictureReading::attention, models::PictureReading::mean}) {
    const TemporaryFolder folder;
    const PictureAnswerer model(trained_on_questions(folder, reading));
    const bool looks = reading == models::PictureReading::attention;
    const images::Image picture = set.images.image(0);
    const LookedAnswer look = model.look(picture, "what colour is the zebra ?");
    EXPECT_EQ(look.weights.size(), looks ? 2u : 0u);
    EXPECT_EQ(look.densities.size(), look.weights.size());
    for (const auto& densities : look.densities) EXPECT_TRUE(densities.empty()) << "no density";
    EXPECT_EQ(look.unknown, (std::vector<std::string>{"zebra"}));
    double sum = 0;
    for (const Answer& answer : look.answers) sum += answer.score;
    EXPECT_NEAR(sum, 1, 1e-4);
    const Input input{base64_encode(images::png_bytes(picture)), "is there a red circle ?"};
    EXPECT_EQ(model.run(std::array{input})[0][0].text,
              model.look(picture, input.second).answers[0].text);
    const auto traces = model.trace(std::array{input});
    EXPECT_NO_THROW(insight::check({.examples = traces}));
    EXPECT_EQ(traces[0].attentions.empty(), !looks);
    EXPECT_EQ(model.length(input.text), 36);
    EXPECT_GT(model.parameter_count(), 100);
    corpora::write_pictures(set, folder.path(), "test", corpora::Existing::refused);
    ComparedModel compared;
    model.measure(std::array{(folder / "test.questions.tsv").string()}, compared);
    EXPECT_EQ(compared.sentences, 6u);
    const PictureQuality quality = model.quality(set);
    EXPECT_EQ(quality.all.asked, 6);
    EXPECT_EQ(quality.looks_right.empty() && quality.looks_wrong.empty(), !looks);
  }
}

TEST(PictureAnswerer, RefusesWhatCannotBeAsked) {
  const TemporaryFolder folder;
  const PictureAnswerer model(trained_on_questions(folder, models::PictureReading::nothing));
  EXPECT_THROW(model.look(images::Image::filled(48, 48, 3), ""), UsageError);
  EXPECT_THROW(model.look(images::Image::filled(1, 1, 3), "what ?"), UsageError);
  EXPECT_THROW(model.run(std::array{Input{"%", "what ?"}}), UsageError);
}

}  // namespace
}  // namespace heed::pipeline
