// SPDX-License-Identifier: Apache-2.0
// Fuzz target of options read from TOML: every kind of option, and back.
#include "heed/base/fuzzing.h"
#include "heed/base/options.h"

namespace heed::test {
namespace {

enum class Colour { red, green };

struct OneOfEach {
  bool flag = false;
  std::int64_t whole = 3;
  std::uint64_t seed = 1;
  std::int8_t small = 4;
  double number = 0.5;
  double share = 0.25;
  std::string text = "a";
  std::string choice = "adam";
  Colour colour = Colour::green;
  std::vector<std::string> list = {"x", "y"};
  Options options;

  OneOfEach() {
    options.add("flag", flag, "true or false");
    options.add("whole", whole, "any");
    options.add("seed", seed, "not below 0");
    options.add("small", small, "of one byte").at_least(-100);
    options.add("number", number, "any");
    options.add("share", share, "of the whole").above(0).below(1);
    options.add("text", text, "any");
    options.add("choice", choice, "one of these").one_of({"adam", "sgd"});
    options.add("colour", colour, {"red", "green"}, "an enumeration");
    options.add("list", list, "any number of texts");
  }
};

bool read_options(std::string_view bytes) {
  OneOfEach given;
  const bool read = accepted([&] { given.options.read_toml_text(bytes, "input"); });
  if (!read) {
    require(given.options.differences(OneOfEach().options).empty(), "a bad file has set an option");
    return false;
  }
  OneOfEach again;
  again.options.read_toml_text(given.options.to_toml(), "written");
  require(again.options.differences(given.options).empty(), "options come back changed");
  return true;
}

const FuzzTarget kOptions("options", read_options);

}  // namespace
}  // namespace heed::test
