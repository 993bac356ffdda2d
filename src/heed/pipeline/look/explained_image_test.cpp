// SPDX-License-Identifier: Apache-2.0
// Images by their cells: what is black is not missed, slopes are slopes, paths add up.
#include "heed/pipeline/look/explained_image.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "heed/base/base64.h"
#include "heed/base/error.h"
#include "heed/explain/explainer.h"
#include "heed/images/image_file.h"
#include "heed/pipeline/look/image_batches.h"
#include "heed/pipeline/look/image_looker.h"
#include "heed/pipeline/look/look_testing.h"

namespace heed::pipeline {
namespace {

class ExplainedImages : public ::testing::TestWithParam<bool> {};

TEST_P(ExplainedImages, AreExplainedByTheirCells) {
  const test::TemporaryFolder folder;
  testing::put_digits(folder.path());
  LookOptions options;
  testing::set_small(options, folder.path());
  if (GetParam()) testing::set_patches(options);
  options.trainer.max_updates = 60;
  train(options, [](std::string_view) {});
  const ImageLooker looker(options.out);
  const images::ImageSet set = read_images_for(looker.learnt(), {options.images, options.labels});
  const images::Image image = set.image(7);
  const Explained explained = looker.explained(image);
  const explain::Subject& subject = *explained.subject;
  EXPECT_EQ(subject.size(), static_cast<std::size_t>(looker.grid().cells()));
  EXPECT_EQ(explained.words.front(), "1,1");
  EXPECT_NEAR(explained.probability,
              looker.look(image).chances[static_cast<std::size_t>(looker.look(image).best)], 1e-6);
  const auto shares = [&](const std::string& written) {
    return explain::make_explainer(written)->explain(subject).shares;
  };
  // Integrated gradients add up to the way from black to the image.
  double sum = 0;
  for (const double share : shares("integrated_gradients(steps=200)")) sum += share;
  EXPECT_NEAR(sum, subject.output() - subject.output_of_nothing(explain::Removal::zero), 2e-2);
  // A cell that is black already is not missed when it becomes so.
  const std::vector<double> zeroed = shares("leave_one_out(removal=zero)");
  const images::Image form = looker.look(image).image;
  const std::int64_t high = form.height / looker.grid().rows,
                     wide = form.width / looker.grid().columns;
  std::int64_t black_cells = 0;
  for (std::int64_t cell = 0; cell < looker.grid().cells(); ++cell) {
    bool black = true;
    for (std::int64_t y = 0; y < high; ++y) {
      for (std::int64_t x = 0; x < wide; ++x) {
        black = black && form.at(cell / looker.grid().columns * high + y,
                                 cell % looker.grid().columns * wide + x) == 0;
      }
    }
    if (!black) continue;
    ++black_cells;
    EXPECT_NEAR(zeroed[static_cast<std::size_t>(cell)], 0, 1e-5);
  }
  if (!GetParam()) {
    EXPECT_GT(black_cells, 0);  // patches of 4 x 4 have ink in all
  }
  EXPECT_LT(black_cells, looker.grid().cells());
  // Slopes by hand: a hundredth more and less of the ink of the cell that matters most.
  const std::vector<double> slope = shares("gradient_input");
  const auto strongest = static_cast<std::size_t>(
      std::ranges::max_element(slope, {}, [](double x) { return std::abs(x); }) - slope.begin());
  explain::Vectors more = subject.vectors(), less = more;
  for (double& pixel : more[strongest]) pixel *= 1.01;
  for (double& pixel : less[strongest]) pixel *= .99;
  const std::vector<double> along = subject.outputs_at(std::array{more, less});
  EXPECT_NEAR((along[0] - along[1]) / .02, slope[strongest],
              .1 * std::abs(slope[strongest]) + 1e-3);
  EXPECT_NEAR(subject.outputs_at(std::array{subject.vectors()})[0], subject.output(), 1e-5);
  // A pooling's look is its weights, and what is read through layers shares out one.
  double through = 0;
  const std::vector<double> followed = shares("rollout");
  for (const double share : followed) through += share;
  EXPECT_GT(through, .1);
  EXPECT_LE(through, 1 + 1e-5);
  double weights = 0;
  for (const double weight : shares("attention")) weights += weight;
  EXPECT_GT(weights, .1);
  EXPECT_LE(weights, 1 + 1e-5);
  EXPECT_EQ(shares("attention_gradient").size(), subject.size());
  EXPECT_EQ(shares("occlusion(width=1)"), shares("leave_one_out"));
  // Classes that are not there, and answers.
  EXPECT_EQ(test::message_of<UsageError>([&] { looker.explained(image, {.label = "11"}); }),
            "--target 11: no such class; the model has 0, 1, 2, 3, 4, 5, 6, 7, 8, 9");
  EXPECT_THROW(looker.explained(image, {.aspect = "style"}), UsageError);
  const Model& model = looker;
  const std::string png = base64_encode(images::png_bytes(image));
  EXPECT_EQ(model.explained({png}).target, explained.target);
  EXPECT_THROW(model.explained({"?"}), UsageError);
}

INSTANTIATE_TEST_SUITE_P(Readings, ExplainedImages, ::testing::Bool());

}  // namespace
}  // namespace heed::pipeline
