// SPDX-License-Identifier: Apache-2.0
#include "heed/text/labelled.h"

#include <gtest/gtest.h>

#include "heed/text/batch_stream.h"
#include "heed/text/testing.h"

namespace heed::text {
namespace {

using test::holds;
using test::message_of;

std::vector<LabelledText> texts(const LabelledForm& form, std::string_view line) {
  return labelled_texts(form, line, "train", 5);
}

std::string mistake(const LabelledForm& form, std::string_view line) {
  return message_of<DataError>([&] { texts(form, line); });
}

TEST(LabelledTexts, AreLabelTabText) {
  EXPECT_EQ(texts({}, "good\tA fine day."),
            (std::vector<LabelledText>{{{"good"}, "A fine day.", ""}}));
  EXPECT_EQ(texts({.aspects = 2, .second = true}, "a\tb\tone text\tanother"),
            (std::vector<LabelledText>{{{"a", "b"}, "one text", "another"}}));
}

TEST(LabelledTexts, AreALabelAndTheWordsBehindIt) {
  EXPECT_EQ(texts({.format = LabelledFormat::labelled}, "1 a witty film"),
            (std::vector<LabelledText>{{{"1"}, "a witty film", ""}}));
}

TEST(LabelledTexts, AreThePhrasesOfATree) {
  const std::string tree = "(3 (2 a) (4 (3 witty) (1 -LRB-dull) ))";
  EXPECT_EQ(texts({.format = LabelledFormat::trees}, tree),
            (std::vector<LabelledText>{{{"positive"}, "a witty -LRB-dull", ""}}));
  EXPECT_EQ(texts({.format = LabelledFormat::trees, .phrases = true}, tree),
            (std::vector<LabelledText>{{{"positive"}, "witty", ""},
                                       {{"negative"}, "-LRB-dull", ""},
                                       {{"positive"}, "witty -LRB-dull", ""},
                                       {{"positive"}, "a witty -LRB-dull", ""}}));
  EXPECT_TRUE(texts({.format = LabelledFormat::trees}, "(2 (2 a) (3 film))").empty());
  EXPECT_EQ(texts({.format = LabelledFormat::trees}, "(1 (2 -LRB-) (2 -RRB-))")[0].text, "( )");
}

TEST(LabelledTexts, NameFileAndLineOfWhatIsMissing) {
  EXPECT_EQ(mistake({}, "just a text"),
            "train:5: 1 column where each line must be LABEL<TAB>TEXT, in \"just a text\"");
  EXPECT_TRUE(holds(mistake({.aspects = 2, .second = true}, "a\tb\ttext"),
                    "LABEL1<TAB>LABEL2<TAB>TEXT<TAB>SECOND TEXT"));
  EXPECT_TRUE(holds(mistake({}, "\ttext"), "train:5: label 1 is missing"));
  EXPECT_TRUE(holds(mistake({}, "good\t  "), "train:5: a label without text"));
  EXPECT_TRUE(holds(mistake({.format = LabelledFormat::labelled}, "alone"), "train:5: one word"));
}

TEST(LabelledTexts, RefuseColumnsThatNobodyAskedFor) {
  EXPECT_EQ(
      mistake({}, "good\tbad\tfine\tA quiet street"),
      "train:5: 4 columns where each line must be LABEL<TAB>TEXT; training takes further "
      "labels with --aspects and a second text with --second, or the columns that --label-column "
      "and --text-column choose; write a tab inside a text as a space, in \"good\tbad\tfine\tA "
      "quiet street\"");
  const std::string paired = mistake({.second = true}, "yes\tone\ttwo\tthree");
  EXPECT_TRUE(holds(paired, "train:5: 4 columns where each line must be LABEL<TAB>TEXT<TAB>SECOND"))
      << paired;
  EXPECT_FALSE(holds(paired, "--second")) << paired;
  EXPECT_TRUE(holds(mistake({.aspects = 2}, "a\tb\tone\ttwo"), "4 columns"));
}

TEST(LabelledTexts, NameFileAndLineOfABrokenTree) {
  const LabelledForm form{.format = LabelledFormat::trees};
  EXPECT_TRUE(holds(mistake(form, "(3 (2 a) (4 b)"), "train:5: a tree whose last bracket"));
  EXPECT_TRUE(holds(mistake(form, "(5 a)"), "without a label from 0 to 4"));
  EXPECT_TRUE(holds(mistake(form, "(3 )"), "brackets without a word"));
  EXPECT_TRUE(holds(mistake(form, "(3 a) b"), "text after"));
  EXPECT_TRUE(holds(mistake(form, "word"), "outside the tree's brackets"));
  EXPECT_TRUE(holds(mistake(form, ")"), "closes nothing"));
  EXPECT_TRUE(holds(mistake(form, std::string(1 << 20, '(')), "without a label"));
}

TEST(LabelledTexts, RefuseATreeWhosePhrasesWouldFillTheMemory) {
  std::string tree;
  for (int i = 0; i < 20000; ++i) tree += "(3 a ";
  const LabelledForm form{.format = LabelledFormat::trees, .phrases = true};
  EXPECT_TRUE(holds(mistake(form, tree + std::string(20000, ')')), "phrases inside phrases"));
}

struct Corpus {
  test::TemporaryFolder folder;
  std::unique_ptr<Tokeniser> words;
  Labels labels{std::vector<std::string>{"label"}};

