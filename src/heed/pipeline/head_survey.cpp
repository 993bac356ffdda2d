// SPDX-License-Identifier: Apache-2.0
// One pass with gradients for roles and importance, one pass without for each head that is taken
// away, and the curves of pruning.
#include "heed/pipeline/head_survey.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "heed/attention/normaliser.h"
#include "heed/base/error.h"
#include "heed/decoding/attention_path.h"
#include "heed/insight/observe/interventions.h"
#include "heed/pipeline/head_gates.h"

namespace heed::pipeline {
namespace {

using attention::Site;
using insight::RoleTokens;
using Examples = std::vector<std::size_t>;

struct SurveyedLayer {
  Site site;
  std::int64_t heads = 0;
  insight::RoleCounts roles;
  std::vector<double> alphas{};                   // empty: none is known
  std::vector<std::vector<double>> importance{};  // [heads][examples]
  std::vector<double> learnt{};                   // [heads], the sum over every second example
};

// What normaliser each site has.
class AlphaWatch final : public attention::Observer {
 public:
  explicit AlphaWatch(std::vector<SurveyedLayer>& layers) : layers_(layers) {}
  Variable weights(const attention::ObservedWeights& observed) override {
    const auto layer = std::ranges::find(layers_, observed.site, &SurveyedLayer::site);
    if (layer == layers_.end() || observed.normaliser == nullptr) return observed.weights;
    const auto fused = observed.normaliser->fused();
    if (!fused || !fused->sparse ||
        fused->sparse->kind != kernels::SparseNormaliser::Kind::entmax) {
      return observed.weights;
    }
    layer->alphas.resize(static_cast<std::size_t>(layer->heads), std::nan(""));
    for (std::int64_t h = 0; h < observed.weights.size(1); ++h) {
      layer->alphas[static_cast<std::size_t>(observed.first_head + h)] =
          fused->sparse->alpha_of(static_cast<std::size_t>(h));
    }
    return observed.weights;
  }

 private:
  std::vector<SurveyedLayer>& layers_;
};

// How many tokens are more frequent than each token, strip by strip.
class Frequencies {
 public:
  explicit Frequencies(const Watched& data) {
    for (std::size_t i = 0; i < data.size(); ++i) {
      for (const insight::TokenStrip& strip : data.strips(i)) {
        for (const std::string& token : strip.tokens) ++counts_[strip.name][token];
      }
    }
    for (const auto& [name, counts] : counts_) {
      std::vector<std::int64_t>& sorted = sorted_[name];
      for (const auto& [token, count] : counts) sorted.push_back(count);
      std::ranges::sort(sorted);
    }
  }
  std::int64_t rank(const std::string& strip, const std::string& token) const {
    const std::vector<std::int64_t>& sorted = sorted_.at(strip);
    const auto above = std::ranges::upper_bound(sorted, counts_.at(strip).at(token));
    return sorted.end() - above;
  }

 private:
  std::map<std::string, std::map<std::string, std::int64_t>> counts_;
  std::map<std::string, std::vector<std::int64_t>> sorted_;
};

RoleTokens role_tokens(const insight::TokenStrip& strip, const Frequencies& frequencies,
                       int first = 0) {
  RoleTokens found;
  for (std::size_t i = static_cast<std::size_t>(first); i < strip.tokens.size(); ++i) {
    found.tokens.push_back(strip.tokens[i]);
    found.words.push_back(strip.words.empty() ? static_cast<int>(i) : strip.words[i]);
    found.ranks.push_back(frequencies.rank(strip.name, strip.tokens[i]));
  }
  return found;
}

const insight::TokenStrip* strip_called(const std::vector<insight::TokenStrip>& strips,
                                        std::string_view name) {
  const auto found = std::ranges::find(strips, name, &insight::TokenStrip::name);
  return found == strips.end() ? nullptr : &*found;
}

std::size_t word_count(const std::vector<int>& words) {
  int most = -1;
  for (const int word : words) most = std::max(most, word);
  return static_cast<std::size_t>(std::int64_t{most} + 1);
}

class Surveyor {
 public:
  Surveyor(const Watched& data, const HeadSurveyOptions& options,
           std::span<const text::Heads> links,
           const std::function<void(std::uint64_t, std::uint64_t)>& done)
      : data_(data), options_(options), links_(links), done_(done), frequencies_(data) {
    find_layers();
    found_.examples = data.size();
    found_.unit = data.unit();
    total_ = data.size() * (2 + head_count());
    if (options.prune) {
      total_ +=
          static_cast<std::uint64_t>(options.gate_steps) + data.size() / 2 * 3 * steps().size();
    }
  }

