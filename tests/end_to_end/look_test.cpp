// SPDX-License-Identifier: Apache-2.0
// Classifiers of images as their user meets them: train on folders and IDX files, look, draw,
// trace, measure, compare, and what mistakes get.
#include <gtest/gtest.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "heed/images/image_file.h"
#include "heed/images/testing.h"
#include "run_program.h"

namespace heed::test {
namespace {

using nlohmann::json;

bool shows(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

// Trained on a folder of light images and dark ones, and patches on canvases of digits, for all
// tests.
class HeedLook : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = std::make_unique<TemporaryFolder>();
    for (const char* label : {"dark", "light"}) {
      std::filesystem::create_directories(*folder_ / "train" / label);
      for (int i = 0; i < 12; ++i) {
        const float shade = (label[0] == 'd' ? .1f : .7f) + .02f * static_cast<float>(i);
        put(*folder_ / "train" / label / (std::to_string(i) + ".png"),
            images::png_bytes(images::Image::filled(12, 10, 3, shade)));
      }
    }
    put(*folder_ / "images", images::testing::small_digit_images(40, 8));
    put(*folder_ / "labels", images::testing::small_digit_labels(40));
    const ProgramResult shades =
        run_heed(trained("shades", {"--train", path("train"), "--stages", "4:3:2", "8:3:2"}, "60"));
    ASSERT_EQ(shades.exit_code, 0) << shades.err;
    EXPECT_TRUE(shows(shades.out, "Read 22 images of 2 kinds, 10 x 12.")) << shades.out;
    EXPECT_TRUE(shows(shades.out, "use it: heed look ")) << shades.out;
    const ProgramResult patches = run_heed(trained("patches", {"--images",  path("images"),
                                                               "--labels",  path("labels"),
                                                               "--side",    "16",
                                                               "--clutter", "1",
                                                               "--piece",   "4",
                                                               "--reading", "patches",
                                                               "--patch",   "4",
                                                               "--pooling", "token",
                                                               "--width",   "8",
                                                               "--heads",   "2",
                                                               "--layers",  "2"},
                                                   "4"));
    ASSERT_EQ(patches.exit_code, 0) << patches.err;
  }
  static void TearDownTestSuite() { folder_.reset(); }
  static std::string path(const std::string& name) { return (*folder_ / name).string(); }
  static std::vector<std::string> trained(const std::string& out, std::vector<std::string> more,
                                          const std::string& updates) {
    std::vector<std::string> words = words_of(
        "train look --threads 1 --batch 8 --learning-rate 0.01 --attention additive(size=8)");
    words.insert(words.end(), more.begin(), more.end());
    words.insert(words.end(), {"--max-updates", updates, "--out", path(out)});
    return words;
  }

