// SPDX-License-Identifier: Apache-2.0
// The project's own files keep to its architecture; guards_test.cpp shows that each guard can fail.
#include <gtest/gtest.h>

#include "guards.h"
#include "kinds.h"
#include "mutants.h"
#include "pages.h"
#include "parts.h"
#include "public_headers.h"
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

TEST(Architecture, ThePageOfTheArchitectureNamesEveryFolderOfTheLibrary) {
  expect_none(unnamed_folders(project()));
}

TEST(Architecture, EveryPageIsFoundFromTheFrontDoor) {
  expect_none(wrong_front_door(project()));
  expect_none(unmapped_pages(project()));
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

TEST(Architecture, FunctionsCompiledPerTargetAreNamedAsHighwayNamesItsOwn) {
  expect_none(misnamed_target_functions(project()));
}

TEST(Architecture, EverySourceHasATestBesideIt) {
  expect_none(untested_sources(project(), tested_elsewhere()));
}

TEST(Architecture, APartIsItsSourceItsTestAndARowOfTheDocs) {
  for (const PartKind& kind : kPartKinds)
    EXPECT_GT(parts_of(project(), kind).size(), 0u) << kind.name;
  expect_none(parts_named_elsewhere(project(), said_elsewhere()));
}

TEST(Architecture, NoForeignFileNamesAKindOfModel) {
  EXPECT_GE(kinds_of(project()).size(), 4u);
  expect_none(kinds_named_elsewhere(project(), kinds_said_elsewhere()));
}

TEST(Architecture, NoForeignFileNamesAnEncoderDecoder) {
  EXPECT_GE(encoder_decoders_of(project()).size(), 2u);
  expect_none(encoder_decoders_named_elsewhere(project(), encoder_decoders_said_elsewhere()));
}

TEST(Architecture, PositionalEncodingsAreReadByTheStackAlone) {
  expect_none(positions_named_elsewhere(project(), homes_of_positions()));
}

TEST(Architecture, NamesOfEnumeratorsAreBesideTheirEnum) {
  expect_none(names_far_from_their_enum(project()));
}

TEST(Architecture, ARouteIsOneFile) {
  expect_none(routes_named_elsewhere(project()));
}

TEST(Architecture, ACorpusIsListedByTheFileThatDrawsIt) {
  EXPECT_GE(corpora_of(project()).size(), 13u);
  expect_none(corpora_named_elsewhere(project()));
}

// A program that only translates need not compile the trainer.
TEST(Architecture, TheHeaderOfATranslatorReadsFewOthers) {
  const std::set<std::string> headers =
      headers_behind(project(), "src/heed/pipeline/translate/translator.h");
  EXPECT_GT(headers.size(), 10u);
  EXPECT_LE(headers.size(), 34u) << "with its own at most 35";
  for (const std::string& header : headers) {
    EXPECT_FALSE(header.starts_with("src/heed/training/")) << header;
    EXPECT_FALSE(header.starts_with("src/heed/models/")) << header;
  }
}

TEST(Architecture, TheHeaderOfAMechanismReadsFewOthers) {
  const std::set<std::string> headers = headers_behind(project(), "src/heed/attention/mechanism.h");
  EXPECT_LE(headers.size(), 39u) << "with its own at most 40";
  // To catch errors a program need not have fmt.
  EXPECT_TRUE(headers.contains("src/heed/base/errors.h"));
  EXPECT_FALSE(headers.contains("src/heed/base/error.h"));
}

TEST(Architecture, TwoHeadersIncludeEveryPublicOneAndAPageListsThem) {
  expect_none(wrong_umbrellas(project()));
  expect_none(unlisted_headers(project()));
}

TEST(Architecture, WhatOtherLibrariesCallIsExported) {
  expect_none(hidden_headers(project()));
}

TEST(Architecture, WhatPagesAndExamplesIncludeIsPublic) {
  expect_none(hidden_headers_shown(project()));
  const auto headers = std::ranges::count_if(project(), is_public);
  EXPECT_GE(headers, 100);
  for (const SourceFile& file : project()) {
    EXPECT_FALSE(is_public(file) && file.path.starts_with("src/heed/kernels/")) << file.path;
  }
}

TEST(Architecture, EveryMutantHasItsPlaceInTheSources) {
  expect_none(misplaced_mutants(project()));
  expect_none(layers_without_mutants(project()));
}

TEST(Architecture, NoNotesHostsOrHomesAreLeftBehind) {
  expect_none(words_that_do_not_belong(project()));
}

TEST(Architecture, WordsOfTheFieldAreFoundBySearching) {
  expect_none(missing_field_words(project()));
}

TEST(Architecture, NamesAreSpeltAsInBritain) {
  expect_none(foreign_spellings(project()));
}

}  // namespace
}  // namespace heed::test
