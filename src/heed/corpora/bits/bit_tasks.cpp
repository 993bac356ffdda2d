// SPDX-License-Identifier: Apache-2.0
// Vectors drawn, and vectors laid out as steps.
#include "heed/corpora/bits/bit_tasks.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <numeric>

#include "heed/base/error.h"
#include "heed/base/random.h"

namespace heed::corpora {
namespace {

constexpr std::uint64_t kStream = 0x62697473;
constexpr std::uint64_t kBatchStreams = 1ULL << 20;  // sequences of a batch at most

// Writes a sequence step by step.
class Steps {
 public:
  explicit Steps(const BitForm& form) : form_(form) {}

  // Shows the bits, and 1 in channel `mark` behind them where it is not negative.
  void show(std::span<const std::int8_t> bits, std::int64_t mark = -1, double number = 1) {
    const auto inputs = static_cast<std::size_t>(form_.inputs());
    std::vector<float> row(inputs, 0);
    for (std::size_t i = 0; i < bits.size(); ++i) row[i] = static_cast<float>(bits[i]);
    if (mark >= 0) row[static_cast<std::size_t>(form_.bits + mark)] = static_cast<float>(number);
    made_.inputs.insert(made_.inputs.end(), row.begin(), row.end());
    made_.targets.insert(made_.targets.end(), static_cast<std::size_t>(form_.outputs()), kUnasked);
    ++made_.steps;
  }
  // Sets a channel of the step shown last.
  void also(std::int64_t mark, double number) {
    made_.inputs[static_cast<std::size_t>((made_.steps - 1) * form_.inputs() + form_.bits + mark)] =
        static_cast<float>(number);
  }
  // Asks for these bits in the step shown last; what they leave over is 0.
  void ask(std::span<const std::int8_t> bits) {
    auto* row = &made_.targets[static_cast<std::size_t>((made_.steps - 1) * form_.outputs())];
    std::fill(row, row + form_.outputs(), std::int8_t{0});
    std::ranges::copy(bits, row);
  }
  void show_nothing_and_ask(std::span<const std::int8_t> bits) {
    show({});
    ask(bits);
  }

  BitSequence made_{};

