// SPDX-License-Identifier: Apache-2.0
// A text of tokens as explainers ask a model about it, by its words: what every kind of model that
// reads one has in common. A kind says what the number is of some copies.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "heed/attention/observer.h"
#include "heed/autograd/variable.h"
#include "heed/explain/subject.h"
#include "heed/insight/observe/kept.h"
#include "heed/nn/module.h"
#include "heed/text/tokeniser.h"

namespace heed::pipeline {

// How the attentions of a model are looks at its text.
struct LooksPlan {
  std::vector<int> words{};  // of each token that the model reads
  std::size_t size = 0;
  std::function<bool(const attention::Site&)> is_layer{};
  std::function<bool(const attention::Site&)> is_read{};  // at the last of its queries
  std::string layers{};  // what the paths of the parameters of its layers begin with
  std::vector<double> readout{};
  bool causal = false;
};
explain::Looks looks_of(const insight::WeightGradients& watched, const nn::Parameters& parameters,
                        LooksPlan plan);

class ExplainedTokens : public explain::Subject {
 public:
  std::size_t size() const override { return text_.words_in_all; }
  std::vector<double> outputs(std::span<const explain::Kept> copies,
                              explain::Removal removal) const override;
  bool removes(explain::Removal removal) const override;
  explain::Vectors vectors() const override;
  std::vector<double> outputs_at(std::span<const explain::Vectors> copies) const override;
  std::vector<explain::Vectors> gradients_at(
      std::span<const explain::Vectors> copies) const override;
  bool has_looks() const override;
  explain::Looks looks() const override;

 protected:
  struct Text {
    text::Tokens tokens{};     // with its ends
    std::vector<int> words{};  // of each token its word; -1: none, so that it always stays
    std::size_t words_in_all = 0;
    text::Token nobody = text::kUnknown;  // takes the place of words that are masked
    std::vector<bool> stays{};            // words that are never taken away; empty: none
    std::size_t beside = 0;               // tokens that the model reads besides
  };
  // Some of its tokens, or others in their places.
  struct Copy {
    text::Tokens tokens{};
    std::vector<std::int32_t> from{};  // the place of each in the text
  };
  // Where the text's tokens are among the vectors that a model reads of some copies, of which each
  // has `rows` rows.
  struct Slots {
    std::int64_t rows = 1;
    std::vector<std::pair<std::int64_t, std::int64_t>> places{};  // of each token: row and column
  };

  explicit ExplainedTokens(Text text);

  // The number of each copy [N].
  virtual Variable numbers(std::span<const Copy> copies, attention::Observer* watch) const = 0;
  virtual nn::Parameters parameters() const = 0;
  virtual bool is_text(const attention::Site&) const { return true; }
  // How its attentions are looks at the text; nothing where there are none to follow.
  virtual std::optional<LooksPlan> plan() const { return {}; }
  virtual Slots slots() const;

  const Text& text() const { return text_; }
  Copy whole() const;
  // [tokens] -> [words]
  std::vector<double> by_word(std::span<const Real> tokens) const;
  // Runs the whole text with its weights watched, and back.
  void watch(insight::WeightGradients& watched) const;

 private:
  Copy copy_of(const explain::Kept& kept, explain::Removal removal) const;
  // Writes the vectors of copies over those of the model, [N * rows,S,E].
  void put(std::span<const explain::Vectors> copies, const Slots& slots, Tensor& vectors) const;
  // Copies that are computed together.
  std::size_t at_once() const;

  Text text_;
  mutable std::optional<explain::Looks> looks_;  // once they were asked for
};

}  // namespace heed::pipeline
