// SPDX-License-Identifier: Apache-2.0
// Beam search: keeps the `width` best partial outputs of every sentence, one token per step.
#include <algorithm>
#include <cmath>

#include "heed/base/error.h"
#include "heed/base/threads.h"
#include "heed/decoding/frontier.h"
#include "heed/decoding/search.h"
#include "heed/decoding/top_tokens.h"

namespace heed::decoding {
namespace {

// log 0 would say that one source token never looked at costs everything.
constexpr double kLeastCoverage = 1e-6;

// A row of 8,000 tokens takes 2 us: fewer rows do not pay for waking a thread.
constexpr std::size_t kRowsPerThread = 16;

struct Ended {
  std::int32_t node;
  double score;
  bool finished;
};

bool ranks_before(const Ended& a, const Ended& b) {
  return a.finished != b.finished ? a.finished : a.score > b.score;
}

bool scores_before(const Ended& a, const Ended& b) {
  return a.score > b.score;
}

// The best of one sentence that have ended, best first.
struct Best {
  std::vector<Ended> ended{};
  std::int64_t finished = 0;  // how many ever did

  void add(const Ended& one, std::size_t most, bool by_score) {
    finished += one.finished;
    const auto before = by_score ? scores_before : ranks_before;
    ended.insert(std::ranges::upper_bound(ended, one, before), one);
    if (ended.size() > most) ended.pop_back();
  }
  // Whether nothing of this score, or less, can come among the n best any more.
  bool beats(double score, std::size_t n_best) const {
    return ended.size() == n_best && ended.back().finished && ended.back().score >= score;
  }
};

class BeamSearch {
 public:
  BeamSearch(Stepper& stepper, const BeamOptions& options)
      : options_(options),
        length_(options.length.value_or(LengthPenalty{})),
        width_(static_cast<std::size_t>(options.width)),
        n_best_(static_cast<std::size_t>(options.n_best)),
        estimates_(options.stopping == Stopping::estimate),
        frontier_(stepper, {.constraints = options.constraints,
                            .attentions = options.attentions,
                            .coverage = options.coverage != 0}),
        best_(frontier_.sentences()) {}

  std::vector<std::vector<Hypothesis>> run() {
    while (!frontier_.rows().empty()) step();
    std::vector<std::vector<Hypothesis>> all(best_.size());
    for (std::size_t sentence = 0; sentence < best_.size(); ++sentence) {
      for (const Ended& ended : best_[sentence].ended) {
        if (all[sentence].size() == n_best_) break;
        Hypothesis found = frontier_.hypothesis(static_cast<std::int32_t>(sentence), ended.node);
        found.score = ended.score;
        all[sentence].push_back(std::move(found));
      }
    }
    return all;
  }

 private:
  using Choice = Frontier::Choice;
  using Tops = std::vector<std::vector<ScoredToken>>;  // of each row

  void step() {
    const Tensor found = frontier_.step();
    const auto vocabulary = static_cast<std::size_t>(found.size(1));
    // From each row the width + 1 best are enough: one of them may be the end.
    Tops top(frontier_.rows().size());
    parallel_for(top.size(), kRowsPerThread, [&](std::size_t begin, std::size_t end) {
      for (std::size_t row = begin; row < end; ++row) {
        top[row] = top_tokens(std::span(found.data() + row * vocabulary, vocabulary), width_ + 1);
      }
    });
    kept_.clear();
    nodes_.clear();
    // The rows of a sentence are side by side.
    for (std::size_t begin = 0, end = 0; begin < frontier_.rows().size(); begin = end) {
      const std::int32_t sentence = frontier_.rows()[begin].sentence;
      while (end < frontier_.rows().size() && frontier_.rows()[end].sentence == sentence) ++end;
      extend(sentence, candidates(top, begin, end));
    }
    frontier_.go_on(kept_, nodes_);
  }

  // The best continuations of rows begin to end, best first.
  std::vector<Choice> candidates(const Tops& top, std::size_t begin, std::size_t end) {
    std::vector<Choice> all;
    for (std::size_t row = begin; row < end; ++row) {
      for (const ScoredToken& one : top[row]) {
        all.push_back({static_cast<std::int32_t>(row), one.token, one.value});
      }
      if (top[row].empty()) leave(row);
    }
    const std::size_t enough = std::min(all.size(), 2 * width_);
    std::ranges::partial_sort(all, all.begin() + static_cast<std::ptrdiff_t>(enough),
                              [&](const Choice& a, const Choice& b) { return better(a, b); });
    all.resize(enough);
    return all;
  }

