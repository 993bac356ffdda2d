// SPDX-License-Identifier: Apache-2.0
// Tests of options: files against the command line, complaints with their place, exact round trips.
#include "heed/base/options.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "heed/base/error.h"
#include "heed/base/random.h"
#include "heed/base/testing.h"

namespace heed {
namespace {

using test::message_of;
using test::put;
using test::TemporaryFolder;

enum class Norm { kPre, kPost };

struct Sample {
  std::int64_t steps = 1000;
  int layers = 2;
  std::uint64_t seed = 1;
  double rate = 1e-3;
  bool shuffle = true;
  std::string optimiser = "adam";
  std::string note;
  std::vector<std::string> data;
  Norm norm = Norm::kPre;
  Options options;

  Sample() {
    options.add("steps", steps, "how many updates").at_least(1);
    options.add("layers", layers, "depth").range(1, 64);
    options.add("seed", seed, "of the random numbers");
    options.add("learning-rate", rate, "size of an update").above(0).below(10);
    options.add("shuffle", shuffle, "new order in every epoch");
    options.add("optimiser", optimiser, "update rule").one_of({"adam", "sgd"});
    options.add("note", note, "free text\nof two lines");
    options.add("data", data, "files");
    options.add("norm", norm, {"pre", "post"}, "place of the norm");
  }

