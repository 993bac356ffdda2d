// SPDX-License-Identifier: Apache-2.0
// Tests of the options of parts as they are written, and of the catalogue.
#include "heed/attention/written/catalogue.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"
#include "heed/base/testing.h"

namespace heed::attention {
namespace {

enum class Side { left, right };

struct Example {
  std::int64_t size = 4;
  double rate = 0.5;
  Side side = Side::left;
  bool wide = false;
  std::vector<std::string> marks = {};
  std::vector<std::string> notes = {};

  static Card card() {
    return {.name = "example", .summary = "A part.", .formula = "x", .source = "none"};
  }
  void declare(Options& options) {
    options.add("size", size, "a number").range(1, 9);
    options.add("rate", rate, "a fraction").above(0);
    options.add("side", side, {"left", "right"}, "a word");
    options.add("wide", wide, "a flag");
    options.add("marks", marks, "a list");
    options.add("notes", notes, "another");
  }
};

Example with(const std::vector<Argument>& arguments, std::string_view text = {}) {
  Example part;
  Options options;
  part.declare(options);
  set_options(options, "example", arguments, text);
  return part;
}

std::string argument_message(const std::vector<Argument>& arguments, std::string_view text = {}) {
  return heed::test::message_of<UsageError>([&] { with(arguments, text); });
}

TEST(SetOptions, TakesValuesByName) {
  const Example part = with({{"rate", "0.25"}, {"side", "right"}, {"wide", "true"}});
  EXPECT_EQ(part.size, 4);
  EXPECT_EQ(part.rate, 0.25);
  EXPECT_EQ(part.side, Side::right);
  EXPECT_TRUE(part.wide);
}

TEST(SetOptions, TakesValuesByPositionWhereNoneWasNamed) {
  const Example part = with({{"size", "7"}, {"", "0.125"}, {"", "right"}});
  EXPECT_EQ(part.size, 7);
  EXPECT_EQ(part.rate, 0.125);
  EXPECT_EQ(part.side, Side::right);
}

TEST(SetOptions, GathersListsEachOnItsOwn) {
  const Example part = with({{.name = "notes", .value = "n"},
                             {.list = {"a", "b"}},
                             {.name = "marks", .value = "c"},
                             {.name = "notes", .list = {"o"}}});
  EXPECT_EQ(part.marks, (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_EQ(part.notes, (std::vector<std::string>{"n", "o"}));
}

TEST(SetOptions, RefusesWhatThePartDoesNotTake) {
  EXPECT_EQ(argument_message({{"sise", "3"}}),
            "example: there is no option \"sise\" (did you mean \"size\"?); it takes size, rate, "
            "side, wide, marks, notes");
  EXPECT_EQ(argument_message({{"size", "3"}, {"size", "3"}}),
            "example: option \"size\" is given twice");
  EXPECT_EQ(argument_message({{"size", "10"}}),
            "example: size is \"10\": it takes a whole number from 1 to 9");
  EXPECT_EQ(argument_message({{"size", "2.5"}}),
            "example: size is \"2.5\": it takes a whole number from 1 to 9");
  EXPECT_EQ(argument_message({{"rate", "0"}}),
            "example: rate is \"0\": it takes a finite number above 0");
  EXPECT_EQ(argument_message({{"side", "rihgt"}}),
            "example: side is \"rihgt\": it takes one of left, right (did you mean \"right\"?)");
  EXPECT_EQ(argument_message({{.name = "size", .list = {"1", "2"}}}),
            "example: size is [1, 2]: it takes a whole number from 1 to 9");
}

TEST(SetOptions, RefusesMoreValuesThanThereAreOptions) {
  Options none;
  const std::vector<Argument> value = {{"", "3"}};
  EXPECT_EQ(heed::test::message_of<UsageError>([&] { set_options(none, "dot", value); }),
            "dot: no option is left for \"3\"; it takes none");
  bool flag = false;
  Options one;
  one.add("flag", flag, "a flag");
  const std::vector<Argument> list = {{.list = {"1", "2"}}};
  EXPECT_EQ(heed::test::message_of<UsageError>([&] { set_options(one, "dot", list); }),
            "dot: no option is left for [1, 2]; it takes flag");
}

TEST(SetOptions, PointsAtTheArgumentInTheWrittenForm) {
  EXPECT_EQ(argument_message({{"size", "3", 8}, {"rate", "-1", 16}}, "example(size=3, rate=-1)"),
            "example: rate is \"-1\": it takes a finite number above 0\n"
            "  example(size=3, rate=-1)\n"
            "                  ^");
}

TEST(WrittenForm, NamesTheOptionsThatDifferFromTheirDefaults) {
  EXPECT_EQ(written_form(Example()), "example");
  EXPECT_EQ(written_form(Example{.size = 4, .rate = 2}), "example(rate=2.0)");
  EXPECT_EQ(written_form(Example{.size = 3, .side = Side::right, .wide = true}),
            "example(size=3, side=right, wide=true)");
  EXPECT_EQ(written_form(Example{.marks = {"1", "5"}}), "example(marks=[1, 5])");
}

TEST(WrittenForm, GivesAPartOfTheSameOptionsWhenItIsSet) {
  const Example part = with({{"rate", "0.1"}, {"size", "9"}, {"marks", "2"}});
  EXPECT_EQ(written_form(part), "example(size=9, rate=0.1, marks=[2])");
  const Example again = with({{"size", "9"}, {"rate", "0.1"}, {.name = "marks", .list = {"2"}}});
  EXPECT_EQ(written_form(again), written_form(part));
}

// A kind of its own, so that the parts of the library are left alone.
struct Animal {
  virtual ~Animal() = default;
};

}  // namespace

template <>
std::vector<Catalogue<Animal>::Entry>& Catalogue<Animal>::listed() {
  static std::vector<Entry> all;
  return all;
}

namespace {

TEST(Catalogue, IsSortedByNameAndFindsEveryEntry) {
  using Animals = Catalogue<Animal>;
  EXPECT_EQ(Animals::find("cat"), nullptr);
  for (const char* name : {"dog", "cat", "eel", "ant"}) {
    Animals::add({{.name = name, .summary = "", .formula = "", .source = ""},
                  [] { return std::make_unique<Animal>(); }});
  }
  std::vector<std::string> names;
  for (const auto& entry : Animals::entries()) names.push_back(entry.card.name);
  EXPECT_EQ(names, (std::vector<std::string>{"ant", "cat", "dog", "eel"}));
  ASSERT_NE(Animals::find("dog"), nullptr);
  EXPECT_EQ(Animals::find("dog")->card.name, "dog");
  EXPECT_NE(Animals::find("dog")->make(), nullptr);
  EXPECT_EQ(Animals::find("do"), nullptr);
}

TEST(Promises, HaveTextsOfTheirOwn) {
  EXPECT_EQ(promise_text(Promise::sums_to_one), "sums to one");
  EXPECT_EQ(promise_text(Promise::sums_to_k), "sums to k");
  EXPECT_EQ(promise_text(Promise::in_unit_interval), "between 0 and 1");
  EXPECT_EQ(promise_text(Promise::symmetric_jacobian), "symmetric Jacobian");
  EXPECT_EQ(promise_text(Promise::has_temperature), "temperature");
}

}  // namespace
}  // namespace heed::attention
