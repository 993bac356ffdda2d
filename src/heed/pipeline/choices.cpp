// SPDX-License-Identifier: Apache-2.0
// What is read may have been edited: every line is checked, and named when it is wrong.
#include "heed/pipeline/choices.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <system_error>
#include <vector>

#include "heed/base/error.h"
#include "heed/base/file.h"
#include "heed/base/text.h"

namespace heed::pipeline {
namespace {

constexpr std::size_t kMostBytes = 1 << 20;
constexpr std::string_view kRemedy =
    "mend the line, or remove the file: the model is then used without choices";

double number_of(std::string_view written, const KnownChoice& known, const std::string& where) {
  double value = 0;
  const char* const end = written.data() + written.size();
  const auto [stop, error] = std::from_chars(written.data(), end, value);
  // A comparison with NaN is false.
  if (error == std::errc() && stop == end && value >= known.low && value <= known.high) {
    return value;
  }
  throw DataError("{}: \"{}\" is no {}; it takes a number from {} to {}; {}", where,
                  shorten(written, 40), known.name, known.low, known.high, kRemedy);
}

}  // namespace

Choices parse_choices(std::string_view text, const std::string& name,
                      std::span<const KnownChoice> known) {
  Choices choices;
  std::size_t number = 0;
  for (std::string_view line : split(text, '\n')) {
    const std::string where = fmt::format("{}:{}", name, ++number);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty()) continue;
    const std::size_t tab = line.find('\t');
    const std::string_view mine = line.substr(0, tab);
    const auto found = std::ranges::find(known, mine, &KnownChoice::name);
    if (found == known.end() || tab == line.npos) {
      std::vector<std::string> names;
      for (const KnownChoice& one : known) names.push_back(one.name);
      throw DataError("{}: \"{}\" is not a choice of this model, which knows {}; {}", where,
                      shorten(mine, 40), join(names, ", "), kRemedy);
    }
    const double value = number_of(line.substr(tab + 1), *found, where);
    if (!choices.emplace(found->name, value).second) {
      throw DataError("{}: {} is there twice; {}", where, found->name, kRemedy);
    }
  }
  return choices;
}

Choices read_choices(const std::filesystem::path& folder, std::span<const KnownChoice> known) {
  const std::filesystem::path file = folder / kChoicesFile;
  std::ifstream stream(file, std::ios::binary);
  if (!stream && !std::filesystem::exists(file)) return {};
  if (!stream) throw DataError("{}: cannot be read; {}", file.string(), kRemedy);
  std::string text(kMostBytes + 1, '\0');
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(std::max<std::streamsize>(stream.gcount(), 0)));
  if (text.size() > kMostBytes) {
    throw DataError("{}: more than {} bytes, and choices are a few lines; {}", file.string(),
                    kMostBytes, kRemedy);
  }
  return parse_choices(text, file.string(), known);
}

void write_choices(const std::filesystem::path& folder, const Choices& choices) {
  std::string lines;
  for (const auto& [name, value] : choices) lines += fmt::format("{}\t{}\n", name, value);
  if (!lines.empty()) return write_atomically(folder / kChoicesFile, lines);
  std::error_code error;
  std::filesystem::remove(folder / kChoicesFile, error);
  if (error) {
    throw DataError("{}: cannot be removed: {}", (folder / kChoicesFile).string(), error.message());
  }
}

double chosen(const Choices& choices, const std::string& name, double otherwise) {
  const auto found = choices.find(name);
  return found == choices.end() ? otherwise : found->second;
}

}  // namespace heed::pipeline
