// SPDX-License-Identifier: Apache-2.0
#include "heed/pipeline/translate/translation_search.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace heed::pipeline {
namespace {

TEST(TranslationSearch, HasTheDefaultsOfTheLibrary) {
  const TranslateOptions made = TranslationSearch{}.options();
  const TranslateOptions own;
  EXPECT_EQ(made.search, own.search);
  EXPECT_EQ(made.seed, own.seed);
  EXPECT_EQ(made.beam.width, 5);
  EXPECT_EQ(made.beam.width, own.beam.width);
  EXPECT_FALSE(made.beam.length.has_value()) << "what the folder keeps";
  EXPECT_FALSE(own.beam.length.has_value());
  EXPECT_EQ(made.beam.constraints.most.per_source, own.beam.constraints.most.per_source);
  EXPECT_EQ(made.beam.constraints.most.constant, own.beam.constraints.most.constant);
  EXPECT_EQ(made.beam.constraints.forbidden, own.beam.constraints.forbidden);
  EXPECT_EQ(made.sampling.samples, own.sampling.samples);
  EXPECT_EQ(made.sampling.temperature, own.sampling.temperature);
  EXPECT_EQ(made.sampling.nucleus, own.sampling.nucleus);
}

TEST(TranslationSearch, SearchesAndSamplesAsItsOptionsSay) {
  TranslationSearch search;
  Options list;
  search.declare(list);
  list.read_toml_text(
      "beam = 3\nn-best = 2\nlength-penalty = \"power\"\nlength-alpha = 1.0\nstopping = \"exact\"\n"
      "min-length = 4\nunknown = false\nsample = true\ntop-k = 7\nseed = 9\n",
      "test");
  const TranslateOptions made = search.options();
  EXPECT_EQ(made.search, SearchKind::sample);
  EXPECT_EQ(made.beam.width, 3);
  EXPECT_EQ(made.beam.n_best, 2);
  EXPECT_EQ(made.beam.length.value().scale, decoding::LengthScale::power);
  EXPECT_EQ(made.beam.length.value().alpha, 1);
  EXPECT_EQ(made.beam.stopping, decoding::Stopping::exact);
  EXPECT_EQ(made.sampling.samples, 2);
  EXPECT_EQ(made.sampling.top_k, 7);
  EXPECT_EQ(made.seed, 9u);
  for (const decoding::Constraints& one : {made.beam.constraints, made.sampling.constraints}) {
    EXPECT_EQ(one.least.constant, 4);
    EXPECT_EQ(std::ranges::count(one.forbidden, text::kUnknown), 1);
  }
}

TEST(TranslationSearch, TakesAnAlphaAloneAsOneOfWu) {
  const auto penalty = [](const char* text) {
    TranslationSearch search;
    Options list;
    search.declare(list);
    list.read_toml_text(text, "test");
    return search.options().beam.length;
  };
  EXPECT_FALSE(penalty("").has_value());
  EXPECT_EQ(penalty("length-alpha = 1.5\n").value().scale, decoding::LengthScale::wu);
  EXPECT_EQ(penalty("length-alpha = 1.5\n").value().alpha, 1.5);
  EXPECT_EQ(penalty("length-alpha = 0.6\n").value().alpha, .6) << "said aloud";
  EXPECT_EQ(penalty("length-penalty = \"wu\"\n").value().alpha, .6);
  EXPECT_EQ(penalty("length-penalty = \"none\"\n").value().scale, decoding::LengthScale::none);
}

}  // namespace
}  // namespace heed::pipeline
