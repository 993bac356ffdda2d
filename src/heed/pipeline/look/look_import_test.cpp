// SPDX-License-Identifier: Apache-2.0
// An imported vision Transformer gives what its own program gives, to 1e-4.
#include <gtest/gtest.h>

#include <cmath>

#include "heed/pipeline/foreign/foreign_testing.h"
#include "heed/pipeline/look/image_looker.h"
#include "heed/pipeline/model_folder.h"

namespace heed::pipeline {
namespace {

using namespace testing;

// Copies the tiny model; it has no vocabulary.
void copy_vision(const fs::path& to, const std::string& preprocessing = "") {
  copy_tiny("vit-classify", to, "{}");
  if (!preprocessing.empty()) write_atomically(to / "preprocessor_config.json", preprocessing);
}

// Logits of pixels that its program has normalised, by what preprocessor_config.json says.
Tensor logits_of(const fs::path& model, Tensor pixels, double mean, double deviation,
                 attention::Observer* watch = nullptr) {
  const NoGradient values_only;
  const ModelFolder folder{model};
  folder.check("look");
  LookOptions options;
  folder.read_config(options.list);
  Random random(1);
  models::ImageClassifier made(
      options.model_for(LearntImages::read(folder.file(kLearntImagesFile))), random);
  nn::Parameters parameters = nn::parameters(made);
  folder.load_weights(parameters);
  for (std::int64_t i = 0; i < pixels.size(); ++i) {
    Real& pixel = pixels.mutable_data()[i];
    pixel = static_cast<Real>(static_cast<double>(pixel) * deviation + mean);
  }
  return made({pixels}, {.watch = watch}).value();
}

Tensor golden_pixels(const Expected& expected) {
  return Tensor::of({2, 3, 16, 16}, expected.values("in.pixel_values"));
}

TEST(ImportedVision, GivesTheLogitsStatesAndWeightsOfItsOwnProgram) {
  const test::TemporaryFolder folder;
  copy_vision(folder / "foreign");
  const ImportReport report = import_model({.from = folder / "foreign", .to = folder / "model"});
  EXPECT_EQ(report.kind, "look");
  const Expected expected("vit-classify");
  Watcher watcher;
  const Tensor logits = logits_of(folder / "model", golden_pixels(expected), .5, .5, &watcher);
  const std::vector<Real> wanted = expected.values("out.logits");
  ASSERT_EQ(static_cast<std::size_t>(logits.size()), wanted.size());
  const std::vector<Real> found = logits.values();
  for (std::size_t i = 0; i < wanted.size(); ++i) EXPECT_NEAR(found[i], wanted[i], kClose);
  expect_weights(watcher.weights_of["patches self"], expected, "out.attentions", {17, 17},
                 {17, 17});
}

TEST(ImportedVision, MakesTheNormOfPixelsAPartOfItsWeights) {
  const test::TemporaryFolder folder;
  copy_vision(folder / "foreign",
              R"({"size": {"height": 16, "width": 16}, "resample": 2, "do_rescale": true,
                  "image_mean": [0.25, 0.25, 0.25], "image_std": [0.2, 0.2, 0.2]})");
  import_model({.from = folder / "foreign", .to = folder / "model"});
  const Expected expected("vit-classify");
  const std::vector<Real> found =
      logits_of(folder / "model", golden_pixels(expected), .25, .2).values();
  const std::vector<Real> wanted = expected.values("out.logits");
  for (std::size_t i = 0; i < wanted.size(); ++i) EXPECT_NEAR(found[i], wanted[i], kClose);
}

TEST(ImportedVision, LooksAtImagesOfAnyShape) {
  const test::TemporaryFolder folder;
  copy_vision(folder / "foreign");
  import_model({.from = folder / "foreign", .to = folder / "model"});
  const ImageLooker looker(folder / "model");
  images::Image wide = images::Image::filled(20, 60, 3, 1);
  const ImageLook look = looker.look(wide);
  EXPECT_EQ(look.chances.size(), 5u);
  EXPECT_EQ(look.image, images::Image::filled(16, 16, 3, 1)) << "stretched, with no black beside";
  EXPECT_EQ(look.weights.shape(), Shape({4, 4}));
  EXPECT_EQ(looker.look_through(wide).layers.size(), 2u);
  EXPECT_EQ(looker.learnt().names[3], "LABEL_3");
}

TEST(ImportedVision, ReadsTheNamesOfLaterVersions) {
  const test::TemporaryFolder folder;
  copy_vision(folder / "foreign");
  import_model({.from = folder / "foreign", .to = folder / "model"});
  const fs::path weights = folder / "foreign" / "model.safetensors";
  {
    const SafetensorsFile file(weights);
    SafetensorsWriter writer;
    std::vector<std::vector<float>> kept;
    kept.reserve(file.tensors().size());
    for (const TensorInfo& info : file.tensors()) {
      std::string name = info.name;
      for (const auto& [usual, later] : std::initializer_list<std::pair<const char*, const char*>>{
               {"vit.encoder.layer.", "vit.layers."},
               {"attention.attention.query", "attention.q_proj"},
               {"attention.attention.key", "attention.k_proj"},
               {"attention.attention.value", "attention.v_proj"},
               {"attention.output.dense", "attention.o_proj"},
               {"intermediate.dense", "mlp.fc1"},
               {"output.dense", "mlp.fc2"}}) {
        const std::size_t at = name.find(usual);
        if (at != std::string::npos) name.replace(at, std::string(usual).size(), later);
      }
      kept.push_back(file.read<float>(info));
      writer.add(name, info.shape, kept.back());
    }
    writer.write(folder / "later.safetensors");
  }
  fs::rename(folder / "later.safetensors", weights);
  import_model({.from = folder / "foreign", .to = folder / "later"});
  const Expected expected("vit-classify");
  EXPECT_EQ(logits_of(folder / "later", golden_pixels(expected), .5, .5).values(),
            logits_of(folder / "model", golden_pixels(expected), .5, .5).values());
}

TEST(ImportedVision, IsRefusedWhereImagesAreMadeOtherwise) {
  for (const auto& [preprocessing, part] :
       std::initializer_list<std::pair<const char*, const char*>>{
           {R"({"resample": 3})", "resample"},
           {R"({"size": 224})", "16 x 16"},
           {R"({"size": {"shortest_edge": 16}})", "height"},
           {R"({"do_center_crop": true})", "do_center_crop"},
           {R"({"rescale_factor": 0.5})", "rescale_factor"},
           {R"({"image_std": [1, 0, 1]})", "image_std"},
           {R"({"image_mean": [1, 0]})", "red, green and blue"}}) {
    const test::TemporaryFolder folder;
    copy_vision(folder / "foreign", preprocessing);
    const std::string message = test::message_of<DataError>(
        [&] { import_model({.from = folder / "foreign", .to = folder / "model"}); });
    EXPECT_NE(message.find("preprocessor_config.json"), std::string::npos) << message;
    EXPECT_NE(message.find(part), std::string::npos) << message;
    EXPECT_FALSE(fs::exists(folder / "model"));
  }
}

}  // namespace
}  // namespace heed::pipeline
