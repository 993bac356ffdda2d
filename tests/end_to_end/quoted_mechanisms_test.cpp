// SPDX-License-Identifier: Apache-2.0
// Every mechanism that a page, a recipe or a help text quotes can be built, and attends.
#include "quoted_mechanisms.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "attend_fixture.h"
#include "pages.h"

namespace heed::test {
namespace {

class QuotedMechanisms : public HeedAttend {
 protected:
  // What `heed attend` says against it; empty when it runs on the tensors alone or on one of the
  // kinds of data that parts may ask for.
  std::string mistake_in(const std::string& whole) {
    constexpr std::size_t kLength = 8;
    const std::size_t heads = heads_of(whole);
    const std::vector<std::string> drawn = {"--init", "1"};
    inputs.clear();
    for (const char* name : {"query", "keys", "values"})
      inputs[name] = wavy({1, heads, kLength, 4});
    const std::map<std::string, Given> plain = inputs;
    const std::string first = run(whole, drawn).err;
    if (first.empty()) return {};
    mask_shape = {kLength, kLength};
    allowed.assign(kLength * kLength, 1);
    lengths = {kLength};
    whole_ids(kLength);
    bool runs = run(whole, drawn).err.empty();
    allowed.clear();
    lengths.clear();
    HeedAttend::whole.clear();
    for (const char* name : {"mask", "bounds"}) {
      if (runs) break;
      inputs = plain;
      inputs[name] = {{kLength, kLength}, std::vector<float>(kLength * kLength, 1)};
      runs = run(whole, drawn).err.empty();
    }
    return runs ? "" : first;
  }
  // What is wrong with a quoted text: it must be a piece of one mechanism that runs.
  std::string mistake_in_quote(const std::string& text) {
    std::string mistake;
    for (const std::string& one : wholes_of(text, kinds)) {
      const std::string found = mistake_in(one);
      if (found.empty()) return {};
      mistake += found;
    }
    return mistake;
  }

  const PartKinds kinds = part_kinds();

 private:
  void whole_ids(std::size_t length) {
    for (const char* name : {"query_segments", "key_segments"}) {
      HeedAttend::whole[name] = std::vector<std::int64_t>(length, 0);
    }
  }
};

TEST_F(QuotedMechanisms, OfEveryPageAndRecipeAttend) {
  std::map<std::string, std::string> texts = pages();
  for (const auto& entry : std::filesystem::directory_iterator(HEED_SOURCE_DIR "/recipes")) {
    texts["recipes/" + entry.path().filename().string()] = get(entry.path());
  }
  std::map<std::string, std::string> places;  // of each, where it is quoted first
  for (const auto& [path, page] : texts) {
    for (const QuotedMechanism& quoted : quoted_mechanisms(page, kinds)) {
      places.try_emplace(quoted.text, fmt::format("{}:{}", path, quoted.line));
    }
  }
  EXPECT_GT(places.size(), 9u);
  for (const auto& [text, place] : places) {
    EXPECT_EQ(mistake_in_quote(text), "") << place << ": " << text;
  }
}

TEST_F(QuotedMechanisms, OfEveryHelpTextAttend) {
  std::size_t count = 0;
  for (const std::string& verb : found_in(run_heed({}).out, "\n  ([a-z]+(?: [a-z]+)?)  ")) {
    const std::string help = run_heed(words_of(verb, {"--help"})).out;
    for (const QuotedMechanism& quoted : quoted_mechanisms(help, kinds)) {
      EXPECT_EQ(mistake_in_quote(quoted.text), "") << "heed " << verb << " --help: " << quoted.text;
      ++count;
    }
  }
  EXPECT_GT(count, 5u);
}

TEST_F(QuotedMechanisms, AreRefusedWhenAPartAnOptionOrANeedIsWrong) {
  EXPECT_EQ(mistake_in_quote("additive + gaussian | local_p(half-width=5)"), "");
  EXPECT_NE(mistake_in_quote("additive | local_p(width=5)").find("half-width"), std::string::npos);
  EXPECT_NE(mistake_in_quote("additive | local_p(half-width=5)").find("gaussian"),
            std::string::npos);
  EXPECT_NE(mistake_in_quote("aditive | full").find("additive"), std::string::npos);
  EXPECT_NE(mistake_in_quote("window(64, wide)"), "");
}

TEST_F(QuotedMechanisms, AreFoundOnAPage) {
  const std::string page =
      "Write `causal & window(4)`, `softmax`, \"dot | ful\" or `a + b`; a cell `dot \\| full`:\n\n"
      "    scaled_dot + alibi  | causal\n    heed mechanisms | less\n"
      "    heed go --cross-attention \"dott\" --attention \"none\"\n"
      "    scores + biases | pattern | normaliser\n\n```cpp\n\"dot | causal\"\n```\n"
      "```toml\nheads = \"4x(dot); 2x(additive | causal)\"\n```\n";
  std::vector<std::string> texts;
  for (const QuotedMechanism& quoted : quoted_mechanisms(page, kinds)) texts.push_back(quoted.text);
  EXPECT_EQ(texts, (std::vector<std::string>{"dot | ful", "causal & window(4)", "dot | full",
                                             "scaled_dot + alibi | causal", "dott",
                                             "4x(dot); 2x(additive | causal)"}));
  EXPECT_EQ(wholes_of("causal & window(4)", kinds),
            (std::vector<std::string>{"dot | causal & window(4)"}));
  EXPECT_EQ(heads_of("4x(dot); 2x(additive | causal)"), 6u);
  EXPECT_EQ(heads_of("dot"), 1u);
}

}  // namespace
}  // namespace heed::test
