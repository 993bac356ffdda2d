// SPDX-License-Identifier: Apache-2.0
// Where weights start when not at random: another model (fine-tuning), or word vectors.
#pragma once

#include <string>
#include <vector>

#include "heed/nn/module.h"
#include "heed/pipeline/run.h"
#include "heed/text/tokeniser.h"

namespace heed::pipeline {

// What take_over() found.
struct TakenOver {
  std::size_t taken = 0;
  std::vector<std::string> left{};  // the parameters that have no tensor of their name and shape

  // "12 of 14 tensors come from model; left as they were: output, output_bias"
  std::string text(const std::string& from) const;
};
// Gives parameters the values of the folder's tensors of the same name and shape. UsageError when
// no matrix is among them, for vectors fit by chance: it names the options of the model that
// `options` gives other values than the folder.
TakenOver take_over(const std::string& from, nn::Parameters parameters, const Options& options);

// Gives the rows of a table of embeddings [V,D] the vectors of a file, where it has the piece.
// UsageError when their width is another, or no piece is found.
void set_vectors(const std::string& file, const text::Tokeniser& tokeniser, nn::Parameter table);

// Takes over the weights of the model that --init-from names, where it names one, and says which.
void start_from(const RunOptions& options, const nn::Parameters& parameters,
                const Print& print = nullptr);

struct StartingWeights {
  const RunOptions* options;  // with --init-from, a model folder or none
  std::string embeddings{};   // a file of word vectors; empty: none
};
// Of a model with one vocabulary, whose table of embeddings is its first parameter.
void set_starting_weights(const StartingWeights& from, const text::Tokeniser& tokeniser,
                          const nn::Parameters& parameters, const Print& print = nullptr);

}  // namespace heed::pipeline
