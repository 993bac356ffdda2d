// SPDX-License-Identifier: Apache-2.0
// Each guard of the architecture finds what it is for, and only that, in small made-up trees.
#include "guards.h"

#include <gtest/gtest.h>

#include "kinds.h"
#include "mutants.h"
#include "pages.h"
#include "parts.h"
#include "public_headers.h"
#include "wording.h"

namespace heed::test {
namespace {

// One text per finding, which must hold it.
void expect_findings(const Findings& found, const std::vector<std::string>& texts) {
  ASSERT_EQ(found.size(), texts.size()) << join(found, "\n");
  for (std::size_t i = 0; i < texts.size(); ++i) {
    EXPECT_NE(found[i].find(texts[i]), std::string::npos) << found[i] << "\nlacks " << texts[i];
  }
}

// Opens as every file should.
std::string good(const std::string& rest) {
  return "// SPDX-License-Identifier: Apache-2.0\n// What it is for.\n" + rest;
}

TEST(IncludeGuard, FindsAnIncludeUpTheLadder) {
  const SourceTree tree = {
      {"src/heed/base/text.cpp", "#include <string>\n#include \"heed/base/text.h\"\n"},
      {"src/heed/base/up.cpp", "\n #  include \"heed/kernels/products/gemm.h\"\n"},
      {"src/heed/nn/down.cpp", "#include \"heed/autograd/ops.h\"\n"}};
  expect_findings(wrong_includes(tree),
                  {"src/heed/base/up.cpp:2: base must not include heed/kernels/products/gemm.h"});
}

TEST(IncludeGuard, HoldsTextTasksAndMetricsToTheirNeeds) {
  EXPECT_TRUE(may_include("corpora", "text"));
  EXPECT_FALSE(may_include("corpora", "tensor"));
  EXPECT_FALSE(may_include("text", "kernels"));
  EXPECT_FALSE(may_include("metrics", "corpora"));
  EXPECT_TRUE(may_include("training", "metrics"));
  EXPECT_FALSE(may_include("models", "training"));
}

TEST(IncludeGuard, FindsALayerOffTheLadder) {
  expect_findings(wrong_includes({{"src/heed/misc/x.h", ""}}),
                  {"src/heed/misc/x.h: the ladder has no layer misc"});
  expect_findings(wrong_includes({{"src/heed/nn/x.h", "#include \"heed/misc/x.h\"\n"}}),
                  {"nn must not include heed/misc/x.h"});
}

TEST(LayerGuard, FindsTheBuildOutOfOrder) {
  const auto layers = built_layers("x\nset(heed_layers base  nn tensor)\ny)\n");
  EXPECT_EQ(layers, (std::vector<std::string>{"base", "nn", "tensor"}));
  expect_findings(layers_out_of_order(layers), {"heed_layers: tensor is unknown or out of order"});
  expect_findings(layers_out_of_order(built_layers("set(heed_layers base tensor nn)")), {});
  expect_findings(built_layers("nothing here"), {});
}

TEST(WordsGuard, FindsAWordOfTheFieldThatNoFileOpensWith) {
  const SourceTree tree = {
      {"src/heed/attention/cache.h", "// SPDX\n// Room: the key/value\n// cache of a memory.\n"},
      {"src/heed/decoding/draw.h", "// SPDX\n// Drawing.\n#pragma once\n// top-p\n"}};
  const Findings findings = missing_field_words(tree);
  const std::string all = join(findings, "\n");
  EXPECT_EQ(all.find("key/value cache"), std::string::npos) << all;
  EXPECT_NE(all.find("no file of src/heed opens with \"top-p\""), std::string::npos) << all;
}

TEST(PagesGuard, FindsAFolderThatTheArchitectureDoesNotName) {
  const SourceTree tree = {{"ARCHITECTURE.md", "| `nn/` | `nn/cells/`, nn/loose/ |"},
                           {"src/heed/nn/cells/gru.h", ""},
                           {"src/heed/nn/loose/a.h", ""},
                           {"src/heed/text/b.h", ""},
                           {"tests/c/d.h", ""}};
  expect_findings(unnamed_folders(tree), {"does not name `nn/loose/`", "does not name `text/`"});
}

TEST(PagesGuard, FindsAPageThatTheMapDoesNotLinkToOnce) {
  const SourceTree tree = {{"docs/README.md", "[A](a.md), b.md"},
                           {"docs/a.md", ""},
                           {"docs/b.md", ""},
                           {"docs/pictures/c.svg", ""}};
  expect_findings(unmapped_pages(tree), {"docs/README.md: does not link to docs/b.md"});
  expect_findings(unmapped_pages({{"docs/a.md", ""}}), {"docs/a.md"});
  expect_findings(
      unmapped_pages({{"docs/README.md", "[A](a.md) [A again](a.md)"}, {"docs/a.md", ""}}),
      {"docs/README.md: links to docs/a.md more than once"});
}

TEST(PagesGuard, FindsAFrontDoorThatIsTooLongOrLeadsNowhere) {
  const std::string link = "[map](docs/README.md)\n";
  expect_findings(wrong_front_door({{"README.md", link + std::string(129, '\n')}}), {});
  expect_findings(wrong_front_door({{"README.md", link + std::string(130, '\n')}}),
                  {"README.md: 131 lines"});
  expect_findings(wrong_front_door({{"README.md", "x\n"}}), {"does not link"});
  expect_findings(wrong_front_door({}), {"there is none"});
}

TEST(HeavyGuard, AllowsHighwayAndOneDnnInKernelsAndBenchmarksOnly) {
  const std::string highway = "#include <hwy/highway.h>\n";
  const SourceTree tree = {{"apps/cli/x.cpp", "#include <immintrin.h>\n"},
                           {"benchmarks/x.cpp", "#include <oneapi/dnnl/dnnl.h>\n"},
                           {"src/heed/kernels/x.cpp", highway},
                           {"src/heed/nn/y.cpp", "#include \"heed/kernels/products/onednn.h\"\n"},
                           {"src/heed/insight/x.cpp", "#include <cairo-svg.h>\n"},
                           {"src/heed/pipeline/x.cpp", "#include <pango/pangocairo.h>\n"},
                           {"src/heed/tensor/x.cpp", highway}};
  expect_findings(heavy_includes(tree),
                  {"apps/cli/x.cpp:1: immintrin.h is for src/heed/kernels only",
                   "src/heed/pipeline/x.cpp:1: pango/pangocairo.h is for src/heed/insight only",
                   "src/heed/tensor/x.cpp:1: hwy/highway.h is for src/heed/kernels only"});
}

TEST(HeaderGuard, FindsALibraryThatUsersWouldNeed) {
  const SourceTree tree = {
      {"src/heed/base/error.h", "#include <fmt/format.h>\n"},
      {"src/heed/base/testing.h", "#include <gtest/gtest.h>\n"},
      {"src/heed/base/text.cpp", "#include <fmt/format.h>\n"},
      {"src/heed/base/text.h", "#include <string>\n#include <nlohmann/json.hpp>\n"},
      {"src/heed/insight/draw/canvas.h", "#include <cairo.h>\n"},
      {"src/heed/kernels/highway.h", "#include <hwy/highway.h>\n"},
      {"src/heed/kernels/norms_testing.h", "#include <gtest/gtest.h>\n"},
      {"src/heed/nn/linear.h", "#include <sys/stat.h>\n#include \"heed/nn/module.h\"\n"}};
  expect_findings(foreign_headers(tree),
                  {"src/heed/base/text.h:2: users would have to have nlohmann/json.hpp",
                   "src/heed/insight/draw/canvas.h:1: users would have to have cairo.h"});
}

TEST(OpeningGuard, FindsAMissingLicenceAndAMissingSentence) {
  const std::string licence = "// SPDX-License-Identifier: Apache-2.0\n";
  const std::string hash = "# SPDX-License-Identifier: Apache-2.0\n";
  const SourceTree tree = {{"a.h", good("")},
                           {"b.h", "// What it is for.\n" + licence},
                           {"c.cpp", licence + "#include <a.h>\n"},
                           {"d.cpp", licence + "// Purpose\n"},
                           {"d_test.cpp", licence + "#include <a.h>\n"},
                           {"e", "#!/bin/sh\n" + hash + "# Runs it.\n"},
                           {"f", "#!/bin/sh\nset -e\n"},
                           {"g.md", "# Anything\n"},
                           {"h.cmake", hash + "set(a b)\n"},
                           {"i.js", licence + "// Draws it.\n"},
                           {"j.mjs", licence + "export const a = 1;\n"}};
  expect_findings(wrong_openings(tree),
                  {"b.h:1: is not `// SPDX", "c.cpp:2: no sentence", "d.cpp:2: no sentence",
                   "f:2: is not `# SPDX", "h.cmake:2: no sentence", "j.mjs:2: no sentence"});
}

TEST(HeaderGuard, WantsPragmaOnceExceptWhereHighwayIncludesAgain) {
  const std::string targets = "#include <hwy/foreach_target.h>\n";
  const SourceTree tree = {{"a.h", good("#pragma once\n")},
                           {"b.h", good("// #pragma once\n")},
                           {"c-inl.h", good("#pragma once\n")},
                           {"d-inl.h", good("")},
                           {"e.h", good(targets)}};
  expect_findings(wrong_include_guards(tree),
                  {"b.h: #pragma once is missing", "c-inl.h: #pragma once hides"});
}

TEST(ArrayGuard, FindsAnArrayThatAVectorMayOverrun) {
  const std::string arrays =
      "  T keep[8];\n"
      "  HWY_ALIGN std::uint64_t order_[kLanes];\n"
      "  float x[4] = {};\n"
      "  HWY_ALIGN WholeVectors<T, kRows> grown = {};  // not T grown[kRows]\n"
      "  WholeVectors<T, 8> keep;\n"
      "  std::array<T, 2> sums;\n"
      "  const T ones[kRows] = {1, 1, 1, 1, 1, 1};\n"
      "  T y = x[4];\n"
      "  T* rows[4];\n";
  const SourceTree tree = {{"src/heed/kernels/x.cpp", arrays},
                           {"src/heed/kernels/x_test.cpp", arrays},
                           {"src/heed/kernels/x_testing.h", arrays},
                           {"src/heed/tensor/x.cpp", arrays}};
  expect_findings(narrow_arrays(tree), {"kernels/x.cpp:1: neither WholeVectors nor std::array",
                                        "kernels/x.cpp:2: ", "kernels/x.cpp:3: "});
}

TEST(TargetNameGuard, FindsFreeFunctionsOfATargetInSnakeCase) {
  const SourceTree tree = {{"src/heed/kernels/x.cpp",
                            "int outside(int x);\n"
                            "HWY_BEFORE_NAMESPACE();\n"
                            "// not this (remark)\n"
                            "template <typename T>\n"
                            "HWY_INLINE T pack_left(T x) {\n"
                            "  return twice(x);\n"
                            "}\n"
                            "constexpr int kLanes = lanes(4);\n"
                            "T PackRight(T x);\n"
                            "struct Row {\n"
                            "  int run() const;\n"
                            "};\n"
                            "HWY_AFTER_NAMESPACE();\n"
                            "int behind(int x);\n"}};
  expect_findings(misnamed_target_functions(tree),
                  {"kernels/x.cpp:5: compiled per CPU target, so PascalCase: pack_left"});
}

TEST(TestGuard, FindsASourceWithoutATest) {
  const SourceTree tree = {
      {"src/heed/autograd/gradcheck_test.cpp", ""},
      {"src/heed/autograd/hidden.cpp", "#include \"heed/tensor/tensor.h\"\n"},
      {"src/heed/autograd/ops_test.cpp", ""},
      {"src/heed/autograd/waves.cpp", "#include \"heed/autograd/ops.h\"\n"},
      {"src/heed/base/alone.cpp", "#include \"heed/base/alone.h\"\n"},
      {"src/heed/base/sums.cpp", ""},
      {"src/heed/base/sums_columns.cpp", ""},
      {"src/heed/base/sums_test.cpp", "#include \"heed/base/shared.h\"\n"},
      {"src/heed/base/sumsets.cpp", ""},
      {"src/heed/base/shared.cpp", ""},
      {"src/heed/kernels/shared.cpp", ""},
  };
  expect_findings(untested_sources(tree, {}), {"autograd/hidden.cpp: no test", "base/alone.cpp",
                                               "base/sumsets.cpp", "kernels/shared.cpp"});
}

TEST(TestGuard, KeepsItsListOfExceptionsTrue) {
  const SourceTree tree = {{"src/heed/base/a.cpp", ""}, {"src/heed/base/b_test.cpp", ""}};
  expect_findings(untested_sources(tree, {{"src/heed/base/a.cpp", "src/heed/base/b_test.cpp"}}),
                  {});
  expect_findings(untested_sources(tree, {{"src/heed/base/a.cpp", "src/heed/base/c_test.cpp"}}),
                  {"one of them is gone"});
}

// In pieces, so that the guards do not find their own test.
TEST(PartsGuard, FindsAPartNamedBesideItsOwnFiles) {
  const SourceTree tree = {
      {"CMakeLists.txt", "add_library(x src/heed/attention/normalisers/sparse.cpp)\n"},
      {"docs/mechanisms.md", "|---|\n| `sparse` |  | p |\n"},
      {"src/heed/attention/normalisers/late.cpp", ".name = \"late\""},
      {"src/heed/attention/scores/near.cpp", ".name = \"near\""},
      {"src/heed/attention/scores/near_test.cpp", "\"near\""},
      {"src/heed/attention/normalisers/sparse.cpp", ".name = \"sparse\""},
      {"src/heed/attention/normalisers/sparse_test.cpp", "\"sparse\""},
      {"src/heed/attention/written/spec.h", "if (name == \"sparse\") ...; // late"},
      {"src/heed/attention/memory.cpp", "\"near\""},
      {"src/heed/autograd/softmax.cpp", "record(\"sparse\""},
      {"src/heed/models/reader.cpp", "{\"late\", \"near\"}"}};
  EXPECT_EQ(parts_named_elsewhere(tree, {{"src/heed/models/reader.cpp", {"late", "sparse"}}}),
            (Findings{"docs/mechanisms.md: no row for near",
                      "src/heed/attention/memory.cpp: names the score near",
                      "docs/mechanisms.md: no row for late",
                      "src/heed/attention/normalisers/late.cpp: no test beside it",
                      "CMakeLists.txt: names the normaliser sparse",
                      "src/heed/attention/written/spec.h: names the normaliser sparse",
                      "src/heed/models/reader.cpp: no longer names sparse"}));
}

TEST(HeaderGuard, CountsWhatAHeaderReadsOnceHoweverItComesThere) {
  const SourceTree tree = {
      {"src/heed/base/a.h",
       "#include <string>\n#include \"heed/base/b.h\"\n#include \"heed/base/c.h\"\n"},
      {"src/heed/base/b.h", "#include \"heed/base/c.h\"\n"},
      {"src/heed/base/c.h", "#include \"heed/base/a.h\"\n"}};
  EXPECT_EQ(headers_behind(tree, "src/heed/base/b.h"),
            (std::set<std::string>{"src/heed/base/a.h", "src/heed/base/b.h", "src/heed/base/c.h"}));
  EXPECT_TRUE(headers_behind(tree, "src/heed/base/none.h").empty());
}

TEST(HeaderGuard, FindsAHeaderThatIsShownAndNotPublic) {
  const SourceTree tree = {
      {"CONTRIBUTING.md", "#include \"heed/base/inner.h\"\n"},
      {"docs/page.md", "#include \"heed/base/outer.h\"\n#include \"heed/base/inner.h\"\n"},
      {"src/heed/base/inner.h", "#pragma once\n"},
      {"src/heed/base/outer.h", "#pragma once  // public header\n"}};
  EXPECT_EQ(hidden_headers_shown(tree),
            Findings{"docs/page.md:2: heed/base/inner.h is not a public header"});
}

TEST(KindGuard, FindsAKindNamedOrIncludedOutsideItsFolders) {
  SourceTree tree = {{"src/heed/pipeline/dance/dancer_kind.cpp",
                      "const ListedKind kListed({.name = \"dance\"});\n"},
                     {"apps/cli/dance/dance.cpp", "#include \"heed/pipeline/dance/dancer.h\"\n"},
                     {"apps/cli/view.cpp", "// such as \"dance\"\n"},
                     {"src/heed/insight/song.cpp", "say(\"dance\");\n"}};
  const std::map<std::string, std::set<std::string>> said = {
      {"src/heed/insight/song.cpp", {"dance"}}};
  EXPECT_EQ(kinds_of(tree), std::set<std::string>{"dance"});
  EXPECT_TRUE(kinds_named_elsewhere(tree, said).empty());
  EXPECT_EQ(kinds_named_elsewhere(tree, {}),
            Findings{"src/heed/insight/song.cpp: names the kind dance"});
  tree.push_back({"web/live/kind_dance.js", "export const route = 'dance';\n"});
  tree.push_back({"web/live/pane.js", "if (task === 'dance') step();\n"});
  EXPECT_EQ(kinds_named_elsewhere(tree, said), Findings{"web/live/pane.js: names the kind dance"});
  tree.resize(4);
  tree[2].text = "#include \"heed/pipeline/dance/dancer.h\"\nif (task == \"dance\") {\n";
  tree[3].text = "";
  EXPECT_EQ(kinds_named_elsewhere(tree, said),
            (Findings{"apps/cli/view.cpp: includes a header of dance",
                      "apps/cli/view.cpp: names the kind dance",
                      "src/heed/insight/song.cpp: no longer says dance"}));
}

TEST(EncoderDecoderGuard, FindsOneNamedOrIncludedBesideItsOwnFiles) {
  SourceTree tree = {{"src/heed/pipeline/dance/model_options_waltz.cpp",
                      "const ListedEncoderDecoder kListed({.name = \"waltz\"});\n"},
                     {"src/heed/models/waltz_decoder.cpp", "error(\"waltz\");\n"},
                     {"src/heed/pipeline/dance/presets.cpp", "model = \"waltz\"\n"},
                     {"src/heed/pipeline/dance/dancer.cpp", "// such as \"waltz\"\n"}};
  const std::map<std::string, std::set<std::string>> said = {
      {"src/heed/pipeline/dance/presets.cpp", {"waltz"}}};
  EXPECT_EQ(encoder_decoders_of(tree).size(), 1u);
  EXPECT_TRUE(encoder_decoders_named_elsewhere(tree, said).empty());
  tree[2].text = "";
  tree[3].text = "#include \"heed/models/waltz.h\"\nif (model == \"waltz\") {\n";
  EXPECT_EQ(encoder_decoders_named_elsewhere(tree, said),
            (Findings{"src/heed/pipeline/dance/presets.cpp: no longer says waltz",
                      "src/heed/pipeline/dance/dancer.cpp: includes the model waltz",
                      "src/heed/pipeline/dance/dancer.cpp: names the encoder-decoder waltz"}));
}

TEST(PositionsGuard, FindsAnEncodingReadOutsideTheStack) {
  const SourceTree tree = {{"src/heed/models/stack.cpp", "if (p == Positions::learned)\n"},
                           {"src/heed/attention/positions.cpp", "LearnedPositions::visit()\n"},
                           {"src/heed/pipeline/room.cpp", "p == models::Positions::learned\n"}};
  EXPECT_EQ(positions_named_elsewhere(tree, {"src/heed/models/stack.cpp"}),
            Findings{"src/heed/pipeline/room.cpp: names a positional encoding"});
}

TEST(NamesGuard, FindsNamesOfAnEnumOfAnotherFile) {
  SourceTree tree = {
      {"src/heed/nn/pace.h", "enum class Pace { slow, fast };\n"},
      {"src/heed/nn/pace.cpp", "o.add(\"pace\", pace, {\"slow\", \"fast\"}, \"\");\n"},
      {"src/heed/nn/walk.cpp", "o.add(\"pace\", pace, pace_names(), \"how\");\n"}};
  EXPECT_TRUE(names_far_from_their_enum(tree).empty());
  tree[2].text = "o.add(\"pace\", pace,\n      {\"slow\", \"fast\"}, \"how\");\n";
  EXPECT_EQ(names_far_from_their_enum(tree),
            Findings{"src/heed/nn/walk.cpp: writes the names of 1 enums and declares 0; names are "
                     "beside their enum"});
}

TEST(PublicHeaderGuard, FindsHeadersThatUmbrellasAndThePageLeaveOutOrHaveTooMany) {
  const std::string mark = "#pragma once  // public header\n";
  SourceTree tree = {
      {"docs/library.md", "\n| `heed/nn/` | `walk.h` |\n"},
      {"src/heed/core.h", "#include \"heed/nn/walk.h\"\n#include \"heed/version.h\"\n"},
      {"src/heed/heed.h", "#include \"heed/core.h\"\n"},
      {"src/heed/nn/walk.h", mark}};
  EXPECT_TRUE(wrong_umbrellas(tree).empty());
  EXPECT_TRUE(unlisted_headers(tree).empty());
  tree.push_back({"src/heed/text/talk.h", mark});
  tree[1].text += "#include \"heed/nn/run.h\"\n";
  expect_findings(wrong_umbrellas(tree), {"src/heed/core.h:3: heed/nn/run.h is not for it",
                                          "src/heed/heed.h: does not include heed/text/talk.h"});
  expect_findings(unlisted_headers(tree), {"does not have the row | `heed/text/` | `talk.h` |"});
}

TEST(ExportGuard, FindsPublicHeadersThatAreHidden) {
  SourceTree tree = {{"src/heed/nn/inner.h", "#pragma once\n\nnamespace heed {}\n"},
                     {"src/heed/nn/step.h",
                      "#pragma once  // public header\n\n#pragma GCC visibility push(default)  // "
                      "exported\n\nnamespace heed {\n}\n\n#pragma GCC visibility pop\n"}};
  EXPECT_TRUE(hidden_headers(tree).empty());
  tree[1].text = "#pragma once  // public header\n\nnamespace heed {}\n";
  expect_findings(hidden_headers(tree), {"src/heed/nn/step.h: "});
}

TEST(RouteGuard, FindsARouteNamedElsewhereAndAFileThatIsNoRoute) {
  SourceTree tree = {
      {"apps/server/routes/dance.cpp", ".path = \"/v1/dance\"\nconst ListedRoute kListed(make);\n"},
      {"apps/server/api/api.cpp", "// \"/v1/dance\" and others\n"}};
  EXPECT_TRUE(routes_named_elsewhere(tree).empty());
  tree[1].text = "if (path == \"/v1/dance\")\n";
  EXPECT_EQ(routes_named_elsewhere(tree),
            Findings{"apps/server/api/api.cpp: names the route /v1/dance"});
  tree[0].text = "void helper() {}\n";
  EXPECT_EQ(routes_named_elsewhere(tree),
            Findings{"apps/server/routes/dance.cpp: a file here is one route that lists itself"});
}

TEST(CorpusGuard, FindsACorpusNamedBesideItsOwnFile) {
  SourceTree tree = {{"src/heed/corpora/corpus.cpp", "// such as \"songs\"\n"},
                     {"src/heed/corpora/songs.cpp",
                      "const ListedCorpus kSongs({.name = \"songs\"}, draw);\n"
                      "const ListedCorpus kTunes(tune_card(\"tunes\"), draw);\n"}};
  EXPECT_EQ(corpora_of(tree).size(), 2u);
  EXPECT_TRUE(corpora_named_elsewhere(tree).empty());
  tree[0].text = "{\"tunes\", draw_tune},\n";
  EXPECT_EQ(corpora_named_elsewhere(tree),
            Findings{"src/heed/corpora/corpus.cpp: names the corpus tunes"});
}

TEST(MutantGuard, FindsPlacesThatTheSourcesDoNotHaveOnce) {
  const SourceTree tree = {
      {"src/a.cpp", "if (x < 1 &&\n    y) go();\nif (z) go();\n"},
      {"tests/mutants/base.txt",
       "# Faults.\n\ntests: base_test\n\nIt goes.\n  src/a.cpp\n  if («x < 1 => x <= 1» && y)\n\n"
       "It stands still.\n  src/a.cpp\n  «go(); =>»\n  survives: no\n\n"
       "It runs.\n  src/a.cpp\n  «run(); => go();»\n\nIt sits.\n  src/b.cpp\n  «go(); =>»\n\n"
       "It lies.\n  src/a.cpp\n  if (z) go();\n"}};
  expect_findings(misplaced_mutants(tree),
                  {"tests/mutants/base.txt:9: occurs 2 times in src/a.cpp",
                   "base.txt:14: occurs 0 times", "base.txt:18: there is no file src/b.cpp",
                   "base.txt:22: it takes a sentence, a file, and a place"});
  EXPECT_EQ(mutants_in(tree[1]).size(), 5u);
  EXPECT_EQ(layers_without_mutants(tree).size(), ladder().size() + 1);  // with server and attend
}

TEST(WordGuard, FindsNotesHomesAndStrangeAddresses) {
  const std::string note = upper("todo");
  const SourceTree tree = {
      {"a.md", "fine\n// " + note + ": later\n" + note + "S\nsee https://github.com/x\n"},
      {"b.py", "get(\"https:/" + std::string("/index.example/simple\")\n")},
      {"c.cpp", "// " + upper("fixme") + "\nopen(\"/home" + std::string("/someone/x\");\n")},
      {"d.bin", note + std::string(1, '\0')}};
  expect_findings(words_that_do_not_belong(tree),
                  {"a.md:2: " + note, "b.py:1: index.example", "c.cpp:1: ", "c.cpp:2: /home"});
}

TEST(SpellingGuard, FindsForeignSpellingsInNamesAndComments) {
  const std::string ize = std::string(1, 'z') + "e";
  const SourceTree tree = {
      {"a.cpp", "std::initializer_list<int> x;  // std::default_initializable\nstruct AdamOptimi" +
                    ize + "r {};\n"},
      {"b.h", "// The neighbo" + std::string("rs.\nint normali") + ize + "_rows();\n"},
      {"c.py", "torch.optimi" + ize + "r\n"},
      {"d.md", "normaliser, initialiser, optimiser, behaviour, colour\n"}};
  expect_findings(foreign_spellings(tree),
                  {"a.cpp:2: AdamOptimi" + ize + "r", "b.h:1: neighbo", "b.h:2: normali"});
}

}  // namespace
}  // namespace heed::test