  void set(std::string_view name, std::vector<std::string> words) { options.set(name, words); }
  void read(std::string_view text) { options.read_toml_text(text, "c.toml"); }
  std::string refusal(std::string_view text) {
    return message_of<UsageError>([&] { read(text); });
  }
  std::string refusal(std::string_view name, std::vector<std::string> words) {
    return message_of<UsageError>([&] { set(name, words); });
  }
};

TEST(Options, ReadsEveryKindFromAFile) {
  const TemporaryFolder folder;
  put(folder / "c.toml",
      "steps = 5\nlayers = 3\nseed = 9223372036854775807\nlearning-rate = 2\nshuffle = false\n"
      "optimiser = \"sgd\"\nnote = 'a # b'\ndata = [\"x\", \"y\"]\nnorm = \"post\"\n");
  Sample sample;
  sample.options.read_toml(folder / "c.toml");
  EXPECT_EQ(sample.steps, 5);
  EXPECT_EQ(sample.layers, 3);
  EXPECT_EQ(sample.seed, 9223372036854775807u);
  EXPECT_EQ(sample.rate, 2.0);
  EXPECT_FALSE(sample.shuffle);
  EXPECT_EQ(sample.optimiser, "sgd");
  EXPECT_EQ(sample.note, "a # b");
  EXPECT_EQ(sample.data, (std::vector<std::string>{"x", "y"}));
  EXPECT_EQ(sample.norm, Norm::kPost);
}

struct Even {
  std::int64_t half = 2;
  std::string text() const { return std::to_string(2 * half); }
  void read(const std::string& text) {
    const std::int64_t number = std::stoll(text);
    if (number % 2 != 0) throw UsageError("{} is odd; it takes an even number", number);
    half = number / 2;
  }
};

TEST(Options, LetAVariableReadItsOwnText) {
  Even even;
  Options options;
  const Option& option = options.add("even", even, "a number");
  EXPECT_TRUE(option.reads_text());
  EXPECT_EQ(option.value_text(), "\"4\"");
  options.set("even", std::vector<std::string>{"10"});
  EXPECT_EQ(even.half, 5);
  EXPECT_EQ(message_of<UsageError>([&] { options.set("even", std::vector<std::string>{"7"}); }),
            "7 is odd; it takes an even number");
  EXPECT_EQ(even.half, 5);
}

TEST(Options, ReadsEveryKindFromTheCommandLine) {
  Sample sample;
  sample.set("steps", {"5"});
  sample.set("layers", {"3"});
  sample.set("seed", {"7"});
  sample.set("learning-rate", {"1e-2"});
  sample.set("shuffle", {"false"});
  sample.set("optimiser", {"sgd"});
  sample.set("note", {"-- \"it\""});
  sample.set("data", {"x", "y"});
  sample.set("norm", {"post"});
  EXPECT_EQ(sample.steps, 5);
  EXPECT_EQ(sample.layers, 3);
  EXPECT_EQ(sample.seed, 7u);
  EXPECT_EQ(sample.rate, 0.01);
  EXPECT_FALSE(sample.shuffle);
  EXPECT_EQ(sample.optimiser, "sgd");
  EXPECT_EQ(sample.note, "-- \"it\"");
  EXPECT_EQ(sample.data, (std::vector<std::string>{"x", "y"}));
  EXPECT_EQ(sample.norm, Norm::kPost);
}

TEST(Options, LetTheCommandLineStandWhateverTheOrder) {
  Sample before;
  before.set("steps", {"7"});
  before.read("steps = 5\nlayers = 4");
  EXPECT_EQ(before.steps, 7);
  EXPECT_EQ(before.layers, 4);
  Sample after;
  after.read("steps = 5");
  after.set("steps", {"7"});
  EXPECT_EQ(after.steps, 7);
  after.set("steps", {"8"});
  EXPECT_EQ(after.steps, 8);
  after.read("steps = 9");
  EXPECT_EQ(after.steps, 8);
}

TEST(Options, LetALaterFileStandOverAnEarlier) {
  Sample sample;
  sample.read("steps = 5");
  sample.read("steps = 6");
  EXPECT_EQ(sample.steps, 6);
}

TEST(Options, TellWhichWereSet) {
  Sample sample;
  EXPECT_FALSE(sample.options.is_set("steps"));
  sample.read("steps = 1000");  // the default, but said
  EXPECT_TRUE(sample.options.is_set("steps"));
  sample.set("seed", {"1"});
  EXPECT_TRUE(sample.options.is_set("seed"));
  EXPECT_FALSE(sample.options.is_set("layers"));
}

TEST(Options, NameFileLineColumnAndTheNearestKey) {
  Sample sample;
  EXPECT_EQ(sample.refusal("layers = 3\n  stesp = 5\n"),
            "c.toml:2:3: there is no option \"stesp\" (did you mean \"steps\"?)");
  EXPECT_EQ(sample.refusal("zzz = 5"), "c.toml:1:1: there is no option \"zzz\"");
  EXPECT_EQ(sample.layers, 2) << "a bad file sets nothing";
}

TEST(Options, RefuseWrongTypesWithTheirPlace) {
  Sample sample;
  EXPECT_EQ(sample.refusal("steps = \"5\""),
            "c.toml:1:9: steps is a text: it takes a whole number of at least 1");
  EXPECT_EQ(sample.refusal("steps = 5.0"),
            "c.toml:1:9: steps is a number with a fraction: it takes a whole number of at least 1");
  EXPECT_EQ(sample.refusal("\nshuffle = 1"),
            "c.toml:2:11: shuffle is a whole number: it takes true or false");
  EXPECT_EQ(sample.refusal("data = \"x\""), "c.toml:1:8: data is a text: it takes a list of texts");
  EXPECT_EQ(sample.refusal("data = [\"x\",\n 3]"),
            "c.toml:2:2: data holds a whole number: it takes a list of texts");
  EXPECT_EQ(sample.refusal("note = 2024-01-01"),
            "c.toml:1:8: note is a date or time: it takes a text");
  EXPECT_EQ(sample.refusal("learning-rate = true"),
            "c.toml:1:17: learning-rate is true or false: it takes a finite number above 0 and "
            "below 10");
}

TEST(Options, RefuseValuesOutOfRangeWithTheirPlace) {
  Sample sample;
  EXPECT_EQ(sample.refusal("layers = 65"),
            "c.toml:1:10: layers is 65: it takes a whole number from 1 to 64");
  EXPECT_EQ(sample.refusal("learning-rate = 0"),
            "c.toml:1:17: learning-rate is 0.0: it takes a finite number above 0 and below 10");
  EXPECT_NE(sample.refusal("learning-rate = 10.0").find("above 0 and below 10"), std::string::npos);
  EXPECT_NE(sample.refusal("learning-rate = nan").find("is nan"), std::string::npos);
  EXPECT_NE(sample.refusal("learning-rate = inf").find("is inf"), std::string::npos);
  EXPECT_NE(sample.refusal("seed = -1").find("of at least 0"), std::string::npos);
  EXPECT_EQ(sample.refusal("optimiser = \"adma\""),
            "c.toml:1:13: optimiser is \"adma\": it takes one of adam, sgd (did you mean "
            "\"adam\"?)");
  EXPECT_EQ(sample.refusal("norm = \"past\""),
            "c.toml:1:8: norm is \"past\": it takes one of pre, post (did you mean \"post\"?)");
}

TEST(Options, SetNothingFromAFileWithOneBadValue) {
  Sample sample;
  sample.refusal("data = [\"x\"]\nlayers = 3\nnote = \"n\"\nsteps = 0\n");
  EXPECT_TRUE(sample.data.empty());
  EXPECT_EQ(sample.layers, 2);
  EXPECT_EQ(sample.note, "");
  EXPECT_FALSE(sample.options.is_set("layers"));
}

TEST(Options, CheckAFilesValueEvenWhenTheCommandLineStands) {
  Sample sample;
  sample.set("layers", {"3"});
  EXPECT_NE(sample.refusal("layers = 65"), "(no error was thrown)");
}

TEST(Options, RefuseBrokenTomlWithItsPlace) {
  Sample sample;
  EXPECT_TRUE(sample.refusal("steps = 5\nlayers = = 3").starts_with("c.toml:2:10: "));
  EXPECT_TRUE(sample.refusal("steps = 5\nsteps = 6").starts_with("c.toml:2:"));
  EXPECT_TRUE(sample.refusal("note = \"\xff\"").starts_with("c.toml:1:"));
  EXPECT_TRUE(sample.refusal("steps = 99999999999999999999").starts_with("c.toml:1:"));
  EXPECT_TRUE(sample.refusal("data = " + std::string(100'000, '[')).starts_with("c.toml:1:"));
}

TEST(Options, SkipTheRecipeTableAndNoOther) {
  Sample sample;
  sample.read("steps = 5\n[recipe]\nexpected = [1, 2]\n[recipe.data]\nx = 1\n");
  EXPECT_EQ(sample.steps, 5);
  EXPECT_EQ(sample.refusal("[model]\nlayers = 3"), "c.toml:1:2: there is no table \"model\"");
  EXPECT_EQ(sample.refusal("recipe = 3"), "c.toml:1:1: there is no option \"recipe\"");
}

TEST(Options, RefuseWordsThatAreNoValue) {
  Sample sample;
  EXPECT_EQ(sample.refusal("steps", {"1e3"}),
            "--steps is \"1e3\": it takes a whole number of at least 1");
  EXPECT_EQ(sample.refusal("steps", {" 5"}),
            "--steps is \" 5\": it takes a whole number of at least 1");
  EXPECT_EQ(sample.refusal("layers", {"0"}), "--layers is 0: it takes a whole number from 1 to 64");
  EXPECT_EQ(sample.refusal("layers", {"4294967297"}),
            "--layers is 4294967297: it takes a whole number from 1 to 64");
  EXPECT_EQ(sample.refusal("shuffle", {"yes"}), "--shuffle is \"yes\": it takes true or false");
  EXPECT_EQ(sample.refusal("note", {"\xff"}), "--note is not UTF-8: it takes a text");
  EXPECT_EQ(sample.refusal("stesp", {"5"}),
            "there is no option \"stesp\" (did you mean \"steps\"?)");
}

TEST(Options, DumpsWhatReadsBackToTheSameValues) {
  Sample sample;
  sample.steps = std::numeric_limits<std::int64_t>::max();
  sample.rate = 0.1;
  sample.shuffle = false;
  sample.note = "quote \" slash \\ tab \t line \n bell \a delete \x7f snow \u2603 # = [";
  sample.data = {"", "a,b", "]"};
  sample.norm = Norm::kPost;
  Sample again;
  again.read(sample.options.to_toml());
  EXPECT_TRUE(sample.options.differences(again.options).empty());
  EXPECT_EQ(again.note, sample.note);
  EXPECT_EQ(again.options.to_toml(), sample.options.to_toml());
}

TEST(Options, DumpsAReadableFile) {
  std::int64_t steps = 3;
  std::string note = "hi";
  Options options;
  options.add("steps", steps, "how many updates");
  options.add("note", note, "free text\nof two lines");
  EXPECT_EQ(options.to_toml(),
            "# how many updates\nsteps = 3\n\n# free text\n# of two lines\nnote = \"hi\"\n");
}

TEST(Options, DumpsRealNumbersToTheLastBit) {
  double number = 0;
  Options options;
  options.add("number", number, "any");
  Random random(3);
  for (int i = 0; i < 20'000; ++i) {
    const double drawn = std::bit_cast<double>(random.next_u64());
    if (!std::isfinite(drawn)) continue;
    number = drawn;  // NOLINT(clang-analyzer-deadcode.DeadStores): the options read it
    const std::string text = options.to_toml();
    number = 0;
    options.read_toml_text(text, "dump");
    ASSERT_EQ(std::bit_cast<std::uint64_t>(number), std::bit_cast<std::uint64_t>(drawn)) << text;
  }
}

TEST(Options, ListTheirDifferences) {
  Sample one;
  Sample two;
  two.set("steps", {"7"});
  bool extra = false;
  two.options.add("extra", extra, "only here");
  const auto differences = one.options.differences(two.options);
  ASSERT_EQ(differences.size(), 2u);
  EXPECT_EQ(differences[0].name, "steps");
  EXPECT_EQ(differences[0].here, "1000");
  EXPECT_EQ(differences[0].there, "7");
  EXPECT_EQ(differences[1].name, "extra");
  EXPECT_EQ(differences[1].here, "");
  EXPECT_EQ(differences[1].there, "false");
}

TEST(Options, RefuseDeclarationsThatContradictThemselves) {
  Options options;
  int number = 0;
  EXPECT_THROW(options.add("number", number, "").at_least(1), InternalError);
  EXPECT_THROW(options.add("number", number, ""), InternalError);
  EXPECT_THROW(options.add("Number", number, ""), InternalError);
  EXPECT_THROW(options.add("", number, ""), InternalError);
  EXPECT_THROW(options.add("-n", number, ""), InternalError);
}

}  // namespace
}  // namespace heed
