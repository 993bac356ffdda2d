// SPDX-License-Identifier: Apache-2.0
// What the heads of an attention do, counted over examples: where they look by place, and whether
// at rare words, at the rest of a word, at ends, at what came before, or along given links.
//
// Each share stands beside what equal weights would give (Voita 2019, Clark 2019, Olsson 2022).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "heed/base/exported.h"
#include "heed/tensor/tensor.h"

namespace heed::insight {

// The tokens of one side, as roles ask about them.
struct RoleTokens {
  std::vector<std::string> tokens{};
  std::vector<int> words{};  // of each token, from 0; -1: none, such as an end
  // How many tokens of the data are more frequent than this one; empty: unknown.
  std::vector<std::int64_t> ranks{};
};

// A look of all heads of a layer in one example.
struct RoleLook {
  Tensor weights{};  // [H,Q,K], kMasked where a query sees nothing
  // What a query has read; for attention over the same text the keys themselves.
  const RoleTokens* queries = nullptr;
  const RoleTokens* keys = nullptr;
  bool same = false;  // whether queries and keys are places of one text
  // The word that each word of it hangs on, itself for the root; empty: unknown.
  std::span<const std::int32_t> links{};
};

// A mean over queries, and what equal weights would give on the same ones.
struct RoleShare {
  double found = 0;
  double chance = 0;
  std::int64_t queries = 0;  // 0: nothing to count, such as words of several pieces
};

struct HeadRoles {
  std::int64_t queries = 0;   // that saw two keys or more; only these count
  double confidence = 0;      // the largest weight
  double density = 0;         // the share of keys with a weight above 0
  double entropy = 0;         // in bits
  double distance = 0;        // the mean of |key - query|, by weight
  double divergence = 0;      // in bits, from the mean of the layer's heads: their mean is the JSD
  std::int64_t offset = 0;    // key - query, the commonest place of the largest weight
  RoleShare positional{};     // how often it is there, where there is such a key
  RoleShare rare{};           // how often it is on the rarest token, where one is rare
  RoleShare merging{};        // weight on the other pieces of the token's word
  RoleShare sink{};           // weight on ends and punctuation
  RoleShare copying{};        // weight on other tokens that are equal to the query's
  RoleShare induction{};      // weight on what came after an earlier token like the query's
  RoleShare to_head{};        // how often a word looks most at the word it hangs on
  RoleShare to_dependents{};  // and at one that hangs on it
  // The best that one distance between words does for these two: what syntax has to beat.
  double to_head_by_distance = 0, to_dependents_by_distance = 0;

  // "position -1", "rare words", ...: what it does, by the limits below.
  HEED_EXPORTED std::vector<std::string> names() const;
};

// A head has a role when it looks there this often, and clearly more than equal weights would. One
// that looks at a place has no other: the place explains the rest.
inline constexpr std::int64_t kLeastRoleQueries = 20;
inline constexpr double kPositionalShare = .9;
inline constexpr double kRoleShare = .5;
inline constexpr double kRoleLift = 2;     // times what equal weights give
inline constexpr double kSyntaxLift = .1;  // above the best distance (Voita 2019)

struct RoleOptions {
  std::int64_t frequent = 500;  // tokens that are not rare
};

// Whether a token is an end or has no letter and no digit.
bool is_separator(const RoleTokens& tokens, std::size_t place);

// The heads of one layer of one kind of attention.
class HEED_EXPORTED RoleCounts {
 public:
  explicit RoleCounts(const RoleOptions& options = {}) : options_(options) {}
  // UsageError for weights that do not fit the tokens, or another number of heads than before.
  void add(const RoleLook& given);
  std::vector<HeadRoles> found() const;

 private:
  struct Sum {
    double found = 0, chance = 0;
    std::int64_t queries = 0;
    void add(double one, double other);
    RoleShare share() const;
  };
  // How often words look most at a place, by the distance of that place.
  struct Linked {
    Sum sum{};
    std::map<std::int64_t, double> by_distance{};
    double best_distance() const;
  };
  struct Counts {
    std::int64_t queries = 0;
    double confidence = 0, density = 0, entropy = 0, distance = 0, divergence = 0;
    std::map<std::int64_t, std::int64_t> offsets{};
    Sum rare{}, merging{}, sink{}, copying{}, induction{};
    Linked to_head{}, to_dependents{};
  };
  void add_query(const RoleLook& look, std::int64_t query, std::span<const std::int64_t> seen,
                 std::optional<std::int64_t> rarest);
  void add_links(const RoleLook& look);

  RoleOptions options_;
  std::vector<Counts> heads_;
  // For each offset how many queries have a key there, and what chance gives them in all.
  std::map<std::int64_t, std::pair<std::int64_t, double>> possible_;
};

}  // namespace heed::insight
