// SPDX-License-Identifier: Apache-2.0
// logits = E norm(gelu(W h + b)) + c with E the embeddings, h the state of a masked token (the head
// of Devlin 2019's published code).
#include "heed/models/masked_model.h"

#include "heed/autograd/ops.h"
#include "heed/nn/initialisers.h"

namespace heed::models {

MaskedModel::MaskedModel(const TextEncoderOptions& options, Random& random)
    : encoder_(options, random),
      transform_(encoder_.width(), encoder_.words().weight.size(1), random),
      norm_(nn::NormKind::layer, encoder_.words().weight.size(1),
            static_cast<Real>(options.stack.norm_epsilon)),
      output_bias_(nn::parameter(Tensor::zeros({options.vocabulary}))) {}

void MaskedModel::visit(nn::ParameterVisitor& visitor) {
  visitor("encoder", encoder_);
  visitor("transform", transform_);
  visitor("norm", norm_);
  visitor("output_bias", output_bias_);
}

Variable MaskedModel::operator()(const Sequences& text, const Ids& places, const Call& call) const {
  const Variable states = encoder_(text, call).states;
  const Variable wanted = embedding(reshape(states, {-1, states.size(2)}), places);
  return linear(norm_(transform_(wanted, Activation::gelu)), encoder_.words().weight, output_bias_);
}

}  // namespace heed::models
