// SPDX-License-Identifier: Apache-2.0
#include "heed/insight/draw/picture.h"

#include <gtest/gtest.h>

#include <array>
#include <set>

#include "heed/base/error.h"
#include "heed/base/testing.h"
#include "heed/insight/draw/matrix_view_testing.h"

namespace heed::insight {
namespace {

constexpr std::array kForms = {PictureForm::matrix, PictureForm::links, PictureForm::text,
                               PictureForm::map, PictureForm::arcs};

TEST(Picture, GivesTheSameBytesForTheSameDocumentAndOthersForEachForm) {
  const TraceDocument document = small_document();
  std::set<std::string> different;
  for (const PictureForm form : kForms) {
    for (const Theme theme : {Theme::light, Theme::dark}) {
      const PictureOptions options{.form = form, .style = {.theme = theme}};
      const std::string svg = svg_picture(document, options);
      EXPECT_EQ(svg, svg_picture(document, options));
      EXPECT_EQ(png_picture(document, options), png_picture(document, options));
      different.insert(svg);
    }
  }
  EXPECT_EQ(different.size(), 10u);
}

TEST(Picture, IsTitledByTheExampleAndSaysWhatItShows) {
  const std::string svg = svg_picture(small_document());
  EXPECT_NE(svg.find("<title>the cat sat: cross, layer 0, head 0</title>"), std::string::npos);
  EXPECT_NE(svg_picture(small_document(), {.title = "mine"}).find("<title>mine: "),
            std::string::npos);
  EXPECT_NE(svg_picture(small_document(), {.view = {.set = "decoder self"}})
                .find("decoder self, layer 1, mean of 3 heads"),
            std::string::npos);
}

TEST(Picture, ShowsPoolingAsATextUnlessToldOtherwise) {
  TraceDocument document = small_document();
  EXPECT_EQ(form_of(document, {}), PictureForm::matrix);
  document.examples[0].attentions[0].kind = "pooling";
  EXPECT_EQ(form_of(document, {}), PictureForm::text);
  EXPECT_EQ(form_of(document, {.form = PictureForm::links}), PictureForm::links);
}

TEST(Picture, DrawsArcsOfTheSetThatLooksAtItself) {
  EXPECT_NE(svg_picture(small_document(), {.form = PictureForm::arcs})
                .find("<title>the cat sat: decoder self, layer 1, mean of 3 heads</title>"),
            std::string::npos);
}

TEST(Picture, GrowsWithItsScale) {
  const TraceDocument document = small_document();
  const auto width = [&](double scale) {
    const std::string png = png_picture(document, {.scale = scale});
    return static_cast<unsigned char>(png[18]) * 256 + static_cast<unsigned char>(png[19]);
  };
  EXPECT_EQ(width(3), 3 * width(1));
}

TEST(Picture, IsNoPlaceForMarkupOrControlCharacters) {
  TraceDocument document = small_document();
  document.examples[0].title = "<script>alert(1)</script>\x1b[31m & \xff";
  document.examples[0].strips[0].tokens = {"<b>", "a\n\tb", "&amp;\u202E"};
  for (const PictureForm form : kForms) {
    const std::string svg = svg_picture(document, {.form = form});
    EXPECT_EQ(svg.find("<script"), std::string::npos);
    EXPECT_EQ(svg.find('\x1b'), std::string::npos);
    EXPECT_TRUE(png_picture(document, {.form = form}).starts_with("\x89PNG"));
  }
}

TEST(Picture, DrawsEveryScript) {
  TraceDocument document = small_document();
  document.examples[0].strips[0].tokens = {"החתול", "猫", "नमस्ते"};
  document.examples[0].strips[1].tokens = {"e\u0301te\u0301", "😀", "กิน"};
  for (const PictureForm form : kForms) {
    EXPECT_FALSE(png_picture(document, {.form = form}).empty());
  }
}

TEST(Picture, SaysWhatThereIs) {
  const auto mistake = [](const PictureOptions& options) {
    return test::message_of<UsageError>([&] { svg_picture(small_document(), options); });
  };
  EXPECT_EQ(mistake({.example = 3}), "no example 3; this trace has 1, from 0 to 0");
  EXPECT_EQ(mistake({.view = {.set = "cros"}}),
            "no set 'cros'; this trace has cross, decoder self");
  EXPECT_EQ(mistake({.form = PictureForm::arcs, .view = {.set = "cross"}}),
            "arcs join the words of one text, and set 'cross' looks from 'target' at 'source'; "
            "choose the set decoder self");
  EXPECT_EQ(mistake({.form = PictureForm::map, .view = {.set = "x"}}),
            "no set 'x'; this trace has cross, decoder self");
}

}  // namespace
}  // namespace heed::insight
