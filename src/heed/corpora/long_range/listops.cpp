// SPDX-License-Identifier: Apache-2.0
// Lists grow where a digit stood, until they have the words that are asked for.
#include "heed/corpora/long_range/listops.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <string_view>
#include <utility>
#include <vector>

#include "heed/base/error.h"
#include "heed/corpora/choose.h"
#include "heed/corpora/listed_corpus.h"

namespace heed::corpora {
namespace {

enum class ListOperator { maximum, minimum, median, sum };
constexpr std::string_view kListOperators[] = {"[MAX", "[MIN", "[MED", "[SM"};

struct ListNode {
  std::int64_t depth = 0;  // of the list that it is or could become; the outermost is 1
  ListOperator how = ListOperator::maximum;
  int value = 0;
  std::vector<std::size_t> arguments{};  // none: a digit
};

// The word that is taken out of `from` leaves its place to the last.
std::size_t take_any(Random& random, std::vector<std::size_t>& from) {
  const auto at = static_cast<std::size_t>(random.integer(from.size()));
  const std::size_t taken = std::exchange(from[at], from.back());
  from.pop_back();
  return taken;
}

class GrownLists {
 public:
  GrownLists(Random& random, const ListOpsOptions& options) : random_(random), options_(options) {
    nodes_.push_back({.depth = 1});
    words_ = 1;
    open_.push_back(0);
    grow();
  }

  // Children come after their parents, so that the last come first when values are worked out.
  void draw_values() {
    for (std::size_t i = nodes_.size(); i-- > 0;) {
      ListNode& node = nodes_[i];
      if (node.arguments.empty()) {
        node.value = static_cast<int>(random_.integer(10));
      } else {
        node.how = static_cast<ListOperator>(random_.integer(4));
        node.value = worked_out(node);
      }
    }
  }

  int value() const { return nodes_[0].value; }

  std::string text() const {
    std::string text;
    write(0, text);
    return text;
  }

 private:
  void grow() {
    constexpr std::int64_t kSmallest = 3;  // words that a list of two has more than a digit
    while (words_ < options_.words) {
      const std::int64_t left = options_.words - words_;
      if (left >= kSmallest && !open_.empty()) {
        const std::size_t list = take_any(random_, open_);
        words_ += 1;  // an operator in place of the digit, and the closing bracket
        const std::int64_t count = pick_between(random_, 2, std::min(options_.arguments, left - 1));
        for (std::int64_t i = 0; i < count; ++i) add_digit(list);
        if (count < options_.arguments) roomy_.push_back(list);
      } else if (!roomy_.empty()) {
        const std::size_t list = take_any(random_, roomy_);
        add_digit(list);
        if (std::ssize(nodes_[list].arguments) < options_.arguments) roomy_.push_back(list);
      } else {
        throw UsageError(
            "listops: lists {} deep of up to {} arguments have {} words at most, and {} are asked "
            "for; let them be deeper, or have more arguments",
            options_.depth, options_.arguments, words_, options_.words);
      }
    }
  }

  void add_digit(std::size_t list) {
    const std::size_t digit = nodes_.size();
    nodes_.push_back({.depth = nodes_[list].depth + 1});
    nodes_[list].arguments.push_back(digit);
    if (nodes_[digit].depth <= options_.depth) open_.push_back(digit);
    ++words_;
  }

  int worked_out(const ListNode& node) const {
    std::array<int, 10> count{};
    for (const std::size_t i : node.arguments) ++count[static_cast<std::size_t>(nodes_[i].value)];
    const auto total = static_cast<int>(node.arguments.size());
    const auto ranked = [&count](int rank) {  // of the arguments in their order, from 0
      int digit = 0;
      for (int below = count[0]; below <= rank; below += count[static_cast<std::size_t>(++digit)]) {
      }
      return digit;
    };
    switch (node.how) {
      case ListOperator::maximum:
        return ranked(total - 1);
      case ListOperator::minimum:
        return ranked(0);
      case ListOperator::median:
        return (ranked((total - 1) / 2) + ranked(total / 2)) / 2;
      case ListOperator::sum:
        break;
    }
    int sum = 0;
    for (int digit = 1; digit < 10; ++digit) sum += digit * count[static_cast<std::size_t>(digit)];
    return sum % 10;
  }

  void write(std::size_t which, std::string& text) const {
    const ListNode& node = nodes_[which];
    if (node.arguments.empty()) {
      text += static_cast<char>('0' + node.value);
      return;
    }
    text += kListOperators[static_cast<std::size_t>(node.how)];
    for (const std::size_t argument : node.arguments) {
      text += ' ';
      write(argument, text);
    }
    text += " ]";
  }

  Random& random_;
  const ListOpsOptions& options_;
  std::vector<ListNode> nodes_{};
  std::int64_t words_ = 0;
  std::vector<std::size_t> open_{};   // digits that may become lists
  std::vector<std::size_t> roomy_{};  // lists that may have another argument
};

}  // namespace

std::string draw_listops(Random& random, const ListOpsOptions& options, int value) {
  constexpr std::int64_t kFewest = 4;  // [MAX 1 2 ]
  if (options.words < kFewest) {
    throw UsageError("listops: a list of {} words; the shortest has {}, such as [MAX 1 2 ]",
                     options.words, kFewest);
  }
  GrownLists lists(random, options);
  do {
    lists.draw_values();
  } while (lists.value() != value);
  return lists.text();
}

namespace {

const ListedCorpus kListOps(
    {.name = "listops",
     .description =
         "Lists of lists of digits to be worked out, in the form of the Long Range Arena",
     .kind = CorpusKind::labelled,
     .size = 10'000,
     .units = "lists",
     .min_length = 500,
     .max_length = 2'000,
     .aspects = "value",
     .longest = 1'000'000,
     .settings = {{"depth", 10, 1, 100, "lists inside lists, the outermost counted"},
                  {"arguments", 10, 2, 100, "of a list, at most"}}},
    [](Random& random, const CorpusDraw& draw) {
      const auto value = static_cast<int>(draw.turn % 10);
      const std::int64_t words = pick_between(random, draw.lengths.min, draw.lengths.max);
      return Example{
          .source = draw_listops(
              random, {.words = words, .depth = draw.settings[0], .arguments = draw.settings[1]},
              value),
          .labels = {std::string(1, static_cast<char>('0' + value))}};
    });

}  // namespace
}  // namespace heed::corpora
