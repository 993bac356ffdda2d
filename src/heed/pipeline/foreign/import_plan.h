// SPDX-License-Identifier: Apache-2.0
// How one folder that was written elsewhere becomes a model of Heed's: the options of its kind,
// where each parameter's values come from, its vocabularies. A kind lists how it takes which
// architectures:
//
//   const ListedImporter kListed({.kind = "masked", .architectures = {"BertForMaskedLM"},
//                                 .plan = plan});
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "heed/nn/module.h"
#include "heed/pipeline/foreign/foreign_config.h"
#include "heed/pipeline/foreign/foreign_weights.h"
#include "heed/text/foreign/foreign_tokeniser.h"
#include "heed/text/foreign/vocabulary_files.h"

namespace heed::pipeline {

struct KindOptions;

// A folder as importers see it.
struct ForeignFolder {
  std::filesystem::path path;
  ForeignConfig config;
  ForeignWeights weights;

  explicit ForeignFolder(const std::filesystem::path& folder);
  bool has(const std::string& file) const;
  // generation_config.json goes before config.json.
  std::optional<std::int64_t> token(std::string_view key) const;
  double number(std::string_view key, double otherwise) const;

  std::optional<ForeignConfig> generation{};
  bool second = false;  // whether its model shall read pairs of texts
};

// One parameter of the model: the tensor that it is made of, and how.
struct TensorRecipe {
  std::string parameter;
  std::string tensor;                // the name in ForeignWeights; empty: made by a rule
  std::vector<std::size_t> shape{};  // of the tensor
  // from [the tensor's values] -> to [the parameter's]
  std::function<void(std::span<const Real> from, std::span<Real> to)> convert{};
};

// The recipes of a model, its other tensors, and what is to be said of both.
class TensorRecipes {
 public:
  explicit TensorRecipes(const ForeignWeights& weights) : weights_(weights) {}

  // The tensor as it is; its transpose (GPT-2); rows [first, first + parameter's) of it.
  void take(const std::string& parameter, const std::string& tensor,
            std::vector<std::size_t> shape);
  void take_transposed(const std::string& parameter, const std::string& tensor, std::size_t in,
                       std::size_t out, std::size_t first = 0, std::size_t columns = 0,
                       double factor = 1);
  void take_part(const std::string& parameter, const std::string& tensor,
                 std::vector<std::size_t> shape, std::size_t first_row, double factor = 1);
  // A weight [out, in] and its bias, "NAME.weight" and "NAME.bias".
  void take_linear(const std::string& parameter, const std::string& tensor, std::size_t in,
                   std::size_t out, bool bias = true);
  // A norm: gain and, where it has one, bias.
  void take_norm(const std::string& parameter, const std::string& tensor, std::size_t width,
                 bool bias = true);
  // A weight [rows, in] and its bias, whose rows come in this order.
  void take_ordered_linear(const std::string& parameter, const std::string& tensor, std::size_t in,
                           const std::vector<std::size_t>& order);
  void add(TensorRecipe recipe) { recipes_.push_back(std::move(recipe)); }
  void fill(const std::string& parameter, Real value);

  // Tensors that no model needs, with the reason.
  void drop(const std::string& tensor, const std::string& reason) { dropped_[tensor] = reason; }
  // Those whose names end so.
  void drop_ending(std::string_view ending, const std::string& reason);
  void drop_beginning(std::string_view beginning, const std::string& reason);

  const ForeignWeights& weights() const { return weights_; }
  const std::vector<TensorRecipe>& all() const { return recipes_; }
  const std::map<std::string, std::string>& dropped() const { return dropped_; }

 private:
  const ForeignWeights& weights_;
  std::vector<TensorRecipe> recipes_;
  std::map<std::string, std::string> dropped_;
};

// A vocabulary, and which of its rows stand in for what it does not have.
struct ForeignTokens {
  text::ForeignVocabulary vocabulary{};
  text::TextFrame frame{};  // what its own program puts around a text
  text::Renumbering numbers{};
  std::set<text::Token> written{};  // original numbers that stand for a piece
  // The original numbers that made-up rows are copies of; none: zeros.
  std::map<text::Token, text::Token> copies{};

  text::Token size() const { return numbers.size(); }
};

// Reads the vocabulary of a folder: tokenizer.json, or the files of its class. `rows` is how many
// the model has.
enum class TokenSide { source, target };  // which of them, where a folder has two (Marian)
ForeignTokens foreign_tokens(const ForeignFolder& folder, std::int64_t rows,
                             TokenSide side = TokenSide::source);
// Finishes one: special numbers are known.
void number_tokens(ForeignTokens& tokens, const text::SpecialNumbers& special);

// Rows of tokens [V, width], renumbered; a table [V] where width is 0. Made-up rows are copies or
// `made_up`; rows that no piece stands for, and those that are made up, get `unwritten` where it is
// given.
void take_token_rows(TensorRecipes& recipes, const ForeignTokens& tokens,
                     const std::string& parameter, const std::string& tensor, std::size_t width);
// The bias of an output: that of the file, or zero, and minus infinity for what may not be written.
void take_output_bias(TensorRecipes& recipes, const ForeignTokens& tokens,
                      const std::string& parameter, const std::string& tensor);

struct ImportPlan {
  std::string options{};  // TOML: of the kind
  TensorRecipes recipes;
  // Files of the folder, each a vocabulary or a text.
  std::map<std::string, text::ForeignVocabulary> vocabularies{};
  std::map<std::string, std::string> texts{};
  std::vector<std::string> warnings{};
  std::int64_t tokens = 0;  // of the model's vocabulary
  std::string family{};     // "BERT"
  // The parameters of the model that the options ask for; without it, those of
  // KindOptions::sketch.
  std::function<nn::Parameters(const KindOptions&)> parameters{};
};

struct Importer {
  std::string kind;  // of model
  std::vector<std::string> architectures;
  // The folder may be changed, and must outlive the plan.
  ImportPlan (*plan)(ForeignFolder& folder) = nullptr;
  bool pairs = false;  // whether its models may read pairs of texts
  bool asked = false;  // whether --task must name the kind, for another takes it otherwise
};

// Every importer, in no order.
const std::vector<Importer>& importers();
struct ListedImporter {
  explicit ListedImporter(Importer importer);
};

}  // namespace heed::pipeline
