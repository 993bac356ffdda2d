// SPDX-License-Identifier: Apache-2.0
// Batches: the texts of all jobs in one call of the model, and the results dealt out again.
#include "server/engine/jobs.h"

#include <algorithm>
#include <cmath>

#include "heed/pipeline/masked/masked_options.h"

namespace heed::server {
namespace {

using nlohmann::ordered_json;

// Tokens in one call of a model: the queue has cut the batch already.
constexpr text::BatchSize kWhole{.tokens = 1 << 16};
constexpr int kTokensATurn = 8;

template <typename Own>
std::vector<Own*> all_of(std::span<const Job::Pointer> batch) {
  std::vector<Own*> jobs;
  for (const Job::Pointer& job : batch) jobs.push_back(static_cast<Own*>(job.get()));
  return jobs;
}

ordered_json finite(double value) {
  return std::isfinite(value) ? ordered_json(value) : ordered_json(value > 0 ? 1e308 : -1e308);
}

ordered_json finite_list(const std::vector<float>& values) {
  ordered_json list = ordered_json::array();
  for (const float value : values) list.push_back(finite(value));
  return list;
}

}  // namespace

void TranslateJob::run(std::span<const Pointer> batch) {
  std::vector<std::string> lines;
  for (const TranslateJob* job : all_of<TranslateJob>(batch)) {
    lines.insert(lines.end(), job->request_.texts.begin(), job->request_.texts.end());
  }
  pipeline::TranslateOptions options = request_.options;
  options.batch = kWhole;
  std::vector<pipeline::Translations> all = model_->translator->translate(lines, options);
  std::size_t next = 0;
  for (TranslateJob* job : all_of<TranslateJob>(batch)) {
    for (std::size_t i = 0; i < job->request_.texts.size(); ++i) {
      for (pipeline::Translation& one : all[next]) {
        one.trace = chosen_heads(std::move(one.trace), job->request_.trace);
        one.attentions.clear();
      }
      job->found_.push_back(std::move(all[next++]));
    }
  }
}

ordered_json TranslateJob::answer() const {
  ordered_json results = ordered_json::array();
  for (const pipeline::Translations& text : found_) {
    ordered_json translations = ordered_json::array();
    for (const pipeline::Translation& found : text) {
      ordered_json mine = {{"text", found.text},
                           {"score", finite(found.score)},
                           {"log_probability", finite(found.log_probability)},
                           {"finished", found.finished},
                           {"pieces", found.pieces},
                           {"token_log_probabilities", finite_list(found.token_log_probabilities)}};
      if (request_.trace.wanted) {
        mine["alignment"] = text::to_pharaoh(found.alignment);
        mine["trace"] = trace_json(found.trace, model_->name, model_->task);
      }
      translations.push_back(std::move(mine));
    }
    results.push_back({{"translations", std::move(translations)}});
  }
  return {{"model", model_->name}, {"results", std::move(results)}};
}

void ClassifyJob::run(std::span<const Pointer> batch) {
  std::vector<text::LabelledText> texts;
  for (const ClassifyJob* job : all_of<ClassifyJob>(batch)) {
    texts.insert(texts.end(), job->request_.texts.begin(), job->request_.texts.end());
  }
  const bool traced = request_.trace.wanted;
  std::vector<pipeline::Classification> all =
      model_->classifier->classify(texts, {.attention = traced, .trace = traced, .batch = kWhole});
  std::size_t next = 0;
  for (ClassifyJob* job : all_of<ClassifyJob>(batch)) {
    for (std::size_t i = 0; i < job->request_.texts.size(); ++i) {
      pipeline::Classification& one = all[next++];
      one.trace = chosen_heads(std::move(one.trace), job->request_.trace);
      job->found_.push_back(std::move(one));
    }
  }
}

ordered_json ClassifyJob::answer() const {
  ordered_json results = ordered_json::array();
  for (std::size_t i = 0; i < found_.size(); ++i) {
    ordered_json aspects = ordered_json::array();
    for (std::size_t a = 0; a < found_[i].aspects.size(); ++a) {
      const pipeline::Judgement& judgement = found_[i].aspects[a];
      const text::Aspect& aspect = model_->classifier->labels().aspects()[a];
      ordered_json probabilities = ordered_json::object();
      for (std::size_t c = 0; c < aspect.classes.size(); ++c) {
        probabilities[aspect.classes[c]] = judgement.probabilities[c];
      }
      ordered_json mine = {{"aspect", judgement.aspect},
                           {"label", judgement.label},
                           {"probability", judgement.probability},
                           {"probabilities", std::move(probabilities)}};
      if (request_.trace.wanted) mine["attention"] = judgement.attention;
      aspects.push_back(std::move(mine));
    }
    ordered_json mine = {{"words", found_[i].words}, {"aspects", std::move(aspects)}};
    if (request_.trace.wanted) {
      mine["trace"] = trace_json(found_[i].trace, model_->name, model_->task);
    }
    results.push_back(std::move(mine));
  }
  return {{"model", model_->name}, {"results", std::move(results)}};
}

void ScoreJob::run(std::span<const Pointer> batch) {
  if (model_->translator) {
    score_pairs(batch);
  } else {
    for (ScoreJob* job : all_of<ScoreJob>(batch)) job->score_texts();
  }
}

void ScoreJob::score_pairs(std::span<const Pointer> batch) {
  std::vector<std::string> sources;
  std::vector<std::string> targets;
  for (const ScoreJob* job : all_of<ScoreJob>(batch)) {
    sources.insert(sources.end(), job->request_.texts.begin(), job->request_.texts.end());
    targets.insert(targets.end(), job->request_.targets.begin(), job->request_.targets.end());
  }
  std::vector<pipeline::PairScore> all = model_->translator->score(
      sources, targets, {.batch = kWhole, .trace = request_.trace.wanted});
  std::size_t next = 0;
  for (ScoreJob* job : all_of<ScoreJob>(batch)) {
    for (std::size_t i = 0; i < job->request_.texts.size(); ++i) {
      pipeline::PairScore& one = all[next++];
      job->found_.push_back({one.log_probability, std::move(one.pieces),
                             std::move(one.token_log_probabilities),
                             chosen_heads(std::move(one.trace), job->request_.trace)});
    }
  }
}

void ScoreJob::score_texts() {
  found_.clear();  // of a batch that failed
  for (const std::string& text : request_.texts) {
    const text::LongText tokens = model_->generator->encode(text);
    pipeline::TextScore score = model_->generator->score(tokens, {.trace = request_.trace.wanted});
    Found& mine = found_.emplace_back();
    mine.log_probability = score.log_probability;
    mine.token_log_probabilities = std::move(score.token_log_probabilities);
    for (const text::Token token : tokens.tokens) {
      mine.pieces.push_back(model_->tokeniser().piece(token));
    }
    mine.trace = chosen_heads(std::move(score.trace), request_.trace);
  }
}

ordered_json ScoreJob::answer() const {
  ordered_json results = ordered_json::array();
  for (const Found& one : found_) {
    const auto tokens = static_cast<double>(std::max<std::size_t>(one.pieces.size(), 1));
    ordered_json mine = {{"log_probability", finite(one.log_probability)},
                         {"perplexity", finite(std::exp(-one.log_probability / tokens))},
                         {"pieces", one.pieces},
                         {"token_log_probabilities", finite_list(one.token_log_probabilities)}};
    if (request_.trace.wanted) {
      mine["trace"] = trace_json(one.trace, model_->name, model_->task);
    }
    results.push_back(std::move(mine));
  }
  return {{"model", model_->name}, {"results", std::move(results)}};
}

void FillJob::run(std::span<const Pointer> batch) {
  for (FillJob* job : all_of<FillJob>(batch)) {
    const pipeline::Filler& filler = *job->model_->filler;
    job->found_ = filler.fill(job->request_.text, job->request_.count);
    if (job->request_.trace.wanted) {
      job->trace_ = chosen_heads(filler.trace(job->request_.text), job->request_.trace);
    }
  }
}

ordered_json FillJob::answer() const {
  ordered_json gaps = ordered_json::array();
  for (const std::vector<pipeline::Guess>& guesses : found_) {
    ordered_json gap = ordered_json::array();
    for (const pipeline::Guess& guess : guesses) {
      gap.push_back({{"word", guess.word}, {"probability", guess.probability}});
    }
    gaps.push_back(std::move(gap));
  }
  ordered_json answer = {{"model", model_->name}, {"gaps", std::move(gaps)}};
  if (request_.trace.wanted) answer["trace"] = trace_json(trace_, model_->name, model_->task);
  return answer;
}

void GenerateJob::run(std::span<const Pointer>) {
  writing_ = std::make_unique<pipeline::LanguageGenerator::Writing>(
      *model_->generator, request_.prompt, request_.options);
}

bool GenerateJob::go_on() {
  const bool late = Clock::now() >= deadline();
  for (int i = 0; i < kTokensATurn && !writing_->done() && !late && !cancelled(); ++i) {
    const std::string piece = writing_->next();
    {
      const std::lock_guard lock(mutex_);
      pieces_ += piece;
      text_ += piece;
      ++written_;
    }
    changed_.notify_all();
  }
  if (!writing_->done() && !late && !cancelled()) return true;
  {
    const std::lock_guard lock(mutex_);
    if (!writing_->done()) reason_ = "deadline";
    if (request_.trace.wanted) trace_ = chosen_heads(writing_->finished().trace, request_.trace);
  }
  writing_.reset();
  return false;
}

std::int64_t GenerateJob::written() const {
  const std::lock_guard lock(mutex_);
  return written_;
}

std::string GenerateJob::take_pieces(Clock::time_point until) {
  std::unique_lock lock(mutex_);
  changed_.wait_until(lock, until, [this] { return !pieces_.empty() || has_ended(); });
  return std::exchange(pieces_, {});
}

ordered_json GenerateJob::answer() const {
  const std::lock_guard lock(mutex_);
  ordered_json answer = {
      {"model", model_->name}, {"text", text_}, {"tokens", written_}, {"reason", reason_}};
  if (request_.trace.wanted) answer["trace"] = trace_json(trace_, model_->name, model_->task);
  return answer;
}

}  // namespace heed::server
