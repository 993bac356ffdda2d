// SPDX-License-Identifier: Apache-2.0
// The families of Transformers whose folders Heed reads: what their configs say of a stack, as
// options, and where its parameters come from. Heads on top of them are the kinds' own.
#pragma once

#include <string>

#include "heed/pipeline/foreign/import_plan.h"

namespace heed::pipeline {

struct ForeignStack {
  std::string family{};   // "BERT"
  std::string options{};  // TOML
  std::size_t width = 0;
  std::string activation{};
};

// The encoder of BERT, RoBERTa or DistilBERT, as parameters "PREFIX.embedding" and "PREFIX.stack".
// Takes the prefix of the family off the tensors' names first.
std::int64_t bert_vocabulary(const ForeignFolder& folder);
void strip_family_prefix(ForeignFolder& folder);
ForeignStack bert_stack(const ForeignFolder& folder, const ForeignTokens& tokens,
                        const std::string& prefix, TensorRecipes& recipes);

// The decoder of GPT-2, LLaMA, Mistral or Qwen 2 as parameters "words" and "stack".
ForeignStack gpt_stack(const ForeignFolder& folder, const ForeignTokens& tokens,
                       TensorRecipes& recipes);

// One line of TOML.
std::string toml(const char* name, const std::string& value);  // a text
std::string toml(const char* name, std::int64_t value);
std::string toml(const char* name, double value);
std::string toml_flag(const char* name, bool value);

}  // namespace heed::pipeline
