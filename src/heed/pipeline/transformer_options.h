// SPDX-License-Identifier: Apache-2.0
// The options of a stack of Transformer layers, as command lines and config files name them.
#pragma once

#include <cstdint>
#include <string>

#include "heed/base/options.h"
#include "heed/models/transformer_stack.h"

namespace heed::pipeline {

struct StackOptions {
  std::int64_t width = 256;
  std::int64_t heads = 8;
  std::int64_t key_heads = 0;
  std::int64_t inner = 1024;
  double inner_dropout = 0;
  Activation activation = Activation::relu;
  models::NormPlace norm = models::NormPlace::pre;
  models::Positions positions = models::Positions::sinusoidal;
  std::int64_t longest = 512;

  // What --longest bounds is another thing where it is the context.
  void declare_stack(
      Options& options,
      std::string longest_help =
          "Transformer: how many positions are learned, including that of a text's end");
  // The stack they ask for; its layers, mechanisms and other dropout are left to the model.
  models::TransformerStackOptions stack() const;
};

}  // namespace heed::pipeline