  explicit Corpus(std::string_view lines) {
    test::put(folder / "train.tsv", lines);
    words = train_tokeniser({.kind = TokeniserKind::words},
                            std::vector<std::string>{"one two three four five six ."});
    labels.add(std::vector<std::string>{"no"});
    labels.add(std::vector<std::string>{"yes"});
  }
  PairReader reader() const {
    return PairReader({.source = folder / "train.tsv", .columns = Columns::source});
  }
  LabelledEncoder encoder() const { return {words.get(), &labels, {}, TextShape::line, {}, "f"}; }
};

TEST(EncodeText, EndsALineOrEachSentence) {
  const Corpus corpus("");
  const Encoding line = encode_text(*corpus.words, "one two. three", TextShape::line);
  EXPECT_EQ(line.words, (std::vector<int>{0, 1, 1, 2, -1}));
  const Encoding document = encode_text(*corpus.words, "one two. three", TextShape::document);
  EXPECT_EQ(document.words, (std::vector<int>{0, 1, 1, -1, 2, -1}));
  EXPECT_EQ(document.tokens[3], kEnd);
  EXPECT_EQ(encode_text(*corpus.words, " ", TextShape::document).tokens, Tokens{kEnd});
  // Sentences without white space between them belong to the word that they are parts of.
  const Encoding joined = encode_text(*corpus.words, " one。two。 three", TextShape::document);
  EXPECT_EQ(joined.words, (std::vector<int>{0, 0, -1, 0, 0, -1, 1, -1}));
}

TEST(LabelledEncoder, GivesTokensAndClasses) {
  const Corpus corpus("");
  const EncodedPair pair = corpus.encoder()({.source = "yes\tone two", .line = 3});
  ASSERT_EQ(pair.pairs.size(), 1u);
  EXPECT_EQ(pair.pairs[0].source.size(), 3u);
  EXPECT_TRUE(pair.pairs[0].target.empty());
  EXPECT_EQ(pair.pairs[0].labels, std::vector<std::int32_t>{1});
  EXPECT_TRUE(
      holds(message_of<DataError>([&] { corpus.encoder()({.source = "maybe\tone", .line = 3}); }),
            "f:3: no training text has the label \"maybe\""));
}

TEST(LabelledEncoder, CropsSkipsOrRefusesALongText) {
  const Corpus corpus("");
  LabelledEncoder encoder = corpus.encoder();
  const LinePair line{.source = "yes\tone two three four", .line = 9};
  encoder.limit = {.max_length = 3, .too_long = TooLong::crop};
  EXPECT_EQ(encoder(line).pairs[0].source.size(), 4u);
  EXPECT_EQ(encoder(line).pairs[0].source.back(), kEnd);
  EXPECT_EQ(encoder(line).outcome, Outcome::cropped);
  encoder.limit.too_long = TooLong::skip;
  EXPECT_TRUE(encoder(line).pairs.empty());
  encoder.limit.too_long = TooLong::fail;
  EXPECT_TRUE(holds(message_of<DataError>([&] { encoder(line); }), "f:9: a text of 4 tokens"));
}

TEST(LabelledEncoder, FeedsAStreamThatCanBeLeftAndTakenUp) {
  std::string lines;
  for (int i = 0; i < 40; ++i) {
    lines += std::string(i % 3 == 0 ? "yes" : "no") + "\tone" + (i % 2 == 0 ? " two" : "") + "\n";
  }
  const Corpus corpus(lines);
  const BatchStreamOptions options{.size = {.sentences = 4}, .window_pairs = 16};
  BatchStream stream(corpus.reader(), corpus.encoder(), options);
  for (int i = 0; i < 13; ++i) stream.next();
  const BatchStream::Position place = stream.position();
  const PairBatch next = stream.next();
  BatchStream other(corpus.reader(), corpus.encoder(), options);
  other.seek(place);
  const PairBatch again = other.next();
  EXPECT_EQ(again.lines, next.lines);
  EXPECT_EQ(again.source.ids, next.source.ids);
  EXPECT_EQ(again.labels, next.labels);
  for (std::size_t row = 0; row < next.lines.size(); ++row) {
    EXPECT_EQ(next.labels[row], std::vector<std::int32_t>{(next.lines[row] - 1) % 3 == 0 ? 1 : 0});
  }
}

}  // namespace
}  // namespace heed::text
