// SPDX-License-Identifier: Apache-2.0
// What `heed attend` says to wrong inputs: the file, the tensor, what was found and what would be
// right.
#include <gtest/gtest.h>

#include <cmath>

#include "attend_fixture.h"

namespace heed {
namespace {

using test::Given;
using test::HeedAttend;
using test::Shape;
using test::wavy;

class HeedAttendMistakes : public HeedAttend {
 protected:
  HeedAttendMistakes() { reset(); }
  void reset() {
    inputs = {{"query", wavy({3, 4})}, {"keys", wavy({5, 4}, 1)}, {"values", wavy({5, 2}, 2)}};
    whole.clear();
    lengths.clear();
    allowed.clear();
  }
  void three(const Shape& query, const Shape& keys, const Shape& values) {
    reset();
    inputs = {{"query", wavy(query)}, {"keys", wavy(keys)}, {"values", wavy(values)}};
  }
  // The refusal holds this text.
  void expect_refusal(const std::string& text, const std::string& spec = "dot",
                      const std::vector<std::string>& more = {}) {
    const std::string said = refusal(spec, more);
    EXPECT_NE(said.find(text), std::string::npos) << said;
  }
  // The file is bad, not the command.
  void expect_missing(const std::string& text, const std::string& spec = "dot") {
    const auto result = run(spec);
    EXPECT_EQ(result.exit_code, 3) << result.err;
    EXPECT_NE(result.err.find(text), std::string::npos) << result.err;
  }
};

TEST_F(HeedAttendMistakes, ShapesThatDoNotGoTogether) {
  three({4}, {5, 4}, {5, 2});
  expect_refusal("in.safetensors: query is [4]; query, keys and values are all [S,D]");
  three({3, 4}, {1, 5, 4}, {5, 2});
  expect_refusal("keys is [1,5,4]");
  three({3, 4}, {5, 4}, {4, 2});
  expect_refusal("in.safetensors: keys [5,4] and values [4,2]; there is one value to a key");
  three({2, 3, 4}, {3, 5, 4}, {3, 5, 2});
  expect_refusal("the batch is the same for all");
  three({2, 4, 3, 4}, {2, 3, 5, 4}, {2, 3, 5, 2});
  expect_refusal("those of the query are a multiple of them");
  three({2, 4, 3, 4}, {2, 2, 5, 4}, {2, 4, 5, 2});
  expect_refusal("keys and values have equal heads");
}

TEST_F(HeedAttendMistakes, EmptyTensors) {
  three({3, 0}, {5, 0}, {5, 2});
  expect_refusal("query is [3,0]; only S may be 0");
  three({0, 3, 4}, {0, 5, 4}, {0, 5, 2});
  expect_refusal("query is [0,3,4]; only S may be 0");
  // No keys is no mistake: every query reads zeros.
  three({3, 4}, {0, 4}, {0, 2});
  const test::ProgramResult none = run("scaled_dot", {"--show"});
  EXPECT_EQ(none.out, "3 queries and 0 keys: there are no weights to show\n") << none.err;
  EXPECT_EQ(shape("weights"), (Shape{3, 0}));
  EXPECT_EQ(out("context"), std::vector<double>(6, 0.0));
  EXPECT_EQ(out("lse"), std::vector<double>(3, -INFINITY));
}

TEST_F(HeedAttendMistakes, Heads) {
  three({1, 3, 4}, {1, 5, 4}, {1, 5, 4});
  expect_refusal("query has width 4, which does not divide into 3 heads", "dot", {"--heads", "3"});
  expect_refusal("does not divide into 1000000000000 heads", "dot", {"--heads", "1000000000000"});
  expect_refusal("--heads is \"2,\": it takes H or H,Hkv", "dot", {"--heads", "2,"});
  expect_refusal("--heads is \"0\"", "dot", {"--heads", "0"});
  expect_refusal("\"2x(dot)\" have 2 heads together; the shape has 1", "2x(dot)");
  reset();
  expect_refusal("--heads splits [B,S,D]", "dot", {"--heads", "2"});
}

TEST_F(HeedAttendMistakes, Projections) {
  inputs["W_Q"] = wavy({4, 3});
  expect_refusal("in.safetensors: W_Q is [4,3]; for query [3,4] it takes [out,4]");
  reset();
  inputs["W_O"] = wavy({4, 3});
  expect_refusal("W_O is [4,3]; for 1 heads of 2 values each it takes [out,2]");
}

TEST_F(HeedAttendMistakes, Masks) {
  inputs["mask"] = wavy({3, 4});
  expect_refusal("in.safetensors: mask is [3,4]; it broadcasts to [1,1,3,5]");
  inputs["mask"] = {{5}, {0, 0, NAN, 0, 0}};
  expect_refusal("mask holds nan; a float mask takes finite numbers, and -inf to forbid");
  inputs["mask"] = {{5}, {0, 0, INFINITY, 0, 0}};
  expect_refusal("mask holds inf");
  reset();
  expect_missing("no tensor mask; \"tensor\" in the mechanism needs it", "dot | tensor");
  lengths = {6};
  expect_refusal("lengths holds 6; a sequence has 0 to 5 keys");
  lengths = {-1};
  expect_refusal("lengths holds -1");
  lengths = {1, 2};
  expect_refusal("lengths is [2]; it takes [1]");
}

TEST_F(HeedAttendMistakes, Segments) {
  expect_missing("no tensor query_segments, key_segments", "dot | segments");
  whole["query_segments"] = {0, 0, 1};
  expect_missing("no tensor key_segments; query_segments and key_segments go together");
  whole["key_segments"] = {0, 0, 1};
  expect_refusal("key_segments is [3]; it takes [1,5]");
}

TEST_F(HeedAttendMistakes, PartsThatCannotWork) {
  expect_refusal("budget: k is 9, but there are 5 keys", "dot | full | budget(k=9)");
  expect_refusal("entmax: alpha is \"0.5\"", "dot | full | entmax(alpha=0.5)");
  expect_refusal("entmax: alpha is 2", "dot | full | entmax(alpha=2, learnable=true)",
                 {"--init", "1"});
  expect_refusal("constrained_softmax: ", "dot | full | constrained_softmax(bound=0.1)");
  expect_refusal("local_p needs a bias that gives centres; write \"dot + gaussian | local_p\"",
                 "dot | local_p");
  inputs["bounds"] = Given{{5}, {0.1f, 0.1f, 0.1f, 0.1f, 0.1f}};
  expect_refusal("constrained_sparsemax: the bounds of row 0 add up to 0.5",
                 "dot | full | constrained_sparsemax");
  expect_refusal("bounds given, but \"dot\" has no part that reads it");
  inputs["bounds"].values[2] = NAN;
  expect_refusal("constrained_softmax: the bounds of row 0", "dot | full | constrained_softmax");
}

TEST_F(HeedAttendMistakes, UpstreamGradients) {
  inputs["grad_context"] = wavy({3, 3});
  expect_refusal("grad_context is [3,3]; it takes [3,2]");
  reset();
  inputs["grad_entropy"] = wavy({3});
  expect_refusal("grad_entropy was given, but no normaliser of the mechanism draws");
}

TEST_F(HeedAttendMistakes, WhatToShow) {
  expect_refusal("--show-only is \"0,1\": sequences are 0 to 0, heads 0 to 0", "dot",
                 {"--show-only", "0,1"});
  expect_refusal("--show-only is \"3\": it takes SEQUENCE,HEAD", "dot", {"--show-only", "3"});
}

// A file whose numbers are of the wrong kind is bad data, not a bad command.
TEST_F(HeedAttendMistakes, KindsOfNumbers) {
  inputs.erase("keys");
  whole["keys"] = {1, 2, 3};
  const test::ProgramResult integers = run("dot");
  EXPECT_EQ(integers.exit_code, 3);
  EXPECT_NE(integers.err.find("tensor \"keys\" holds I64, and floating-point numbers are needed"),
            std::string::npos)
      << integers.err;
  reset();
  inputs["lengths"] = wavy({1});
  EXPECT_EQ(run("dot").exit_code, 3);
}

}  // namespace
}  // namespace heed
