// SPDX-License-Identifier: Apache-2.0
// Sums over queries, head by head; links are counted between words.
#include "heed/insight/heads/head_roles.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "heed/attention/observer.h"
#include "heed/base/error.h"

namespace heed::insight {
namespace {

using attention::is_masked;
using attention::share_of;
using Places = std::vector<std::int64_t>;

// weights [H,Q,K], packed
Real role_cell(const Tensor& weights, std::int64_t head, std::int64_t query, std::int64_t key) {
  return weights.data()[(head * weights.size(1) + query) * weights.size(2) + key];
}
double role_weight(const Tensor& weights, std::int64_t head, std::int64_t query, std::int64_t key) {
  return static_cast<double>(share_of(role_cell(weights, head, query, key)));
}

Places seen_by(const Tensor& weights, std::int64_t query) {
  Places seen;
  for (std::int64_t k = 0; k < weights.size(2); ++k) {
    for (std::int64_t h = 0; h < weights.size(0); ++h) {
      if (is_masked(role_cell(weights, h, query, k))) continue;
      seen.push_back(k);
      break;
    }
  }
  return seen;
}

// The words of a text with their tokens, and weights between them: a word has the mean of what its
// tokens give, and the sum of what they are given.
struct WordWeights {
  std::vector<Places> tokens;   // of each word
  std::vector<double> weights;  // [W,W]
  std::vector<bool> seen;       // [W,W]

  std::size_t size() const { return tokens.size(); }
};

std::vector<Places> tokens_of_words(const std::vector<int>& words) {
  std::vector<Places> tokens;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] < 0) continue;
    const auto word = static_cast<std::size_t>(words[i]);
    if (tokens.size() <= word) tokens.resize(word + 1);
    tokens[word].push_back(static_cast<std::int64_t>(i));
  }
  return tokens;
}

WordWeights word_weights(const Tensor& weights, std::int64_t head, std::vector<Places> tokens) {
  WordWeights found{std::move(tokens), {}, {}};
  const std::size_t size = found.size();
  found.weights.resize(size * size, 0);
  found.seen.resize(size * size, false);
  for (std::size_t a = 0; a < size; ++a) {
    for (std::size_t b = 0; b < size; ++b) {
      for (const std::int64_t q : found.tokens[a]) {
        for (const std::int64_t k : found.tokens[b]) {
          const Real weight = role_cell(weights, head, q, k);
          if (is_masked(weight)) continue;
          found.seen[a * size + b] = true;
          found.weights[a * size + b] +=
              static_cast<double>(weight) / static_cast<double>(found.tokens[a].size());
        }
      }
    }
  }
  return found;
}

void check(const RoleLook& look, std::size_t heads) {
  const Tensor& weights = look.weights;
  const bool fits = look.queries != nullptr && look.keys != nullptr && weights.rank() == 3 &&
                    weights.size(1) == static_cast<std::int64_t>(look.queries->tokens.size()) &&
                    weights.size(2) == static_cast<std::int64_t>(look.keys->tokens.size()) &&
                    (heads == 0 || weights.size(0) == static_cast<std::int64_t>(heads)) &&
                    (!look.same || weights.size(1) == weights.size(2));
  if (!fits) {
    throw UsageError("roles of heads: weights {} for {} queries and {} keys; it takes [H,Q,K]",
                     weights.shape().text(),
                     look.queries == nullptr ? 0 : look.queries->tokens.size(),
                     look.keys == nullptr ? 0 : look.keys->tokens.size());
  }
}

bool is_clear(const RoleShare& share, double least = kRoleShare) {
  return share.queries >= kLeastRoleQueries && share.found >= least &&
         share.found >= kRoleLift * share.chance;
}

}  // namespace

bool is_separator(const RoleTokens& tokens, std::size_t place) {
  if (tokens.words[place] < 0) return true;
  return std::ranges::none_of(tokens.tokens[place], [](char letter) {
    const auto byte = static_cast<unsigned char>(letter);
    return byte >= 0x80 || (byte >= '0' && byte <= '9') ||
           ((byte | 0x20) >= 'a' && (byte | 0x20) <= 'z');
  });
}

void RoleCounts::Sum::add(double one, double other) {
  found += one;
  chance += other;
  ++queries;
}

RoleShare RoleCounts::Sum::share() const {
  if (queries == 0) return {};
  const auto count = static_cast<double>(queries);
  return {found / count, chance / count, queries};
}

double RoleCounts::Linked::best_distance() const {
  double best = 0;
  for (const auto& [distance, count] : by_distance) best = std::max(best, count);
  return sum.queries > 0 ? best / static_cast<double>(sum.queries) : 0;
}

