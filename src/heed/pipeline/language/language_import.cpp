// SPDX-License-Identifier: Apache-2.0
// Language models of other programs: GPT-2, LLaMA, Mistral and Qwen 2.
#include "heed/base/error.h"
#include "heed/pipeline/foreign/stack_recipes.h"
#include "heed/pipeline/vocabulary_options.h"

namespace heed::pipeline {
namespace {

// What a text begins after, of TextBegin's names.
std::string text_begin(const ForeignFolder& folder, const ForeignTokens& tokens) {
  if (!tokens.frame.begin.empty()) return "begin";
  // LLaMA 3.0's tokenizer.json has no template, and its model was trained with one.
  const bool llama = folder.config.root().at("model_type").text() == "llama";
  return llama && tokens.numbers.original(text::kBegin) >= 0 ? "begin" : "nothing";
}

ImportPlan plan(ForeignFolder& folder) {
  const bool gpt2 = folder.config.root().at("model_type").text() == "gpt2";
  folder.weights.strip(gpt2 ? "transformer." : "model.");
  ImportPlan plan{.recipes = TensorRecipes(folder.weights)};
  ForeignTokens tokens =
      foreign_tokens(folder, folder.config.size("vocab_size", gpt2 ? 50257 : 32000));
  const auto end = tokens.vocabulary.special.end;
  if (!end) {
    folder.config.root().fail(
        "eos_token_id is missing, and no piece of the vocabulary ends a text");
  }
  // A text's begin is its end where there is only one of them.
  if (tokens.numbers.original(text::kBegin) < 0) tokens.copies[text::kBegin] = *end;
  const ForeignStack stack = gpt_stack(folder, tokens, plan.recipes);
  const std::string words = gpt2 ? "wte.weight" : "embed_tokens.weight";
  const ForeignTensor* output = folder.weights.find("lm_head.weight");
  const ForeignTensor* table = folder.weights.find(words);
  const bool own = output != nullptr && (table == nullptr || !folder.weights.same(*table, *output));
  const bool tied = folder.config.truth("tie_word_embeddings", gpt2);
  if (output == nullptr && !tied) {
    folder.config.root().fail(
        "tie_word_embeddings is false, and lm_head.weight is not among the tensors");
  }
  if (own) {
    take_token_rows(plan.recipes, tokens, "output", "lm_head.weight", stack.width);
    if (tied) {
      plan.warnings.push_back(
          "the config says that the output is the table of embeddings, and the file has another: "
          "the output gets its own");
    }
  } else if (output != nullptr) {
    plan.recipes.drop("lm_head.weight", "a copy of the embeddings");
  }
  take_output_bias(plan.recipes, tokens, "output_bias", "");
  plan.family = stack.family;
  plan.options = toml("model", std::string("gpt")) + stack.options + toml_flag("tied", !own) +
                 toml("line-ends", std::string("kept")) +
                 toml("text-begin", text_begin(folder, tokens));
  plan.tokens = tokens.size();
  plan.vocabularies[kTokeniserFile] = std::move(tokens.vocabulary);
  return plan;
}

const ListedImporter kListed({.kind = "language",
                              .architectures = {"GPT2LMHeadModel", "LlamaForCausalLM",
                                                "MistralForCausalLM", "Qwen2ForCausalLM"},
                              .plan = plan});

}  // namespace
}  // namespace heed::pipeline
