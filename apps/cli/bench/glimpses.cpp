// SPDX-License-Identifier: Apache-2.0
// What an image costs against its size: glimpses see as much of any canvas, a convolution all of
// it.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "cli/bench/harness.h"
#include "cli/output_files.h"
#include "heed/insight/draw/line_plot.h"
#include "heed/models/glimpse_network.h"
#include "heed/models/image_classifier.h"

namespace heed::cli {
namespace {

constexpr std::int64_t kTogether = 16;

struct CanvasCost {
  std::int64_t side = 0;
  double glimpses = 0;  // milliseconds of an image: forward
  double convolution = 0;
  double glimpse_step = 0;  // and with its gradients
  double convolution_step = 0;
};

Tensor random_canvases(std::int64_t side) {
  Random random(1);
  Tensor images({kTogether, side, side, 1});
  fill_uniform(std::span(images.mutable_data(), static_cast<std::size_t>(images.size())), random,
               Real(0), Real(1));
  return images;
}

double milliseconds(const std::function<void()>& run) {
  return measure("", {}, run).ms / static_cast<double>(kTogether);
}

CanvasCost cost_of(std::int64_t side) {
  const Tensor images = random_canvases(side);
  const Ids labels = Ids::full({kTogether}, 3);
  Random random(1);
  models::GlimpseNetwork network(
      {.height = side, .width = side, .glimpses = 6, .sensor = {.size = 12, .scales = 3}}, random);
  // Those that find salient regions: 5x5x16, 3x3x32 and 3x3x64 with two poolings, their mean.
  models::ImageClassifier classifier(
      {.encoder = {.height = side, .width = side, .stages = {{16, 5, 2}, {32, 3, 2}, {64, 3, 1}}},
       .pooling = models::CellPooling::mean},
      random);
  const models::ImageTensors pixels{images.reshape({kTogether, 1, side, side})};
  const auto look = [&] {
    Random noise(2);
    return network(images, {.random = &noise}).logits.front();
  };
  const auto convolve = [&] { return classifier(pixels, {}); };
  const nn::Parameters of_network = nn::parameters(network);
  const nn::Parameters of_classifier = nn::parameters(classifier);
  const auto learn = [&](const Variable& logits, const nn::Parameters& parameters) {
    backward(cross_entropy(logits, labels));
    nn::clear_gradients(parameters);
  };
  return {.side = side,
          .glimpses = milliseconds(look),
          .convolution = milliseconds(convolve),
          .glimpse_step = milliseconds([&] { learn(look(), of_network); }),
          .convolution_step = milliseconds([&] { learn(convolve(), of_classifier); })};
}

std::string cost_svg(const std::vector<CanvasCost>& all) {
  const auto line = [&](std::string name, double CanvasCost::*cost) {
    insight::PlotLine made{.name = std::move(name)};
    for (const CanvasCost& one : all) {
      made.points.push_back(
          {.x = static_cast<double>(one.side),
           .y = one.*cost,
           .note = fmt::format("{} x {}: {:.3f} ms", one.side, one.side, one.*cost)});
    }
    return made;
  };
  const std::vector<insight::PlotLine> lines = {
      line("6 glimpses of 12 x 12, 3 scales", &CanvasCost::glimpses),
      line("convolutions", &CanvasCost::convolution),
      line("glimpses, training", &CanvasCost::glimpse_step),
      line("convolutions, training", &CanvasCost::convolution_step)};
  return insight::line_svg(lines, {.title = "What an image costs against its size",
                                   .x = {.label = "side of the canvas, in pixels"},
                                   .y = {.label = "milliseconds", .logarithmic = true}});
}

void print_glimpses(const std::string& svg, bool json) {
  std::vector<CanvasCost> all;
  for (const std::int64_t side : {28, 40, 60, 100, 150, 224}) all.push_back(cost_of(side));
  if (!svg.empty()) OutputFiles().write(svg, cost_svg(all));
  if (json) {
    auto rows = nlohmann::json::array();
    for (const CanvasCost& one : all) {
      rows.push_back({{"side", one.side},
                      {"glimpses_ms", one.glimpses},
                      {"convolution_ms", one.convolution},
                      {"glimpses_training_ms", one.glimpse_step},
                      {"convolution_training_ms", one.convolution_step}});
    }
    fmt::print("{}\n", rows.dump(2));
    return;
  }
  fmt::print(
      "Milliseconds an image, {} together: 6 glimpses of 12 x 12 at 3 scales beside "
      "convolutions 5x5x16, 3x3x32, 3x3x64 with two poolings\n\n"
      "side   glimpses  convolution   with gradients: glimpses  convolution\n",
      kTogether);
  for (const CanvasCost& one : all) {
    fmt::print("{:>4}  {:>9.3f}  {:>11.3f}  {:>25.3f}  {:>11.3f}\n", one.side, one.glimpses,
               one.convolution, one.glimpse_step, one.convolution_step);
  }
}

Benchmark glimpses() {
  const auto svg = std::make_shared<std::string>();
  return {.name = "glimpses",
          .summary = "what an image costs against its size, by glimpses and by convolutions",
          .print = [svg](bool json) { print_glimpses(*svg, json); },
          .declare =
              [svg](CommandLine& line) {
                line.add("--cost-svg", *svg, "write the picture").kind("FILE");
              }};
}

const ListedBenchmark kListed(glimpses());

}  // namespace
}  // namespace heed::cli
