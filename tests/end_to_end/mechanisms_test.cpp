// SPDX-License-Identifier: Apache-2.0
// The verb `mechanisms` as a user meets it, and docs/mechanisms.md, which is made by it.
#include <gtest/gtest.h>

#include <cctype>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "documents.h"
#include "heed/attention/addressing.h"
#include "heed/attention/bias.h"
#include "heed/attention/mechanism.h"
#include "heed/attention/normaliser.h"
#include "heed/attention/score.h"
#include "heed/attention/whole.h"
#include "run_program.h"

namespace heed {
namespace {

using nlohmann::json;
using test::get;
using test::ProgramResult;
using test::run_heed;
using test::TemporaryFolder;

template <typename Interface>
void expect_listed(const json& list, const std::string& kind) {
  std::set<std::string> found;
  for (const json& part : list) {
    if (part["kind"] == kind) found.insert(part["name"].get<std::string>());
  }
  const auto& entries = attention::Catalogue<Interface>::entries();
  EXPECT_FALSE(entries.empty()) << kind;
  EXPECT_EQ(found.size(), entries.size()) << kind;
  for (const auto& entry : entries) EXPECT_TRUE(found.contains(entry.card.name)) << entry.card.name;
}

TEST(HeedMechanisms, ListsTheWholeCatalogueAsJson) {
  const ProgramResult result = run_heed({"mechanisms", "--json"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const json list = json::parse(result.out);
  expect_listed<attention::Score>(list, "score");
  expect_listed<attention::Bias>(list, "bias");
  expect_listed<attention::NamedPattern>(list, "pattern");
  expect_listed<attention::Normaliser>(list, "normaliser");
  expect_listed<attention::Addressing>(list, "addressing part");
  expect_listed<attention::WholeAttention>(list, "whole mechanism");
  for (const json& part : list) {
    EXPECT_EQ(part.size(), 6u) << part;
    EXPECT_FALSE(part["formula"].get<std::string>().empty()) << part;
    EXPECT_FALSE(part["source"].get<std::string>().empty()) << part;
    EXPECT_TRUE(part["kind"] != "normaliser" || !part["promises"].empty()) << part;
  }
}

TEST(HeedMechanisms, PrintsThePageOfTheDocs) {
  const ProgramResult result = run_heed({"mechanisms", "--markdown"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.out, get(HEED_SOURCE_DIR "/docs/mechanisms.md"))
      << "heed mechanisms --markdown > docs/mechanisms.md brings the page up to date";
}

template <typename Interface>
void expect_sentences() {
  for (const auto& entry : attention::Catalogue<Interface>::entries()) {
    const std::string summary(entry.card.summary);
    EXPECT_FALSE(std::islower(static_cast<unsigned char>(summary.front()))) << summary;
    EXPECT_TRUE(summary.ends_with('.')) << entry.card.name << ": " << summary;
    EXPECT_EQ(std::string(entry.card.source).find("notes"), std::string::npos) << entry.card.name;
  }
}

TEST(HeedMechanisms, DescribesEveryPartByASentenceAndWhatWasPublished) {
  expect_sentences<attention::Score>();
  expect_sentences<attention::Bias>();
  expect_sentences<attention::NamedPattern>();
  expect_sentences<attention::Normaliser>();
}

TEST(HeedMechanisms, TellsOptionsAndParametersOfOnePart) {
  const ProgramResult result = run_heed({"mechanisms", "additive"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  for (const char* text : {"size=128", "from 1 to 65536", "score.W1 ", "Bahdanau", "Dk]"}) {
    EXPECT_NE(result.out.find(text), std::string::npos) << text << "\n" << result.out;
  }
  const json one = json::parse(run_heed({"mechanisms", "entmax", "--json"}).out);
  ASSERT_EQ(one.size(), 1u);
  EXPECT_EQ(one[0]["options"][0]["name"], "alpha");
  EXPECT_EQ(one[0]["options"][0]["default"], 1.5);
}

TEST(HeedMechanisms, DrawsANormaliser) {
  const TemporaryFolder folder;
  const std::string path = (folder / "sparsemax.svg").string();
  const ProgramResult result = run_heed({"mechanisms", "entmax(alpha=1.3)", "--plot", path});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_TRUE(get(path).starts_with("<svg "));
  EXPECT_NE(get(path).find("<title>entmax(alpha=1.3)</title>"), std::string::npos);
}

// A new part need not be in the table; a name that is there must be one. docs/mechanisms.md
// is the page that has all.
template <typename Interface>
void expect_named_in_readme(const std::string& kind, std::size_t fewest = 8) {
  const std::string page = get(HEED_SOURCE_DIR "/README.md");
  const std::size_t row = page.find("\n| " + kind + " |");
  ASSERT_NE(row, std::string::npos) << kind;
  const std::vector<std::string> names =
      test::found_in(page.substr(row, page.find('\n', row + 1) - row), "`([a-z_]+)`");
  EXPECT_GE(names.size(), fewest) << kind;
  for (const std::string& name : names) {
    EXPECT_NE(attention::Catalogue<Interface>::find(name), nullptr) << kind << " " << name;
  }
}

TEST(HeedMechanisms, HasEveryPartThatTheReadmeNames) {
  expect_named_in_readme<attention::Score>("score");
  expect_named_in_readme<attention::Bias>("bias");
  expect_named_in_readme<attention::NamedPattern>("pattern");
  expect_named_in_readme<attention::Normaliser>("normaliser");
  expect_named_in_readme<attention::Addressing>("addressing", 3);
  expect_named_in_readme<attention::WholeAttention>("whole mechanism", 1);
}

TEST(HeedMechanisms, DrewThePicturesOfNormalisersInTheDocs) {
  const TemporaryFolder folder;
  const std::string path = (folder / "drawn.svg").string();
  std::size_t pictures = 0;
  for (const auto& entry : std::filesystem::directory_iterator(HEED_SOURCE_DIR "/docs/pictures")) {
    const std::string name = entry.path().stem().string();
    if (attention::Catalogue<attention::Normaliser>::find(name) == nullptr) continue;
    ASSERT_EQ(run_heed({"mechanisms", name, "--plot", path}).exit_code, 0) << name;
    EXPECT_EQ(get(path), get(entry.path()))
        << "heed mechanisms " << name << " --plot docs/pictures/" << name
        << ".svg brings the picture up to date";
    ++pictures;
  }
  EXPECT_GT(pictures, 0u);
}

TEST(HeedMechanisms, SaysWhatItDoesNotKnow) {
  const ProgramResult unknown = run_heed({"mechanisms", "sparsemaks"});
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_NE(unknown.err.find("did you mean \"sparsemax\"?"), std::string::npos) << unknown.err;
  const ProgramResult no_picture = run_heed({"mechanisms", "causal", "--plot", "causal.svg"});
  EXPECT_EQ(no_picture.exit_code, 2);
  EXPECT_NE(no_picture.err.find("normaliser"), std::string::npos) << no_picture.err;
  const ProgramResult range = run_heed({"mechanisms", "entmax(alpha=0.5)", "--plot", "e.svg"});
  EXPECT_EQ(range.exit_code, 2);
  EXPECT_NE(range.err.find('^'), std::string::npos) << range.err;
}

}  // namespace
}  // namespace heed
