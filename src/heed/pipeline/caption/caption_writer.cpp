// SPDX-License-Identifier: Apache-2.0
// A model folder in use: captions by a search, then read again for where each word looked.
#include "heed/pipeline/caption/caption_writer.h"

#include <fmt/format.h>

#include <algorithm>

#include "heed/attention/trace.h"
#include "heed/base/error.h"
#include "heed/base/text.h"
#include "heed/decoding/search.h"
#include "heed/decoding/translation_stepper.h"
#include "heed/images/image_file.h"
#include "heed/metrics/bleu.h"
#include "heed/models/sequences.h"
#include "heed/pipeline/model_folder.h"
#include "heed/pipeline/tracing.h"
#include "heed/pipeline/vocabulary_options.h"
#include "heed/text/batch.h"

namespace heed::pipeline {
namespace {

constexpr std::size_t kCaptionsTogether = 64;
constexpr double kLongestCaption = 60;

std::vector<float> as_floats(const Tensor& row) {
  std::vector<float> all;
  for (const Real weight : row.values()) all.push_back(static_cast<float>(weight));
  return all;
}

}  // namespace

void CaptionSearch::declare(Options& options) {
  options.add("beam", beam, "captions that are followed side by side; 1: the likeliest word")
      .range(1, 1000);
}

std::vector<WrittenCaption> write_captions(const models::Captioner& model,
                                           const models::ImageTensors& images,
                                           const text::Tokeniser& tokeniser,
                                           const CaptionSearch& search) {
  const NoGradient no_graph;
  const std::int64_t count = images.pixels.size(0);
  decoding::TranslationStepper stepper(
      {{&model.decoder(), model.encode(images, {})}},
      Ids::full({count}, static_cast<std::int32_t>(model.encoder().grid().cells())));
  decoding::Constraints constraints{.most = {.per_source = 0, .constant = kLongestCaption}};
  constraints.forbidden.push_back(text::kUnknown);
  std::vector<WrittenCaption> found;
  for (const auto& one : decoding::beam_search(
           stepper, {.width = search.beam,
                    .length = decoding::LengthPenalty{decoding::LengthScale::none, 0},
                    .constraints = std::move(constraints)})) {
    found.push_back({tokeniser.decode(one.front().tokens).text, one.front().tokens,
                     one.front().log_probability});
  }
  return found;
}

CaptionWriter::CaptionWriter(const std::filesystem::path& path) {
  const ModelFolder folder{path};
  folder.check("caption");
  folder.read_config(options_.list);
  form_ = LearntPictures::read(folder.file(kLearntPicturesFile));
  tokeniser_ = text::load_tokeniser(folder.file(kTokeniserFile));
  Random random(0);
  model_ = folder.made([&] {
    return std::make_shared<models::Captioner>(options_.model_for(form_, tokeniser_->size()),
                                               random);
  });
  nn::Parameters parameters = nn::parameters(*model_);
  folder.load_weights(parameters);
}

std::vector<WrittenCaption> CaptionWriter::write(std::span<const images::Image> pictures,
                                                 const CaptionSearch& search) const {
  std::vector<WrittenCaption> all;
  for (std::size_t begin = 0; begin < pictures.size(); begin += kCaptionsTogether) {
    std::vector<images::Image> part;
    for (std::size_t i = begin; i < std::min(pictures.size(), begin + kCaptionsTogether); ++i) {
      part.push_back(picture_in_form(pictures[i], form_, "picture"));
    }
    for (WrittenCaption& one :
         write_captions(*model_, models::image_tensors(part), *tokeniser_, search)) {
      all.push_back(std::move(one));
    }
  }
  return all;
}

LookedCaption CaptionWriter::reread(const models::ImageTensors& image,
                                    WrittenCaption written) const {
  const NoGradient no_graph;
  LookedCaption look{.written = std::move(written)};
  look.words = pieces_of(*tokeniser_, look.written.tokens);
  text::Tokens row = look.written.tokens;
  row.push_back(text::kEnd);
  const models::Sequences target = models::sequences(text::pad_rows(std::span(&row, 1)));
  attention::Trace trace;
  const models::Decoded all = model_->decoder().decode(model_->encode(image, {}), target,
                                                       {.watch = attends() ? &trace : nullptr});
  const auto words = std::ssize(look.words);
  if (all.weights.defined()) {
    look.weights = all.weights.value().select(0, 0).slice(0, 0, words).packed();
  }
  for (const attention::Trace::Entry& entry : trace.entries()) {
    for (std::int64_t q = 0; q < entry.weights.size(2); ++q) {
      if (!entry.densities.moments.defined() || std::ssize(look.densities) == words) continue;
      look.densities.push_back(insight::densities_of(entry.densities, 0, q));
    }
  }
  for (std::int64_t t = 0; t < words && all.gates.defined(); ++t) {
    look.gates.push_back(static_cast<double>(all.gates.value().at({0, t})));
  }
  return look;
}

LookedCaption CaptionWriter::look(const images::Image& picture, const CaptionSearch& search) const {
  const images::Image one = picture_in_form(picture, form_, "picture");
  const models::ImageTensors image = models::image_tensors(std::span(&one, 1));
  return reread(image, write_captions(*model_, image, *tokeniser_, search).front());
}

insight::TracedExample CaptionWriter::traced(const images::Image& picture,
                                             const LookedCaption& look) const {
  insight::TracedExample example{.title = look.written.caption};
  const models::ImageGridShape cells = grid();
  std::vector<std::string> places;
  for (std::int64_t l = 0; l < cells.cells(); ++l) {
    places.push_back(fmt::format("{},{}", l / cells.columns + 1, l % cells.columns + 1));
  }
  example.strips = {{.name = "source", .tokens = std::move(places)},
                    {.name = "target", .tokens = look.words}};
  example.image = {.strip = "source",
                   .rows = static_cast<int>(cells.rows),
                   .columns = static_cast<int>(cells.columns),
                   .png = images::png_bytes(picture_in_form(picture, form_, "picture"))};
  if (!look.weights.defined() || look.words.empty()) return example;
  const Tensor weights = look.weights;
  const decoding::AttentionPath path{{.role = attention::Role::cross,
                                      .set = "cross",
                                      .queries = "target",
                                      .keys = "source",
                                      .stepwise = true},
                                     weights.reshape(weights.shape().inserted(0, 1))};
  add_attentions(example, std::span(&path, 1));
  return example;
}

CaptionQuality CaptionWriter::quality(const corpora::PictureSet& set,
                                      const CaptionSearch& search) const {
  CaptionQuality quality;
  std::vector<std::string> references;
  const auto size = static_cast<std::size_t>(set.size());
  for (std::size_t begin = 0; begin < size; begin += kCaptionsTogether) {
    std::vector<std::size_t> which;
    for (std::size_t i = begin; i < std::min(size, begin + kCaptionsTogether); ++i) {
      which.push_back(i);
    }
    const models::ImageTensors images = picture_tensors(set.images, which);
    const auto written = write_captions(*model_, images, *tokeniser_, search);
    for (std::size_t i = 0; i < which.size(); ++i) {
      const corpora::Pictured& said = set.of[which[i]];
      const bool right = written[i].caption == lower(said.caption);
      quality.exact += right ? 1 : 0;
      quality.right.push_back(right);
      quality.captions.push_back(written[i].caption);
      references.push_back(lower(said.caption));
      if (!right || !attends() || said.links.empty()) continue;
      const LookedCaption look = reread(
          {images.pixels.slice(0, static_cast<std::int64_t>(i), static_cast<std::int64_t>(i) + 1)
               .packed()},
          written[i]);
      for (std::size_t w = 0; w < said.links.size(); ++w) {
        if (said.links[w].empty()) continue;
        const metrics::GoldCells gold = gold_cells(set, which[i], said.links[w], grid());
        const auto row = static_cast<std::int64_t>(w);
        quality.at_word.add(as_floats(look.weights.select(0, row).packed()), gold);
        if (row + 1 < look.weights.size(0)) {
          quality.after_word.add(as_floats(look.weights.select(0, row + 1).packed()), gold);
        }
      }
    }
  }
  quality.pictures = set.size();
  quality.bleu = metrics::corpus_bleu(quality.captions, std::span(&references, 1)).score;
  return quality;
}

}  // namespace heed::pipeline