void RoleCounts::add(const RoleLook& given) {
  check(given, heads_.size());
  RoleLook look = given;
  look.weights = given.weights.packed();
  if (heads_.empty()) heads_.resize(static_cast<std::size_t>(look.weights.size(0)));
  std::optional<std::int64_t> rarest;
  for (std::size_t k = 0; k < look.keys->ranks.size(); ++k) {
    if (look.keys->words[k] < 0) continue;
    if (!rarest || look.keys->ranks[k] > look.keys->ranks[static_cast<std::size_t>(*rarest)]) {
      rarest = static_cast<std::int64_t>(k);
    }
  }
  if (rarest && look.keys->ranks[static_cast<std::size_t>(*rarest)] < options_.frequent) {
    rarest.reset();
  }
  for (std::int64_t query = 0; query < look.weights.size(1); ++query) {
    const Places seen = seen_by(look.weights, query);
    if (seen.size() > 1) add_query(look, query, seen, rarest);
  }
  if (look.same && !look.links.empty()) add_links(look);
}

void RoleCounts::add_query(const RoleLook& look, std::int64_t query,
                           std::span<const std::int64_t> seen, std::optional<std::int64_t> rarest) {
  const auto q = static_cast<std::size_t>(query);
  const RoleTokens &keys = *look.keys, &queries = *look.queries;
  const auto count = static_cast<double>(seen.size());
  const auto in = [&](const Places& places) { return static_cast<double>(places.size()) / count; };
  Places pieces, ends, alike, after;
  bool rarest_seen = false;
  double rare_keys = 0;
  for (const std::int64_t key : seen) {
    const auto k = static_cast<std::size_t>(key);
    auto& [possible, chance] = possible_[key - query];
    ++possible;
    chance += 1 / count;
    if (is_separator(keys, k)) ends.push_back(key);
    if (look.same && k != q && keys.words[k] >= 0 && keys.words[k] == keys.words[q]) {
      pieces.push_back(key);
    }
    const bool itself = look.same && k == q;
    if (!itself && queries.words[q] >= 0 && keys.tokens[k] == queries.tokens[q]) {
      alike.push_back(key);
    }
    if (look.same && k > 0 && k <= q && queries.words[q] >= 0 &&
        keys.tokens[k - 1] == queries.tokens[q]) {
      after.push_back(key);
    }
    if (rarest && keys.words[k] >= 0 &&
        keys.ranks[k] == keys.ranks[static_cast<std::size_t>(*rarest)]) {
      rarest_seen = true;
      ++rare_keys;
    }
  }
  std::vector<double> mean(seen.size(), 0);
  std::vector<std::vector<double>> rows;
  for (std::size_t h = 0; h < heads_.size(); ++h) {
    std::vector<double>& row = rows.emplace_back();
    double sum = 0;
    for (const std::int64_t key : seen) {
      row.push_back(role_weight(look.weights, static_cast<std::int64_t>(h), query, key));
      sum += row.back();
    }
    for (std::size_t i = 0; sum > 0 && i < row.size(); ++i) {
      mean[i] += row[i] / sum / static_cast<double>(heads_.size());
    }
  }
  for (std::size_t h = 0; h < heads_.size(); ++h) {
    Counts& head = heads_[h];
    const std::vector<double>& row = rows[h];
    const auto on = [&](const Places& places) {
      double sum = 0;
      for (const std::int64_t key : places) {
        sum += role_weight(look.weights, static_cast<std::int64_t>(h), query, key);
      }
      return sum;
    };
    double sum = 0, positive = 0, far = 0;
    for (std::size_t i = 0; i < row.size(); ++i) {
      sum += row[i];
      positive += row[i] > 0 ? 1 : 0;
      far += row[i] * static_cast<double>(std::abs(seen[i] - query));
    }
    const auto most = static_cast<std::size_t>(std::ranges::max_element(row) - row.begin());
    ++head.queries;
    head.confidence += row[most];
    head.density += positive / count;
    head.distance += sum > 0 ? far / sum : 0;
    for (std::size_t i = 0; i < row.size() && sum > 0; ++i) {
      const double share = row[i] / sum;
      if (share <= 0) continue;
      head.entropy -= share * std::log2(share);
      head.divergence += share * std::log2(share / mean[i]);
    }
    ++head.offsets[seen[most] - query];
    if (!pieces.empty()) head.merging.add(on(pieces), in(pieces));
    head.sink.add(on(ends), in(ends));
    if (!alike.empty()) head.copying.add(on(alike), in(alike));
    if (!after.empty()) head.induction.add(on(after), in(after));
    if (rarest_seen) {
      const auto key = static_cast<std::size_t>(seen[most]);
      const bool hit =
          keys.words[key] >= 0 && keys.ranks[key] == keys.ranks[static_cast<std::size_t>(*rarest)];
      head.rare.add(hit ? 1 : 0, rare_keys / count);
    }
  }
}