  // Of equal ones the earlier row, then the lower token. NaN comes first, so that write() sees it.
  bool better(const Choice& a, const Choice& b) const {
    const double x = frontier_.total(a);
    const double y = frontier_.total(b);
    if (std::isnan(x) || std::isnan(y)) return std::isnan(x) && !std::isnan(y);
    if (x != y) return x > y;
    return a.row != b.row ? a.row < b.row : a.token < b.token;
  }

  // A row without any possible token stays as it is.
  void leave(std::size_t row) {
    const Frontier::Row& last = frontier_.rows()[row];
    const std::int64_t length = std::max<std::int64_t>(frontier_.length() - 1, 1);
    best_[static_cast<std::size_t>(last.sentence)].add(
        {last.node, length_.score(last.total, length), false}, kept_ends(), estimates_);
  }

  void extend(std::int32_t sentence, const std::vector<Choice>& choices) {
    Best& best = best_[static_cast<std::size_t>(sentence)];
    const std::int64_t length = frontier_.length();
    const std::int64_t most = frontier_.limits(sentence).most;
    const std::size_t before = kept_.size();
    for (std::size_t rank = 0; rank < choices.size(); ++rank) {
      const Choice& choice = choices[rank];
      const double total = frontier_.total(choice);
      // All that follow are no better: choices are sorted, and lengths are equal.
      if (!estimates_ && best.beats(length_.bound(total, length, most), n_best_)) break;
      const bool ends = choice.token == text::kEnd;
      if (ends && rank >= width_) continue;
      const std::int32_t node = frontier_.write(choice);
      if (ends || length == most) {
        best.add({node, length_.score(total, length) + covered(sentence, node), ends}, kept_ends(),
                 estimates_);
        continue;
      }
      kept_.push_back(choice);
      nodes_.push_back(node);
      if (kept_.size() - before == width_) break;
    }
    if (done(best, choices, length)) {
      kept_.resize(before);
      nodes_.resize(before);
    }
  }

  // How many that have ended are remembered.
  std::size_t kept_ends() const { return estimates_ ? width_ : n_best_; }

  // Whether a sentence needs no further step.
  bool done(const Best& best, const std::vector<Choice>& choices, std::int64_t length) const {
    const bool enough = best.finished >= static_cast<std::int64_t>(width_);
    if (options_.stopping == Stopping::first) return enough;
    if (!estimates_ || !enough || choices.empty()) return false;
    return best.ended.back().score >= length_.score(frontier_.total(choices.front()), length);
  }

  double covered(std::int32_t sentence, std::int32_t node) const {
    if (options_.coverage == 0) return 0;
    const std::vector<double> weights = frontier_.coverage_of(sentence, node);
    if (weights.empty()) {
      throw UsageError(
          "beam search: coverage penalty {}, and the model has no attention over a source to cover",
          options_.coverage);
    }
    double sum = 0;
    for (const double weight : weights) sum += std::log(std::clamp(weight, kLeastCoverage, 1.0));
    return options_.coverage * sum;
  }

  const BeamOptions& options_;
  LengthPenalty length_;
  std::size_t width_;
  std::size_t n_best_;
  bool estimates_;
  Frontier frontier_;
  std::vector<Best> best_;
  // Rows of the next step, sentence by sentence.
  std::vector<Choice> kept_;
  std::vector<std::int32_t> nodes_;
};

}  // namespace

const std::vector<std::string>& stopping_names() {
  static const std::vector<std::string> names = {"first", "exact", "estimate"};
  return names;
}

std::vector<std::vector<Hypothesis>> beam_search(Stepper& stepper, const BeamOptions& options) {
  if (options.width < 1 || options.n_best < 1 || options.n_best > options.width) {
    throw UsageError("beam search: width {}, n best {}; it takes 1 <= n best <= width",
                     options.width, options.n_best);
  }
  const double alpha = options.length.value_or(LengthPenalty{}).alpha;
  if (!(options.coverage >= 0) || !std::isfinite(options.coverage) || !std::isfinite(alpha)) {
    throw UsageError(
        "beam search: coverage penalty {}, alpha {}; it takes finite ones, coverage "
        "of at least 0",
        options.coverage, alpha);
  }
  return BeamSearch(stepper, options).run();
}

}  // namespace heed::decoding
