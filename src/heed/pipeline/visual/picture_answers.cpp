// SPDX-License-Identifier: Apache-2.0
// Batches of questions through the model, and what its looks are worth.
#include "heed/pipeline/visual/picture_answers.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "heed/attention/trace.h"
#include "heed/autograd/ops.h"
#include "heed/base/base64.h"
#include "heed/base/error.h"
#include "heed/base/file.h"
#include "heed/base/text.h"
#include "heed/images/image_file.h"
#include "heed/pipeline/measure.h"
#include "heed/pipeline/model_folder.h"
#include "heed/pipeline/vocabulary_options.h"
#include "heed/text/batch.h"

namespace heed::pipeline {
namespace {

constexpr std::size_t kAskedTogether = 64;

std::vector<float> weights_of(const attention::Trace::Entry& look, std::int64_t row) {
  std::vector<float> all;
  for (std::int64_t l = 0; l < look.weights.size(3); ++l) {
    all.push_back(static_cast<float>(attention::share_of(look.weights.at({row, 0, 0, l}))));
  }
  return all;
}

models::Sequences question_rows(const text::Tokeniser& words,
                                std::span<const std::string> questions) {
  std::vector<text::Tokens> rows;
  for (const std::string& question : questions) {
    rows.push_back(words.encode(question).tokens);
    if (rows.back().empty()) {
      throw UsageError(
          "the question has no words; ask one, such as \"what colour is the cross ?\"");
    }
  }
  return models::sequences(text::pad_rows(rows));
}

}  // namespace

std::vector<AskedPicture> all_questions(const corpora::PictureSet& set) {
  std::vector<AskedPicture> all;
  for (std::size_t p = 0; p < set.of.size(); ++p) {
    for (std::size_t q = 0; q < set.of[p].questions.size(); ++q) all.push_back({p, q});
  }
  return all;
}

const corpora::PictureQuestion& question_of(const corpora::PictureSet& set,
                                            const AskedPicture& asked) {
  return set.of[asked.picture].questions[asked.question];
}

int PictureAnswering::find(const std::string& answer) const {
  const auto found = std::ranges::find(answers, lower(answer));
  return found == answers.end() ? -1 : static_cast<int>(found - answers.begin());
}

models::Sequences PictureAnswering::questions(const corpora::PictureSet& set,
                                              std::span<const AskedPicture> asked) const {
  std::vector<std::string> texts;
  for (const AskedPicture& one : asked) texts.push_back(question_of(set, one).question);
  return question_rows(*words, texts);
}

models::ImageTensors PictureAnswering::images(const corpora::PictureSet& set,
                                              std::span<const AskedPicture> asked) const {
  std::vector<std::size_t> which;
  for (const AskedPicture& one : asked) which.push_back(one.picture);
  return picture_tensors(set.images, which);
}

PictureQuality picture_quality(const PictureAnswering& answering, const corpora::PictureSet& set,
                               bool looks) {
  const NoGradient no_graph;
  const std::vector<AskedPicture> all = all_questions(set);
  const models::ImageGridShape grid = answering.model->encoder().grid();
  PictureQuality quality;
  double known = 0;
  for (std::size_t begin = 0; begin < all.size(); begin += kAskedTogether) {
    const auto part = std::span(all).subspan(begin, std::min(kAskedTogether, all.size() - begin));
    attention::Trace trace;
    const Tensor logits =
        log_softmax((*answering.model)(answering.images(set, part), answering.questions(set, part),
                                       {.watch = looks ? &trace : nullptr}))
            .value()
            .packed();
    for (std::size_t i = 0; i < part.size(); ++i) {
      const corpora::PictureQuestion& asked = question_of(set, part[i]);
      const auto row = static_cast<std::int64_t>(i);
      const Real* const scores = logits.data() + row * logits.size(1);
      const int best = static_cast<int>(std::max_element(scores, scores + logits.size(1)) - scores);
      const int wanted = answering.find(asked.answer);
      const bool right = best == wanted;
      if (wanted >= 0) {
        quality.loss -= static_cast<double>(scores[wanted]);
        known += 1;
      }
      for (PictureQuality::Kind* kind : {&quality.kinds[asked.kind], &quality.all}) {
        ++kind->asked;
        kind->right += right ? 1 : 0;
      }
      quality.right.push_back(right);
      if (asked.regions.empty() || trace.entries().empty()) continue;
      const metrics::GoldCells gold = gold_cells(set, part[i].picture, asked.regions, grid);
      auto& scored = right ? quality.looks_right : quality.looks_wrong;
      scored.resize(trace.entries().size());
      for (std::size_t k = 0; k < scored.size(); ++k) {
        scored[k].add(weights_of(trace.entries()[k], row), gold);
      }
    }
  }
  if (known > 0) quality.loss /= known;
  return quality;
}

PictureAnswerer::PictureAnswerer(const std::filesystem::path& path) {
  const ModelFolder folder{path};
  folder.check("visual");
  folder.read_config(options_.list);
  form_ = LearntPictures::read(folder.file(kLearntPicturesFile));
  answering_.words = text::load_tokeniser(folder.file(kTokeniserFile));
  const std::string answers = read_file(folder.file(kPictureAnswersFile));
  for (const std::string_view line : split(answers, '\n')) {
    if (!line.empty()) answering_.answers.emplace_back(line);
  }
  if (answering_.answers.empty()) {
    throw DataError("{}: no answers; the file is damaged or was changed",
                    folder.file(kPictureAnswersFile).string());
  }
  Random random(0);
  answering_.model = folder.made([&] {
    return std::make_shared<models::PictureAsker>(
        options_.model_for(form_, answering_.words->size(), std::ssize(answering_.answers)),
        random);
  });
  nn::Parameters parameters = nn::parameters(*answering_.model);
  folder.load_weights(parameters);
}

LookedAnswer PictureAnswerer::look(const images::Image& picture,
                                   const std::string& question) const {
  const NoGradient no_graph;
  const images::Image one = picture_in_form(picture, form_, "picture");
  LookedAnswer look{.question = question};
  const text::Encoding encoding = answering_.words->encode(question);
  look.unknown = encoding.unknown;
  attention::Trace trace;
  const std::vector<Real> chances =
      softmax((*answering_.model)(models::image_tensors(std::span(&one, 1)),
                                  question_rows(*answering_.words, std::span(&question, 1)),
                                  {.watch = &trace}))
          .value()
          .values();
  std::vector<std::size_t> order(chances.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::ranges::greater(),
                           [&](std::size_t i) { return chances[i]; });
  for (const std::size_t i : order) {
    look.answers.push_back({answering_.answers[i], static_cast<double>(chances[i])});
  }
  for (const attention::Trace::Entry& entry : trace.entries()) {
    const std::vector<float> weights = weights_of(entry, 0);
    Tensor row({std::ssize(weights)});
    std::ranges::transform(weights, row.mutable_data(),
                           [](float weight) { return static_cast<Real>(weight); });
    look.weights.push_back(row);
    look.densities.push_back(insight::densities_of(entry.densities, 0, 0));
  }
  return look;
}

insight::TracedExample PictureAnswerer::traced(const images::Image& picture,
                                               const LookedAnswer& look) const {
  insight::TracedExample example{
      .title = fmt::format("{} {}", look.question, look.answers.front().text)};
  const models::ImageGridShape cells = grid();
  insight::TokenStrip hops{.name = "hops"}, image{.name = "image"};
  for (std::int64_t l = 0; l < cells.cells(); ++l) {
    image.tokens.push_back(fmt::format("{},{}", l / cells.columns + 1, l % cells.columns + 1));
  }
  Tensor weights({std::ssize(look.weights), cells.cells()});
  for (std::size_t k = 0; k < look.weights.size(); ++k) {
    hops.tokens.push_back(fmt::format("look {}", k + 1));
    std::ranges::transform(look.weights[k].values(),
                           weights.mutable_data() + static_cast<std::int64_t>(k) * cells.cells(),
                           [](Real weight) { return std::max(weight, Real{0}); });
  }
  example.strips = {std::move(hops), std::move(image)};
  example.image = {.strip = "image",
                   .rows = static_cast<int>(cells.rows),
                   .columns = static_cast<int>(cells.columns),
                   .png = images::png_bytes(picture_in_form(picture, form_, "picture"))};
  if (!look.weights.empty()) {
    example.attentions.push_back(
        {.kind = "looks", .queries = "hops", .keys = "image", .heads = {{0, 0, weights}}});
  }
  return example;
}

// ---- as every model ----

std::int64_t PictureAnswerer::parameter_count() const {
  return nn::parameter_count(nn::parameters(*answering_.model));
}

std::int64_t PictureAnswerer::length(std::string_view) const {
  return grid().cells();
}

images::Image PictureAnswerer::parsed(const std::string& text) const {
  const std::optional<std::string> bytes = base64_decode(text);
  if (!bytes) throw UsageError("picture: no base64; give the bytes of a PNG or JPEG file in it");
  try {
    return picture_in_form(images::parse_image({*bytes, "picture"}), form_, "picture");
  } catch (const DataError& error) {
    throw UsageError("{}", error.what());
  }
}

std::vector<std::vector<Answer>> PictureAnswerer::run(std::span<const Input> inputs,
                                                      const Settings& settings) const {
  Options none;
  set(none, settings);
  std::vector<std::vector<Answer>> answers;
  for (const Input& input : inputs)
    answers.push_back(look(parsed(input.text), input.second).answers);
  return answers;
}

std::vector<insight::TracedExample> PictureAnswerer::trace(std::span<const Input> inputs,
                                                           const Settings& settings) const {
  Options none;
  set(none, settings);
  std::vector<insight::TracedExample> examples;
  for (const Input& input : inputs) {
    const images::Image picture = parsed(input.text);
    examples.push_back(traced(picture, look(picture, input.second)));
  }
  return examples;
}

void PictureAnswerer::measure(std::span<const std::string> files, ComparedModel& contestant) const {
  require_files(files, 1, "questions on pictures take one: a table of questions");
  const corpora::PictureSet set = pictures_of_table(files[0], form_);
  const Stopwatch watch;
  const PictureQuality found = picture_quality(answering_, set, false);
  watch.stop(contestant);
  std::vector<double> right;
  for (const bool one : found.right) right.push_back(one ? 1 : 0);
  const std::vector<double> ones(right.size(), 1);
  contestant.sentences = right.size();
  contestant.unit = "questions/s";
  contestant.units = static_cast<double>(right.size());
  contestant.measures = {ratio("right %", right, ones, percent)};
}

}  // namespace heed::pipeline
