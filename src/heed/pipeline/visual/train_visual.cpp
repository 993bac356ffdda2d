// SPDX-License-Identifier: Apache-2.0
// From pictures and questions to a model that answers them.
#include <fmt/format.h>

#include <array>
#include <limits>
#include <memory>
#include <set>

#include "heed/autograd/ops.h"
#include "heed/base/error.h"
#include "heed/base/file.h"
#include "heed/base/text.h"
#include "heed/pipeline/starting_weights.h"
#include "heed/pipeline/visual/picture_answers.h"
#include "heed/pipeline/vocabulary_options.h"
#include "heed/training/drawn_loss.h"

namespace heed::pipeline {
namespace {

using corpora::PictureSet;

constexpr std::int32_t kNotCounted = -1;

std::vector<std::vector<AskedPicture>> questions_by_picture(const PictureSet& set) {
  std::vector<std::vector<AskedPicture>> all;
  for (const AskedPicture& asked : all_questions(set)) {
    if (asked.question == 0) all.emplace_back();
    all.back().push_back(asked);
  }
  return all;
}

PictureAnswering answering_of(const VisualOptions& options, const PictureSet& set) {
  PictureAnswering answering;
  const std::string from = options.goes_on() ? options.out : options.init_from;
  if (!from.empty()) {
    const ModelFolder folder{from};
    answering.words = text::load_tokeniser(folder.file(kTokeniserFile));
    const std::string answers = read_file(folder.file(kPictureAnswersFile));
    for (const std::string_view line : split(answers, '\n')) {
      if (!line.empty()) answering.answers.emplace_back(line);
    }
    return answering;
  }
  std::vector<std::string> lines;
  std::set<std::string> answers;
  for (const AskedPicture& asked : all_questions(set)) {
    lines.push_back(question_of(set, asked).question);
    answers.insert(lower(question_of(set, asked).answer));
  }
  if (lines.empty())
    throw DataError("training: no questions; a table train.questions.tsv has them");
  answering.words = text::train_tokeniser({.kind = text::TokeniserKind::spaced,
                                           .size = std::numeric_limits<text::Token>::max(),
                                           .lower_case = true},
                                          lines);
  answering.answers.assign(answers.begin(), answers.end());
  return answering;
}

class VisualSetup final : public TrainingSetup {
 public:
  VisualSetup(const VisualOptions& options, const Print& print)
      : options_(options),
        pictures_(training_pictures(options.pictures, options.trainer.seed)),
        held_out_(validation_pictures(options.pictures, options.trainer.seed)),
        form_(learnt_from(pictures_, options.pictures, options.init_from)),
        answering_(answering_of(options, pictures_)),
        random_(options.trainer.seed),
        asked_(questions_by_picture(pictures_)),
        order_(asked_.size(), options.trainer.seed),
        drawn_(options.draw) {
    answering_.model = std::make_shared<models::PictureAsker>(
        options.model_for(form_, answering_.words->size(), std::ssize(answering_.answers)),
        random_);
    parameters_ = nn::parameters(*answering_.model);
    for (const AskedPicture& asked : all_questions(pictures_)) {
      const std::string& answer = question_of(pictures_, asked).answer;
      if (answering_.find(answer) >= 0) continue;
      throw DataError("training: the answer \"{}\" is none of those that the model began with",
                      answer);
    }
    start_from(options, parameters_, print);
  }

  nn::Parameters parameters() override { return parameters_; }

  training::Task task() override {
    training::Task task{
        .parameters = {},
        .next_batch_loss = [this](Random& noise) { return next(noise); },
        .position = [this] { return written_place(std::array{order_.place()}); },
        .seek = [this](const std::string& place) { order_.seek(place_numbers(place, 1)[0]); },
        .describe_batch = [this] { return fmt::format("up to picture {}", order_.place()); }};
    if (!all_questions(held_out_).empty()) {
      task.metrics = {{"accuracy", training::Better::higher}, {"loss", training::Better::lower}};
      task.validate = [this] {
        const PictureQuality found = picture_quality(answering_, held_out_, false);
        return training::Metrics{{"accuracy", static_cast<double>(found.all.right) /
                                                  static_cast<double>(found.all.asked)},
                                 {"loss", found.loss}};
      };
    }
    drawn_.join(task);
    return task;
  }

