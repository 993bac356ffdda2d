// SPDX-License-Identifier: Apache-2.0
// PointModel: the contract of models whose output points at their input (Vinyals 2015). They read a
// set of points once, then say which of them comes next, until they say that none does: the weights
// of the last attention are the output.
//
// Letters: B sets, P points, F features, T choices, N hypotheses. A choice is a number: 0 is the
// end, i is point i-1.
#pragma once  // public header

#include <memory>
#include <string>
#include <vector>

#include "heed/attention/attention.h"
#include "heed/models/call.h"
#include "heed/models/decoder.h"
#include "heed/models/state.h"
#include "heed/nn/module.h"

#pragma GCC visibility push(default)  // exported

namespace heed::models {

inline constexpr std::int32_t kEndChoice = 0;

class PointModel {
 public:
  virtual ~PointModel() = default;
  virtual void visit(nn::ParameterVisitor& visitor) = 0;
  virtual std::int64_t features() const = 0;  // F

  // points [B,P,F]. UsageError for another number of features.
  virtual Encoded read(const Variable& points, const Call& call) const = 0;
  // The logits [B*T,1+P] of the choices [B,T], each given those before it; -inf for what may not be
  // chosen. Rows after an end are of no use.
  virtual Variable decode(const Encoded& encoded, const Ids& choices, const Call& call) const = 0;
  // Before the first choice.
  virtual DecoderState start(const Encoded& encoded) const = 0;
  // Reads the last choice of each hypothesis [N] (anything at first) and scores the next: logits
  // [N,1+P].
  virtual Step step(const Encoded& encoded, const DecoderState& state, const Ids& chosen,
                    const Call& call) const = 0;
};

// How points are read: by an LSTM in the order they come, as a set in no order (Vinyals 2016), or
// by a Transformer, which then points without a recurrent network (the attention model of Kool
// 2019).
enum class PointReading { lstm, set, attention };
// "lstm", "set", "attention", in the order of the enumerators.
const std::vector<std::string>& point_reading_names();

struct PointModelOptions {
  PointReading reading = PointReading::lstm;
  std::int64_t features = 2;
  std::int64_t width = 128;  // of all states
  std::int64_t least = 0;    // points that come before the end may; 0: all
  bool glimpse = false;      // lstm, set: one look before the pointing one
  int process = 5;           // set: steps of the process block
  // lstm, set: the mechanism that points. It must read a mask, which hides what was used.
  std::string attention = "additive | tensor";
  int layers = 2;  // attention: of the encoder
  std::int64_t heads = 4;
  std::int64_t inner = 256;  // of its feed-forward blocks
};

// UsageError for options that do not fit each other.
std::unique_ptr<PointModel> make_point_model(const PointModelOptions& options, Random& random);

// Where a point model looks.
inline constexpr attention::Site kPointingSite{.role = attention::Role::pointing,
                                               .set = "pointing",
                                               .queries = "output",
                                               .keys = "choices",
                                               .stepwise = true};
inline constexpr attention::Site kGlimpseSite{.role = attention::Role::cross,
                                              .set = "glimpse",
                                              .queries = "output",
                                              .keys = "choices",
                                              .stepwise = true};
inline constexpr attention::Site kProcessSite{.role = attention::Role::pooling,
                                              .set = "process",
                                              .queries = "steps",
                                              .keys = "points",
                                              .stepwise = true};

// Which choices may follow, [B,1,T,1+P] of 0 and 1: what was chosen may not be again, and the end
// comes after `least` points, or after all. After an end there is only the end.
Tensor allowed_choices(const Ids& choices, std::int64_t points, std::int64_t least);
// The same of the next choice alone, [N,1,1,1+P]: used [N,1+P] has 1 for what `count` choices took.
Tensor allowed_next(const Tensor& used, std::int64_t count, std::int64_t least);
// used with these choices [N] marked as well.
Tensor marked(const Tensor& used, const Ids& chosen);

// The logits [B*T,1+P] of an attention that points, its mask being `allowed`. An observer's weights
// count as they are; without one the scores do, whose softmax is the weights.
Variable pointed(const attention::Attended& attended, const Tensor& allowed, bool watched);

// rows [B,K,D], which [B,...] numbers below K -> [B,...,D]: the rows of each set that are named.
Variable chosen_rows(const Variable& rows, const Ids& which);

}  // namespace heed::models

#pragma GCC visibility pop
