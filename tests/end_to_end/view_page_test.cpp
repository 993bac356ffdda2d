// SPDX-License-Identifier: Apache-2.0
// `heed view --html` as a user meets it; tests/browser opens what it writes.
#include <gtest/gtest.h>

#include <filesystem>

#include "run_program.h"

namespace heed {
namespace {

using test::get;
using test::ProgramResult;
using test::put;
using test::run_heed;
using test::TemporaryFolder;

constexpr const char* kTrace = R"({"format": "heed-trace", "version": 1, "model": "m", "examples": [
  {"title": "first", "strips": [{"name": "text", "tokens": ["a", "b"]}],
   "attentions": [{"kind": "encoder self", "queries": "text", "keys": "text",
     "heads": [{"layer": 0, "head": 0, "weights": [[1, 0], [0.5, 0.5]]}]}]},
  {"title": "second", "strips": [{"name": "text", "tokens": ["a"]}],
   "attentions": [{"kind": "encoder self", "queries": "text", "keys": "text",
     "heads": [{"layer": 0, "head": 0, "weights": [[1]]}]}]}]})";

class ViewPage : public ::testing::Test {
 protected:
  // Writes the page of a trace.
  ProgramResult view(const std::string& trace, const std::vector<std::string>& more = {}) {
    put(folder_ / "trace.json", trace);
    std::vector<std::string> words = {"view", (folder_ / "trace.json").string(), "--html",
                                      page_.string()};
    words.insert(words.end(), more.begin(), more.end());
    return run_heed(words);
  }

  TemporaryFolder folder_;
  std::filesystem::path page_ = folder_ / "page.html";
};

TEST_F(ViewPage, IsWrittenWithEveryExample) {
  const ProgramResult result = view(kTrace);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_TRUE(result.out.starts_with(page_.string() + ": 2 examples, ")) << result.out;
  const std::string page = get(page_);
  EXPECT_NE(page.find("<title>m</title>"), std::string::npos);
  EXPECT_NE(page.find("\"title\":\"second\""), std::string::npos);
}

TEST_F(ViewPage, HasTheTitleAndTheExamplesAskedFor) {
  const ProgramResult result = view(kTrace, {"--examples", "1", "--title", "A & B"});
  EXPECT_TRUE(result.out.starts_with(page_.string() + ": 1 example, ")) << result.out;
  const std::string page = get(page_);
  EXPECT_NE(page.find("<title>A &amp; B</title>"), std::string::npos);
  EXPECT_EQ(page.find("\"title\":\"second\""), std::string::npos);
}

TEST_F(ViewPage, OfAnUnknownPrecisionIsNotWritten) {
  const ProgramResult result = view(kTrace, {"--precision", "12"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_NE(result.err.find("8 or 16"), std::string::npos) << result.err;
  EXPECT_FALSE(std::filesystem::exists(page_));
}

TEST_F(ViewPage, StaysAsItWasWhenTheTraceIsBad) {
  put(page_, "the page before <!-- heed -->");
  for (const std::string_view bad : {R"({"source": ["a"], "target": ["b"], "weights": [[-1]]})",
                                     R"({"source": ["a"], "target": ["b"], "weights": [[1, 2]]})",
                                     R"({"source": ["a"], "target": ["b"], "weights": [[NaN]]})",
                                     R"({"source": ["a"], "target": ["b"], "wieghts": [[1]]})",
                                     R"({"format": "heed-trace"})", "nothing of the kind", ""}) {
    const ProgramResult result = view(std::string(bad));
    EXPECT_EQ(result.exit_code, 3) << bad << "\n" << result.err;
    EXPECT_NE(result.err.find("trace.json"), std::string::npos) << result.err;
  }
  EXPECT_EQ(get(page_), "the page before <!-- heed -->");
}

}  // namespace
}  // namespace heed
