// SPDX-License-Identifier: Apache-2.0
#include "heed/text/labelled_form.h"

#include <gtest/gtest.h>

#include "heed/text/labelled.h"
#include "heed/text/testing.h"

namespace heed::text {
namespace {

using test::holds;
using test::message_of;
using test::put;
using test::TemporaryFolder;

class LabelledFiles : public ::testing::Test {
 protected:
  LabelledForm form(const std::string& name, const std::string& content,
                    const LabelledOptions& options = {}, const LabelledNeeds& needs = {}) {
    put(folder_ / name, content);
    return labelled_form(folder_ / name, options, needs);
  }
  // LABEL|TEXT, or LABEL|TEXT|SECOND, with the number of its line.
  std::vector<std::string> read(const std::string& name, const std::string& content,
                                const LabelledOptions& options = {},
                                const LabelledNeeds& needs = {}) {
    const LabelledForm mine = form(name, content, options, needs);
    std::vector<std::string> result;
    PairReader rows(labelled_lines(folder_ / name, mine));
    for (LinePair row; rows.next(row);) {
      for (const LabelledText& one : labelled_texts(mine, row.source, name, row.line)) {
        std::string written = fmt::format("{}:{}", row.line, fmt::join(one.labels, "|"));
        written += "|" + one.text + (one.second.empty() ? "" : "|" + one.second);
        result.push_back(written);
      }
    }
    return result;
  }
  template <typename Kind>
  std::string mistake(const std::string& name, const std::string& content,
                      const LabelledOptions& options = {}, const LabelledNeeds& needs = {}) {
    return message_of<Kind>([&] { read(name, content, options, needs); });
  }