  HeadSurvey survey() {
    look();
    const HeadCost whole = cost(nullptr, data_.batches());
    found_.loss = whole.loss;
    found_.right = whole.right;
    found_.units = whole.units;
    for (SurveyedLayer& layer : layers_) {
      const std::vector<insight::HeadRoles> roles = layer.roles.found();
      for (std::int64_t h = 0; h < layer.heads; ++h) {
        SurveyedHead& mine = found_.heads.emplace_back();
        const auto place = static_cast<std::size_t>(h);
        mine.site = layer.site;
        mine.head = static_cast<int>(h);
        if (place < roles.size()) mine.roles = roles[place];
        if (!layer.alphas.empty()) mine.alpha = layer.alphas[place];
        mine.importance = mean(layer.importance[place]);
      }
    }
    for (std::size_t i = 0; i < found_.heads.size(); ++i) {
      std::vector<bool> open(found_.heads.size(), true);
      open[i] = false;
      const HeadCost without = cost_with(open, data_.batches());
      found_.heads[i].added_loss = without.loss - whole.loss;
      found_.heads[i].lost_right = whole.right - without.right;
    }
    if (options_.prune) prune();
    return std::move(found_);
  }

 private:
  static double mean(const std::vector<double>& values) {
    return std::accumulate(values.begin(), values.end(), 0.0) /
           static_cast<double>(std::max<std::size_t>(values.size(), 1));
  }
  std::size_t head_count() const {
    std::size_t count = 0;
    for (const SurveyedLayer& layer : layers_) count += static_cast<std::size_t>(layer.heads);
    return count;
  }
  void progress(std::size_t examples) {
    finished_ += examples;
    if (done_) done_(std::min(finished_, total_), total_);
  }

  void find_layers() {
    const NoGradient values_only;
    attention::Trace trace;
    const std::size_t first = 0;
    const std::vector<insight::TokenStrip> strips = data_.strips(first);
    data_.run(std::span(&first, 1), {.watch = &trace});
    for (const attention::Trace::Entry& entry : trace.entries()) {
      if (std::ranges::find(layers_, entry.site, &SurveyedLayer::site) != layers_.end()) continue;
      if (strip_called(strips, entry.site.queries) == nullptr ||
          strip_called(strips, entry.site.keys) == nullptr) {
        found_.left_out.emplace_back(entry.site.set);
        continue;
      }
      const auto heads = entry.weights.size(1);
      const auto count = static_cast<std::size_t>(heads);
      layers_.push_back({.site = entry.site,
                         .heads = heads,
                         .roles = insight::RoleCounts(options_.roles),
                         .importance = std::vector<std::vector<double>>(count),
                         .learnt = std::vector<double>(count, 0)});
    }
    if (layers_.empty()) {
      throw UsageError("this model has no attention whose heads could be looked at");
    }
    sites_.reserve(layers_.size());
    for (const SurveyedLayer& layer : layers_) sites_.push_back({layer.site, layer.heads});
  }

