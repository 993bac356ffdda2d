// SPDX-License-Identifier: Apache-2.0
// Tests of the written form: what is read, what is printed, and which mistakes are reported.
#include "heed/attention/written/spec.h"

#include <gtest/gtest.h>

#include <array>

#include "heed/base/error.h"
#include "heed/base/random.h"
#include "heed/base/testing.h"
#include "heed/base/text.h"

namespace heed::attention {
namespace {

using Kind = PatternSpec::Kind;

std::string spec_message(std::string_view text) {
  return heed::test::message_of<UsageError>([&] { parse_spec(text); });
}

// What is printed for a text, which must read back as the same tree.
std::string printed(std::string_view text) {
  const Spec spec = parse_spec(text);
  std::string result = written(spec);
  EXPECT_EQ(parse_spec(result), spec) << result;
  return result;
}

TEST(Spec, ReadsScoresBiasesPatternAndNormaliser) {
  const Spec spec = parse_spec("scaled_dot + alibi | causal & window(64) | entmax(alpha=1.5)");
  ASSERT_EQ(spec.groups.size(), 1u);
  EXPECT_EQ(spec.groups[0].heads, 0);
  const MechanismSpec& mechanism = spec.groups[0].mechanism;
  ASSERT_EQ(mechanism.terms.size(), 2u);
  EXPECT_EQ(mechanism.terms[0].name, "scaled_dot");
  EXPECT_EQ(mechanism.terms[1].name, "alibi");
  EXPECT_EQ(mechanism.terms[1].place, 13u);
  EXPECT_EQ(mechanism.pattern.kind, Kind::both);
  ASSERT_EQ(mechanism.pattern.patterns.size(), 2u);
  const PartSpec& window = mechanism.pattern.patterns[1].part;
  EXPECT_EQ(window.name, "window");
  ASSERT_EQ(window.arguments.size(), 1u);
  EXPECT_EQ(window.arguments[0].name, "");
  EXPECT_EQ(window.arguments[0].value, "64");
  EXPECT_EQ(window.arguments[0].place, 37u);
  EXPECT_EQ(mechanism.normaliser.name, "entmax");
  EXPECT_EQ(mechanism.normaliser.arguments[0].name, "alpha");
  EXPECT_EQ(mechanism.normaliser.arguments[0].value, "1.5");
}

TEST(Spec, HasDefaultsForPatternAndNormaliser) {
  EXPECT_EQ(parse_spec("dot"), parse_spec("dot | full | softmax"));
  EXPECT_EQ(parse_spec("dot | causal"), parse_spec("dot | causal | softmax"));
  EXPECT_NE(parse_spec("dot"), parse_spec("dot | causal"));
  EXPECT_NE(parse_spec("dot"), parse_spec("dot | full | softmax(temperature=2)"));
}

TEST(Spec, PrintsWhatWasWrittenWithoutDefaults) {
  EXPECT_EQ(printed("dot|full|softmax"), "dot");
  EXPECT_EQ(printed(" dot ( ) | causal ( align = end ) | softmax"), "dot | causal(align=end)");
  EXPECT_EQ(printed("dot | full | sparsemax"), "dot | full | sparsemax");
  EXPECT_EQ(printed("a+b ( x = -1 , 1e-3 )|c|d"), "a + b(x=-1, 1e-3) | c | d");
  EXPECT_EQ(printed("dot|globals([ 1,5 ], positions=[7])"), "dot | globals([1, 5], positions=[7])");
  EXPECT_EQ(printed("\n\tdot\r\n|\vcausal\f"), "dot | causal");
}

TEST(Spec, ReadsValuesInQuotesAndWritesThemWhereTheyAreNeeded) {
  const Spec spec = parse_spec("dot | full | sample(of=\"entmax(alpha=1.5)\", \"a word\")");
  const std::vector<Argument>& given = spec.groups[0].mechanism.normaliser.arguments;
  ASSERT_EQ(given.size(), 2u);
  EXPECT_EQ(given[0].name, "of");
  EXPECT_EQ(given[0].value, "entmax(alpha=1.5)");
  EXPECT_EQ(given[1].value, "a word");
  EXPECT_EQ(written(spec), "dot | full | sample(of=\"entmax(alpha=1.5)\", \"a word\")");
  EXPECT_EQ(printed("a(\"b\", x=\"-1.5\", [\"c d\", \"e\"], \"\", \"1.5.2\", \"-\")"),
            "a(b, x=-1.5, [\"c d\", e], \"\", \"1.5.2\", \"-\")");
  EXPECT_EQ(spec_message("dot | full | sample(of=\"softmax)"),
            "mechanism: found a quote without its end; a value in quotes ends with \"\n"
            "  dot | full | sample(of=\"softmax)\n"
            "                         ^");
}

TEST(Spec, BindsAndTighterThanOr) {
  EXPECT_EQ(printed("s | (a | b & c)"), "s | (a | b & c)");
  EXPECT_EQ(printed("s | (a | b) & c"), "s | (a | b) & c");
  EXPECT_EQ(printed("s | ((a | (b))) & c"), "s | (a | b) & c");
  EXPECT_EQ(printed("s | a & (b & c)"), "s | a & b & c");
  EXPECT_EQ(printed("s | (a | (b | c))"), "s | (a | b | c)");
  EXPECT_EQ(printed("s | (a) | n"), "s | a | n");
  const PatternSpec pattern = parse_spec("s | (a | b & c)").groups[0].mechanism.pattern;
  EXPECT_EQ(pattern.kind, Kind::either);
  EXPECT_EQ(pattern.patterns[1].kind, Kind::both);
}

TEST(Spec, ReadsGroupsOfHeads) {
  const Spec spec = parse_spec("4x(dot); 2 x ( scaled_dot | causal )");
  ASSERT_EQ(spec.groups.size(), 2u);
  EXPECT_EQ(spec.groups[0].heads, 4);
  EXPECT_EQ(spec.groups[1].heads, 2);
  EXPECT_EQ(spec.groups[1].mechanism.pattern.part.name, "causal");
  EXPECT_EQ(written(spec), "4x(dot); 2x(scaled_dot | causal)");
  EXPECT_NE(parse_spec("8x(dot)"), parse_spec("dot"));
}

TEST(Spec, PointsAtTheCharacterThatIsWrong) {
  EXPECT_EQ(spec_message("dot | causal & | softmax"),
            "mechanism: found \"|\"; the name of a pattern was expected\n"
            "  dot | causal & | softmax\n"
            "                 ^");
  EXPECT_EQ(spec_message("dot | window(3"),
            "mechanism: found the end; \")\" was expected after the options of window, or a comma "
            "between them\n"
            "  dot | window(3\n"
            "                ^");
  EXPECT_EQ(spec_message(""),
            "mechanism: found the end; the name of a score was expected\n"
            "  \n"
            "  ^");
}

TEST(Spec, MayEndWithPartsThatMoveTheWeightsOn) {
  const std::string text = "dot | full | softmax | interpolate | shift(range=2) | sharpen";
  const Spec spec = parse_spec(text);
  ASSERT_EQ(spec.groups[0].mechanism.addressing.size(), 3u);
  EXPECT_EQ(spec.groups[0].mechanism.addressing[1].name, "shift");
  EXPECT_EQ(written(spec), text);
  EXPECT_NE(spec, parse_spec("dot"));
}

TEST(Spec, SaysWhatWouldBeRight) {
  const auto expect = [](std::string_view text, std::string_view message) {
    const std::string said = spec_message(text);
    EXPECT_EQ(said.substr(0, said.find('\n')), fmt::format("mechanism: {}", message)) << text;
  };
  expect("dot | a | b | ", "found the end; the name of an addressing part was expected");
  expect("dot softmax", "found \"s\"; after a part comes one of + | & or the end");
  expect("dot; dot", "found \";\"; groups of heads are written 4x(dot); 4x(dot)");
  expect("4x(dot) 4x(dot)", "found \"4\"; after a group of heads comes \";\" or the end");
  expect("4x(dot);", "found the end; a number of heads was expected");
  expect("4(dot)", "found \"(\"; \"x\" was expected after a number of heads, as in 4x(dot)");
  expect("0x(dot)", "found 0 heads; it takes a whole number from 1 to 65536");
  expect("99999999999999999999999999x(dot)",
         "found 99999999999999999999999… heads; it takes a whole number from 1 to 65536");
  expect("dot | window(3,)", "found \")\"; a value for window was expected, a number or a word");
  expect("dot | window(left=)", "found \")\"; a value for window was expected, a number or a word");
  expect("dot | globals([])", "found \"]\"; a value for globals was expected, a number or a word");
  expect("dot | window(1.5.2)", "found \"1.5.2\"; a finite number is written 3, -1.5 or 1e-3");
  expect("dot | window(+5)", "found \"+5\"; a finite number is written 3, -1.5 or 1e-3");
  expect("dot | window(64k)", "found \"64k\"; a finite number is written 3, -1.5 or 1e-3");
  expect("dot | window(1e999)", "found \"1e999\"; a finite number is written 3, -1.5 or 1e-3");
  expect("dot | (causal",
         "found the end; \")\" was expected after the patterns, or & or | "
         "between them");
  expect("dot | übung", "found \"ü\"; the name of a pattern was expected");
  expect("dot | \x01", "found the byte 1; the name of a pattern was expected");
  expect(std::string_view("dot\0", 4),
         "found the byte 0; after a part comes one of + | & or the "
         "end");
  expect("dot | \xff", "the text is not UTF-8");
}

TEST(Spec, RefusesTextsBeyondItsLimits) {
  const auto nested = [](int depth) {
    return "dot | " + std::string(depth, '(') + "causal" + std::string(depth, ')');
  };
  EXPECT_EQ(printed(nested(kDeepestSpec)), "dot | causal");
  EXPECT_NE(spec_message(nested(kDeepestSpec + 1)).find("inside 64 others"), std::string::npos);
  EXPECT_NE(spec_message(nested(1'000'000)).find("at most 65536"), std::string::npos);
  EXPECT_NE(spec_message("dot | " + std::string(60'000, '(')).find("inside 64 others"),
            std::string::npos);
  std::string many = "dot";
  while (many.size() + 6 < kLongestSpec) many += " + dot";
  EXPECT_EQ(printed(many), many);
}

// Trees of every shape the grammar allows.
class RandomSpec {
 public:
  explicit RandomSpec(std::uint64_t seed) : random_(seed) {}
  Spec spec() {
    Spec spec;
    const bool grouped = below(3) == 0;
    for (std::size_t i = 0; i < (grouped ? 1 + below(3) : 1); ++i) {
      spec.groups.push_back({.heads = grouped ? 1 + static_cast<std::int64_t>(below(70)) : 0,
                             .mechanism = mechanism()});
    }
    return spec;
  }

 private:
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(random_.integer(n)); }
  template <std::size_t N>
  std::string one_of(const std::array<const char*, N>& words) {
    return words[below(N)];
  }
  std::string name() {
    return one_of<7>({"dot", "scaled_dot", "full", "softmax", "x", "half-width", "_A9"});
  }
  std::string value() {
    if (below(5) == 0) return one_of<3>({"entmax(alpha=1.5)", "a, b", ""});
    return below(3) == 0 ? name() : one_of<7>({"1", "-1", "0.5", "-.5", "1e-3", "2E+4", "64"});
  }
  PartSpec part() {
    PartSpec part = {.name = name()};
    for (std::size_t left = below(4); left > 0; --left) {
      Argument argument = {.name = below(2) == 0 ? name() : ""};
      if (below(4) == 0) {
        for (std::size_t i = 0; i < 1 + below(3); ++i) argument.list.push_back(value());
      } else {
        argument.value = value();
      }
      part.arguments.push_back(argument);
    }
    return part;
  }
  PatternSpec pattern(Kind above, int depth) {
    if (depth == 0 || below(3) == 0) return {.part = part()};
    const bool both = above == Kind::part ? below(2) == 0 : above == Kind::either;
    PatternSpec pattern = {.kind = both ? Kind::both : Kind::either};
    for (std::size_t left = 2 + below(3); left > 0; --left) {
      pattern.patterns.push_back(this->pattern(pattern.kind, depth - 1));
    }
    return pattern;
  }
  MechanismSpec mechanism() {
    MechanismSpec mechanism;
    for (std::size_t left = 1 + below(3); left > 0; --left) mechanism.terms.push_back(part());
    if (below(2) == 0) mechanism.pattern = pattern(Kind::part, 3);
    if (below(2) == 0) mechanism.normaliser = part();
    return mechanism;
  }
  Random random_;
};

TEST(Spec, ReadsBackWhateverItPrints) {
  for (std::uint64_t seed = 0; seed < 5000; ++seed) {
    const Spec spec = RandomSpec(seed).spec();
    const std::string text = written(spec);
    ASSERT_EQ(parse_spec(text), spec) << text;
    ASSERT_EQ(written(parse_spec(text)), text);
  }
}

// Any text is read or refused with a message that points into it.
TEST(Spec, SurvivesAHundredThousandMutations) {
  const std::string alphabet = "ax_019.-+e|&()[]=,; \t\n\xc3\xbc\xff\"";
  Random random(11);
  std::vector<std::string> texts;
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    texts.push_back(written(RandomSpec(seed).spec()));
  }
  int refused = 0;
  for (std::size_t i = 0; i < 100'000; ++i) {
    std::string text = texts[i % texts.size()];
    for (std::uint64_t left = 1 + random.integer(4); left > 0 && !text.empty(); --left) {
      const auto at = static_cast<std::size_t>(random.integer(text.size()));
      const char other = alphabet[random.integer(alphabet.size())];
      switch (random.integer(5)) {
        case 0:
          text.erase(at, 1);
          break;
        case 1:
          text.insert(at, 1, other);
          break;
        case 2:
          text[at] = other;
          break;
        case 3:
          text[at] = static_cast<char>(random.integer(256));
          break;
        default:
          text.insert(at, text.substr(random.integer(text.size()), 9));
      }
    }
    try {
      const Spec spec = parse_spec(text);
      ASSERT_EQ(parse_spec(written(spec)), spec) << text;
    } catch (const UsageError& error) {
      ++refused;
      const auto lines = split(error.what(), '\n');
      ASSERT_EQ(lines.size(), 3u) << error.what();
      ASSERT_TRUE(lines[0].starts_with("mechanism: ")) << error.what();
      ASSERT_EQ(lines[2].find('^'), lines[2].size() - 1) << error.what();
      ASSERT_LE(lines[2].size(), display_width(lines[1]) + 1) << error.what();
    }
  }
  EXPECT_GT(refused, 50'000);
  EXPECT_LT(refused, 99'000);
}

}  // namespace
}  // namespace heed::attention
