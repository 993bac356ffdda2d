// SPDX-License-Identifier: Apache-2.0
// A long text in parts: its sentences, each translated alone, and their translations put together
// again, with alignments and traces of the whole.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heed/pipeline/translate/translator.h"
#include "heed/text/tokeniser.h"

namespace heed::pipeline {

// A part of a text, and where it lies there.
struct TextPart {
  std::string text{};
  int first_word = 0;   // the word of the whole that its first one is, or is the rest of
  bool joined = false;  // no white space is before it
};

// The sentences of a text (text/sentences.h); one of more than `most` tokens is cut between words,
// into as few pieces as it takes. What has no white space stays whole.
std::vector<TextPart> parts_of(std::string_view text, const text::Tokeniser& tokeniser,
                               std::int64_t most);

// How many weights the whole would have, in all layers and heads and in its trace: those between
// parts, which are masked, included.
double joined_cells(std::span<const Translation> translations);

// The translation of a text by those of its parts: texts one after another, log-probabilities
// added, and everything that points at tokens or words moved to where these are now. What one part
// could not see of another is masked. `title`: of the trace.
Translation joined(std::span<const TextPart> parts, std::span<Translation> translations,
                   const std::string& title);

}  // namespace heed::pipeline
