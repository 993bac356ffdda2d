// SPDX-License-Identifier: Apache-2.0
// Training on rows in random order; the code is sent in portions that double.
#include "heed/insight/probe/probe.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <numeric>
#include <span>

#include "heed/autograd/ops.h"
#include "heed/base/error.h"
#include "heed/base/random.h"
#include "heed/nn/linear.h"
#include "heed/training/optimiser.h"

namespace heed::insight {
namespace {

using ProbeLabels = std::vector<std::int32_t>;
using ProbeRows = std::vector<std::size_t>;

constexpr std::size_t kProbeBatch = 32;
// Few rows are seen more often than they are asked to be: less would not be learnt at all.
constexpr std::int64_t kLeastProbeUpdates = 300;
constexpr double kProbeDecay = .01;  // of weights, so that few rows are not learnt by heart
// Shares of the rows after which the code's model is trained anew (Voita & Titov 2020).
constexpr double kPortions[] = {.001, .002, .004, .008, .016, .032, .0625, .125, .25, .5, 1};

std::int32_t class_count(const ProbeLabels& labels) {
  return *std::ranges::max_element(labels) + 1;
}

// Vectors with mean 0 and deviation 1 in every feature, of the rows learnt from.
Tensor standardised(const ProbeData& data) {
  Tensor rows = data.vectors.clone();
  const std::int64_t width = rows.size(1);
  for (std::int64_t d = 0; d < width; ++d) {
    double sum = 0, squares = 0;
    for (std::size_t i = 0; i < data.learnt; ++i) {
      const double one = rows.data()[static_cast<std::int64_t>(i) * width + d];
      sum += one;
      squares += one * one;
    }
    const auto count = static_cast<double>(data.learnt);
    const double mean = sum / count;
    const double deviation = std::sqrt(std::max(squares / count - mean * mean, 0.0)) + 1e-6;
    for (std::int64_t i = 0; i < rows.size(0); ++i) {
      Real& one = rows.mutable_data()[i * width + d];
      one = static_cast<Real>((static_cast<double>(one) - mean) / deviation);
    }
  }
  return rows;
}

class Probe {
 public:
  Probe(std::int64_t width, std::int32_t classes, const ProbeOptions& options)
      : options_(options), random_(options.seed) {
    if (options.hidden > 0) {
      hidden_ = nn::Linear(width, options.hidden, random_);
      width = options.hidden;
    }
    output_ = nn::Linear(width, classes, random_);
  }
  void visit(nn::ParameterVisitor& visitor) {
    visitor("hidden", hidden_);
    visitor("output", output_);
  }

  void train(const Tensor& rows, const ProbeLabels& labels, ProbeRows learnt) {
    training::Optimiser optimiser(nn::parameters(*this),
                                  training::Adam{.weight_decay = kProbeDecay});
    const auto batches = static_cast<std::int64_t>((learnt.size() + kProbeBatch - 1) / kProbeBatch);
    for (std::int64_t epoch = 0; epoch < options_.epochs || epoch * batches < kLeastProbeUpdates;
         ++epoch) {
      random_.shuffle(learnt);
      for (std::size_t begin = 0; begin < learnt.size(); begin += kProbeBatch) {
        const auto some =
            std::span(learnt).subspan(begin, std::min(kProbeBatch, learnt.size() - begin));
        backward(cross_entropy(scores(rows, some), wanted(labels, some)));
        optimiser.step({.learning_rate = options_.rate});
      }
    }
  }
  // Of these rows: how many are right, and their code in bits.
  struct Judged {
    double right = 0, bits = 0;
  };
  Judged judge(const Tensor& rows, const ProbeLabels& labels, const ProbeRows& asked) const {
    const NoGradient values_only;
    constexpr std::size_t kAtOnce = 1024;
    Judged found;
    for (std::size_t begin = 0; begin < asked.size(); begin += kAtOnce) {
      const auto some = std::span(asked).subspan(begin, std::min(kAtOnce, asked.size() - begin));
      const Tensor logits = scores(rows, some).value().packed();
      found.bits +=
          static_cast<double>(
              cross_entropy(logits, wanted(labels, some), {.reduction = Reduction::sum}).item()) /
          std::numbers::ln2;
      const std::int64_t classes = logits.size(1);
      for (std::size_t i = 0; i < some.size(); ++i) {
        const Real* row = logits.data() + static_cast<std::int64_t>(i) * classes;
        found.right += std::max_element(row, row + classes) - row == labels[some[i]] ? 1 : 0;
      }
    }
    return found;
  }

 private:
  static Ids wanted(const ProbeLabels& labels, std::span<const std::size_t> rows) {
    Ids ids({static_cast<std::int64_t>(rows.size())});
    for (std::size_t i = 0; i < rows.size(); ++i) ids.mutable_data()[i] = labels[rows[i]];
    return ids;
  }
  Variable scores(const Tensor& rows, std::span<const std::size_t> places) const {
    const std::int64_t width = rows.size(1);
    Tensor some({static_cast<std::int64_t>(places.size()), width});
    for (std::size_t i = 0; i < places.size(); ++i) {
      std::copy_n(rows.data() + static_cast<std::int64_t>(places[i]) * width, width,
                  some.mutable_data() + static_cast<std::int64_t>(i) * width);
    }
    const Variable x(some);
    return output_(options_.hidden > 0 ? hidden_(x, Activation::relu) : x);
  }

