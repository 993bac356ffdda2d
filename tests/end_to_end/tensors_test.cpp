// SPDX-License-Identifier: Apache-2.0
// The verb `tensors` as a user meets it: tables, JSON, and files that are bad.
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "heed/base/half.h"
#include "heed/base/safetensors.h"
#include "heed/base/text.h"
#include "run_program.h"

namespace heed {
namespace {

using nlohmann::json;
using test::ProgramResult;
using test::put;
using test::run_heed;
using test::TemporaryFolder;

std::string write_sample(const TemporaryFolder& folder) {
  const std::vector<float> weights = {1, 2, 3, 0, -6, 0};
  const std::vector<float> broken = {NAN, INFINITY, -INFINITY, 5};
  const std::vector<std::uint16_t> halves = {float_to_f16(0.5f), float_to_f16(-1.5f)};
  const std::vector<std::int32_t> ids = {-7, 9};
  const std::vector<float> lost = {NAN};
  SafetensorsWriter writer;
  writer.add("weights", {2, 3}, weights);
  writer.add("broken", {4}, broken);
  writer.add("halves", DType::kF16, {2}, std::as_bytes(std::span(halves)));
  writer.add("ids", {2}, ids);
  writer.add("lost", {}, lost);
  writer.add("nothing", {0}, std::vector<double>());
  writer.write(folder / "model.safetensors");
  return (folder / "model.safetensors").string();
}

TEST(HeedTensors, GivesTheStatisticsOfEveryTensorAsJson) {
  const TemporaryFolder folder;
  const ProgramResult result = run_heed({"tensors", write_sample(folder), "--json"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const json list = json::parse(result.out);
  ASSERT_EQ(list.size(), 6u);
  EXPECT_EQ(list[0], (json{{"name", "broken"},
                           {"dtype", "F32"},
                           {"shape", {4}},
                           {"count", 4},
                           {"bytes", 16},
                           {"min", 5.0},
                           {"max", 5.0},
                           {"mean", 5.0},
                           {"deviation", 0.0},
                           {"zeros", 0},
                           {"nan", 1},
                           {"inf", 2}}));
  EXPECT_EQ(list[1]["name"], "halves");
  EXPECT_EQ(list[1]["mean"], -0.5);
  EXPECT_EQ(list[1]["deviation"], 1.0);
  EXPECT_EQ(list[2]["min"], -7);
  EXPECT_EQ(list[2]["max"], 9);
  EXPECT_EQ(list[3]["shape"], json::array());
  EXPECT_EQ(list[3]["mean"], nullptr) << "no finite value, no mean";
  EXPECT_EQ(list[4]["count"], 0);
  EXPECT_EQ(list[4]["max"], nullptr);
  EXPECT_EQ(list[5]["shape"], json({2, 3}));
  EXPECT_EQ(list[5]["mean"], 0.0);
  EXPECT_NEAR(list[5]["deviation"].get<double>(), std::sqrt(50.0 / 6), 1e-12);
  EXPECT_EQ(list[5]["zeros"], 2);
}

TEST(HeedTensors, MergesThePiecesOfALargeTensorExactly) {
  const TemporaryFolder folder;
  // Three pieces, the last one short, with different means: 0, 1, ... n - 1 has the mean (n - 1) /
  // 2 and the variance (n^2 - 1) / 12.
  constexpr std::size_t kCount = 150'001;
  std::vector<double> values(kCount);
  for (std::size_t i = 0; i < kCount; ++i) values[i] = static_cast<double>(i);
  SafetensorsWriter writer;
  writer.add("t", {kCount}, values);
  writer.write(folder / "f");
  const ProgramResult result = run_heed({"tensors", (folder / "f").string(), "--json"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const json tensor = json::parse(result.out)[0];
  const double n = kCount;
  EXPECT_NEAR(tensor["mean"].get<double>(), (n - 1) / 2, 1e-6);
  EXPECT_NEAR(tensor["deviation"].get<double>(), std::sqrt((n * n - 1) / 12), 1e-6);
  EXPECT_EQ(tensor["min"], 0.0);
  EXPECT_EQ(tensor["max"], n - 1);
  EXPECT_EQ(tensor["zeros"], 1);
}

TEST(HeedTensors, PrintsAnAlignedTable) {
  const TemporaryFolder folder;
  const ProgramResult result = run_heed({"tensors", write_sample(folder)});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const std::vector<std::string_view> lines = split(result.out, '\n');
  ASSERT_EQ(lines.size(), 9u) << "head, six tensors, sum, and the end";
  for (std::size_t i = 1; i < 7; ++i) EXPECT_EQ(lines[i].size(), lines[0].size());
  EXPECT_TRUE(lines[0].starts_with("name     dtype  shape"));
  EXPECT_TRUE(lines[6].starts_with("weights  F32    [2,3]"));
  EXPECT_EQ(lines[7], "6 tensors, 15 values, 56 B");
}

TEST(HeedTensors, EscapesNamesThatWouldSteerTheTerminal) {
  const TemporaryFolder folder;
  const std::vector<float> one = {1};
  SafetensorsWriter writer;
  writer.add("\x1b[2Jgone", {1}, one);
  writer.add("\u009b2Jgone", {1}, one);
  writer.write(folder / "f");
  const ProgramResult result = run_heed({"tensors", (folder / "f").string()});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_NE(result.out.find("\"\\u001b[2Jgone\""), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("\"\\u009b2Jgone\""), std::string::npos) << result.out;
}

TEST(HeedTensors, ExitsWithThreeAndThePlaceForABadFile) {
  const TemporaryFolder folder;
  const std::string path = (folder / "bad").string();
  put(path, "123");
  const ProgramResult result = run_heed({"tensors", path});
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(result.err, "heed tensors: " + path +
                            ": byte 3: the file ends inside the 8 bytes of the header's size\n");
  const ProgramResult missing = run_heed({"tensors", path + "x"});
  EXPECT_EQ(missing.exit_code, 3);
  EXPECT_EQ(missing.err,
            "heed tensors: " + path + "x: cannot be opened: No such file or directory\n");
}

}  // namespace
}  // namespace heed
