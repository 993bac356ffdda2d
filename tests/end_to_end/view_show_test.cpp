// SPDX-License-Identifier: Apache-2.0
// `heed view` in the terminal and as pictures: what it shows, and what mistakes get.
#include <gtest/gtest.h>

#include <cstdlib>

#include "heed/base/testing.h"
#include "run_program.h"

namespace heed::test {
namespace {

// Two layers of two heads over three words; a masked cell, an exact zero and a weight of 1e-6.
constexpr const char* kTrace = R"({"source": ["the", "cat", "sat"], "target": ["le", "chat"],
  "weights": [[[[1, 0, null], [0.000001, 0.75, 0.25]], [[0.5, 0.5, null], [0, 1, 0]]],
              [[[1, 0, null], [0.2, 0.8, 0]], [[1, 0, null], [0, 0.6, 0.4]]]]})";

constexpr const char* kScripts = R"({"source": ["החתול", "ישן"], "target": ["猫", "e\u0301"],
  "weights": [[0.9, 0.1], [0.2, 0.8]]})";

// A tree: the hangs on cat, cat on sleeps, sleeps on the root.
constexpr const char* kTree = R"({"format": "heed-trace", "version": 1, "examples": [{
  "strips": [{"name": "text", "tokens": ["the", "cat", "sleeps"]}],
  "attentions": [{"kind": "encoder self", "queries": "text", "keys": "text", "heads": [
    {"layer": 0, "head": 0, "weights": [[0, 0.95, 0.05], [0.2, 0, 0.8], [0, 0.03, 0.97]]}]}]}]})";

class View : public ::testing::Test {
 protected:
  void SetUp() override {
    put(folder_ / "trace.json", kTrace);
    put(folder_ / "scripts.json", kScripts);
    put(folder_ / "tree.json", kTree);
  }
  ProgramResult view(std::vector<std::string> arguments, ProgramSetting setting = {}) const {
    arguments.insert(arguments.begin(), "view");
    setting.folder = folder_.path().string();
    return run_heed(arguments, setting);
  }
  std::string mistake(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), "trace.json");
    const ProgramResult result = view(arguments);
    EXPECT_EQ(result.exit_code, 2) << result.out;
    EXPECT_EQ(result.out, "");
    return result.err;
  }

  TemporaryFolder folder_;
};

