// SPDX-License-Identifier: Apache-2.0
#include "heed/nn/module.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>

#include "heed/base/safetensors.h"
#include "heed/base/testing.h"
#include "heed/nn/convolution.h"
#include "heed/nn/embedding.h"
#include "heed/nn/feed_forward.h"
#include "heed/nn/linear.h"
#include "heed/nn/norm.h"
#include "heed/nn/recurrent.h"
#include "heed/tensor/testing.h"

namespace heed::nn {
namespace {

using heed::testing::expect_near;
using heed::testing::wavy;

struct Tower {
  std::vector<Linear> floors;
  LayerNorm roof;
  Variable flag;

  explicit Tower(std::uint64_t seed, std::int64_t width = 3) : roof(width) {
    Random random(seed);
    floors.emplace_back(2, width, random);
    floors.emplace_back(width, width, random, LinearOptions{.bias = false});
    flag = Variable::leaf(Tensor::zeros({1}));
  }
  void visit(ParameterVisitor& visitor) {
    visitor("floors", floors);
    visitor("roof", roof);
    visitor("flag", flag);
  }
};

std::vector<std::string> names(const Parameters& parameters) {
  std::vector<std::string> all;
  for (const Parameter& parameter : parameters) all.push_back(parameter.name);
  return all;
}

TEST(Module, NamesItsParametersByPathAndSkipsWhatIsNotThere) {
  Tower tower(1);
  EXPECT_EQ(names(parameters(tower)),
            (std::vector<std::string>{"floors.0.weight", "floors.0.bias", "floors.1.weight",
                                      "roof.gain", "roof.bias", "flag"}));
  EXPECT_EQ(parameter_count(parameters(tower)), 6 + 3 + 9 + 3 + 3 + 1);
}

TEST(Module, ListsTiedParametersOnce) {
  Tower tower(1);
  tower.floors[1].weight = tower.floors[0].weight;
  EXPECT_EQ(names(parameters(tower)).size(), 5u);
}

TEST(Module, SavesAndLoadsByName) {
  const test::TemporaryFolder folder;
  const std::string path = (folder.path() / "tower.safetensors").string();
  Tower one(1);
  Tower two(2);
  save(parameters(one), path);
  Parameters target = parameters(two);
  load(target, path);
  expect_near(two.floors[0].weight.value(), one.floors[0].weight.value(), 0);
  expect_near(two.floors[1].weight.value(), one.floors[1].weight.value(), 0);
}

TEST(Module, ListsEveryTensorThatDoesNotFitAndChangesNothing) {
  const test::TemporaryFolder folder;
  const std::string path = (folder.path() / "tower.safetensors").string();
  Tower narrow(1, 3);
  narrow.floors[1].bias = Variable::leaf(Tensor::zeros({3}));
  narrow.flag = Variable();
  save(parameters(narrow), path);

  Tower wide(2, 4);
  const std::vector<Real> before = wide.floors[0].weight.value().values();
  Parameters target = parameters(wide);
  const std::string message = test::message_of<DataError>([&] { load(target, path); });
  for (const char* part :
       {"tower.safetensors", "missing: flag [1]", "not in the model: floors.1.bias [3]",
        "wrong shape: floors.0.weight is [3,2], the model takes [4,2]", "wrong shape: roof.gain"}) {
    EXPECT_NE(message.find(part), std::string::npos) << part << " in\n" << message;
  }
  EXPECT_EQ(wide.floors[0].weight.value().values(), before);
}

TEST(Module, SavesHalfNumbersAndLoadsThemRounded) {
  const test::TemporaryFolder folder;
  const std::string path = (folder.path() / "tower.safetensors").string();
  Tower one(1);
  for (const auto& [dtype, tolerance] : {std::pair(DType::kF16, 0x1p-11), {DType::kBF16, 0x1p-8}}) {
    save(parameters(one), path, {{"made-by", "test"}}, dtype);
    const SafetensorsFile file(path);
    EXPECT_EQ(file.at("floors.0.weight").dtype, dtype);
    EXPECT_EQ(file.at("floors.0.weight").bytes, 2u * 6);
    EXPECT_EQ(file.metadata().at("made-by"), "test");
    Tower two(2);
    load(parameters(two), path);
    const std::vector<Real> exact = one.floors[0].weight.value().values();
    const std::vector<Real> rounded = two.floors[0].weight.value().values();
    EXPECT_NE(rounded, exact);
    for (std::size_t i = 0; i < exact.size(); ++i) {
      EXPECT_NEAR(rounded[i], exact[i], std::abs(exact[i]) * tolerance);
    }
  }
}

TEST(Module, RefusesWeightsThatWouldBeSavedAsInfinityOrAsWholeNumbers) {
  const test::TemporaryFolder folder;
  const std::string path = (folder.path() / "tower.safetensors").string();
  Tower tower(1);
  tower.flag.mutable_value().mutable_data()[0] = 65520;
  EXPECT_EQ(
      test::message_of<UsageError>([&] { save(parameters(tower), path, {}, DType::kF16); }),
      "safetensors: tensor \"flag\" holds 65520, which F16 has no room for; BF16 reaches as far "
      "as F32");
  EXPECT_FALSE(std::filesystem::exists(path));
  save(parameters(tower), path, {}, DType::kBF16);
  EXPECT_THROW(save(parameters(tower), path, {}, DType::kI32), UsageError);
}

TEST(Module, ListsAndSavesTheParametersOfAConstOneAsConstants) {
  const test::TemporaryFolder folder;
  const std::string path = (folder.path() / "tower.safetensors").string();
  const Tower one(1);
  EXPECT_EQ(parameter_count(parameters(one)), 25);
  for (const Parameter& parameter : parameters(one)) {
    EXPECT_FALSE(parameter.variable.needs_gradient()) << parameter.name;
  }
  save(parameters(one), path);
  Tower two(2);
  load(parameters(two), path);
  expect_near(two.floors[0].weight.value(), one.floors[0].weight.value(), 0);
  EXPECT_TRUE(parameters(two).front().variable.needs_gradient());
}

TEST(Module, IsCopiedWithWeightsOfItsOwn) {
  Tower one(1);
  one.floors[1].weight = one.floors[0].weight;  // tied
  backward(sum(one.floors[0].weight));
  const Tower shares = one;
  Tower twin = copy(one);
  EXPECT_EQ(names(parameters(twin)), names(parameters(one)));
  EXPECT_EQ(twin.floors[0].weight.node(), twin.floors[1].weight.node());
  EXPECT_FALSE(twin.floors[0].weight.gradient().defined());
  EXPECT_TRUE(twin.floors[0].weight.needs_gradient());
  const std::vector<Real> before = one.floors[0].weight.value().values();
  EXPECT_EQ(twin.floors[0].weight.value().values(), before);
  twin.floors[0].weight.mutable_value().mutable_data()[0] = 9;
  EXPECT_EQ(one.floors[0].weight.value().values(), before);
  one.floors[0].weight.mutable_value().mutable_data()[0] = 5;
  EXPECT_EQ(shares.floors[0].weight.value().values()[0], 5);
}

// Holds another by a pointer that copies share.
struct Lodger {
  std::shared_ptr<Linear> room;
  void visit(ParameterVisitor& visitor) { visitor("room", *room); }
};

TEST(Module, IsNotCopiedWhereACopyWouldChangeIt) {
  Random random(1);
  const Lodger lodger{std::make_shared<Linear>(2, 2, random)};
  const Real* const weight = lodger.room->weight.value().data();
  EXPECT_NE(test::message_of<UsageError>([&] { copy(lodger); }).find("parameter room.weight"),
            std::string::npos);
  EXPECT_EQ(lodger.room->weight.value().data(), weight);
}

TEST(Module, IsGivenTheValuesOfAnother) {
  Tower one(1);
  Tower two(2);
  assign(parameters(two), parameters(std::as_const(one)));
  expect_near(two.floors[1].weight.value(), one.floors[1].weight.value(), 0);
  EXPECT_NE(two.floors[1].weight.value().data(), one.floors[1].weight.value().data());
  Tower wide(3, 4);
  const std::string message =
      test::message_of<UsageError>([&] { assign(parameters(two), parameters(wide)); });
  EXPECT_NE(message.find("wrong shape: floors.0.weight is [4,2], it takes [3,2]"),
            std::string::npos)
      << message;
}

TEST(Module, ClearsAllGradients) {
  Tower tower(1);
  Parameters all = parameters(tower);
  backward(sum(tower.roof(tower.floors[0](Variable(wavy({2, 2}))))));
  EXPECT_TRUE(tower.roof.gain.gradient().defined());
  clear_gradients(all);
  EXPECT_FALSE(tower.roof.gain.gradient().defined());
}

TEST(Linear, HasTheShapesOfItsWidths) {
  Random random(1);
  const Linear layer(4, 3, random);
  EXPECT_EQ(layer(Variable(wavy({2, 5, 4}))).shape(), (Shape{2, 5, 3}));
  EXPECT_THROW(layer(Variable(wavy({2, 3}))), UsageError);
}

TEST(Linear, GivesTheSameWithAndWithoutAGraph) {
  // With a graph the activation is its own op; without one it rides on the matrix product.
  Random random(1);
  const Linear layer(4, 3, random);
  const Variable x(wavy({5, 4}));
  for (const Activation activation : {Activation::relu, Activation::gelu, Activation::gelu_tanh,
                                      Activation::tanh, Activation::sigmoid, Activation::swish}) {
    const Tensor recorded = layer(x, activation).value();
    const NoGradient scope;
    expect_near(layer(x, activation).value(), recorded, 1e-6);
  }
}

TEST(Embedding, NeverTrainsItsPadding) {
  Random random(1);
  const Embedding table(4, 3, random, 0);
  const Variable y = table(Ids::of({3}, {0, 2, 0}));
  EXPECT_EQ(y.value().select(0, 0).values(), std::vector<Real>(3, 0));
  backward(sum(y));
  EXPECT_EQ(table.weight.gradient().select(0, 0).values(), std::vector<Real>(3, 0));
  EXPECT_EQ(table.weight.gradient().select(0, 2).values(), std::vector<Real>(3, 1));
}

TEST(Norms, GiveRowsOfMeanZeroOrLengthOne) {
  const Variable x(wavy({4, 50}));
  const Tensor normal = LayerNorm(50)(x).value();
  expect_near(sum(normal, 1), Tensor::zeros({4}), 1e-4);
  const Tensor rms = RMSNorm(50)(x).value();
  expect_near(sum(square(Variable(rms)), 1).value(), Tensor::full({4}, 50), 1e-2);
}

TEST(Dropout, ActsOnlyWhereNoiseIsGiven) {
  const Dropout half{Real(0.5)};
  const Variable x(Tensor::full({1000}, 1));
  expect_near(half(x, nullptr).value(), x.value(), 0);
  Random noise(3);
  const Tensor first = half(x, &noise).value();
  const Tensor second = half(x, &noise).value();
  EXPECT_NE(first.values(), second.values());
  Random again(3);
  expect_near(half(x, &again).value(), first, 0);
}

TEST(Dropout, LockedHasOneMaskForAllSteps) {
  const Dropout half{Real(0.5)};
  const Variable x(Tensor::full({3, 200}, 1));
  expect_near(half.locked(x, nullptr).value(), x.value(), 0);
  Random noise(3);
  const Tensor first = half.locked(x, &noise).value();
  EXPECT_EQ(first.select(0, 1).values(), first.select(0, 0).values());
  EXPECT_EQ(first.select(0, 2).values(), first.select(0, 0).values());
  EXPECT_NE(half.locked(x, &noise).value().values(), first.values());
}

TEST(Convolution, HasTheShapesOfItsWindows) {
  Random random(1);
  const Convolution1d line(2, 4, 3, random, {.padding = 1});
  EXPECT_EQ(line(Variable(wavy({5, 2, 7}))).shape(), (Shape{5, 4, 7}));
  const Convolution2d image(2, 4, 3, random, {.stride = 2});
  EXPECT_EQ(image(Variable(wavy({5, 2, 7, 9}))).shape(), (Shape{5, 4, 3, 4}));
}

TEST(FeedForward, IsTwoLayersWithAnActivationBetween) {
  Random random(1);
  FeedForward block({.width = 4, .inner = 8, .activation = Activation::gelu}, random);
  const Variable x(wavy({3, 4}));
  expect_near(block(x).value(), block.second(gelu(block.first(x))).value(), 1e-6);
  EXPECT_EQ(parameter_count(parameters(block)), 4 * 8 + 8 + 8 * 4 + 4);
}

TEST(FeedForward, DropsWhatIsBehindTheActivation) {
  Random random(1), noise(2), same(2);
  const FeedForward block({.width = 4, .inner = 8, .dropout = Real(0.5)}, random);
  const Variable x(wavy({3, 4}));
  const Tensor dropped = block(x, &noise).value();
  expect_near(dropped, block.second(block.dropout(relu(block.first(x)), &same)).value(), 1e-6);
  EXPECT_NE(dropped.values(), block(x).value().values());
}

}  // namespace
}  // namespace heed::nn