  static inline std::unique_ptr<TemporaryFolder> folder_;
};

TEST_F(HeedLook, LearnsFromBuiltInScenesWithATarget) {
  const ProgramResult target =
      run_heed(trained("target",
                       {"--target", "cross", "--distractors", "2", "--scenes", "32", "--stages",
                        "4:3:4", "6:3:2", "--valid-count", "8"},
                       "4"));
  ASSERT_EQ(target.exit_code, 0) << target.err;
  EXPECT_TRUE(shows(target.out, "a cross in 6 colours among 2 other objects")) << target.out;
  const ProgramResult measured =
      run_heed({"look", path("target"), "--measure", "12", "--regions", "--json"});
  ASSERT_EQ(measured.exit_code, 0) << measured.err;
  EXPECT_EQ(json::parse(measured.out)["images"], 12);
  const ProgramResult looked =
      run_heed({"look", path("target"), "--sample", "2", "--draw", path("target.svg")});
  ASSERT_EQ(looked.exit_code, 0) << looked.err;
  EXPECT_TRUE(shows(get(path("target.svg")), "#35e06f")) << "the box of the target";
  const ProgramResult dog = run_heed(trained("dog", {"--target", "dog"}, "1"));
  EXPECT_NE(dog.exit_code, 0);
  EXPECT_TRUE(shows(dog.err, "circle, square, triangle, cross")) << dog.err;
}

TEST_F(HeedLook, TellsWhatImagesShowAndWhereItLooked) {
  put(*folder_ / "night.ppm", images::portable_bytes(images::Image::filled(30, 20, 3, .05f)));
  const ProgramResult looked = run_heed({"look", path("shades"), "--input", path("night.ppm"),
                                         path("train/light/3.png"), "--json", "--threads", "1"});
  ASSERT_EQ(looked.exit_code, 0) << looked.err;
  const json found = json::parse(looked.out);
  EXPECT_EQ(found[0]["class"], "dark");
  EXPECT_EQ(found[1]["class"], "light");
  EXPECT_EQ(found[1]["weights"].size(), 3u);
  EXPECT_EQ(found[1]["weights"][0].size(), 2u);
  const ProgramResult drawn =
      run_heed({"look", path("shades"), "--input", path("train/dark/0.png"), "--show", "--draw",
                path("look.svg"), "--trace", path("look.json"), "--threads", "1"});
  ASSERT_EQ(drawn.exit_code, 0) << drawn.err;
  EXPECT_TRUE(shows(drawn.out, "dark"));
  EXPECT_TRUE(shows(get(path("look.svg")), "<svg"));
  const json trace = json::parse(get(path("look.json")));
  EXPECT_EQ(trace["task"], "look");
  EXPECT_EQ(run_heed({"view", path("look.json"), "--html", path("look.html")}).exit_code, 0);
}

TEST_F(HeedLook, ExplainsAnImageByItsCells) {
  const std::string image = path("train/light/3.png");
  const ProgramResult found = run_heed({"look", path("shades"), "--input", image, "--explain",
                                        "leave_one_out(removal=zero)", "attention",
                                        "occlusion(width=9)", "--draw", path("why.svg"), "--json"});
  ASSERT_EQ(found.exit_code, 0) << found.err;
  const json explained = json::parse(found.out)[0]["explained"];
  ASSERT_EQ(explained.size(), 3u);
  EXPECT_EQ(explained[0]["target"], "light");
  ASSERT_EQ(explained[0]["shares"].size(), 6u);
  double sum = 0;
  for (const json& share : explained[0]["shares"]) sum += share.get<double>();
  EXPECT_GT(sum, 0) << "what is light speaks for light";
  EXPECT_TRUE(shows(explained[2]["undefined"].get<std::string>(), "the whole image"));
  const std::string picture = get(path("why.svg"));
  std::size_t views = 0;
  for (std::size_t at = picture.find("<image"); at != picture.npos; ++views) {
    at = picture.find("<image", at + 1);
  }
  EXPECT_GE(views, 2u) << "one for each explainer that has shares";
  const ProgramResult dark =
      run_heed({"look", path("shades"), "--input", image, "--explain",
                "leave_one_out(removal=zero)", "--target", "dark", "--show"});
  ASSERT_EQ(dark.exit_code, 0) << dark.err;
  EXPECT_TRUE(shows(dark.out, "dark by leave_one_out(removal=zero): cell ")) << dark.out;
  const auto refused = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {"look", path("shades")});
    const ProgramResult result = run_heed(words);
    EXPECT_EQ(result.exit_code, 2);
    return result.err;
  };
  EXPECT_TRUE(shows(refused({"--input", image, "--explain", "leave_two_out"}), "leave_one_out"));
  EXPECT_TRUE(shows(refused({"--input", image, "--explain", "random", "--target", "lihgt"}),
                    "did you mean \"light\"?"));
  EXPECT_TRUE(shows(refused({"--input", image, "--target", "light"}), "give --explain"));
  EXPECT_TRUE(shows(refused({"--measure", "2", "--explain", "random"}), "--input or --sample"));
  EXPECT_TRUE(shows(refused({"--input", image, "--explain", "occlusion(width=9)", "--show"}),
                    "no explainer has shares"));
}

