// SPDX-License-Identifier: Apache-2.0
// A seeded sample of lines from files of any size, for training a vocabulary.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "heed/text/pairs.h"

#pragma GCC visibility push(default)  // exported

namespace heed::text {

struct SampleOptions {
  std::size_t lines = 1'000'000;  // at most this many; 0: all
  std::uint64_t seed = 1;
};

// Every set of that many lines of the files together is equally likely. Lines without text do not
// count. They come in the order of the files; memory holds the sample only. DataError as of
// LineReader, or when there is no line of text at all.
std::vector<std::string> sample_lines(std::span<const std::filesystem::path> files,
                                      const SampleOptions& options);

// The same of pairs, from where the reader is to its end; it goes back there.
std::vector<LinePair> sample_pairs(PairReader& pairs, const SampleOptions& options);

}  // namespace heed::text

#pragma GCC visibility pop
