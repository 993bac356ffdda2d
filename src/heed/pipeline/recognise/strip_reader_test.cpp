// SPDX-License-Identifier: Apache-2.0
// A recogniser in use: texts, traces, measures, and strips it cannot read.
#include "heed/pipeline/recognise/strip_reader.h"

#include <gtest/gtest.h>

#include <array>

#include "heed/base/error.h"
#include "heed/base/file.h"
#include "heed/base/testing.h"
#include "heed/corpora/strips/symbol_strips.h"
#include "heed/pipeline/measure.h"
#include "heed/pipeline/recognise/recognise_testing.h"
#include "heed/pipeline/testing.h"

namespace heed::pipeline {
namespace {

using corpora::Strip;
using test::TemporaryFolder;

std::string trained_in(const TemporaryFolder& folder, models::LabelWriting writing) {
  RecogniseOptions options;
  testing::set_small(options, folder.path());
  options.model.writing = writing;
  options.trainer.max_updates = 5;
  train(options, testing::silent);
  return options.out;
}

TEST(StripReader, AnswersAndTracesAsEveryModelDoes) {
  for (const models::LabelWriting writing :
       {models::LabelWriting::ctc, models::LabelWriting::attention}) {
    const TemporaryFolder folder;
    const StripReader reader(trained_in(folder, writing));
    const Strip strip = corpora::draw_symbol_strips({.fewest = 3, .most = 3}).front();
    const std::string line = corpora::written_strip_line(strip);
    EXPECT_EQ(reader.length(line), strip.frames() + 1);
    EXPECT_GT(reader.parameter_count(), 100);
    const auto answers = reader.run(std::array{Input{line}}, {{"beam", "3"}});
    EXPECT_EQ(answers[0][0].text, reader.text(reader.read(strip, {.beam = 3}).labels));
    EXPECT_EQ(reader.trace(std::array{Input{line}}).size(), 1u);
    EXPECT_THROW(reader.run(std::array{Input{"1,2 3,4"}}), UsageError);
    write_atomically(folder / "s.txt", corpora::written_strip(strip, corpora::kSymbolAlphabet));
    ComparedModel compared;
    reader.measure(std::array{(folder / "s.txt").string()}, compared);
    EXPECT_EQ(compared.sentences, 1u);
    EXPECT_EQ(compared.measures.size(), 2u);
    const StripQuality quality = reader.quality(std::span(&strip, 1));
    EXPECT_EQ(quality.labels, 3);
  }
}

TEST(StripReader, SaysWhyAStripCannotBeRead) {
  const TemporaryFolder folder;
  const StripReader ctc(trained_in(folder, models::LabelWriting::ctc));
  Strip strip{
      .height = 16, .values = std::vector<float>(48), .labels = {1, 1, 2}, .labelled = true};
  EXPECT_EQ(ctc.problem_of(strip),
            "3 labels take 4 states of CTC, two equal neighbours one more between them, and 3 "
            "frames have 3; give a longer strip or fewer labels");
  EXPECT_THROW(ctc.read(strip), UsageError);
  strip.labels = {1, 2, 1};
  EXPECT_EQ(ctc.problem_of(strip), "");
  strip.height = 12;
  EXPECT_EQ(ctc.problem_of(strip), "frames of 12 numbers; the model reads 16 of them");
  EXPECT_EQ(ctc.problem_of({.height = 16}), "a strip of 0 frames; it takes 1 or more");
}

}  // namespace
}  // namespace heed::pipeline
