// SPDX-License-Identifier: Apache-2.0
// `heed bench attention` and `heed bench long`: what they print, what they write, and how they
// refuse slips.
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "heed/base/safetensors.h"
#include "run_program.h"

namespace heed {
namespace {

using nlohmann::json;
using test::ProgramResult;
using test::run_heed;
using test::TemporaryFolder;

ProgramResult bench(std::vector<std::string> flags) {
  std::vector<std::string> words = {"bench", "attention"};
  words.insert(words.end(), flags.begin(), flags.end());
  return run_heed(words);
}

// The only row of a run that is as short as may be.
json row_of(std::vector<std::string> flags) {
  for (const char* flag : {"--seconds", "0", "--threads", "1", "--json"}) flags.emplace_back(flag);
  const ProgramResult result = bench(flags);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.err, "");
  const json rows = json::parse(result.out);
  EXPECT_EQ(rows.size(), 1u);
  return rows.at(0);
}

double flops_of(const json& row) {
  return row.at("gflops").get<double>() * row.at("ms").get<double>() * 1e6;
}

TEST(BenchAttention, TellsTimesSharesAndMemoryOfOneShape) {
  const json row = row_of({"--shape", "1,2,32,48,16"});
  EXPECT_EQ(row.at("name"), "attention_b1_h2_q32_k48_d16");
  EXPECT_EQ(row.at("threads"), 1);
  EXPECT_GT(row.at("p10"), 0);
  EXPECT_GE(row.at("ms"), row.at("p10"));
  EXPECT_GE(row.at("p90"), row.at("ms"));
  EXPECT_GT(row.at("fraction_of_fma"), 0);
  EXPECT_GE(row.at("best_fraction"), row.at("fraction_of_fma"));
  EXPECT_GE(row.at("extra_bytes"), 0);
  EXPECT_LT(row.at("extra_bytes"), 64 << 20);
}

TEST(BenchAttention, CountsTheWorkOnAllowedKeysOnly) {
  const double pairs = 2 * 3 * 20 * 20;
  const double causal = 2 * 3 * 20 * 21 / 2.0;
  EXPECT_NEAR(flops_of(row_of({"--shape", "2,3,20,20,8"})), 4 * 8 * pairs, 1);
  EXPECT_NEAR(flops_of(row_of({"--shape", "2,3,20,20,8", "--spec", "scaled_dot | causal"})),
              4 * 8 * causal, 1);
  EXPECT_NEAR(flops_of(row_of({"--shape", "2,3,20,20,8", "--backward"})), 10 * 8 * pairs, 1);
  // Two heads see everything, one only the past.
  EXPECT_NEAR(flops_of(row_of(
                  {"--shape", "2,3,20,20,8", "--spec", "2x(scaled_dot); 1x(scaled_dot | causal)"})),
              4 * 8 * (2 * pairs + causal) / 3, 1);
}

TEST(BenchAttention, WritesTensorsThatAttendGivesTheSameContextFor) {
  const TemporaryFolder folder;
  const std::string dump = folder / "dump.safetensors";
  const std::string again = folder / "again.safetensors";
  for (const char* layout : {"bhsd", "bshd"}) {
    row_of({"--shape", "2,4,9,11,8", "--key-heads", "2", "--layout", layout, "--backward", "--spec",
            "scaled_dot | causal", "--dump", dump});
    const SafetensorsFile file(dump);
    EXPECT_EQ(file.at("query").shape, (std::vector<std::size_t>{2, 4, 9, 8}));
    EXPECT_EQ(file.at("d_keys").shape, (std::vector<std::size_t>{2, 2, 11, 8}));
    const ProgramResult result =
        run_heed({"attend", "scaled_dot | causal", "--input", dump, "--output", again});
    ASSERT_EQ(result.exit_code, 0) << result.err;
    const SafetensorsFile other(again);
    const auto expected = other.read<float>(other.at("context"));
    const auto context = file.read<float>(file.at("context"));
    ASSERT_EQ(context.size(), expected.size());
    for (std::size_t i = 0; i < context.size(); ++i) {
      ASSERT_NEAR(context[i], expected[i], 1e-5) << layout << " " << i;
    }
  }
}

TEST(BenchAttention, DrawsScoresOfTheDeviationAskedFor) {
  const TemporaryFolder folder;
  const std::string dump = folder / "dump.safetensors";
  const std::string scored = folder / "scored.safetensors";
  for (const char* deviation : {"0", "0.5", "2"}) {
    row_of({"--shape", "1,4,64,64,32", "--score-deviation", deviation, "--dump", dump});
    ASSERT_EQ(run_heed({"attend", "scaled_dot", "--input", dump, "--output", scored}).exit_code, 0);
    const SafetensorsFile file(scored);
    const auto scores = file.read<float>(file.at("scores"));
    double squares = 0;
    for (const float score : scores) squares += static_cast<double>(score) * score;
    const double expected = std::stod(deviation);
    EXPECT_NEAR(std::sqrt(squares / static_cast<double>(scores.size())), expected, 0.1 * expected);
  }
}

TEST(BenchAttention, SaysWhatWouldBeRight) {
  const auto error = [](std::vector<std::string> flags) {
    const ProgramResult result = bench(std::move(flags));
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_EQ(result.out, "");
    return result.err;
  };
  EXPECT_EQ(error({"--shape", "1,8,64"}),
            "heed bench: --shape is \"1,8,64\": it takes B,H,Q,K,D, as 1,8,1024,1024,64\n");
  EXPECT_EQ(error({"--shape", "1,8,0,64,64"}),
            "heed bench: --shape is \"0\": it takes 1 or more\n");
  EXPECT_EQ(error({"--shape", "1,8,a,64,64"}),
            "heed bench: --shape is \"a\": it takes a whole number\n");
  EXPECT_EQ(error({"--shape", "1000000,1000,1000,1000,64"}),
            "heed bench: --shape is \"1000000,1000,1000,1000,64\": a tensor has at most 2147483648 "
            "numbers\n");
  EXPECT_EQ(error({"--shape", "1,2,4,4,8", "--layout", "bsdh"}),
            "heed bench: --layout is \"bsdh\" (did you mean \"bshd\"?); it takes bhsd or bshd\n");
  EXPECT_EQ(error({"--shape", "1,3,4,4,8", "--key-heads", "2"}),
            "heed bench: --key-heads is 2: the 3 heads of --shape are not a multiple of it\n");
  EXPECT_EQ(error({"--shape", "1,2,4,4,8", "--score-deviation", "-1"}),
            "heed bench: --score-deviation is \"-1\": it takes a number of 0 or more\n");
  EXPECT_EQ(error({"--shape", "1,2,4,4,8", "--threads", "0"}),
            "heed bench: --threads is \"0\": it takes 1 or more\n");
  EXPECT_EQ(error({"--backward"}),
            "heed bench: --backward requires --shape; see `heed bench --help`\n");
  EXPECT_NE(error({"--shape", "1,2,4,4,8", "--spec", "scaled_dto"}).find("scaled_dot"),
            std::string::npos);
}

// Texts this short say nothing of speed; memory is counted, not timed.
TEST(BenchLong, WeighsWhatIsAskedForAndFitsItsPowers) {
  const TemporaryFolder folder;
  const std::string picture = (folder / "memory.svg").string();
  const ProgramResult result =
      run_heed({"bench", "long", "--lengths", "256,64,128", "--of", "linear,full", "--reading", "0",
                "--memory-svg", picture, "--json"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const json mechanisms = json::parse(result.out).at("mechanisms");
  ASSERT_EQ(mechanisms.size(), 2u);
  EXPECT_EQ(mechanisms[0].at("name"), "full");
  for (const json& one : mechanisms) {
    const json& points = one.at("points");
    ASSERT_EQ(points.size(), 3u);
    EXPECT_EQ(points[0].at("tokens"), 64);
    EXPECT_EQ(points[2].at("tokens"), 256);
    for (const json& point : points) {
      EXPECT_GT(point.at("training_seconds").get<double>(), 0);
      EXPECT_GT(point.at("training_bytes").get<double>(), point.at("forward_bytes").get<double>());
    }
    EXPECT_NEAR(one.at("memory_exponent").get<double>(), 1, .15) << one.at("name");
  }
  const std::string drawn = test::get(picture);
  EXPECT_NE(drawn.find("<svg"), std::string::npos);
  EXPECT_NE(drawn.find("Long Range Arena"), std::string::npos);
}

TEST(BenchLong, SaysWhatItTakes) {
  const auto error = [](std::vector<std::string> flags) {
    flags.insert(flags.begin(), {"bench", "long"});
    const ProgramResult result = run_heed(flags);
    EXPECT_EQ(result.exit_code, 2);
    return result.err;
  };
  EXPECT_EQ(error({"--lengths", "8"}),
            "heed bench: --lengths: 8; a length is from 16 to 4194304\n");
  EXPECT_NE(error({"--of", "nothing"}).find("\"nothing\"; it takes some of full, windowed"),
            std::string::npos);
}

TEST(Bench, KeepsOptionsOfOneBenchmarkFromOthers) {
  const ProgramResult other = run_heed({"bench", "gemm", "--shape", "1,2,4,4,8"});
  EXPECT_EQ(other.exit_code, 2);
  EXPECT_EQ(other.err, "heed bench: --shape is for attention; gemm does not take it\n");
  const ProgramResult none = run_heed({"bench", "--shape", "1,2,4,4,8"});
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_EQ(none.err,
            "heed bench: --shape is for attention; say `heed bench attention --shape ...`\n");
}

}  // namespace
}  // namespace heed