  TemporaryFolder folder_;
};

using Rows = std::vector<std::string>;

TEST_F(LabelledFiles, ExportedByASpreadsheetAreReadAsTheyAre) {
  // A byte order mark, CRLF, quotes, commas and line breaks in fields, an empty last row.
  const std::string exported =
      "\xEF\xBB\xBFid,review,stars\r\n"
      "1,\"Clean rooms, \"\"quiet\"\" street.\",good\r\n"
      "2,\"Two lines:\r\nthis is the second.\",bad\r\n"
      "3,plain,good\r\n"
      ",,\r\n";
  EXPECT_EQ(read("r.csv", exported, {.label_columns = {"stars"}, .text_column = "review"}),
            (Rows{"2:good|Clean rooms, \"quiet\" street.", "3:bad|Two lines: this is the second.",
                  "5:good|plain"}));
}

TEST_F(LabelledFiles, GiveTheLineOfARowThatIsWrongBehindLineBreaks) {
  EXPECT_TRUE(mistake<DataError>("r.csv", "label,text\na,\"1\n2\n3\"\nb,c,d\n")
                  .starts_with("r.csv:5: 3 columns where the first row has 2; a field that holds "
                               "\",\" must be in quotes, in \"b,c,d\""));
}

TEST_F(LabelledFiles, FindTheirColumnsByNameByNumberAndByWhatIsLeft) {
  const std::string table = "Text,Date,Label\nfine,mon,good\n";
  EXPECT_EQ(read("r.csv", table), Rows{"2:good|fine"});
  EXPECT_EQ(read("r.csv", table, {.label_columns = {"2"}, .text_column = "1"}), Rows{"2:mon|fine"});
  EXPECT_EQ(read("r.csv", "a,b\nfine,good\n", {.text_column = "a"}), Rows{"2:good|fine"});
  EXPECT_EQ(read("r.csv", "fine,good\n", {.text_column = "1"}), Rows{"1:good|fine"});
  EXPECT_EQ(form("r.csv", table).chosen(), "label in column 3 (Label), text in column 1 (Text)");
}

TEST_F(LabelledFiles, SayWhichColumnsThereAre) {
  const std::string table = "wer,was,wann\na,b,c\n";
  EXPECT_TRUE(holds(mistake<UsageError>("r.csv", table, {.text_column = "wo"}),
                    "--text-column wo: no such column; "));
  EXPECT_TRUE(holds(mistake<UsageError>("r.csv", table, {.text_column = "was"}),
                    "which of its 3 columns (wer, was, wann) has the label? Say so with "
                    "--label-column"));
  EXPECT_TRUE(holds(mistake<UsageError>("r.csv", table, {.text_column = "4"}), "has 3 columns"));
  EXPECT_TRUE(
      holds(mistake<UsageError>("r.csv", table, {.header = Stated::no, .text_column = "was"}),
            "is read without a header, so columns have numbers"));
}

TEST_F(LabelledFiles, KnowAHeaderByItsWords) {
  EXPECT_TRUE(form("h.tsv", "label\ttext\ngood\tfine\n").header);
  EXPECT_TRUE(form("h.csv", "sentiment,review\ngood,fine\n").header);
  EXPECT_FALSE(form("h.tsv", "good\tfine\nbad\tso so\n").header);
  EXPECT_TRUE(form("h.tsv", "urteil\tmeinung\ngood\tfine\n", {.header = Stated::yes}).header);
  EXPECT_FALSE(form("h.tsv", "label\ttext\ngood\tfine\n", {.header = Stated::no}).header);
  EXPECT_EQ(read("h.tsv", "\n \nlabel\ttext\ngood\tfine\n"), Rows{"4:good|fine"})
      << "blank lines before a header are none";
  const LabelledNeeds aspects{.aspects = {"food", "room"}};
  EXPECT_EQ(read("h.csv", "text,room,food\nfine,good,bad\n", {}, aspects), Rows{"2:bad|good|fine"});
}

TEST_F(LabelledFiles, OfPairsFindTheSecondText) {
  const LabelledNeeds pairs{.second = true};
  EXPECT_EQ(read("p.csv", "premise,hypothesis,label\na b,c,yes\n", {}, pairs), Rows{"2:yes|a b|c"});
  EXPECT_EQ(read("p.tsv", "yes\ta b\tc\n", {}, pairs), Rows{"1:yes|a b|c"});
  EXPECT_TRUE(holds(mistake<UsageError>("p.tsv", "yes\ta\n", {.second_column = "2"}),
                    "--second-column: it is of a second text"));
}

TEST_F(LabelledFiles, WithoutLabelsNeedTheColumnsOfTheTextAlone) {
  const LabelledNeeds texts{.aspects = {}};
  EXPECT_EQ(read("t.csv", "id,review\n7,\"fine, really\"\n8,\n", {}, texts),
            Rows{"2:|fine, really"})
      << "an empty field is no text";
  EXPECT_EQ(read("t.csv", "just one\nand another\n", {}, texts),
            (Rows{"1:|just one", "2:|and another"}));
  EXPECT_EQ(read("t.jsonl", "{\"body\": \"a\", \"n\": 2}\n", {}, texts), Rows{"1:|a"});
  EXPECT_EQ(form("t.csv", "id,review\n7,fine\n", {}, texts).chosen(), "text in column 2 (review)");
  EXPECT_TRUE(holds(mistake<UsageError>("t.csv", "a,b\n1,2\n", {.header = Stated::yes}, texts),
                    "which of its 2 columns (a, b) has the text? Say so with --text-column"));
  EXPECT_TRUE(holds(mistake<DataError>("t.csv", "7,fine\n8,bad\n", {}, texts),
                    "2 columns where each line must be TEXT; say which one to read with "
                    "--text-column"));
  EXPECT_TRUE(holds(
      mistake<DataError>("t.csv", "premise,hypothesis\na,\n", {}, {.aspects = {}, .second = true}),
      "t.csv:2: one text where two are compared"));
}

TEST(IsTable, ByItsEndingOrByWhatIsSaid) {
  EXPECT_TRUE(is_table("a.csv", {}));
  EXPECT_TRUE(is_table("a.JSONL.gz", {}));
  EXPECT_FALSE(is_table("a.txt", {}));
  EXPECT_FALSE(is_table("a.tsv", {})) << "a tab is before a second text";
  EXPECT_TRUE(is_table("a.tsv", {.text_column = "2"}));
  EXPECT_TRUE(is_table("-", {.format = LabelledFormat::jsonl}));
}

TEST_F(LabelledFiles, BetweenTabsLoseTheQuotesOfSpreadsheetsAlone) {
  EXPECT_EQ(read("q.tsv", "\"neg\"\t\"a \"\"b\"\"\"\n\"pos\"\t\"c\td\"\n"),
            (Rows{"1:neg|a \"b\"", "2:pos|c\td"}));
  EXPECT_EQ(read("q.tsv", "neg\t\"No\" was all\npos\tb\n"),
            (Rows{"1:neg|\"No\" was all", "2:pos|b"}));
  EXPECT_EQ(read("q.tsv", "\"neg\"\ta\n\"pos\"\tb\n", {.quotes = Stated::no}),
            (Rows{"1:\"neg\"|a", "2:\"pos\"|b"}));
}

TEST_F(LabelledFiles, OfJsonLinesHaveFields) {
  EXPECT_EQ(read("j.jsonl",
                 "{\"text\": \"a\\nb\", \"label\": \"x\"}\n\n"
                 "{\"label\": 2, \"text\": \"c\", \"id\": [1]}\n"),
            (Rows{"1:x|a b", "3:2|c"}));
  EXPECT_EQ(read("j.jsonl", "{\"body\": \"a\", \"y\": true}\n",
                 {.label_columns = {"y"}, .text_column = "body"}),
            Rows{"1:true|a"});
  EXPECT_TRUE(
      holds(mistake<DataError>("j.jsonl", "{\"label\": 1, \"text\": \"a\"}\n{\"label\": 1}\n"),
            "j.jsonl:2: no field \"text\""));
  EXPECT_TRUE(holds(mistake<DataError>("j.jsonl", "{\"label\": 1, \"text\": 2}\n"),
                    "the field \"text\" is number, and must be a text"));
  EXPECT_TRUE(holds(mistake<DataError>("j.jsonl", "{\"label\": 1, \"text\": \"a\"}\nnone\n"),
                    "j.jsonl:2: no JSON; each line must be an object"));
  EXPECT_TRUE(holds(mistake<UsageError>("j.jsonl", "{\"a\": 1, \"b\": 2}\n"),
                    "which of its fields (a, b) has the label? Say so with --label-column"));
}

TEST_F(LabelledFiles, OfACsvReadBetweenTabsSaySo) {
  EXPECT_TRUE(holds(mistake<DataError>("a.txt", "good,fine day\n"),
                    "a.txt:1: 1 column where each line must be LABEL<TAB>TEXT; is this CSV? Then "
                    "give --format csv, in \"good,fine day\""));
}

TEST_F(LabelledFiles, RefuseColumnsWhereThereAreNone) {
  EXPECT_TRUE(holds(
      mistake<UsageError>("l", "1 a\n", {.format = LabelledFormat::labelled, .text_column = "2"}),
      "has no columns; they are of tsv, csv and jsonl"));
  EXPECT_TRUE(holds(mistake<UsageError>(
                        "l", "1 a\n", {.format = LabelledFormat::labelled, .header = Stated::yes}),
                    "--header: "));
}

TEST_F(LabelledFiles, OfTestsAreReadAsThoseOfTrainingUnlessItIsSaid) {
  const LabelledOptions training{
      .header = Stated::yes, .label_columns = {"stars"}, .text_column = "review"};
  const LabelledOptions both = LabelledOptions{.text_column = "body"}.filled_in(training);
  EXPECT_EQ(both.text_column, "body");
  EXPECT_EQ(both.label_columns, std::vector<std::string>{"stars"});
  EXPECT_EQ(both.header, Stated::yes);
  const LabelledOptions trees =
      LabelledOptions{.format = LabelledFormat::trees}.filled_in(training);
  EXPECT_TRUE(trees.label_columns.empty());
}

}  // namespace
}  // namespace heed::text
