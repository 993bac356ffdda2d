// SPDX-License-Identifier: Apache-2.0
// Sequences of bits with what a machine shall answer to them: the tasks of Graves 2014. Fresh ones
// are a function of seed and batch, so that a training that resumes sees the same.
#pragma once  // public header

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#pragma GCC visibility push(default)  // exported

namespace heed::corpora {

// What is asked for after a sequence of vectors of bits:
//   copy         the vectors again
//   repeat_copy  the vectors again as often as a number says, then an end marker
//   recall       items of three vectors, then one of them: the item that followed it
//   ngrams       each next bit, whose chance hangs on the five before it, by a table that every
//                sequence has of its own
//   sort         vectors with priorities: those of the highest, in falling order
//   given        what a file says
enum class BitTask { copy, repeat_copy, recall, ngrams, sort, given };

inline constexpr std::int64_t kItemVectors = 3;  // of an item of recall
inline constexpr std::int64_t kNgramContext = 5;

// What makes a task what it is.
struct BitForm {
  BitTask task = BitTask::copy;
  std::int64_t bits = 8;      // of a vector
  std::int64_t answers = 8;   // given: bits of a target; else it follows
  std::int64_t shortest = 1;  // vectors, items or bits that it learns from
  std::int64_t longest = 20;
  std::int64_t most_repeats = 10;  // repeat_copy: by which its number is scaled

  std::int64_t inputs() const;   // numbers of a step
  std::int64_t outputs() const;  // bits of an answer
  bool operator==(const BitForm&) const = default;
};

// With the sizes that Graves 2014 has.
BitForm usual_form(BitTask task);
// What its lengths count: "vectors", "items", "bits", "steps".
const char* length_unit(BitTask task);

// A step that asks for nothing, in BitSequence::targets.
inline constexpr std::int8_t kUnasked = -1;

// Steps of one sequence. Letters: T steps, I inputs, O outputs.
struct BitSequence {
  std::int64_t steps = 0;
  std::vector<float> inputs{};         // [T,I]
  std::vector<std::int8_t> targets{};  // [T,O], 0, 1 or kUnasked

  bool operator==(const BitSequence&) const = default;
};

// A vector as people write it: "1011", "1011:0.5" with a number, "1011/01" with a target.
struct BitVector {
  std::vector<std::int8_t> bits{};
  std::optional<double> number{};
  std::vector<std::int8_t> target{};  // empty: nothing is asked

  bool operator==(const BitVector&) const = default;
};

// The steps in which the task shows these vectors and asks for the answer. UsageError that opens
// with `where` for vectors that are no instance of the task: of another width, without the number
// that says how often, a query that is none of the items.
BitSequence posed(const BitForm& form, std::span<const BitVector> vectors,
                  const std::string& where);

struct DrawnBits {
  BitForm form{};
  std::int64_t count = 1;
  std::int64_t length = 1;   // vectors, items or bits
  std::int64_t repeats = 1;  // repeat_copy
  std::uint64_t seed = 1;
  std::uint64_t batch = 0;  // other batches have other bits
};
// All of one length. UsageError for a length that the task has no sequence of.
std::vector<BitSequence> draw_bits(const DrawnBits& wanted);
// The vectors of one of them.
std::vector<BitVector> draw_vectors(const DrawnBits& wanted, std::int64_t which);

// The fewest vectors, items or bits that the task makes sense for.
std::int64_t fewest_length(BitTask task);

// What the best predictor that knows the prior pays for the 1s and 0s of an ngrams sequence, in
// bits: (N1 + 1/2) / (N0 + N1 + 1) of each context (Graves 2014, section 4.4).
double best_ngram_cost(const BitSequence& sequence);

}  // namespace heed::corpora

#pragma GCC visibility pop