  CardFacts facts() override {
    const models::ImageGridShape grid = answering_.model->encoder().grid();
    return {{"reads", fmt::format("pictures of {} x {} pixels, as {} x {} cells", form_.width,
                                  form_.height, grid.columns, grid.rows)},
            {"looks",
             answering_.model->looks()
                 ? fmt::format("{}, each of {}", options_.hops, options_.attention)
                 : models::picture_reading_names()[static_cast<std::size_t>(options_.reading)]},
            {"parameters", fmt::format("{}", nn::parameter_count(parameters_))},
            {"vocabulary", fmt::format("{} words, {} answers", answering_.words->size(),
                                       answering_.answers.size())}};
  }
  std::string data() const override {
    return fmt::format("{} pictures with {} questions", pictures_.size(),
                       all_questions(pictures_).size());
  }
  std::uint64_t epoch_batches() const override { return order_.epoch_batches(options_.batch); }
  std::uint64_t data_bytes() const override {
    return pictures_.images.pixels.size() + held_out_.images.pixels.size();
  }
  void save_files(const ModelFolder& folder) const override {
    answering_.words->save(folder.file(kTokeniserFile));
    form_.write(folder.file(kLearntPicturesFile));
    write_atomically(folder.file(kPictureAnswersFile), join(answering_.answers, "\n") + "\n");
  }

 private:
  training::BatchLoss next(Random& noise) {
    const std::vector<std::size_t> chosen = order_.next(options_.batch);
    std::size_t each = 0;
    for (const std::size_t one : chosen) each = std::max(each, asked_[one].size());
    std::vector<AskedPicture> batch, pictures;
    std::vector<std::int32_t> wanted;
    double count = 0;
    for (const std::size_t one : chosen) {
      const std::vector<AskedPicture>& questions = asked_[one];
      pictures.push_back(questions.front());
      for (std::size_t q = 0; q < each; ++q) {
        // Of fewer questions than others have the first is asked again, and not counted.
        const bool counts = q < questions.size();
        batch.push_back(questions[counts ? q : 0]);
        wanted.push_back(counts ? answering_.find(question_of(pictures_, batch.back()).answer)
                                : kNotCounted);
        count += counts ? 1 : 0;
      }
    }
    const models::ImageTensors images = answering_.images(pictures_, pictures);
    const models::Sequences questions = answering_.questions(pictures_, batch);
    const Ids targets = Ids::of({std::ssize(wanted)}, wanted);
    const Shape by_picture{std::ssize(chosen), static_cast<std::int64_t>(each)};
    const Variable loss = drawn_(noise, [&](const models::Call& call, attention::Draws&) {
      const Variable logits = (*answering_.model)(images, questions, call);
      const auto losses = [logits, targets](Reduction reduction) {
        return cross_entropy(logits, targets, {.ignored = kNotCounted, .reduction = reduction});
      };
      return training::SequenceLosses{
          .total = losses(Reduction::sum),
          .each = [=] { return sum(reshape(losses(Reduction::none), by_picture), 1).value(); }};
    });
    return {.loss = loss, .weight = count, .words = count, .ends_epoch = order_.ended_epoch()};
  }

  const VisualOptions& options_;
  PictureSet pictures_;
  PictureSet held_out_;
  LearntPictures form_;
  PictureAnswering answering_;
  Random random_;
  std::vector<std::vector<AskedPicture>> asked_;  // of each picture with questions
  PictureOrder order_;
  training::DrawnLoss drawn_;
  nn::Parameters parameters_{};
};

}  // namespace

std::unique_ptr<TrainingSetup> VisualOptions::setup(const Print& print) const {
  return std::make_unique<VisualSetup>(*this, print);
}

}  // namespace heed::pipeline
