// SPDX-License-Identifier: Apache-2.0
// Rows of words: the words of a text as boxes beside each other, in as many rows as they take.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "heed/insight/draw/canvas.h"

namespace heed::insight {

inline constexpr double kBoxHeight = 24;

// How words are written into their boxes.
TextStyle boxed_word(const Rgb& colour = {});

// Some words of a text beside each other, by their boxes.
struct WordRow {
  std::vector<std::size_t> words;  // their numbers
  std::vector<Box> boxes;
  double width = 0;
};

struct WordRowsOptions {
  double gap = 8;        // between words
  double widest = 1400;  // a row; longer ones are read from left to right by nobody
  double least = 0;      // of a box
};

// The chosen words, by their numbers, in rows that begin at x = 0; those that read from the right
// begin at the other end.
std::vector<WordRow> word_rows(const std::vector<std::string>& words,
                               std::span<const std::size_t> chosen,
                               const WordRowsOptions& options = {});
// All of them.
std::vector<WordRow> word_rows(const std::vector<std::string>& words,
                               const WordRowsOptions& options = {});

// The row by this much to the right, its boxes at this height.
void move_to(WordRow& row, double x, double y);

// Where the word is; null when it is in none of the rows.
const Box* box_of(std::span<const WordRow> rows, std::size_t word);

double middle_of(const Box& box);

// The row's words on the ground of boxes.
void draw_words(Canvas& canvas, const WordRow& row, const std::vector<std::string>& words,
                const Rgb& ground);

}  // namespace heed::insight
