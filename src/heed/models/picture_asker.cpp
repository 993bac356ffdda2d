// SPDX-License-Identifier: Apache-2.0
// Questions and looks, all hops by one mechanism. With q_0 the last state of the GRU over the
// question and a(q) what attention reads of the cells,
//
//   r_k = W_k a(q_{k-1})   q_k = q_{k-1} + r_k   answer = W_o ReLU(W [r_K o q_0; q_K])
#include "heed/models/picture_asker.h"

#include "heed/autograd/ops.h"
#include "heed/base/error.h"
#include "heed/text/token.h"

namespace heed::models {

const std::vector<std::string>& picture_reading_names() {
  static const std::vector<std::string> names = {"attention", "mean", "nothing"};
  return names;
}

PictureAsker::PictureAsker(const PictureAskerOptions& options, Random& random)
    : options_(options), encoder_(options.encoder, random) {
  if (options.vocabulary < 1 || options.answers < 1 || options.hops < 1 || options.embedding < 1 ||
      options.hidden < 1) {
    throw UsageError(
        "picture asker: vocabulary {}, {} answers, {} hops, embedding {}, hidden {}; all take 1 or "
        "more",
        options.vocabulary, options.answers, options.hops, options.embedding, options.hidden);
  }
  words_ = nn::Embedding(options.vocabulary, options.embedding, random, text::kPadding);
  question_ = nn::RecurrentNetwork(
      {.cell = nn::Cell::gru, .inputs = options.embedding, .hidden = options.hidden}, random);
  const std::int64_t width = encoder_.width(), hidden = options.hidden;
  if (looks()) {
    mechanism_ = attention::make_attention(
        options.attention, {.query_width = hidden, .key_width = width, .value_width = width},
        random);
    attention::check_stepwise("picture asker", *mechanism_);
  }
  const std::int64_t hops = options.reading == PictureReading::nothing ? 0 : options.hops;
  for (std::int64_t k = 0; k < hops; ++k) reads_.emplace_back(width, hidden, random);
  joined_ = nn::Linear(hops == 0 ? hidden : 2 * hidden, hidden, random);
  output_ = nn::Linear(hidden, options.answers, random);
}

void PictureAsker::visit(nn::ParameterVisitor& visitor) {
  visitor("encoder", encoder_);
  visitor("words", words_);
  visitor("question", question_);
  if (mechanism_) visitor("attention", *mechanism_);
  visitor("reads", reads_);
  visitor("joined", joined_);
  visitor("output", output_);
}

Variable PictureAsker::operator()(const ImageTensors& images, const Sequences& questions,
                                  const Call& call) const {
  const Variable words = words_(questions.ids.transpose());  // [T,B,E]
  const Variable asked = question_(words, {.lengths = questions.lengths}).final[0].h;
  if (options_.reading == PictureReading::nothing) {
    return output_(joined_(asked, Activation::relu));
  }
  const Variable cells = encoder_(images, call).states;  // [B,L,D]
  attention::Memory memory;
  if (looks()) {
    const Variable keys = reshape(cells, cells.shape().inserted(1, 1));
    memory = mechanism_->memory(keys, keys);
  }
  const std::int64_t pictures = cells.size(0), width = cells.size(2), all = asked.size(0);
  if (all % pictures != 0) {
    throw UsageError("picture asker: {} questions on {} images; as many are asked of each", all,
                     pictures);
  }
  const std::int64_t each = all / pictures;
  const auto by_question = [&](const Variable& x) { return reshape(x, {all, width}); };
  const Variable average = looks()
                               ? Variable()
                               : by_question(expand(reshape(mean(cells, 1), {pictures, 1, width}),
                                                    {pictures, each, width}));
  Variable query = asked, read;
  for (std::size_t k = 0; k < reads_.size(); ++k) {
    Variable context = average;
    if (looks()) {
      attention::Site site = kLookSite;
      site.hop = static_cast<int>(k);
      const attention::Attended found =
          mechanism_->attend(reshape(query, {pictures, 1, each, options_.hidden}), memory, {},
                             {.noise = call.noise, .watch = call.watch, .site = site});
      context = by_question(found.context);
    }
    read = reads_[k](context);
    query = query + read;
  }
  return output_(joined_(concat({read * asked, query}, 1), Activation::relu));
}

}  // namespace heed::models