TEST_F(View, PrintsAHeatmapInWhichZeroMaskedAndTinyDiffer) {
  const ProgramResult result = view({"trace.json", "--layer", "0", "--head", "0"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.out,
            "cross, layer 0, head 0: target down, source across\n\n"
            "         the    cat    sat\n"
            "le    @  1.0      0 /\n"
            "chat  .  .00 #  .75 :  .25\n\n"
            "in this trace: 1 example; cross (2 layers, 4 heads)\n");
}

TEST_F(View, FitsTheTerminalsWidth) {
  const ProgramResult result = view({"trace.json"}, {.environment = {{"COLUMNS", "14"}}});
  EXPECT_NE(result.out.find("      t c s\n      h a a\n      e t t\nle    @@  //\n"),
            std::string::npos)
      << result.out;
}

TEST_F(View, ShowsEveryFormInTheTerminal) {
  EXPECT_NE(view({"trace.json", "--form", "links"}).out.find("chat  cat .70, sat .20\n"),
            std::string::npos);
  EXPECT_NE(view({"trace.json", "--form", "text", "--query", "1"}).out.find("cat[.70]"),
            std::string::npos);
  EXPECT_NE(view({"trace.json", "--form", "map"}).out.find("layer 1   0.4 bits 60%"),
            std::string::npos)
      << view({"trace.json", "--form", "map"}).out;
}

TEST_F(View, SetsTheArcsOfATreeOverItsWords) {
  const ProgramResult wide = view({"tree.json", "--form", "arcs"});
  EXPECT_EQ(wide.exit_code, 0) << wide.err;
  EXPECT_NE(wide.out.find(" ╭───╮ ╭───╮ ●\n ▼   │ ▼   │ ▼\nthe  cat  sleeps\n.95  .80   .97\n"),
            std::string::npos)
      << wide.out;
  const ProgramSetting narrow{.environment = {{"COLUMNS", "15"}}};
  EXPECT_NE(view({"tree.json", "--form", "arcs"}, narrow).out.find("cat     sleeps .80\n"),
            std::string::npos);
}

TEST_F(View, UnderlinesWordsThatAreChosen) {
  put(folder_ / "chosen.json",
      R"({"source": ["so", "very", "rude"], "target": ["service"], "weights": [[0.1, 0.9, 1]]})");
  EXPECT_NE(view({"chosen.json", "--form", "text"}).out.find("so _very[.90] rude[1.0]_\n"),
            std::string::npos);
}

TEST_F(View, ChoosesAndPreparesWhatIsShown) {
  EXPECT_NE(view({"trace.json", "--aggregate", "max", "--layer", "all"})
                .out.find("cross, layers 0 to 1, largest of 4 heads"),
            std::string::npos);
  EXPECT_NE(view({"trace.json", "--normalise", "columns", "--layer", "0", "--head", "0"})
                .out.find("chat  .  .00 @  1.0 @  1.0"),
            std::string::npos);
  EXPECT_NE(view({"trace.json", "--threshold", "0.3", "--layer", "0", "--head", "0"})
                .out.find("chat       0 #  .75      0"),
            std::string::npos);
}

TEST_F(View, WritesThePicturesAskedForTheSameEachTime) {
  for (const char* form : {"matrix", "links", "text", "map", "arcs"}) {
    for (const char* theme : {"light", "dark"}) {
      const std::vector<std::string> command = {"tree.json", "--form", form,    "--theme", theme,
                                                "--svg",     "a.svg",  "--png", "a.png"};
      const ProgramResult result = view(command);
      EXPECT_EQ(result.exit_code, 0) << result.err;
      EXPECT_EQ(result.err, "");
      EXPECT_NE(result.out.find("a.svg: "), std::string::npos) << result.out;
      const std::string svg = get(folder_ / "a.svg"), png = get(folder_ / "a.png");
      EXPECT_TRUE(png.starts_with("\x89PNG"));
      EXPECT_NE(svg.find("</svg>"), std::string::npos);
      view(command);
      EXPECT_EQ(get(folder_ / "a.svg"), svg);
      EXPECT_EQ(get(folder_ / "a.png"), png);
    }
  }
}

TEST_F(View, DrawsScriptsWithoutTheirFontsAndSaysWhatIsMissing) {
  const std::string nowhere = "<?xml version=\"1.0\"?><fontconfig><cachedir>" +
                              (folder_ / "cache").string() +
                              "</cachedir><dir>/usr/share/fonts/truetype/dejavu</dir></fontconfig>";
  put(folder_ / "fonts.conf", nowhere);
  const ProgramSetting few{.environment = {{"FONTCONFIG_FILE", (folder_ / "fonts.conf").string()}}};
  const ProgramResult result = view({"scripts.json", "--png", "a.png"}, few);
  if (result.exit_code == 2) {  // no DejaVu either
    EXPECT_NE(result.err.find("there is no font on this machine"), std::string::npos) << result.err;
  } else {
    EXPECT_EQ(result.exit_code, 0) << result.err;
    const auto missing = [&](const std::string& title) {
      const ProgramResult one = view({"scripts.json", "--png", "a.png", "--title", title}, few);
      const std::string mark = "no font here has ";
      const std::size_t at = one.err.find(mark);
      EXPECT_NE(one.err.find(" of the picture's characters"), std::string::npos) << one.err;
      return at == std::string::npos ? -1 : std::atoi(one.err.c_str() + at + mark.size());
    };
    EXPECT_EQ(missing("plain"), 1);
    EXPECT_EQ(missing("not plain \U000F1234"), 2) << "the title is part of the picture";
    EXPECT_TRUE(get(folder_ / "a.png").starts_with("\x89PNG"));
  }
}

TEST_F(View, SaysWhatTheTraceHas) {
  EXPECT_EQ(mistake({"--set", "cros"}), "heed view: no set 'cros'; this trace has cross\n");
  EXPECT_EQ(mistake({"--layer", "7"}), "heed view: no layer 7; set 'cross' has layers 0 to 1\n");
  EXPECT_EQ(mistake({"--head", "3"}),
            "heed view: no head 3; layer 1 of set 'cross' has heads 0, 1\n");
  EXPECT_EQ(mistake({"--example", "1"}),
            "heed view: no example 1; this trace has 1, from 0 to 0\n");
  EXPECT_EQ(mistake({"--form", "text", "--query", "5"}),
            "heed view: no query 5; 'target' has 2, from 0 to 1\n");
  EXPECT_EQ(mistake({"--form", "arcs"}),
            "heed view: arcs join the words of one text, and set 'cross' looks from 'target' at "
            "'source'; this trace has no set that would do: take another form\n");
  EXPECT_EQ(mistake({"--set", "x", "--svg", "a.svg"}),
            "heed view: no set 'x'; this trace has cross\n");
  EXPECT_FALSE(exists(folder_ / "a.svg"));
}

TEST_F(View, RefusesWhatDoesNotFitTogether) {
  EXPECT_NE(mistake({"--head", "1", "--aggregate", "mean"}).find("give one of them"),
            std::string::npos);
  EXPECT_NE(mistake({"--layer", "all", "--head", "1"}).find("for mean and max"), std::string::npos);
  EXPECT_NE(mistake({"--layer", "first"}).find("--layer is \"first\""), std::string::npos);
  EXPECT_NE(mistake({"--layer", "-3"}).find("they count from 0"), std::string::npos);
  EXPECT_NE(mistake({"--mass", "0"}).find("mass"), std::string::npos);
  EXPECT_NE(mistake({"--form", "circle"}).find("matrix, links, text, map, arcs"),
            std::string::npos);
  EXPECT_NE(mistake({"--scale", "99"}).find("scale"), std::string::npos);
}

TEST_F(View, IsWhereTheDemoEnds) {
  const ProgramResult result =
      run_heed({"demo", "--size", "200", "--updates", "2"}, {.folder = folder_.path().string()});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const std::string page = (folder_ / "heed-demo/page.html").string();
  EXPECT_NE(result.out.find(page), std::string::npos) << result.out;
  EXPECT_NE(get(page).find("<title>Where the demo looked</title>"), std::string::npos);
}

TEST_F(View, KeepsWhatTokensSayFromTheTerminal) {
  put(folder_ / "trace.json",
      R"({"source": ["\u001b[2J", "\u202eb"], "target": ["\u009b31m"], "weights": [[0.5, 0.5]]})");
  for (const char* form : {"matrix", "links", "text", "map"}) {
    const ProgramResult result = view({"trace.json", "--form", form});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    for (const char* bad : {"\x1b", "\u202e", "\u009b"}) {
      EXPECT_EQ(result.out.find(bad), std::string::npos) << result.out;
    }
  }
}

}  // namespace
}  // namespace heed::test
