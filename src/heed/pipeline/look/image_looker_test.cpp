// SPDX-License-Identifier: Apache-2.0
// Models of images among others: images in base64, comparisons, mistakes.
#include "heed/pipeline/look/image_looker.h"

#include <gtest/gtest.h>

#include <array>

#include "heed/base/base64.h"
#include "heed/base/error.h"
#include "heed/images/image_file.h"
#include "heed/pipeline/look/look_testing.h"
#include "heed/pipeline/measure.h"

namespace heed::pipeline {
namespace {

TEST(ImageLooker, ReadsImagesInBase64AndSaysWhatIsWrongWithThem) {
  const test::TemporaryFolder folder;
  testing::put_digits(folder.path());
  LookOptions options;
  testing::set_small(options, folder.path());
  options.trainer.max_updates = 2;
  train(options, [](std::string_view) {});
  const ImageLooker looker(options.out);
  const Model& model = looker;
  const std::string png = base64_encode(images::png_bytes(images::Image::filled(20, 30, 3, .5f)));
  const auto answers = model.run(std::array{Input{png}, Input{"data:image/png;base64," + png}});
  ASSERT_EQ(answers.size(), 2u);
  EXPECT_EQ(answers[0].size(), 10u);
  EXPECT_EQ(answers[0][0].score, answers[1][0].score);
  EXPECT_GE(answers[0][0].score, answers[0][9].score);
  EXPECT_EQ(model.trace(std::array{Input{png}}).size(), 1u);
  const auto refused = [&](const std::string& text) {
    return test::message_of<UsageError>([&] { model.run(std::array{Input{text}}); });
  };
  EXPECT_EQ(refused("?"), "image: no base64; give the bytes of a PNG, JPEG or PPM file in base64");
  EXPECT_EQ(refused(base64_encode("GIF89a")), "image: is a GIF; give PNG, JPEG, PPM, PGM or PBM");
  EXPECT_EQ(refused(base64_encode(images::png_bytes(images::Image::filled(1, 1)))),
            "image: an image of 1 x 1, in which there is nothing to see; give 4 x 4 or more");
  ComparedModel measured;
  model.measure(std::array{options.images, options.labels}, measured);
  EXPECT_EQ(measured.sentences, 60u);
  EXPECT_THROW(model.measure({}, measured), UsageError);
}

}  // namespace
}  // namespace heed::pipeline
