// SPDX-License-Identifier: Apache-2.0
// Sender and receiver of one hidden layer each, and the losses of every message at once: a way to
// learn decides which of them count.
#include "cli/bench/message_game.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "heed/attention/make_parts.h"
#include "heed/attention/normalise.h"
#include "heed/autograd/ops.h"
#include "heed/base/error.h"
#include "heed/base/text.h"
#include "heed/corpora/made_names.h"
#include "heed/nn/linear.h"
#include "heed/training/optimiser.h"
#include "heed/training/score_function.h"

namespace heed::cli {
namespace {

constexpr std::int64_t kLetters = 26, kFeatures = 2 * kLetters, kPlayerHidden = 64, kMeaning = 32;

// How often each letter is in a name, and its first.
void write_features(const std::string& name, Real* features) {
  const auto letter = [](char c) { return std::clamp<std::int64_t>(c - 'a', 0, kLetters - 1); };
  const std::string small = lower(name);
  for (const char c : small) features[letter(c)] += Real(.5);
  features[kLetters + letter(small.front())] = 1;
}

// Games of a batch: objects [B,C,F], of which target [B] is meant.
struct Games {
  Tensor objects;
  Ids targets;
};

Games draw_games(Random& random, std::int64_t count, std::int64_t candidates, corpora::Part part) {
  Games games{Tensor::zeros({count, candidates, kFeatures}), Ids({count})};
  Real* features = games.objects.mutable_data();
  for (std::int64_t b = 0; b < count; ++b) {
    std::set<std::string> names;  // no two alike
    while (static_cast<std::int64_t>(names.size()) < candidates) {
      const std::string name = corpora::make_name(random, part);
      if (!names.insert(name).second) continue;
      write_features(name, features);
      features += kFeatures;
    }
    games.targets.mutable_data()[b] =
        static_cast<std::int32_t>(random.integer(static_cast<std::uint64_t>(candidates)));
  }
  return games;
}

struct Players {
  nn::Linear sender, says;    // F -> hidden -> messages
  nn::Linear receiver, sees;  // F -> hidden -> meaning
  Variable meanings;          // [M,meaning], what each message means to the receiver

  Players(std::int64_t messages, Random& random)
      : sender(kFeatures, kPlayerHidden, random),
        says(kPlayerHidden, messages, random),
        receiver(kFeatures, kPlayerHidden, random),
        sees(kPlayerHidden, kMeaning, random),
        meanings(Variable::leaf(Tensor({messages, kMeaning}))) {
    Tensor& value = meanings.mutable_value();
    fill_normal({value.mutable_data(), static_cast<std::size_t>(value.size())}, random);
  }
  void visit(nn::ParameterVisitor& visitor) {
    visitor("sender", sender);
    visitor("says", says);
    visitor("receiver", receiver);
    visitor("sees", sees);
    visitor("meanings", meanings);
  }

  // [B,M]
  Variable message_scores(const Games& games) const {
    const std::int64_t batch = games.objects.size(0);
    Tensor meant({batch, kFeatures});
    for (std::int64_t b = 0; b < batch; ++b) {
      const Tensor one = games.objects.select(0, b).select(0, games.targets.at({b}));
      std::ranges::copy(one.values(), meant.mutable_data() + b * kFeatures);
    }
    return says(sender(Variable(meant), Activation::tanh));
  }
  // What the receiver sees in the objects, [B,meaning,C].
  Variable seen(const Games& games) const {
    return transpose(sees(receiver(Variable(games.objects), Activation::tanh)), 1, 2);
  }
  // Losses [B,M] of every message, or of what messages [B,M'] by weights mean together.
  Variable losses(const Games& games, const Variable& weights = {}) const {
    const Variable objects = seen(games);
    const std::int64_t batch = objects.size(0), candidates = objects.size(2);
    Variable heard = weights.defined() ? reshape(matmul(weights, meanings), {batch, 1, kMeaning})
                                       : expand(meanings, {batch, meanings.size(0), kMeaning});
    const std::int64_t messages = heard.size(1);
    const Variable scores = reshape(matmul(heard, objects), {batch * messages, candidates});
    Ids targets({batch * messages});
    for (std::int64_t i = 0; i < targets.size(); ++i) {
      targets.mutable_data()[i] = games.targets.at({i / messages});
    }
    return reshape(cross_entropy(scores, targets, {.reduction = Reduction::none}),
                   {batch, messages});
  }
};

// A message [B] of each row of chances [B,M].
Ids drawn(const Tensor& chances, Random& random) {
  Ids ids({chances.size(0)});
  for (std::int64_t b = 0; b < ids.size(); ++b) {
    double left = random.uniform();
    std::int32_t choice = 0;
    const auto last = static_cast<std::int32_t>(chances.size(1)) - 1;
    while (choice < last && (left -= chances.at({b, choice})) >= 0) ++choice;
    ids.mutable_data()[b] = choice;
  }
  return ids;
}

// losses [B,M] -> [B]
Variable losses_of(const Variable& losses, const Ids& messages) {
  return sum(losses * Variable(attention::chosen_weights(messages, losses.size(1))), 1);
}

struct Lesson {
  Variable loss;  // a number
  double calls = 0;
};

// One way to learn.
class Method {
 public:
  virtual ~Method() = default;
  virtual Lesson learn(const Players& players, const Games& games, Random& random) = 0;
};

// Every message that has a chance, weighed by it.
class Sum final : public Method {
 public:
  explicit Sum(const std::string& normaliser) : normaliser_(attention::normaliser_of(normaliser)) {}
  Lesson learn(const Players& players, const Games& games, Random&) override {
    const Variable chances = attention::normalise(*normaliser_, players.message_scores(games));
    const double calls = static_cast<double>(
        std::ranges::count_if(chances.value().values(), [](Real p) { return p > 0; }));
    return {mean(training::sum_over_support(chances, players.losses(games))),
            calls / static_cast<double>(games.targets.size())};
  }

