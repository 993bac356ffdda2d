// SPDX-License-Identifier: Apache-2.0
// `heed recall` as its user meets it: completing, counting, drawing, and what mistakes get.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "heed/base/file.h"
#include "run_program.h"

namespace heed::test {
namespace {

using nlohmann::json;

bool recall_holds(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

ProgramResult recalled(const std::string& words) {
  return run_heed(words_of("recall --threads 1 " + words));
}

TEST(HeedRecall, CompletesHalfAHeartInOneStep) {
  const ProgramResult shown = recalled("--item heart --hide bottom --flip 0");
  ASSERT_EQ(shown.exit_code, 0) << shown.err;
  EXPECT_TRUE(recall_holds(shown.out, ": heart, every unit. That is what was stored."))
      << shown.out;
  EXPECT_TRUE(recall_holds(shown.out, "░░░░░░░░")) << shown.out;
}

TEST(HeedRecall, LowersTheEnergyOfEveryMemoryAndSaysSoInJson) {
  for (const char* memory : {"classical", "dense", "modern"}) {
    const ProgramResult printed =
        recalled(std::string("--json --store 4 --item cross --flip 0.15 --rule ") + memory);
    ASSERT_EQ(printed.exit_code, 0) << printed.err;
    const json found = json::parse(printed.out);
    EXPECT_EQ(found["nearest"], "cross") << memory;
    EXPECT_EQ(found["wrong"], 0) << memory;
    EXPECT_EQ(found["settled"], true);
    const json& steps = found["steps"];
    ASSERT_GE(steps.size(), 2u);
    for (std::size_t i = 1; i < steps.size(); ++i) {
      EXPECT_LE(steps[i]["energy"], steps[i - 1]["energy"]);
      EXPECT_EQ(steps[i]["weights"].size(), 4u);
      EXPECT_EQ(steps[i]["state"].size(), 64u);
    }
  }
}

TEST(HeedRecall, ReadsPatternsAndAQueryOfOnesOwnAndDrawsThem) {
  const TemporaryFolder folder;
  write_atomically(folder / "two.txt", "up:\n.#.\n###\n\ndown:\n###\n.#.\n");
  write_atomically(folder / "query.txt", "???\n###\n");
  const std::string svg = (folder / "recall.svg").string();
  const ProgramResult found =
      run_heed({"recall", "--patterns", (folder / "two.txt").string(), "--query",
                (folder / "query.txt").string(), "--beta", "4", "--draw", svg});
  ASSERT_EQ(found.exit_code, 0) << found.err;
  EXPECT_TRUE(recall_holds(found.out, ": up, every unit.")) << found.out;
  EXPECT_TRUE(recall_holds(read_file(svg), "<svg"));
}

TEST(HeedRecall, CountsWhatEachMemoryHolds) {
  const TemporaryFolder folder;
  const std::string svg = (folder / "capacity.svg").string();
  const ProgramResult counted = run_heed({"recall", "--capacity", "patterns", "--at", "4", "--at",
                                          "20", "--json", "--draw", svg, "--threads", "1"});
  ASSERT_EQ(counted.exit_code, 0) << counted.err;
  const json curves = json::parse(counted.out)["curves"];
  ASSERT_EQ(curves.size(), 3u);
  EXPECT_EQ(curves[0]["name"], "classical");
  EXPECT_GE(curves[0]["points"][0]["exact"], .95);
  EXPECT_LE(curves[0]["points"][1]["exact"], .1);
  EXPECT_GE(curves[1]["points"][1]["exact"], .95);
  EXPECT_EQ(curves[2]["points"][1]["exact"], 1);
  EXPECT_TRUE(recall_holds(read_file(svg), "recalled exactly"));
  const ProgramResult by_beta = recalled("--capacity beta --at 0.01 --at 1 --recalls 100");
  ASSERT_EQ(by_beta.exit_code, 0) << by_beta.err;
  EXPECT_TRUE(recall_holds(by_beta.out, "1000 patterns")) << by_beta.out;
}

TEST(HeedRecall, SaysWhatIsWrongWhere) {
  const TemporaryFolder folder;
  write_atomically(folder / "bad.txt", "##\n#\n");
  write_atomically(folder / "small.txt", "##\n##\n");
  const auto refused = [](const std::vector<std::string>& words) {
    std::vector<std::string> all{"recall"};
    all.insert(all.end(), words.begin(), words.end());
    const ProgramResult result = run_heed(all);
    EXPECT_NE(result.exit_code, 0);
    return result.err;
  };
  const std::string bad = (folder / "bad.txt").string(), small = (folder / "small.txt").string();
  EXPECT_TRUE(
      recall_holds(refused({"--patterns", bad}), "bad.txt:2: a row of 1 where those before it"));
  EXPECT_TRUE(
      recall_holds(refused({"--query", small}),
                   "small.txt: a query of 2 by 2 for patterns of 8 by 8; make it the same size"));
  EXPECT_TRUE(recall_holds(refused({"--patterns", small, "--patterns", (folder / "none").string()}),
                           "none"));
  EXPECT_TRUE(recall_holds(refused({"--item", "hart"}), "did you mean \"heart\"?"));
  EXPECT_TRUE(recall_holds(refused({"--store", "11"}), "--store 11: there are 10 patterns"));
  EXPECT_TRUE(
      recall_holds(refused({"--greys", "--rule", "classical"}), "a classical memory holds bits"));
  EXPECT_TRUE(recall_holds(refused({"--capacity", "patterns", "--draw", "x.png"}), "ends in .svg"));
  EXPECT_TRUE(recall_holds(refused({"--capacity", "patterns", "--at", "2.5"}),
                           "--at 2.5: numbers of patterns are whole"));
}

}  // namespace
}  // namespace heed::test
