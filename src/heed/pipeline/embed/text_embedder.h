// SPDX-License-Identifier: Apache-2.0
// A model of sentence embeddings in use: texts in, a vector of each out, and which texts lie near
// which.
//
//   const TextEmbedder embedder("model");
//   embedder.cosine("It's so sunny outside!", "The weather is lovely today.");  // .67
#pragma once  // public header

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heed/insight/trace/trace_document.h"
#include "heed/models/embedder.h"
#include "heed/pipeline/embed/embed_options.h"
#include "heed/pipeline/model.h"
#include "heed/pipeline/vocabulary_options.h"
#include "heed/text/batch_size.h"

#pragma GCC visibility push(default)  // exported

namespace heed::pipeline {

struct EmbedCall {
  text::BatchSize batch = {.tokens = 4096};
  // Most tokens of a text that are read, from its first on; 0: as in training.
  std::int64_t longest = 0;
  bool trace = false;
};

struct Embedded {
  Tensor vectors{};                     // [N,D]
  std::vector<std::size_t> left_out{};  // of each text, tokens at its end that were not read
  std::vector<insight::TracedExample> traces{};  // when asked for
};

class TextEmbedder final : public Model {
 public:
  // A folder that `heed train embed` or `heed import` wrote. DataError for one that is damaged or
  // of another task.
  explicit TextEmbedder(const std::filesystem::path& folder);

  // BadText for a text that is none.
  Embedded embed(std::span<const std::string> texts, const EmbedCall& call = {}) const;
  // How alike two texts are, -1 to 1.
  double cosine(const std::string& first, const std::string& second) const;
  std::int64_t width() const { return model_->width(); }

  // As of every model; an answer is the vector, or for an input with a second text the cosine of
  // both. There are no settings.
  const ModelKind& kind() const override;
  const text::Tokeniser& tokeniser() const { return *tokeniser_; }  // of what it reads
  std::int64_t length(std::string_view text) const override {
    return token_count(tokeniser(), text);
  }
  std::int64_t parameter_count() const override;
  std::vector<std::vector<Answer>> run(std::span<const Input> inputs,
                                       const Settings& settings = {}) const override;
  std::vector<insight::TracedExample> trace(std::span<const Input> inputs,
                                            const Settings& settings = {}) const override;
  void measure(std::span<const std::string> files, ComparedModel& contestant) const override;

 private:
  text::Encoding read(const std::string& text, std::int64_t most, std::size_t* left_out) const;
  std::int64_t most_tokens(std::int64_t asked) const;

  EmbedOptions options_;
  TokeniserPointer tokeniser_;
  std::shared_ptr<models::Embedder> model_;
  std::int64_t trained_longest_ = 0;  // tokens of the longest training text; 0: unknown
};

// The cosine of two vectors, summed in double.
double cosine_of(std::span<const Real> first, std::span<const Real> second);

// A text of those that were searched.
struct Nearest {
  std::size_t place = 0;  // from 0
  double cosine = 0;
};
// The nearest of keys [N,D] to each of queries [Q,D], best first, of equal ones the earlier. All
// are compared: nothing is approximate.
std::vector<std::vector<Nearest>> nearest(const Tensor& queries, const Tensor& keys,
                                          std::size_t count);

// Pairs of which each first text looks for its second among all.
struct PairSearch {
  std::vector<double> found{};    // 1 where it is the nearest, else 0
  std::vector<double> by_rank{};  // one by its rank, from 1
};
PairSearch search_pairs(const Tensor& first, const Tensor& second);

}  // namespace heed::pipeline

#pragma GCC visibility pop
