// SPDX-License-Identifier: Apache-2.0
// `heed embed` as its user meets it: from a published folder to vectors, pairs and a search, and
// what mistakes get.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "heed/base/file.h"
#include "heed/base/safetensors.h"
#include "run_program.h"

namespace heed::test {
namespace {

using nlohmann::json;

// A tiny BERT with random weights, and words "p5" to "p47".
class EmbedVerb : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::filesystem::path from =
        std::filesystem::path(HEED_SOURCE_DIR) / "tests/golden/hf/bert-plain";
    std::filesystem::create_directories(folder_ / "bert");
    for (const char* file : {"config.json", "model.safetensors"}) {
      std::filesystem::copy_file(from / file, folder_ / "bert" / file);
    }
    std::string pieces = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\n";
    for (int i = 5; i < 48; ++i) pieces += "p" + std::to_string(i) + "\n";
    put(folder_ / "bert" / "vocab.txt", pieces);
    const ProgramResult imported = run_heed({"import", path("bert"), "--out", path("vectors")});
    ASSERT_EQ(imported.exit_code, 0) << imported.err;
    EXPECT_NE(imported.out.find("model of sentence embeddings"), std::string::npos);
  }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  ProgramResult embed(const std::string& lines, std::vector<std::string> words = {}) const {
    put(folder_ / "in.txt", lines);
    words.insert(words.begin(), {"embed", "--model", path("vectors"), "--threads", "1"});
    return run_heed(words, {.input = path("in.txt")});
  }

  TemporaryFolder folder_;
};

TEST_F(EmbedVerb, WritesAVectorForEachLineInEveryForm) {
  const ProgramResult tsv = embed("p7 p8\n\np9\n");
  ASSERT_EQ(tsv.exit_code, 0) << tsv.err;
  EXPECT_EQ(std::ranges::count(tsv.out, '\n'), 3);
  EXPECT_EQ(std::ranges::count(tsv.out, '\t'), 3 * 31);
  const ProgramResult lists = embed("p7 p8\n\np9\n", {"--form", "json"});
  const json first = json::parse(lists.out.substr(0, lists.out.find('\n')));
  ASSERT_EQ(first.size(), 32u);
  double squares = 0;
  for (const double value : first) squares += value * value;
  EXPECT_NEAR(squares, 1, 1e-5);
  const ProgramResult file = embed("p7 p8\n\np9\n", {"--out", path("v.safetensors")});
  ASSERT_EQ(file.exit_code, 0) << file.err;
  const SafetensorsFile tensors(path("v.safetensors"));
  EXPECT_EQ(tensors.at("vectors").shape, (std::vector<std::size_t>{3, 32}));
  EXPECT_NEAR(tensors.read<float>(tensors.at("vectors"))[0], first[0].get<double>(), 1e-6);
}

TEST_F(EmbedVerb, ComparesPairsAndFindsTheNearest) {
  const ProgramResult pairs = embed("p7 p8\tp7 p8\np7\tp30 p31\n", {"--pairs"});
  ASSERT_EQ(pairs.exit_code, 0) << pairs.err;
  EXPECT_TRUE(pairs.out.starts_with("1.00000\n")) << pairs.out;
  put(folder_ / "many.txt", "p20 p21\np7 p8\np9\n");
  const ProgramResult found = embed("p7 p8\np9\n", {"--search", path("many.txt"), "--top", "1"});
  EXPECT_EQ(found.out, "1.00000\t2\tp7 p8\n\n1.00000\t3\tp9\n") << found.err;
  const ProgramResult bytes = embed("p7 p8\tp7 p8\n", {"--pairs", "--weights", "int8"});
  EXPECT_EQ(bytes.out, "1.00000\n") << bytes.err;
}

TEST_F(EmbedVerb, SaysWhichLineIsWrongOnceThoseBeforeItAreWritten) {
  const ProgramResult pairs = embed("p7\tp8\np7\n", {"--pairs"});
  EXPECT_EQ(pairs.exit_code, 3);
  EXPECT_EQ(std::ranges::count(pairs.out, '\n'), 1);
  EXPECT_NE(pairs.err.find(":2: no tab; each line must be TEXT<TAB>TEXT"), std::string::npos)
      << pairs.err;
  EXPECT_EQ(embed("p7\n", {"--pairs", "--search", path("in.txt")}).exit_code, 2);
  EXPECT_NE(embed("p7\n", {"--out", path("v.csv")}).err.find("ends with .safetensors"),
            std::string::npos);
}

}  // namespace
}  // namespace heed::test
