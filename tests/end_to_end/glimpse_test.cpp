// SPDX-License-Identifier: Apache-2.0
// Networks that look in glimpses as their user meets them: train, look, draw, measure, resume, and
// what mistakes get.
#include <gtest/gtest.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "heed/images/image_file.h"
#include "heed/images/testing.h"
#include "run_program.h"

namespace heed::test {
namespace {

using nlohmann::json;

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

class HeedGlimpse : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = std::make_unique<TemporaryFolder>();
    put(*folder_ / "i", images::testing::small_digit_images(60, 8));
    put(*folder_ / "l", images::testing::small_digit_labels(60));
    const ProgramResult made = run_heed(small("model", "--side 16 --max-updates 12"));
    ASSERT_EQ(made.exit_code, 0) << made.err;
    EXPECT_TRUE(has(made.out, "Read fresh canvases of 16 x 16 with one of 54 images.")) << made.out;
    EXPECT_TRUE(has(made.err, "places: mean |mu| ")) << made.err;
  }
  static void TearDownTestSuite() { folder_.reset(); }
  static std::string path(const std::string& name) { return (*folder_ / name).string(); }
  static std::vector<std::string> small(const std::string& out, const std::string& more) {
    std::vector<std::string> words = words_of(
        "train glimpse --threads 1 --size 4 --scales 2 --glimpses 2 --batch 20 --part 8 --hidden "
        "12 "
        "--validate-every 6 " +
        more);
    words.insert(words.end(), {"--images", path("i"), "--labels", path("l"), "--out", path(out)});
    return words;
  }

  static inline std::unique_ptr<TemporaryFolder> folder_;
};

TEST_F(HeedGlimpse, LooksAtACanvasShowsDrawsAndTraces) {
  const ProgramResult looked = run_heed({"glimpse", path("model"), "--number", "3", "--json",
                                         "--draw", path("path.svg"), "--trace", path("t.json")});
  ASSERT_EQ(looked.exit_code, 0) << looked.err;
  const json one = json::parse(looked.out)[0];
  EXPECT_EQ(one["answer"], "7");
  EXPECT_EQ(one["glimpses"].size(), 2u);
  EXPECT_EQ(one["glimpses"][0]["boxes"].size(), 2u);
  EXPECT_EQ(one["glimpses"][0]["chances"].size(), 10u);
  EXPECT_TRUE(has(get(*folder_ / "path.svg"), "canvas 3: "));
  const ProgramResult viewed = run_heed({"view", path("t.json")});
  EXPECT_EQ(viewed.exit_code, 0) << viewed.err;
  EXPECT_TRUE(has(viewed.out, "glimpses down, image across")) << viewed.out;
  const ProgramResult shown = run_heed({"glimpse", path("model"), "--number", "3", "--show"});
  EXPECT_TRUE(has(shown.out, "all glimpses")) << shown.out;
  EXPECT_TRUE(has(shown.out, "looked at (")) << shown.out;
}

TEST_F(HeedGlimpse, LooksAtImageFilesOfAnySize) {
  put(*folder_ / "wide.png", images::png_bytes(images::Image::filled(9, 31, 3, .5F)));
  const ProgramResult looked = run_heed({"glimpse", path("model"), "--input", path("wide.png")});
  EXPECT_EQ(looked.exit_code, 0) << looked.err;
  EXPECT_TRUE(has(looked.out, "wide.png\t")) << looked.out;
  put(*folder_ / "tiny.png", images::png_bytes(images::Image::filled(1, 1)));
  const ProgramResult tiny = run_heed({"glimpse", path("model"), "--input", path("tiny.png")});
  EXPECT_EQ(tiny.exit_code, 3) << tiny.err;
  EXPECT_TRUE(has(tiny.err, "tiny.png")) << tiny.err;
}

TEST_F(HeedGlimpse, MeasuresThePolicyBesideRandomPlaces) {
  const ProgramResult measured =
      run_heed({"glimpse", path("model"), "--measure", "40", "--json", "--threads", "1"});
  ASSERT_EQ(measured.exit_code, 0) << measured.err;
  const json rows = json::parse(measured.out)["rows"];
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_EQ(rows[0]["places"], "means, one episode");
  EXPECT_EQ(rows[1]["places"], "means, ten averaged");
  EXPECT_EQ(rows[3]["places"], "random places");
  EXPECT_EQ(rows[0]["canvases"], 40);
  EXPECT_NEAR(rows[0]["box_share"], .25, 1e-9);
  const ProgramResult table = run_heed({"glimpse", path("model"), "--measure", "10"});
  EXPECT_TRUE(has(table.out, "policy: mean |mu| ")) << table.out;
}

TEST_F(HeedGlimpse, SaysWhatIsWrong) {
  const auto refused = [](const std::vector<std::string>& words) {
    const ProgramResult result = run_heed(words);
    EXPECT_NE(result.exit_code, 0);
    return result.err;
  };
  EXPECT_TRUE(has(refused({"glimpse", path("model")}), "nothing to look at: give --input"));
  EXPECT_TRUE(has(refused({"glimpse", path("model"), "--number", "1", "--draw", "x.txt"}),
                  "--draw x.txt: give a name that ends in .svg or .png"));
  EXPECT_TRUE(has(refused(small("bad", "--side 6 --max-updates 1")),
                  "6 x 6 has no room for 1 image of 8 x 8"));
  EXPECT_TRUE(has(refused(small("bad", "--size 9 --max-updates 1")),
                  "images of 8 x 8 are smaller than a glimpse of 9 x 9"));
  put(*folder_ / "list.tsv", "missing.png\tcat\n");
  const std::string missing = refused({"train", "glimpse", "--images", path("list.tsv"),
                                       "--max-updates", "1", "--out", path("bad")});
  EXPECT_TRUE(has(missing, "missing.png")) << missing;
}

}  // namespace
}  // namespace heed::test
