// SPDX-License-Identifier: Apache-2.0
// Translators of other programs: Marian (OPUS-MT) and T5.
#include <cmath>

#include "heed/base/error.h"
#include "heed/pipeline/choices.h"
#include "heed/pipeline/foreign/translation_stacks.h"
#include "heed/pipeline/translate/translation_choices.h"
#include "heed/pipeline/translate/vocabularies.h"

namespace heed::pipeline {
namespace {

ImportPlan plan(ForeignFolder& folder) {
  const bool marian = folder.config.root().at("model_type").text() == "marian";
  if (marian) folder.weights.strip("model.");
  ImportPlan plan{.recipes = TensorRecipes(folder.weights)};
  const std::int64_t rows = folder.config.size("vocab_size", marian ? 58101 : 32128);
  if (folder.config.size("decoder_vocab_size", rows) != rows) {
    folder.config.root().fail(
        "decoder_vocab_size is not vocab_size; Heed reads Marian models with one vocabulary");
  }
  ForeignTokens tokens = foreign_tokens(folder, rows, TokenSide::source);
  ForeignTokens target = foreign_tokens(folder, rows, TokenSide::target);
  const auto start = folder.token("decoder_start_token_id");
  text::SpecialNumbers special = tokens.vocabulary.special;
  const auto first = start ? std::optional(static_cast<text::Token>(*start)) : special.padding;
  if (!special.end || !first) {
    folder.config.root().fail("eos_token_id or decoder_start_token_id is missing");
  }
  if (*first < 0 || *first >= rows) {
    folder.config.root().fail("decoder_start_token_id {}; there are {} rows", *first, rows);
  }
  // What begins a target is a row of its own, for it may be padding as well.
  special.begin.reset();
  number_tokens(tokens, special);
  number_tokens(target, special);
  tokens.copies[text::kBegin] = *first;
  const ForeignStack stack = marian ? marian_stacks(folder, tokens, plan.recipes)
                                    : t5_stacks(folder, tokens, plan.recipes);
  plan.family = stack.family;
  plan.options = stack.options;  // of the model that translators have unless told otherwise
  plan.tokens = tokens.size();
  plan.vocabularies[kSourceTokeniserFile] = std::move(tokens.vocabulary);
  const double alpha = folder.number("length_penalty", 1);
  if (!(std::abs(alpha) <= 10)) {
    folder.config.root().fail("length_penalty {}; Heed takes -10 to 10", alpha);
  }
  plan.texts[kChoicesFile] = own_length_choice(alpha);
  plan.vocabularies[kTargetTokeniserFile] = std::move(target.vocabulary);
  return plan;
}

const ListedImporter kListed({.kind = "translate",
                              .architectures = {"MarianMTModel", "T5ForConditionalGeneration"},
                              .plan = plan});

}  // namespace
}  // namespace heed::pipeline
