// SPDX-License-Identifier: Apache-2.0
// The project's own files keep to its architecture; guards_test.cpp shows that each guard can fail.
#include <gtest/gtest.h>

#include "guards.h"
#include "mutants.h"
#include "parts.h"
#include "wording.h"

namespace heed::test {
namespace {

const SourceTree& project() {
  static const SourceTree tree = read_tree(HEED_SOURCE_DIR);
  return tree;
}

std::string text_of(const std::string& path) {
  const SourceFile* file = find(project(), path);
  EXPECT_NE(file, nullptr) << path;
  return file == nullptr ? "" : file->text;
}

void expect_none(const Findings& findings) {
  for (const std::string& finding : findings) ADD_FAILURE() << finding;
}

TEST(Architecture, ReadsTheProject) {
  EXPECT_GT(project().size(), 150u);
  EXPECT_NE(find(project(), "src/heed/base/error.h"), nullptr);
}

TEST(Architecture, IncludesPointDownTheLadder) {
  expect_none(wrong_includes(project()));
}

TEST(Architecture, TheBuildKeepsTheOrderOfTheLadder) {
  const std::vector<std::string> layers = built_layers(text_of("cmake/layers.cmake"));
  EXPECT_GE(layers.size(), 5u);
  expect_none(layers_out_of_order(layers));
  for (const SourceFile& file : project()) {
    const std::string layer(file.path.starts_with("src/") ? layer_of(file.path) : "");
    EXPECT_TRUE(layer.empty() || std::ranges::count(layers, layer) == 1)
        << file.path << ": cmake/layers.cmake does not build " << layer;
  }
}

TEST(Architecture, ThePagesNameEveryLayer) {
  for (const char* page : {"README.md", "ARCHITECTURE.md"}) {
    const std::string text = text_of(page);
    for (const std::string& layer : built_layers(text_of("cmake/layers.cmake"))) {
      EXPECT_NE(text.find("`" + layer + "/`"), std::string::npos) << page << ": " << layer;
    }
  }
}

TEST(Architecture, HeavyLibrariesStayInTheirLayers) {
  expect_none(heavy_includes(project()));
}

TEST(Architecture, InstalledHeadersNeedOnlyFmt) {
  expect_none(foreign_headers(project()));
}

TEST(Architecture, FilesOpenWithLicenceAndPurpose) {
  expect_none(wrong_openings(project()));
}

TEST(Architecture, HeadersAreIncludedOnce) {
  expect_none(wrong_include_guards(project()));
}

TEST(Architecture, ArraysOfKernelsHoldWholeVectors) {
  expect_none(narrow_arrays(project()));
}

TEST(Architecture, EverySourceHasATestBesideIt) {
  expect_none(untested_sources(project(), tested_elsewhere()));
}

TEST(Architecture, APartIsItsSourceItsTestAndARowOfTheDocs) {
  for (const PartKind& kind : kPartKinds)
    EXPECT_GT(parts_of(project(), kind).size(), 0u) << kind.name;
  expect_none(parts_named_elsewhere(project(), said_elsewhere()));
}

TEST(Architecture, EveryMutantHasItsPlaceInTheSources) {
  expect_none(misplaced_mutants(project()));
  expect_none(layers_without_mutants(project()));
}

TEST(Architecture, NoNotesHostsOrHomesAreLeftBehind) {
  expect_none(words_that_do_not_belong(project()));
}

TEST(Architecture, NamesAreSpeltAsInBritain) {
  expect_none(foreign_spellings(project()));
}

}  // namespace
}  // namespace heed::test
