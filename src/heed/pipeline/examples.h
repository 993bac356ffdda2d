// SPDX-License-Identifier: Apache-2.0
// Texts to try a model with: a few of the kind it was trained on, kept in its folder as
// examples.txt, one on a line. Of a model that reads pairs, both texts with a TAB between.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heed/base/exported.h"

namespace heed::pipeline {

inline constexpr const char* kExamplesFile = "examples.txt";
inline constexpr std::size_t kMostExamples = 16;
inline constexpr std::size_t kLongestExample = 200;  // bytes; what is read at a glance

// Up to `count` of these, spread over all of them: none twice, empty, long, or of more than one
// line.
std::vector<std::string> chosen_examples(std::span<const std::string> texts, std::size_t count);

// Puts them into a model folder; without any, removes those that are there.
void write_examples(const std::filesystem::path& folder, std::span<const std::string> examples);

// Those of a folder; none where there is no such file. What is not fit to be shown is left out, for
// nothing but a page depends on it.
HEED_EXPORTED std::vector<std::string> read_examples(const std::filesystem::path& folder);
std::vector<std::string> parse_examples(std::string_view file);

// The beginning of a text, as a prompt: its first words, at least one and at most half of them.
std::string beginning_of(std::string_view text);
// The text with `mark` in the place of a word near its middle; empty for one of fewer than three
// words.
std::string with_gap(std::string_view text, std::string_view mark);

}  // namespace heed::pipeline
