// SPDX-License-Identifier: Apache-2.0
// A model described from the names and shapes of its parameters: a tree of parts with what each is,
// how much it holds and what it costs. Works for any model, since nothing but names is asked.
//
//   const Description model = describe({.title = "my model", .parameters = shapes});
//   std::cout << to_text(model);
#pragma once  // public header

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "heed/nn/module.h"

#pragma GCC visibility push(default)  // exported

namespace heed::insight {

// "encoder.0.self.W_Q" [256,256]
struct NamedShape {
  std::string path = {};
  std::vector<std::int64_t> shape = {};
};

// What a kind of model says of its parts where their names alone do not tell.
struct KindNotes {
  // What the module `attention` and the parameter `output` are for.
  std::string attention = "attention of the decoder over the encoder";
  std::string output = "a score for every token";
  bool reads_forward = false;  // from left to right: what lies ahead is hidden from every part
  bool words_score = false;    // whether a table of words without an output is the output as well
};

// What the heads of an attention have learnt that has a name, such as how far each looks.
struct LearntHeads {
  std::string module = {};
  std::string name = {};
  std::vector<double> heads = {};  // NaN: that head has no such number
};

struct ModelFacts {
  std::string title = {};
  std::string task = {};                            // the name of its kind; empty: unknown
  KindNotes notes = {};                             // of its kind
  std::map<std::string, std::string> options = {};  // of its training, as far as known
  std::vector<NamedShape> parameters = {};
  std::vector<LearntHeads> learnt = {};  // of a model that is trained
};

// A module, or at the end of a branch one parameter.
struct Part {
  std::string name = {};        // without the path: "self"
  std::string note = {};        // what it is, in words
  std::string shape = {};       // of a parameter
  std::int64_t parameters = 0;  // of all inside; of one copy, where there are several
  double flops = 0;             // of products with weights, for one token
  bool trained = true;          // false: it has a formula instead of parameters
  int copies = 1;               // equal neighbours, shown once
  std::vector<Part> parts = {};
};

struct Cost {
  std::int64_t parameters = 0;
  std::int64_t weight_bytes = 0;
  double flops_per_token = 0;              // products with weights: one token through every part
  double flops_per_key = 0;                // of all attentions, for each key that a token looks at
  std::int64_t cache_bytes_per_token = 0;  // keys and values that decoding keeps
  std::int64_t state_bytes = 0;            // of recurrent networks, whatever the length
};

struct Description {
  std::string title = {};
  Part root = {};
  Cost cost = {};
};

std::vector<NamedShape> shapes_of(const nn::Parameters& parameters);

// What all heads of this model have learnt; `values` gives the elements of the parameter at a path,
// or nothing.
std::vector<LearntHeads> learnt_heads(
    const ModelFacts& facts, const std::function<std::vector<double>(const std::string&)>& values);

// UsageError when there is no parameter at all.
Description describe(const ModelFacts& facts);

// A tree of lines, then the costs. Parts below `depth` are left out; 0: none are.
std::string to_text(const Description& description, int depth = 0);

}  // namespace heed::insight

#pragma GCC visibility pop
