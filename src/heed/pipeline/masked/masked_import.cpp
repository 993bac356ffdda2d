// SPDX-License-Identifier: Apache-2.0
// Masked language models of other programs: BERT, RoBERTa and DistilBERT with their heads.
#include "heed/base/error.h"
#include "heed/pipeline/foreign/stack_recipes.h"
#include "heed/pipeline/vocabulary_options.h"

namespace heed::pipeline {
namespace {

struct HeadNames {
  std::string dense, norm, bias;
  // A second copy of the embeddings, and of the bias, that some files have.
  std::string table, other_bias;
};

HeadNames head_of(const std::string& family) {
  if (family == "RoBERTa") {
    return {"lm_head.dense", "lm_head.layer_norm", "lm_head.bias", "lm_head.decoder.weight",
            "lm_head.decoder.bias"};
  }
  if (family == "DistilBERT") {
    return {"vocab_transform", "vocab_layer_norm", "vocab_projector.bias", "vocab_projector.weight",
            ""};
  }
  return {"cls.predictions.transform.dense", "cls.predictions.transform.LayerNorm",
          "cls.predictions.bias", "cls.predictions.decoder.weight", "cls.predictions.decoder.bias"};
}

// Drops a tensor that says again what another one says.
void drop_copy(const ForeignWeights& weights, TensorRecipes& recipes, const std::string& copy,
               const std::string& of) {
  const ForeignTensor* second = copy.empty() ? nullptr : weights.find(copy);
  const ForeignTensor* first = weights.find(of);
  if (second == nullptr || first == nullptr) return;
  if (!weights.same(*first, *second)) {
    throw DataError(
        "{}: \"{}\" is not the copy of \"{}\" that it should be; Heed's models of masked words "
        "have one table for both",
        second->file, second->stored_name, first->stored_name);
  }
  recipes.drop(copy, fmt::format("a copy of {}", first->stored_name));
}

ImportPlan plan(ForeignFolder& folder) {
  strip_family_prefix(folder);
  ImportPlan plan{.recipes = TensorRecipes(folder.weights)};
  ForeignTokens tokens = foreign_tokens(folder, bert_vocabulary(folder));
  const ForeignStack stack = bert_stack(folder, tokens, "encoder", plan.recipes);
  if (stack.family != "RoBERTa" && stack.activation != "gelu") {
    folder.config.root().fail("activation {}; the head of Heed's models of masked words has gelu",
                              stack.activation);
  }
  const HeadNames head = head_of(stack.family);
  plan.recipes.take_linear("transform", head.dense, stack.width, stack.width);
  plan.recipes.take_norm("norm", head.norm, stack.width);
  take_output_bias(plan.recipes, tokens, "output_bias", head.bias);
  drop_copy(folder.weights, plan.recipes, head.table, "embeddings.word_embeddings.weight");
  drop_copy(folder.weights, plan.recipes, head.other_bias, head.bias);
  plan.recipes.drop_beginning("pooler.", "a layer over the first token, which this head has not");
  plan.family = stack.family;
  plan.options = stack.options;
  plan.tokens = tokens.size();
  plan.vocabularies[kTokeniserFile] = std::move(tokens.vocabulary);
  return plan;
}

const ListedImporter kListed({.kind = "masked",
                              .architectures = {"BertForMaskedLM", "BertForPreTraining",
                                                "RobertaForMaskedLM", "DistilBertForMaskedLM"},
                              .plan = plan});

}  // namespace
}  // namespace heed::pipeline