  // Roles, and |d loss / d gate| of every example.
  void look() {
    AlphaWatch alphas(layers_);
    for (const Examples& batch : data_.batches()) {
      const auto rows = static_cast<std::int64_t>(batch.size());
      std::vector<insight::HeadFactors::Entry> gates;
      for (const SurveyedLayer& layer : layers_) {
        gates.push_back({layer.site, Variable::leaf(Tensor::full({rows, layer.heads}, 1))});
      }
      insight::HeadFactors factors(gates);
      attention::Trace trace;
      attention::Observers watch{&alphas, &factors, &trace};
      const WatchedRun run = data_.run(batch, {.watch = watch.get()});
      if (run.losses.needs_gradient()) backward(sum(run.losses));
      for (std::size_t i = 0; i < layers_.size(); ++i) {
        const Tensor& gradient = gates[i].factors.gradient();
        if (!gradient.defined()) continue;
        for (std::int64_t b = 0; b < rows; ++b) {
          const double units = run.units[static_cast<std::size_t>(b)];
          for (std::int64_t h = 0; h < layers_[i].heads && units > 0; ++h) {
            const double one = std::abs(static_cast<double>(gradient.at({b, h}))) / units;
            layers_[i].importance[static_cast<std::size_t>(h)].push_back(one);
            if (batch[static_cast<std::size_t>(b)] % 2 == 0) {
              layers_[i].learnt[static_cast<std::size_t>(h)] += one;
            }
          }
        }
      }
      for (std::int64_t b = 0; b < rows; ++b) add_roles(trace, batch, b);
      progress(batch.size());
    }
    // They have reached the parameters, too.
    nn::clear_gradients(data_.parameters());
  }

  void add_roles(const attention::Trace& trace, const Examples& batch, std::int64_t row) {
    const std::size_t example = batch[static_cast<std::size_t>(row)];
    const std::vector<insight::TokenStrip> strips = data_.strips(example);
    for (const decoding::AttentionPath& path : decoding::paths_of(trace, row)) {
      const auto layer = std::ranges::find(layers_, path.site, &SurveyedLayer::site);
      if (layer == layers_.end()) continue;
      const bool same = path.site.role == attention::Role::self;
      const RoleTokens keys =
          role_tokens(*strip_called(strips, path.site.keys), frequencies_, path.site.first_key);
      RoleTokens queries =
          same ? keys : role_tokens(*strip_called(strips, path.site.queries), frequencies_);
      // An aspect asks alone, in a row of its own.
      const bool one = path.weights.size(1) == 1 && queries.tokens.size() > 1;
      if (one) {
        const auto aspect = static_cast<std::size_t>(path.site.aspect);
        queries = {{queries.tokens[aspect]}, {queries.words[aspect]}, {queries.ranks[aspect]}};
      }
      const bool linked = same && example < links_.size() &&
                          links_[example].size() == word_count(keys.words) &&
                          path.site.keys == strips.front().name;
      found_.links = found_.links || linked;
      const decoding::AttentionPath cut =
          decoding::cut(path, static_cast<std::int64_t>(queries.tokens.size()),
                        static_cast<std::int64_t>(keys.tokens.size()));
      layer->roles.add({.weights = cut.weights,
                        .queries = &queries,
                        .keys = &keys,
                        .same = same,
                        .links = linked ? std::span<const std::int32_t>(links_[example])
                                        : std::span<const std::int32_t>()});
    }
  }

  HeadCost cost(attention::Observer* watch, const std::vector<Examples>& batches) {
    return cost_of(data_, batches, watch, [this](std::size_t examples) { progress(examples); });
  }
  HeadCost cost_with(const std::vector<bool>& open, const std::vector<Examples>& batches) {
    insight::HeadFactors factors(factors_of(sites_, open));
    return cost(&factors, batches);
  }

  // How many heads are left, from all to none, at a few places.
  std::vector<std::size_t> steps() const {
    constexpr std::size_t kMostSteps = 16;
    const std::size_t heads = head_count(), count = std::min(heads, kMostSteps);
    std::vector<std::size_t> left;
    for (std::size_t i = 0; i <= count; ++i) left.push_back(heads - heads * i / count);
    return left;
  }