void RoleCounts::add_links(const RoleLook& look) {
  const std::vector<Places> tokens = tokens_of_words(look.keys->words);
  if (tokens.size() != look.links.size()) {
    throw UsageError("roles of heads: links of {} words for a text of {}; give one for each",
                     look.links.size(), tokens.size());
  }
  for (std::size_t h = 0; h < heads_.size(); ++h) {
    const WordWeights words = word_weights(look.weights, static_cast<std::int64_t>(h), tokens);
    const auto size = words.size();
    for (std::size_t a = 0; a < size; ++a) {
      std::optional<std::size_t> most;
      double others = 0;
      for (std::size_t b = 0; b < size; ++b) {
        if (b == a || !words.seen[a * size + b]) continue;
        ++others;
        if (!most || words.weights[a * size + b] > words.weights[a * size + *most]) most = b;
      }
      if (!most || others < 2) continue;
      const auto head = static_cast<std::size_t>(look.links[a]);
      const auto apart = [&](std::size_t b) {
        return static_cast<std::int64_t>(b) - static_cast<std::int64_t>(a);
      };
      if (head != a && words.seen[a * size + head]) {
        heads_[h].to_head.sum.add(*most == head ? 1 : 0, 1 / others);
        ++heads_[h].to_head.by_distance[apart(head)];
      }
      double dependents = 0;
      for (std::size_t b = 0; b < size; ++b) {
        if (b == a || static_cast<std::size_t>(look.links[b]) != a || !words.seen[a * size + b]) {
          continue;
        }
        ++dependents;
        ++heads_[h].to_dependents.by_distance[apart(b)];
      }
      if (dependents == 0) continue;
      const bool hit = static_cast<std::size_t>(look.links[*most]) == a;
      heads_[h].to_dependents.sum.add(hit ? 1 : 0, dependents / others);
    }
  }
}

std::vector<HeadRoles> RoleCounts::found() const {
  std::vector<HeadRoles> all;
  for (const Counts& head : heads_) {
    HeadRoles& mine = all.emplace_back();
    mine.queries = head.queries;
    if (head.queries == 0) continue;
    const auto count = static_cast<double>(head.queries);
    mine.confidence = head.confidence / count;
    mine.density = head.density / count;
    mine.entropy = head.entropy / count;
    mine.distance = head.distance / count;
    mine.divergence = head.divergence / count;
    const auto most =
        std::ranges::max_element(head.offsets, {}, [](const auto& one) { return one.second; });
    mine.offset = most->first;
    const auto& [possible, chance] = possible_.at(most->first);
    mine.positional = {static_cast<double>(most->second) / static_cast<double>(possible),
                       chance / static_cast<double>(possible), possible};
    mine.rare = head.rare.share();
    mine.merging = head.merging.share();
    mine.sink = head.sink.share();
    mine.copying = head.copying.share();
    mine.induction = head.induction.share();
    mine.to_head = head.to_head.sum.share();
    mine.to_dependents = head.to_dependents.sum.share();
    mine.to_head_by_distance = head.to_head.best_distance();
    mine.to_dependents_by_distance = head.to_dependents.best_distance();
  }
  return all;
}

std::vector<std::string> HeadRoles::names() const {
  std::vector<std::string> names;
  // Most queries must have such a key: the third word before is not there in short texts.
  if (is_clear(positional, kPositionalShare) && 2 * positional.queries >= queries) {
    return {offset == 0 ? "itself" : fmt::format("position {:+}", offset)};
  }
  if (to_head.queries >= kLeastRoleQueries && to_head.found >= to_head_by_distance + kSyntaxLift) {
    names.emplace_back("to its head");
  }
  if (to_dependents.queries >= kLeastRoleQueries &&
      to_dependents.found >= to_dependents_by_distance + kSyntaxLift) {
    names.emplace_back("to dependents");
  }
  if (is_clear(rare)) names.emplace_back("rare words");
  if (is_clear(merging)) names.emplace_back("rest of the word");
  if (is_clear(induction)) names.emplace_back("induction");
  if (is_clear(copying)) names.emplace_back("copies");
  if (is_clear(sink)) names.emplace_back("ends and marks");
  return names;
}

}  // namespace heed::insight