 private:
  const BitForm& form_;
};

void require_width(const BitForm& form, std::span<const BitVector> vectors,
                   const std::string& where) {
  if (vectors.empty()) throw UsageError("{}: no vectors; write bits such as 1011", where);
  for (std::size_t i = 0; i < vectors.size(); ++i) {
    if (std::ssize(vectors[i].bits) != form.bits) {
      throw UsageError("{}: vector {} has {} bits; the task has vectors of {}", where, i + 1,
                       vectors[i].bits.size(), form.bits);
    }
  }
}

BitSequence copied(const BitForm& form, std::span<const BitVector> vectors) {
  Steps steps(form);
  for (const BitVector& vector : vectors) steps.show(vector.bits);
  steps.show({}, 0);
  for (const BitVector& vector : vectors) steps.show_nothing_and_ask(vector.bits);
  return steps.made_;
}

// The number as the training had it: of mean 0 and variance 1 over 1 to the most.
double scaled_repeats(const BitForm& form, double repeats) {
  const auto most = static_cast<double>(form.most_repeats);
  if (form.most_repeats <= 1) return repeats - 1;
  return (repeats - (most + 1) / 2) / std::sqrt((most * most - 1) / 12);
}

BitSequence repeated(const BitForm& form, std::span<const BitVector> vectors,
                     const std::string& where) {
  const std::optional<double>& number = vectors.back().number;
  if (!number || *number < 1 || *number > 1000 || *number != std::floor(*number)) {
    throw UsageError(
        "{}: {}; the last vector says how often, from 1 to 1000, as 1011:3 does", where,
        number ? fmt::format("{} repeats", *number) : std::string("no number of repeats"));
  }
  Steps steps(form);
  for (const BitVector& vector : vectors) steps.show(vector.bits);
  steps.show({}, 0);
  steps.also(1, scaled_repeats(form, *number));
  for (int repeat = 0; repeat < static_cast<int>(*number); ++repeat) {
    for (const BitVector& vector : vectors) steps.show_nothing_and_ask(vector.bits);
  }
  std::vector<std::int8_t> end(static_cast<std::size_t>(form.outputs()), 0);
  end.back() = 1;
  steps.show_nothing_and_ask(end);
  return steps.made_;
}

BitSequence recalled(const BitForm& form, std::span<const BitVector> vectors,
                     const std::string& where) {
  const auto count = std::ssize(vectors);
  if (count % kItemVectors != 0 || count < 3 * kItemVectors) {
    throw UsageError(
        "{}: {} vectors; items have {} each: give two items or more, then the one that is asked "
        "for",
        where, count, kItemVectors);
  }
  const auto item = [&](std::int64_t i) {
    return vectors.subspan(static_cast<std::size_t>(i * kItemVectors),
                           static_cast<std::size_t>(kItemVectors));
  };
  const std::int64_t items = count / kItemVectors - 1;
  std::int64_t found = 0;
  while (found + 1 < items &&
         !std::ranges::equal(item(found), item(items), {}, &BitVector::bits, &BitVector::bits)) {
    ++found;
  }
  if (found + 1 >= items) {
    throw UsageError("{}: the last {} vectors are none of the items that another follows", where,
                     kItemVectors);
  }
  Steps steps(form);
  for (std::int64_t i = 0; i < items; ++i) {
    steps.show({}, 0);
    for (const BitVector& vector : item(i)) steps.show(vector.bits);
  }
  steps.show({}, 1);
  for (const BitVector& vector : item(items)) steps.show(vector.bits);
  steps.show({}, 1);
  for (const BitVector& vector : item(found + 1)) steps.show_nothing_and_ask(vector.bits);
  return steps.made_;
}

// Each bit is shown, and from the last of the first context on the next one asked for.
BitSequence predicted(const BitForm& form, std::span<const BitVector> vectors,
                      const std::string& where) {
  std::vector<std::int8_t> bits;
  for (const BitVector& vector : vectors) {
    bits.insert(bits.end(), vector.bits.begin(), vector.bits.end());
  }
  if (std::ssize(bits) <= kNgramContext) {
    throw UsageError("{}: {} bits; the first {} are only looked at, so give more", where,
                     bits.size(), kNgramContext);
  }
  Steps steps(form);
  for (std::size_t t = 0; t + 1 < bits.size(); ++t) {
    steps.show(std::span(&bits[t], 1));
    if (static_cast<std::int64_t>(t) + 1 >= kNgramContext) steps.ask(std::span(&bits[t + 1], 1));
  }
  return steps.made_;
}

std::int64_t kept_of(std::int64_t length) {
  return std::max<std::int64_t>(1, length * 4 / 5);
}

BitSequence sorted(const BitForm& form, std::span<const BitVector> vectors,
                   const std::string& where) {
  for (std::size_t i = 0; i < vectors.size(); ++i) {
    if (!vectors[i].number || !(std::abs(*vectors[i].number) <= 1)) {
      throw UsageError("{}: vector {} has no priority from -1 to 1; write it as 1011:0.5", where,
                       i + 1);
    }
  }
  std::vector<std::size_t> order(vectors.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::ranges::greater{},
                           [&](std::size_t i) { return *vectors[i].number; });
  Steps steps(form);
  for (const BitVector& vector : vectors) steps.show(vector.bits, 1, *vector.number);
  steps.show({}, 0);
  const auto kept = static_cast<std::size_t>(kept_of(std::ssize(vectors)));
  for (std::size_t i = 0; i < kept; ++i) steps.show_nothing_and_ask(vectors[order[i]].bits);
  return steps.made_;
}

BitSequence as_given(const BitForm& form, std::span<const BitVector> vectors,
                     const std::string& where) {
  Steps steps(form);
  for (std::size_t i = 0; i < vectors.size(); ++i) {
    const std::vector<std::int8_t>& target = vectors[i].target;
    if (!target.empty() && std::ssize(target) != form.answers) {
      throw UsageError("{}: step {} asks for {} bits; the task has {}", where, i + 1, target.size(),
                       form.answers);
    }
    steps.show(vectors[i].bits);
    if (!target.empty()) steps.ask(target);
  }
  return steps.made_;
}

BitVector drawn_vector(const BitForm& form, Random& random) {
  BitVector vector;
  for (std::int64_t i = 0; i < form.bits; ++i) {
    vector.bits.push_back(static_cast<std::int8_t>(random.next_u32() >> 31));
  }
  return vector;
}

// Chances of a 1 after each context: Beta(1/2,1/2), whose distribution function sin² inverts.
std::vector<BitVector> drawn_ngrams(std::int64_t length, Random& random) {
  std::array<double, 1 << kNgramContext> chances{};
  for (double& chance : chances) {
    const double root = std::sin(std::numbers::pi / 2 * random.uniform());
    chance = root * root;
  }
  std::vector<BitVector> vectors;
  std::size_t context = 0;
  for (std::int64_t t = 0; t < length; ++t) {
    const double chance = t < kNgramContext ? .5 : chances[context];
    const auto bit = static_cast<std::int8_t>(random.uniform() < chance ? 1 : 0);
    vectors.push_back({.bits = {bit}});
    context = (context << 1 | static_cast<std::size_t>(bit)) % chances.size();
  }
  return vectors;
}

}  // namespace

std::int64_t BitForm::inputs() const {
  switch (task) {
    case BitTask::copy:
      return bits + 1;
    case BitTask::repeat_copy:
    case BitTask::recall:
    case BitTask::sort:
      return bits + 2;
    case BitTask::ngrams:
    case BitTask::given:
      break;
  }
  return bits;
}

std::int64_t BitForm::outputs() const {
  if (task == BitTask::given) return answers;
  return task == BitTask::repeat_copy ? bits + 1 : bits;
}

BitForm usual_form(BitTask task) {
  BitForm form{.task = task};
  if (task == BitTask::repeat_copy) form.longest = 10;
  if (task == BitTask::recall) form.bits = 6, form.shortest = 2, form.longest = 6;
  if (task == BitTask::ngrams) form.bits = 1, form.shortest = form.longest = 200;
  if (task == BitTask::sort) form.shortest = form.longest = 20;
  form.answers = form.outputs();
  return form;
}

const char* length_unit(BitTask task) {
  if (task == BitTask::recall) return "items";
  if (task == BitTask::ngrams) return "bits";
  return task == BitTask::given ? "steps" : "vectors";
}

std::int64_t fewest_length(BitTask task) {
  if (task == BitTask::recall) return 2;
  return task == BitTask::ngrams ? kNgramContext + 1 : 1;
}

BitSequence posed(const BitForm& form, std::span<const BitVector> vectors,
                  const std::string& where) {
  if (form.task != BitTask::ngrams) require_width(form, vectors, where);
  switch (form.task) {
    case BitTask::copy:
      return copied(form, vectors);
    case BitTask::repeat_copy:
      return repeated(form, vectors, where);
    case BitTask::recall:
      return recalled(form, vectors, where);
    case BitTask::ngrams:
      return predicted(form, vectors, where);
    case BitTask::sort:
      return sorted(form, vectors, where);
    case BitTask::given:
      break;
  }
  return as_given(form, vectors, where);
}

std::vector<BitVector> draw_vectors(const DrawnBits& wanted, std::int64_t which) {
  const BitForm& form = wanted.form;
  if (form.task == BitTask::given || wanted.length < fewest_length(form.task) ||
      wanted.repeats < 1) {
    throw UsageError("sequences of bits: {} {}; the task takes {} or more", wanted.length,
                     length_unit(form.task), fewest_length(form.task));
  }
  Random random(wanted.seed,
                kStream + wanted.batch * kBatchStreams + static_cast<std::uint64_t>(which));
  if (form.task == BitTask::ngrams) return drawn_ngrams(wanted.length, random);
  const bool items = form.task == BitTask::recall;
  std::vector<BitVector> vectors;
  for (std::int64_t i = 0; i < wanted.length * (items ? kItemVectors : 1); ++i) {
    vectors.push_back(drawn_vector(form, random));
    if (form.task == BitTask::sort) vectors.back().number = 2 * random.uniform() - 1;
  }
  if (form.task == BitTask::repeat_copy) {
    vectors.back().number = static_cast<double>(wanted.repeats);
  }
  if (items) {
    // The last item is never asked for: nothing follows it.
    const auto query = static_cast<std::size_t>(
        random.integer(static_cast<std::uint64_t>(wanted.length - 1)) * kItemVectors);
    for (std::size_t i = 0; i < kItemVectors; ++i) vectors.push_back(vectors[query + i]);
  }
  return vectors;
}

std::vector<BitSequence> draw_bits(const DrawnBits& wanted) {
  std::vector<BitSequence> sequences;
  for (std::int64_t i = 0; i < wanted.count; ++i) {
    sequences.push_back(posed(wanted.form, draw_vectors(wanted, i), "drawn bits"));
  }
  return sequences;
}

double best_ngram_cost(const BitSequence& sequence) {
  std::array<std::array<double, 2>, 1 << kNgramContext> seen{};
  std::size_t context = 0;
  double cost = 0;
  for (std::size_t t = 0; t < sequence.targets.size(); ++t) {
    context = (context << 1 | static_cast<std::size_t>(sequence.inputs[t] > .5F)) % seen.size();
    if (sequence.targets[t] == kUnasked) continue;
    auto& counts = seen[context];
    const std::size_t bit = sequence.targets[t] > 0 ? 1 : 0;
    cost -= std::log2((counts[bit] + .5) / (counts[0] + counts[1] + 1));
    ++counts[bit];
  }
  return cost;
}

}  // namespace heed::corpora
