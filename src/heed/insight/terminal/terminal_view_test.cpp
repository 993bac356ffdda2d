// SPDX-License-Identifier: Apache-2.0
#include "heed/insight/terminal/terminal_view.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"
#include "heed/base/text.h"
#include "heed/insight/draw/matrix_view_testing.h"

namespace heed::insight {
namespace {

TEST(TerminalView, IsAHeatmapWithTitleAndWhatElseThereIs) {
  EXPECT_EQ(
      terminal_view(small_document()),
      "the cat sat\n"
      "cross, layer 0, head 0: target down, source across\n"
      "\n"
      "         the    cat    sat\n"
      "le    @  1.0      0 /\n"
      "chat  .  .00 #  .75 :  .25\n"
      "</s>  :  .20 -  .30 +  .50\n"
      "\n"
      "in this trace: 1 example; cross (1 layer, 1 head), decoder self (2 layers, 6 heads)\n");
}

TEST(TerminalView, HighlightsTheTextOfAClassifier) {
  TraceDocument document = small_document();
  document.examples[0].attentions = {document.examples[0].attentions[0]};
  document.examples[0].attentions[0].kind = "pooling";
  EXPECT_EQ(terminal_view(document),
            "the cat sat\n"
            "pooling, layer 0, head 0\n"
            "\nle\nthe[1.0] cat /sat\n"
            "\nchat\nthe cat[.75] sat\n"
            "\n</s>\nthe cat sat[.50]\n");
}

TEST(TerminalView, ListsLinksUpToTheShare) {
  const std::string text = terminal_view(small_document(), {.form = PictureForm::links});
  EXPECT_NE(text.find("le    the 1.0\nchat  cat .75, sat .25\n</s>  sat .50, cat .30\n"),
            std::string::npos)
      << text;
}

TEST(TerminalView, SetsArcsOverATextThatLooksAtItself) {
  EXPECT_EQ(
      terminal_view(small_document(),
                    {.form = PictureForm::arcs, .view = {.head = 0, .aggregate = Aggregate::head}}),
      "the cat sat\n"
      "decoder self, layer 1, head 0: an arrow to each target token from its likeliest head, "
      "● being the root\n"
      "\n"
      "● ╭───╮     ●\n"
      "▼ │   ▼     ▼\n"
      "le   chat  </s>\n"
      "1.0  .50   .75\n"
      "\n"
      "in this trace: 1 example; cross (1 layer, 1 head), decoder self (2 layers, 6 heads)\n");
  EXPECT_THROW(
      terminal_view(small_document(), {.form = PictureForm::arcs, .view = {.set = "cross"}}),
      UsageError);
}

TEST(TerminalView, UnderlinesWordsThatAreChosen) {
  TraceDocument document = small_document();
  document.examples[0].attentions[0].heads[0].weights =
      Tensor::of({3, 3}, {1, 1, 0, 0, .9f, 0, 0, 0, .2f});
  const std::string text = terminal_view(document, {.form = PictureForm::text});
  EXPECT_NE(text.find("cross, layer 0, head 0\nwords of at least one half underlined\n"
                      "\nle\n_the[1.0] cat[1.0]_ sat\n\nchat\nthe _cat[.90]_ sat\n"),
            std::string::npos)
      << text;
}

TEST(TerminalView, TabulatesEveryHead) {
  const std::string text =
      terminal_view(small_document(), {.form = PictureForm::map, .view = {.set = "decoder self"}});
  EXPECT_NE(text.find("          head 0         head 1         head 2\n"
                      "layer 0   0.6 bits 83%   0.6 bits 83%   0.6 bits 83%\n"),
            std::string::npos)
      << text;
}

TEST(TerminalView, KeepsWithinTheScreen) {
  const std::string text = terminal_view(small_document(), {}, {.width = 20});
  const std::string map = text.substr(text.find("\n\n"));
  for (const std::string_view line : split(map, '\n')) {
    if (line.starts_with("in this trace")) break;
    EXPECT_LE(display_width(line), 20u) << text;
  }
}

TEST(TerminalView, SaysWhatThereIs) {
  EXPECT_THROW(terminal_view(small_document(), {.example = 1}), UsageError);
  EXPECT_THROW(terminal_view(small_document(), {.view = {.set = "cros"}}), UsageError);
}

}  // namespace
}  // namespace heed::insight