  ProbeOptions options_;
  Random random_;
  nn::Linear hidden_, output_;
};

ProbeRows range(std::size_t begin, std::size_t end) {
  ProbeRows rows(end - begin);
  std::iota(rows.begin(), rows.end(), begin);
  return rows;
}

double held_out_accuracy(const Tensor& rows, const ProbeLabels& labels, std::int32_t classes,
                         std::size_t learnt, const ProbeOptions& options) {
  Probe probe(rows.size(1), classes, options);
  probe.train(rows, labels, range(0, learnt));
  const ProbeRows held = range(learnt, labels.size());
  return probe.judge(rows, labels, held).right / static_cast<double>(held.size());
}

// A label for each word, drawn as often as labels are.
ProbeLabels control_labels(const ProbeData& data, std::uint64_t seed) {
  std::map<std::int32_t, std::int32_t> of_word;
  Random random(seed, 1);
  ProbeLabels labels;
  for (const std::int32_t word : data.words) {
    const auto [place, fresh] = of_word.try_emplace(word, 0);
    if (fresh) place->second = data.labels[random.integer(data.labels.size())];
    labels.push_back(place->second);
  }
  return labels;
}

double online_code(const Tensor& rows, const ProbeData& data, std::int32_t classes,
                   const ProbeOptions& options) {
  ProbeRows order = range(0, data.learnt);
  Random random(options.seed, 2);
  random.shuffle(order);
  const double even = std::log2(static_cast<double>(classes));
  double bits = 0;
  std::size_t sent = 0;
  for (const double portion : kPortions) {
    const auto end = static_cast<std::size_t>(portion * static_cast<double>(order.size()));
    if (end <= sent) continue;
    const ProbeRows next(order.begin() + static_cast<std::ptrdiff_t>(sent),
                         order.begin() + static_cast<std::ptrdiff_t>(end));
    if (sent == 0) {
      bits += static_cast<double>(next.size()) * even;
    } else {
      Probe probe(rows.size(1), classes, options);
      probe.train(rows, data.labels,
                  {order.begin(), order.begin() + static_cast<std::ptrdiff_t>(sent)});
      bits += probe.judge(rows, data.labels, next).bits;
    }
    sent = end;
  }
  return bits;
}

void check_probe(const ProbeData& data) {
  const std::size_t rows = data.labels.size();
  if (data.vectors.rank() != 2 || data.vectors.size(0) != static_cast<std::int64_t>(rows) ||
      data.words.size() != rows) {
    throw UsageError("probe: vectors {} for {} labels and {} words; it takes [N,D] of N",
                     data.vectors.shape().text(), rows, data.words.size());
  }
  if (data.learnt == 0 || data.learnt >= rows) {
    throw UsageError("probe: {} of {} words are learnt from; it takes some, and some held out",
                     data.learnt, rows);
  }
  if (std::ranges::min(data.labels) < 0 || class_count(data.labels) < 2) {
    throw UsageError("probe: all words have one label; there is nothing to tell apart");
  }
}

}  // namespace

ProbeResult probe(const ProbeData& data, const ProbeOptions& options) {
  check_probe(data);
  const Tensor rows = standardised(data);
  const std::int32_t classes = class_count(data.labels);
  ProbeResult found;
  found.accuracy = held_out_accuracy(rows, data.labels, classes, data.learnt, options);
  found.control =
      held_out_accuracy(rows, control_labels(data, options.seed), classes, data.learnt, options);
  found.code_bits = online_code(rows, data, classes, options);
  found.uniform_bits = static_cast<double>(data.learnt) * std::log2(static_cast<double>(classes));
  return found;
}

ProbeBaselines probe_baselines(const ProbeData& data) {
  check_probe(data);
  const auto classes = static_cast<std::size_t>(class_count(data.labels));
  std::vector<double> all(classes, 0);
  std::map<std::int32_t, std::vector<double>> by_word;
  for (std::size_t i = 0; i < data.learnt; ++i) {
    const auto label = static_cast<std::size_t>(data.labels[i]);
    ++all[label];
    std::vector<double>& mine = by_word[data.words[i]];
    mine.resize(classes, 0);
    ++mine[label];
  }
  const auto most = [](const std::vector<double>& counts) {
    return std::ranges::max_element(counts) - counts.begin();
  };
  ProbeBaselines found;
  for (std::size_t i = data.learnt; i < data.labels.size(); ++i) {
    const auto known = by_word.find(data.words[i]);
    found.commonest += most(all) == data.labels[i] ? 1 : 0;
    found.by_word += most(known == by_word.end() ? all : known->second) == data.labels[i] ? 1 : 0;
  }
  const auto held = static_cast<double>(data.labels.size() - data.learnt);
  return {found.commonest / held, found.by_word / held};
}

}  // namespace heed::insight