TEST_F(HeedLook, MeasuresErrorsAndRegions) {
  const ProgramResult measured =
      run_heed({"look", path("patches"), "--measure", "40", "--regions", "--images", path("images"),
                "--labels", path("labels"), "--json", "--threads", "1"});
  ASSERT_EQ(measured.exit_code, 0) << measured.err;
  const json quality = json::parse(measured.out);
  EXPECT_EQ(quality["images"], 40);
  EXPECT_GT(quality["uniform"]["mass"], .1);
  EXPECT_LE(quality["pointing"], 1);
  EXPECT_EQ(quality["distances"].size(), 2u);
  EXPECT_EQ(quality["distances"][0].size(), 2u);
  const ProgramResult written =
      run_heed({"look", path("patches"), "--measure", "40", "--regions", "--images", path("images"),
                "--labels", path("labels"), "--looks", path("looks.jsonl"), "--threads", "1"});
  ASSERT_EQ(written.exit_code, 0) << written.err;
  const ProgramResult evaluated =
      run_heed({"evaluate", "--regions", path("looks.jsonl"), "--json"});
  ASSERT_EQ(evaluated.exit_code, 0) << evaluated.err;
  EXPECT_NEAR(json::parse(evaluated.out)["mass"], quality["mass"], 1e-6);
  put(*folder_ / "bad.jsonl", "{}\n");
  EXPECT_TRUE(shows(run_heed({"evaluate", "--regions", path("bad.jsonl")}).err, "bad.jsonl:1: "));
  const ProgramResult table =
      run_heed({"look", path("patches"), "--measure", "4", "--regions", "--threads", "1"});
  EXPECT_TRUE(shows(table.out, "a bell in the middle")) << table.err;
  EXPECT_TRUE(shows(table.out, "layer 2")) << table.out;
  const ProgramResult layers = run_heed({"look", path("patches"), "--sample", "1", "--layers",
                                         "--draw", path("layers.png"), "--threads", "1"});
  EXPECT_EQ(layers.exit_code, 0) << layers.err;
  EXPECT_TRUE(get(path("layers.png")).starts_with("\x89PNG"));
}

TEST_F(HeedLook, IsDescribedAndCompared) {
  const ProgramResult described = run_heed({"describe", path("patches")});
  EXPECT_EQ(described.exit_code, 0) << described.err;
  const ProgramResult compared = run_heed(
      {"compare", path("shades"), path("shades"), "--data", path("train"), "--threads", "1"});
  EXPECT_EQ(compared.exit_code, 0) << compared.err;
  EXPECT_TRUE(shows(compared.out, "error %")) << compared.out;
}

TEST_F(HeedLook, RefusesMistakesWithTheirRemedy) {
  const auto refused = [](const std::vector<std::string>& words) { return run_heed(words).err; };
  EXPECT_TRUE(shows(refused({"look", path("shades")}), "nothing to look at"));
  put(*folder_ / "dot.pgm", "P2 1 1 1 0");
  EXPECT_TRUE(shows(refused({"look", path("shades"), "--input", path("dot.pgm")}),
                    "dot.pgm: an image of 1 x 1, in which there is nothing to see"));
  put(*folder_ / "cut.png", get(path("train/dark/0.png")).substr(0, 40));
  EXPECT_TRUE(shows(refused({"look", path("shades"), "--input", path("cut.png")}), "is cut short"));
  EXPECT_TRUE(shows(refused({"look", path("shades"), "--sample", "1", "--layers", "--show"}),
                    "no layers of attention"));
  EXPECT_TRUE(shows(refused({"look", path("shades"), "--input", "x.png", "--draw", "x.txt"}),
                    "ends in .svg or .png"));
  put(*folder_ / "list.tsv", "gone.png\tdark\n");
  EXPECT_TRUE(shows(refused({"train", "look", "--train", path("list.tsv"), "--max-updates", "1",
                             "--out", path("none")}),
                    "list.tsv:1: there is no image "));
  EXPECT_TRUE(
      shows(refused({"train", "look", "--train", path("train"), "--reading", "patches", "--side",
                     "30", "--pooling", "token", "--max-updates", "1", "--out", path("none")}),
            "does not cut into patches of 7 x 7"));
}

}  // namespace
}  // namespace heed::test
