// SPDX-License-Identifier: Apache-2.0
// A step of a neural Turing machine: control, address, read and write, answer.
#include "heed/models/turing_machine.h"

#include <cmath>
#include <map>
#include <span>

#include "heed/autograd/ops.h"
#include "heed/autograd/slots.h"
#include "heed/autograd/turing_heads.h"
#include "heed/base/error.h"
#include "heed/models/dnc_heads.h"
#include "heed/models/turing_machine_heads.h"
#include "heed/models/turing_machine_sites.h"
#include "heed/nn/initialisers.h"

namespace heed::models {
namespace {

// What every sequence starts with: x [...] -> [B,...].
Variable for_each_sequence(const Variable& x, std::int64_t batch) {
  return expand(reshape(x, x.shape().inserted(0, 1)), x.shape().inserted(0, batch));
}

constexpr std::int64_t kMostLinkedSlots = 512;  // 1 MiB of links for a sequence

void check_dnc(const TuringMachineOptions& options) {
  if (options.write_heads != 1) {
    throw UsageError(
        "turing machine: write-heads {}; the addressing dnc has one, for slots are written in one "
        "order",
        options.write_heads);
  }
  if (options.slots > kMostLinkedSlots) {
    throw UsageError(
        "turing machine: slots {}; the addressing dnc takes up to {}, for it links every slot with "
        "every other",
        options.slots, kMostLinkedSlots);
  }
  if (options.focus_start != FocusStart::first_slot) {
    throw UsageError(
        "turing machine: focus-start {}; the heads of dnc look nowhere before the first step, "
        "leave "
        "it out",
        focus_start_names()[static_cast<std::size_t>(options.focus_start)]);
  }
}

void check_machine(const TuringMachineOptions& options) {
  const auto require = [](const char* name, std::int64_t found, std::int64_t least) {
    if (found >= least) return;
    throw UsageError("turing machine: {} {}; it takes {} or more", name, found, least);
  };
  require("inputs", options.inputs, 1);
  require("outputs", options.outputs, 1);
  require("hidden", options.hidden, 1);
  require("slots", options.slots, 1);
  require("width", options.width, 1);
  require("read-heads", options.read_heads, 1);
  require("write-heads", options.write_heads, 1);
  if (options.addressing == Addressing::dnc) {
    check_dnc(options);
    return;
  }
  if (options.memory_start == MemoryStart::constant &&
      options.focus_start == FocusStart::all_slots && options.slots > 1) {
    throw UsageError(
        "turing machine: a constant memory and a focus on all slots tell no slot from another, and "
        "no step ever will; start with a random memory or with the first slot");
  }
}

}  // namespace

const std::vector<std::string>& controller_names() {
  static const std::vector<std::string> names = {"feed-forward", "lstm"};
  return names;
}

const std::vector<std::string>& memory_start_names() {
  static const std::vector<std::string> names = {"random", "constant"};
  return names;
}

const std::vector<std::string>& focus_start_names() {
  static const std::vector<std::string> names = {"first-slot", "all-slots"};
  return names;
}

const std::vector<std::string>& addressing_names() {
  static const std::vector<std::string> names = {"ntm", "dnc"};
  return names;
}

const std::string& usual_attention(Addressing addressing) {
  static const std::string content =
      "cosine(strength=query, project=true, epsilon=1e-06) | full | softmax";
  static const std::string moving = content + " | interpolate | shift(range=1) | sharpen";
  return addressing == Addressing::dnc ? content : moving;
}

void WrittenSlots::visit(StateVisitor& visitor) {
  visitor("usage", usage);
  visitor("precedence", precedence);
  visitor("links", links);
  visitor("write", write);
  visitor("read", read);
}

void TuringMachineState::visit(StateVisitor& visitor) {
  visitor("slots", memory);
  visitor("read", read);
  visitor("focus", focus);
  visitor("controller", controller);
  visitor("written", written);
}

TuringMachine::TuringMachine(const TuringMachineOptions& options, Random& random)
    : options_(options) {
  check_machine(options);
  if (options.attention.empty()) options_.attention = usual_attention(options.addressing);
  const std::int64_t hidden = options.hidden, width = options.width;
  if (options.memory_start == MemoryStart::random) {
    Random slots(options.memory_seed);
    const auto most = static_cast<Real>(1 / std::sqrt(static_cast<double>(options.slots + width)));
    // Not by an initialiser: these are zeros where a file has the weights, and none has the slots.
    slots_ = Tensor({options.slots, width});
    fill_uniform(std::span(slots_.mutable_data(), static_cast<std::size_t>(slots_.size())), slots,
                 -most, most);
  } else {
    slots_ = Tensor::full({options.slots, width}, Real(1e-6));
  }
  const std::int64_t seen = options.inputs + options.read_heads * width;
  first_read_ = nn::parameter(Tensor::zeros({options.read_heads, width}));
  if (options.controller == Controller::lstm) {
    cell_ = nn::RecurrentLayer(nn::Cell::lstm, seen, hidden, random);
    first_h_ = nn::parameter(Tensor::zeros({hidden}));
    first_c_ = nn::parameter(Tensor::zeros({hidden}));
  } else {
    layer_ = nn::Linear(seen, hidden, random);
  }
  if (options.addressing == Addressing::dnc) {
    dnc_ = std::make_shared<DncHeads>(options_, random);
  } else {
    look_ = looking(options_, heads(), random);
  }
  erase_ = nn::Linear(hidden, options.write_heads * width, random);
  add_ = nn::Linear(hidden, options.write_heads * width, random);
  output_ = nn::Linear(hidden + options.read_heads * width, options.outputs, random);
}

void TuringMachine::visit(nn::ParameterVisitor& visitor) {
  visitor("first_read", first_read_);
  visitor("layer", layer_);
  visitor("cell", cell_);
  visitor("first_h", first_h_);
  visitor("first_c", first_c_);
  if (look_) visitor("heads", *look_);
  if (dnc_) visitor("heads", *dnc_);
  visitor("erase", erase_);
  visitor("add", add_);
  visitor("output", output_);
}

TuringMachineState TuringMachine::start(std::int64_t batch) const {
  TuringMachineState state;
  state.memory = for_each_sequence(slots_, batch);
  state.read = for_each_sequence(first_read_, batch);
  Tensor focus = Tensor::zeros({batch, heads(), options_.slots});
  if (dnc_) {
    state.written.usage = Tensor::zeros({batch, options_.slots});
    state.written.precedence = Tensor::zeros({batch, options_.slots});
    state.written.links = Tensor::zeros({batch, options_.slots, options_.slots});
  } else if (options_.focus_start == FocusStart::first_slot) {
    focus.slice(2, 0, 1).assign(Tensor::full({batch, heads(), 1}, 1));
  } else {
    focus = Tensor::full(focus.shape(), Real(1) / static_cast<Real>(options_.slots));
  }
  state.focus.previous = focus;
  if (options_.controller == Controller::lstm) {
    state.controller = {for_each_sequence(first_h_, batch), for_each_sequence(first_c_, batch)};
  }
  return state;
}

TuringMachine::Joined TuringMachine::joined(const Call& call) const {
  const bool lstm = options_.controller == Controller::lstm;
  const Variable& weight = lstm ? cell_.w_x : layer_.weight;
  Variables parts = split(weight, 1, {options_.inputs, weight.size(1) - options_.inputs});
  Joined joined;
  joined.inputs = parts[0];
  joined.own = lstm ? concat({parts[1], cell_.w_h}, 1) : parts[1];
  if (dnc_ || call.watch != nullptr || options_.attention != usual_attention(Addressing::ntm)) {
    return joined;
  }
  std::map<std::string, Variable> told;
  nn::ParameterVisitor visitor(
      [&](const std::string& path, Variable& parameter) { told[path] = parameter; });
  visitor.enter(*look_);
  // [H,n,C] -> [Hn,C] and [H,n] -> [Hn]
  const auto rows = [](const Variable& x) { return reshape(x, {-1, x.size(-1)}); };
  const auto row = [](const Variable& x) { return reshape(x, {-1}); };
  const Variable keys = rows(told.at("score.W"));
  joined.heads = concat({keys, rows(told.at("score.strength.W")),
                         rows(told.at("addressing.gate.W")), rows(told.at("addressing_2.shares.W")),
                         rows(told.at("addressing_3.power.W")), erase_.weight, add_.weight},
                        0);
  joined.heads_bias =
      concat({Variable(Tensor::zeros({keys.size(0)})), row(told.at("score.strength.b")),
              row(told.at("addressing.gate.b")), row(told.at("addressing_2.shares.b")),
              row(told.at("addressing_3.power.b")), erase_.bias, add_.bias},
             0);
  return joined;
}

Variable TuringMachine::heard(const Variable& inputs, const Joined& joined) const {
  const bool lstm = options_.controller == Controller::lstm;
  return linear(inputs, joined.inputs, lstm ? cell_.bias : layer_.bias);
}

Variable TuringMachine::controlled(const Variable& heard, TuringMachineState& state,
                                   const Joined& joined) const {
  const Variable read = reshape(state.read, {heard.size(0), options_.read_heads * options_.width});
  if (options_.controller == Controller::feed_forward) {
    return tanh(heard + linear(read, joined.own, Variable()));
  }
  const Variable own = concat({read, state.controller.h}, 1);
  state.controller = recurrent_step(
      nn::Cell::lstm, {heard, linear(own, joined.own, Variable()), {}}, state.controller);
  return state.controller.h;
}

Variable TuringMachine::step(const Variable& input, TuringMachineState& state,
                             const Call& call) const {
  if (input.rank() != 2 || input.size(1) != options_.inputs) {
    throw UsageError("turing machine: an input {}; it takes [B,{}]", input.shape().text(),
                     options_.inputs);
  }
  const Joined weights = joined(call);
  return output_(advance(heard(input, weights), state, call, weights));
}

Variable TuringMachine::advance(const Variable& heard, TuringMachineState& state, const Call& call,
                                const Joined& joined) const {
  const Variable h = controlled(heard, state, joined);
  look_around(h, state, call, joined);
  return concat({h, reshape(state.read, {h.size(0), options_.read_heads * options_.width})}, 1);
}

void TuringMachine::look_around(const Variable& h, TuringMachineState& state, const Call& call,
                                const Joined& joined) const {
  if (joined.heads.defined()) {
    TuringHeadsAfter after =
        turing_heads(state.memory, state.focus.previous, linear(h, joined.heads, joined.heads_bias),
                     {.reads = options_.read_heads, .writes = options_.write_heads});
    state.read = std::move(after.read);
    state.memory = std::move(after.memory);
    state.focus.step += 1;
    state.focus.previous = std::move(after.weights);
    return;
  }
  const std::int64_t batch = h.size(0), width = options_.width, slots = state.memory.size(1);
  const std::int64_t reads = options_.read_heads, writes = options_.write_heads;
  const Variable erase = reshape(sigmoid(erase_(h)), {batch, writes, width});
  const Variable add = reshape(add_(h), {batch, writes, width});
  if (dnc_) {
    dnc_->look_around(h, {.erase = erase, .add = add}, state, call);
    return;
  }
  const attention::Attended found =
      looked_at(*look_, h, state.memory, state.focus, call, kHeadsSite);
  const Variable weights = reshape(found.weights, {batch, heads(), slots});
  SlotsAfter after =
      read_and_write(state.memory, slice(weights, 1, 0, reads),
                     {.weights = slice(weights, 1, reads, heads()), .erase = erase, .add = add});
  state.read = std::move(after.read);
  state.memory = std::move(after.memory);
  state.focus = found.state;
  state.focus.previous = weights;
}

Variable TuringMachine::operator()(const Variable& inputs, const Call& call) const {
  if (inputs.rank() != 3) {
    throw UsageError("turing machine: inputs {}; it takes [T,B,{}]", inputs.shape().text(),
                     options_.inputs);
  }
  TuringMachineState state = start(inputs.size(1));
  const Joined weights = joined(call);
  const Variable all = heard(inputs, weights);  // one product for the inputs of all steps
  const std::int64_t steps = inputs.size(0), batch = inputs.size(1);
  Variables ends;
  for (std::int64_t t = 0; t < steps; ++t) {
    ends.push_back(advance(select(all, 0, t), state, call, weights));
  }
  // No answer is fed back, so all are given in one product.
  return reshape(output_(concat(ends, 0)), {steps, batch, options_.outputs});
}

}  // namespace heed::models