 private:
  std::unique_ptr<attention::Normaliser> normaliser_;
};

// Draws, and what they are compared with: the mean so far, or a second draw.
class Draws final : public Method {
 public:
  explicit Draws(bool two) : two_(two) {}
  Lesson learn(const Players& players, const Games& games, Random& random) override {
    const Variable scores = players.message_scores(games);
    const Variable all = players.losses(games);
    const Tensor chances = softmax(scores).value();
    Variables losses, logs;
    for (int draw = 0; draw < (two_ ? 2 : 1); ++draw) {
      const Ids messages = drawn(chances, random);
      losses.push_back(losses_of(all, messages));
      logs.push_back(-cross_entropy(scores, messages, {.reduction = Reduction::none}));
    }
    const Variable lost = stack(losses, 0);
    if (two_) {
      return {mean(lost) + mean(training::leave_one_out(lost.value(), {stack(logs, 0)})), 2};
    }
    const Variable taught =
        training::score_function(losses[0].value(), {logs[0]}, {.baseline = running_.baseline()});
    running_.update(losses[0].value());
    return {mean(losses[0]) + mean(taught), 1};
  }

 private:
  bool two_;
  training::RunningMean running_;
};

// One message forward, the gradient of soft weights backward.
class Gumbel final : public Method {
 public:
  Lesson learn(const Players& players, const Games& games, Random& random) override {
    const Variable weights =
        attention::normalise(*normaliser_, players.message_scores(games),
                             {.random = {.seed = random.integer(1ULL << 62), .row = 0}});
    return {mean(players.losses(games, weights)), 1};
  }

 private:
  std::unique_ptr<attention::Normaliser> normaliser_ =
      attention::normaliser_of("gumbel_softmax(temperature=1, hard=true)");
};

using MakeMethod = std::unique_ptr<Method> (*)();
const std::vector<std::pair<std::string, MakeMethod>>& methods() {
  static const std::vector<std::pair<std::string, MakeMethod>> all = {
      {"sum over all, softmax", [] { return std::unique_ptr<Method>(new Sum("softmax")); }},
      {"sum over the support, entmax", [] { return std::unique_ptr<Method>(new Sum("entmax")); }},
      {"sum over the support, sparsemax",
       [] { return std::unique_ptr<Method>(new Sum("sparsemax")); }},
      {"score function, running mean", [] { return std::unique_ptr<Method>(new Draws(false)); }},
      {"score function, two draws", [] { return std::unique_ptr<Method>(new Draws(true)); }},
      {"Gumbel, straight through", [] { return std::unique_ptr<Method>(new Gumbel); }}};
  return all;
}

std::vector<std::int32_t> best_of_rows(const Tensor& scores) {
  std::vector<std::int32_t> best;
  for (std::int64_t row = 0; row < scores.size(0); ++row) {
    const std::vector<Real> mine = scores.select(0, row).values();
    best.push_back(static_cast<std::int32_t>(std::ranges::max_element(mine) - mine.begin()));
  }
  return best;
}

void test_players(const Players& players, const Games& games, MessageResult& result) {
  const NoGradient values_only;
  const std::vector<std::int32_t> said = best_of_rows(players.message_scores(games).value());
  const Variable objects = players.seen(games);
  const Ids messages = Ids::of({static_cast<std::int64_t>(said.size())}, said);
  const Variable heard = embedding(players.meanings, messages);  // [B,meaning]
  const Variable scores = matmul(reshape(heard, {heard.size(0), 1, kMeaning}), objects);
  const std::vector<std::int32_t> chosen =
      best_of_rows(reshape(scores, {scores.size(0), scores.size(2)}).value());
  std::map<std::int32_t, double> counts;
  const auto tests = static_cast<double>(said.size());
  for (std::size_t i = 0; i < said.size(); ++i) {
    result.success += chosen[i] == games.targets.at({static_cast<std::int64_t>(i)}) ? 1 / tests : 0;
    counts[said[i]] += 1 / tests;
  }
  double bits = 0;
  for (const auto& [message, share] : counts) bits -= share * std::log2(share);
  result.messages = std::exp2(bits);
}

}  // namespace

std::vector<std::string> message_methods() {
  std::vector<std::string> names;
  for (const auto& [name, make] : methods()) names.push_back(name);
  return names;
}

MessageResult play_messages(const std::string& method, const MessageGameOptions& options) {
  const auto chosen =
      std::ranges::find_if(methods(), [&](const auto& one) { return one.first == method; });
  if (chosen == methods().end()) {
    throw UsageError("messages: no way to learn called \"{}\"; there are {}", method,
                     join(message_methods(), "; "));
  }
  Random random(options.seed);
  Players players(options.messages, random);
  training::Optimiser optimiser(nn::parameters(players), training::Adam{});
  const std::unique_ptr<Method> learner = chosen->second();
  MessageResult result;
  constexpr std::int64_t kLast = 100;
  const std::int64_t counted = std::min(kLast, options.updates);
  for (std::int64_t update = 0; update < options.updates; ++update) {
    const Games games = draw_games(random, options.games, options.candidates, corpora::Part::train);
    const Lesson lesson = learner->learn(players, games, random);
    backward(lesson.loss);
    optimiser.step({.learning_rate = 3e-3, .clip_norm = 5});
    if (update >= options.updates - counted) {
      result.calls += lesson.calls / static_cast<double>(counted);
    }
    if (options.done) options.done(update + 1);
  }
  test_players(players, draw_games(random, options.tests, options.candidates, corpora::Part::test),
               result);
  return result;
}

}  // namespace heed::cli