  PruningCurve curve(std::string order, const std::vector<std::size_t>& first_to_go,
                     const std::vector<Examples>& batches) {
    PruningCurve found{std::move(order)};
    for (const std::size_t left : steps()) {
      std::vector<bool> open(first_to_go.size(), true);
      for (std::size_t i = 0; i < first_to_go.size() - left; ++i) open[first_to_go[i]] = false;
      const HeadCost at = cost_with(open, batches);
      found.steps.push_back({left, at.loss, at.right});
    }
    return found;
  }

  void prune() {
    Examples learnt, measured;
    for (std::size_t i = 0; i < data_.size(); ++i) (i % 2 == 0 ? learnt : measured).push_back(i);
    if (measured.empty()) {
      throw UsageError(
          "pruning learns on every second example and is measured on the others; give "
          "two examples or more");
    }
    const std::vector<Examples> batches = data_.batches(measured);
    const auto rising = [](const std::vector<double>& values) {
      std::vector<std::size_t> order(values.size());
      std::iota(order.begin(), order.end(), std::size_t{0});
      std::ranges::stable_sort(order, {}, [&](std::size_t i) { return values[i]; });
      return order;
    };
    std::vector<double> importance;
    for (const SurveyedLayer& layer : layers_) {
      importance.insert(importance.end(), layer.learnt.begin(), layer.learnt.end());
    }
    found_.curves.push_back(curve("importance", rising(importance), batches));
    const std::vector<HeadGate> gates = learn_gates(
        data_, sites_, learnt,
        {.penalty = options_.penalty, .steps = options_.gate_steps, .seed = options_.seed},
        [this] { progress(1); });
    std::vector<double> scores;
    found_.open = 0;
    for (std::size_t i = 0; i < gates.size(); ++i) {
      scores.push_back(gates[i].score);
      found_.heads[i].open = gates[i].chance_open;
      *found_.open += gates[i].open ? 1 : 0;
    }
    found_.curves.push_back(curve("gates", rising(scores), batches));
    Random random(options_.seed);
    std::vector<std::size_t> any(scores.size());
    std::iota(any.begin(), any.end(), std::size_t{0});
    random.shuffle(any);
    found_.curves.push_back(curve("random", any, batches));
  }

  const Watched& data_;
  const HeadSurveyOptions& options_;
  std::span<const text::Heads> links_;
  const std::function<void(std::uint64_t, std::uint64_t)>& done_;
  Frequencies frequencies_;
  std::vector<SurveyedLayer> layers_;
  std::vector<HeadSite> sites_;
  HeadSurvey found_;
  std::uint64_t finished_ = 0, total_ = 0;
};

}  // namespace

void HeadSurveyOptions::declare(Options& options) {
  options.add("frequent", roles.frequent, "tokens that are not rare, the most frequent of the data")
      .at_least(0);
  options.add("prune", prune,
              "also take heads away one after the other, by importance, by gates that are learnt "
              "and at random");
  options.add("penalty", penalty, "of gates: the loss that all heads together are worth")
      .at_least(0);
  options.add("gate-steps", gate_steps, "of learning the gates").range(1, 100'000);
  options.add("seed", seed, "of the gates' noise and the random order");
}

std::string SurveyedHead::set() const {
  std::string found(site.set);
  if (site.role == attention::Role::pooling) {
    found += fmt::format(" of aspect {}", site.aspect + 1);
    if (site.hop > 0) found += fmt::format(", look {}", site.hop + 1);
  }
  return found;
}

std::string SurveyedHead::name() const {
  return fmt::format("{} {}.{}", set(), site.layer, head);
}

HeadSurvey survey_heads(const Watched& data, const HeadSurveyOptions& options,
                        std::span<const text::Heads> links,
                        const std::function<void(std::uint64_t done, std::uint64_t total)>& done) {
  return Surveyor(data, options, links, done).survey();
}

}  // namespace heed::pipeline
