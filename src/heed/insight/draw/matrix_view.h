// SPDX-License-Identifier: Apache-2.0
// MatrixView: one matrix of a trace with its labels, chosen and prepared as every picture needs it.
//
//   const MatrixView view = matrix_view(document.examples[0], {.set = "cross", .merge_words =
//   true}); view.weights  // [Q,K], view.queries and view.keys name its rows and columns
#pragma once  // public header

#include <string>
#include <vector>

#include "heed/insight/trace/trace_document.h"

#pragma GCC visibility push(default)  // exported

namespace heed::insight {

enum class Aggregate { head, mean, max };      // one head, or what several have in common
enum class Normalise { none, rows, columns };  // what is made to sum to one
const std::vector<std::string>& normalise_names();

inline constexpr int kLastLayer = -1;
inline constexpr int kAllLayers = -2;  // mean and max only

struct MatrixViewOptions {
  std::string set = {};  // a kind of attention; empty: cross, else pooling, else the first there is
  int layer = kLastLayer;
  int head = 0;  // with Aggregate::head
  Aggregate aggregate = Aggregate::mean;
  Normalise normalise = Normalise::none;
  bool merge_words = false;   // pieces of a word into one: keys are added, queries averaged
  bool hide_special = false;  // leaves out ends and other tokens that are no words
  double threshold = 0;       // weights below it count as zero
};

struct MatrixView {
  std::string title = {};        // what it is of: "cross, layer 1, head 0"
  std::string query_strip = {};  // the name of the strip
  std::string key_strip = {};
  std::vector<std::string> queries = {};  // labels, fit to be shown
  std::vector<std::string> keys = {};
  Tensor weights = {};   // [Q,K], kMasked where a query may not look
  bool chooses = false;  // whether queries choose keys instead of sharing a weight among them
};

// The set of this kind, or the one to begin with. UsageError that lists the sets there are.
const AttentionSet& set_of(const TracedExample& example, const std::string& kind = {});

// A cell of an aggregate is masked where it is so in every head. UsageError for a set, a layer or a
// head that is not there, and where nothing would be left to show.
MatrixView matrix_view(const TracedExample& example, const MatrixViewOptions& options = {});

}  // namespace heed::insight

#pragma GCC visibility pop
