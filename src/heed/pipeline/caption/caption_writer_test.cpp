// SPDX-License-Identifier: Apache-2.0
// A captioner in use: captions, where they looked, measures, and what is no picture.
#include "heed/pipeline/caption/caption_writer.h"

#include <gtest/gtest.h>

#include <array>

#include "heed/base/base64.h"
#include "heed/base/error.h"
#include "heed/base/testing.h"
#include "heed/corpora/scenes/picture_files.h"
#include "heed/corpora/scenes/scene_set.h"
#include "heed/images/image_file.h"
#include "heed/pipeline/caption/caption_testing.h"
#include "heed/pipeline/measure.h"
#include "heed/pipeline/testing.h"

namespace heed::pipeline {
namespace {

using test::TemporaryFolder;

std::string trained_captioner(const TemporaryFolder& folder, const std::string& attention) {
  CaptionOptions options;
  testing::set_small(options, folder.path());
  options.attention = attention;
  train(options, testing::silent);
  return options.out;
}

TEST(CaptionWriter, AnswersAndTracesAsEveryModelDoes) {
  const auto set = corpora::make_scenes(corpora::ScenePart::test, {.size = 3});
  for (const char* attention :
       {"additive(size=8)", "none", "continuous_grid(columns=6, centres=5, width=0.2)"}) {
    SCOPED_TRACE(attention);
    const TemporaryFolder folder;
    const CaptionWriter writer(trained_captioner(folder, attention));
    const bool attends = std::string(attention) != "none";
    const images::Image picture = set.images.image(0);
    const LookedCaption look = writer.look(picture, {.beam = 2});
    EXPECT_EQ(look.weights.defined(), attends);
    EXPECT_TRUE(look.gates.empty()) << "it carries places";
    const bool continuous = std::string(attention).starts_with("continuous");
    EXPECT_EQ(look.densities.size(), continuous ? look.words.size() : 0);
    for (const auto& densities : look.densities) EXPECT_EQ(densities.size(), 1u);
    const std::string text = base64_encode(images::png_bytes(picture));
    EXPECT_EQ(writer.length(text), 36);
    EXPECT_GT(writer.parameter_count(), 100);
    const auto answers = writer.run(std::array{Input{text}}, {{"beam", "2"}});
    EXPECT_EQ(answers[0][0].text, look.written.caption);
    const auto traces = writer.trace(std::array{Input{text}});
    ASSERT_EQ(traces.size(), 1u);
    EXPECT_NO_THROW(insight::check({.examples = traces}));
    EXPECT_EQ(traces[0].attentions.empty(), !attends);
    EXPECT_FALSE(traces[0].image->png.empty());
    corpora::write_pictures(set, folder.path(), "test", corpora::Existing::refused);
    ComparedModel compared;
    writer.measure(std::array{(folder / "test.captions.tsv").string()}, compared);
    EXPECT_EQ(compared.sentences, 3u);
    EXPECT_EQ(writer.quality(set).pictures, 3);
  }
}

TEST(CaptionWriter, RefusesWhatIsNoPicture) {
  const TemporaryFolder folder;
  const CaptionWriter writer(trained_captioner(folder, "none"));
  EXPECT_THROW(writer.run(std::array{Input{"%"}}), UsageError);
  EXPECT_THROW(writer.run(std::array{Input{base64_encode("hello")}}), UsageError);
  EXPECT_THROW(writer.look(images::Image::filled(1, 1)), UsageError);
}

}  // namespace
}  // namespace heed::pipeline
