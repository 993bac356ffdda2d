// SPDX-License-Identifier: Apache-2.0
// Subject: one number that a model gives for one input, as explainers may ask about it. A kind of
// model makes a subject of itself, and every explainer works on it.
//
// Letters: T tokens that are explained, which may be words of several tokens of the model.
#pragma once  // public header

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "heed/explain/looks.h"

#pragma GCC visibility push(default)  // exported

namespace heed::explain {

// How tokens are taken away: the text closes up behind them, a token that says nothing takes their
// place, or their vectors become 0.
enum class Removal { erase, mask, zero };
const std::vector<std::string>& removal_names();

// Which tokens of a copy are there: [T].
using Kept = std::vector<bool>;

// The numbers that stand for each token in the model, [T][E]; those of a word of several tokens one
// after the other.
using Vectors = std::vector<std::vector<double>>;

class Subject {
 public:
  virtual ~Subject() = default;
  Subject(const Subject&) = delete;
  Subject& operator=(const Subject&) = delete;

  virtual std::size_t size() const = 0;  // T
  // Of tokens that are cells of a grid, row by row: how many a row has. 0: tokens in a line.
  virtual std::size_t columns() const { return 0; }
  // The number for copies of the input that lack some tokens, [N][T] -> [N]. UsageError for a way
  // of removal that the model has not.
  virtual std::vector<double> outputs(std::span<const Kept> copies, Removal removal) const = 0;
  virtual bool removes(Removal) const { return true; }

  // The vectors of its tokens, the number for copies of the input with other vectors [N], and its
  // gradients by them. UsageError where there are none.
  virtual bool has_vectors() const { return false; }
  virtual Vectors vectors() const;
  virtual std::vector<double> outputs_at(std::span<const Vectors> copies) const;
  virtual std::vector<Vectors> gradients_at(std::span<const Vectors> copies) const;

  // How much of the model's attention each token has, and the gradient of the number by it, [T]; of
  // a word of several tokens the mean of theirs, by their weights. UsageError where there is none.
  virtual bool attends() const { return false; }
  virtual std::vector<double> attention() const;
  virtual bool has_attention_gradients() const { return false; }
  virtual std::vector<double> attention_gradients() const;

  // Every attention between the input and the number. UsageError where it has none to show.
  virtual bool has_looks() const { return false; }
  virtual Looks looks() const;

  // The number with all tokens, and with none.
  double output() const;
  double output_of_nothing(Removal removal) const;

 protected:
  Subject() = default;
};

}  // namespace heed::explain

#pragma GCC visibility pop
