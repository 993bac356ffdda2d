// SPDX-License-Identifier: Apache-2.0
// Embeddings, a causal stack, and the output that is mostly the embeddings again.
#include "heed/models/gpt.h"

#include "heed/autograd/ops.h"
#include "heed/base/error.h"
#include "heed/models/word_observer.h"
#include "heed/nn/initialisers.h"
#include "heed/tensor/arithmetic.h"

namespace heed::models {
namespace {

constexpr auto kTiedLength = Real(.2);

GptOptions completed(GptOptions options) {
  if (options.vocabulary < 1 || options.context < 1) {
    throw UsageError("gpt: vocabulary {}, context {}; both take 1 or more", options.vocabulary,
                     options.context);
  }
  options.stack.name = "gpt";
  options.stack.causal = true;
  options.stack.cross = false;
  options.stack.site = {.role = attention::Role::self,
                        .set = "decoder self",
                        .queries = "next",
                        .keys = "text",
                        .stepwise = true};
  options.stack.longest = options.context;
  return options;
}

}  // namespace

Gpt::Gpt(const GptOptions& options, Random& random)
    : options_(completed(options)),
      words_(options_.vocabulary, options_.stack.width, random),
      stack_(options_.stack, random) {
  if (options_.tie != Tie::none) {
    // The way around every layer leads a token's vector to the output, which then foresees the
    // token that was read: with rows of length 1 the loss of tiny shakespeare is 6.6 after the
    // first update, log V being 4.2.
    Tensor& rows = words_.weight.mutable_value();
    rows.assign(rows * kTiedLength);
  } else {
    output_ =
        nn::parameter(nn::glorot_uniform({options_.vocabulary, options_.stack.width}, random));
  }
  output_bias_ = nn::parameter(Tensor::zeros({options_.vocabulary}));
}

void Gpt::visit(nn::ParameterVisitor& visitor) {
  visitor("words", words_);
  visitor("stack", stack_);
  visitor("output", output_);
  visitor("output_bias", output_bias_);
}

DecoderState Gpt::start(std::int64_t) const {
  return {.own = StackState{std::vector<LayerPast>(stack_.size())}};
}

Reading Gpt::read(const DecoderState& state, const Ids& tokens, const Call& call) const {
  check_tokens("gpt", *this, state, tokens);
  Reading reading{.hidden = {}, .state = state};
  const WatchedTable words = watched_table(call, options_.stack.site, words_, tokens);
  reading.hidden = stack_(stack_.embed(words.table, words.ids, state.step, call),
                          {.pasts = reading.state.own.as<StackState>().layers}, call);
  reading.state.step += tokens.size(1);
  return reading;
}

Variable Gpt::logits(const Variable& hidden) const {
  return linear(hidden, options_.tie == Tie::none ? output_ : words_.weight, output_bias_);
}

}  // namespace heed::models
