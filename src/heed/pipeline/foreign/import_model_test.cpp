// SPDX-License-Identifier: Apache-2.0
// What an import takes and refuses, on copies of tiny models that were renamed, broken or set up to
// mislead.
#include "heed/pipeline/foreign/import_model.h"

#include <gtest/gtest.h>

#include "heed/pipeline/foreign/foreign_testing.h"

namespace heed::pipeline {
namespace {

using namespace testing;
using test::message_of;

struct StoredTensor {
  std::vector<std::size_t> shape;
  std::vector<float> values;
};
using StoredTensors = std::map<std::string, StoredTensor>;

StoredTensors stored_tensors(const fs::path& path) {
  const SafetensorsFile file(path);
  StoredTensors tensors;
  for (const TensorInfo& info : file.tensors()) {
    tensors[info.name] = {info.shape, file.read<float>(info)};
  }
  return tensors;
}

void store_tensors(const StoredTensors& tensors, const fs::path& path, DType dtype = DType::kF32) {
  SafetensorsWriter writer;
  for (const auto& [name, tensor] : tensors) {
    if (dtype == DType::kF32) {
      writer.add(name, tensor.shape, tensor.values);
    } else {
      writer.add_rounded<float>(name, dtype, tensor.shape, tensor.values);
    }
  }
  writer.write(path);
}

const std::string kBertVocabulary = tiny_vocabulary(
    {{0, "[PAD]"}, {1, "[UNK]"}, {2, "[CLS]"}, {3, "[SEP]"}, {4, "[MASK]"}}, "[CLS]", "[SEP]");
const std::string kGptVocabulary = tiny_vocabulary({{0, "<|endoftext|>"}});

// A copy of a tiny model whose tensors and config a test may change before it is imported.
struct TinyCopy {
  explicit TinyCopy(const std::string& name = "bert-masked",
                    const std::string& tokenizer = kBertVocabulary) {
    copy_tiny(name, from(), tokenizer);
    tensors = stored_tensors(from() / "model.safetensors");
  }
  fs::path from() const { return folder / "foreign"; }
  fs::path to() const { return folder / "model"; }

  // Writes the tensors, imports, and gives the weights that were made.
  StoredTensors imported(DType dtype = DType::kF32) {
    store_tensors(tensors, from() / "model.safetensors", dtype);
    import_model({.from = from(), .to = to()});
    return stored_tensors(to() / "model.safetensors");
  }
  std::string refusal() {
    store_tensors(tensors, from() / "model.safetensors");
    std::string message =
        message_of<DataError>([&] { import_model({.from = from(), .to = to()}); });
    EXPECT_FALSE(fs::exists(to()));
    // Nothing half-written is left either.
    for (const auto& entry : fs::directory_iterator(folder.path())) {
      EXPECT_EQ(entry.path().filename(), "foreign");
    }
    return message;
  }
  // The config with a key that says something else.
  void set(const std::string& key, Json value) {
    const fs::path path = from() / "config.json";
    Json config = Json::parse(read_file(path), path.string());
    auto& members = std::get<Json::Object>(config.value);
    std::erase_if(members, [&](const Json::Member& member) { return member.first == key; });
    members.emplace_back(key, std::move(value));
    write_atomically(path, config.text());
  }

  test::TemporaryFolder folder;
  StoredTensors tensors;
};

bool says(const std::string& message, const std::string& part) {
  return message.find(part) != std::string::npos;
}

void expect_same_tensors(const StoredTensors& one, const StoredTensors& other, double close = 0) {
  ASSERT_EQ(one.size(), other.size());
  for (const auto& [name, tensor] : one) {
    ASSERT_TRUE(other.contains(name)) << name;
    const std::vector<float>& values = other.at(name).values;
    ASSERT_EQ(tensor.values.size(), values.size()) << name;
    for (std::size_t i = 0; i < values.size(); ++i) {
      ASSERT_NEAR(tensor.values[i], values[i], close) << name;
    }
  }
}

TEST(Import, ReadsNamesOfEveryVersion) {
  const StoredTensors wanted = TinyCopy().imported();
  TinyCopy plain;  // a base model saved alone has no prefix, early files other names of norms
  StoredTensors renamed;
  for (const auto& [name, tensor] : plain.tensors) {
    std::string other = name.starts_with("bert.") ? name.substr(5) : name;
    const auto replace = [&](const std::string& late, const std::string& early) {
      if (!other.ends_with(late)) return;
      other.replace(other.size() - late.size(), late.size(), early);
    };
    replace("LayerNorm.weight", "LayerNorm.gamma");
    replace("LayerNorm.bias", "LayerNorm.beta");
    renamed[other] = tensor;
  }
  plain.tensors = renamed;
  expect_same_tensors(plain.imported(), wanted);
}

TEST(Import, LeavesOutBuffersAndCopies) {
  const StoredTensors wanted = TinyCopy().imported();
  TinyCopy more;
  more.tensors["bert.embeddings.position_ids"] = {{1, 16}, std::vector<float>(16)};
  more.tensors["cls.seq_relationship.weight"] = {{2, 32}, std::vector<float>(64)};
  more.tensors["cls.seq_relationship.bias"] = {{2}, std::vector<float>(2)};
  more.tensors["cls.predictions.decoder.weight"] =
      more.tensors.at("bert.embeddings.word_embeddings.weight");
  expect_same_tensors(more.imported(), wanted);
}

TEST(Import, ReadsHalfNumbersAsTheirCopiesInFull) {
  const StoredTensors wanted = TinyCopy().imported();
  expect_same_tensors(TinyCopy().imported(DType::kF16), wanted, 2e-3);
  expect_same_tensors(TinyCopy().imported(DType::kBF16), wanted, 2e-2);
}

TEST(Import, ReadsShardsAsOneFile) {
  const StoredTensors wanted = TinyCopy().imported();
  TinyCopy sharded;
  fs::remove(sharded.from() / "model.safetensors");
  StoredTensors parts[2];
  Json::Object map;
  int number = 0;
  for (const auto& [name, tensor] : sharded.tensors) {
    const int part = number++ % 2;
    parts[part][name] = tensor;
    map.emplace_back(name, Json(part == 0 ? "a.safetensors" : "b.safetensors"));
  }
  store_tensors(parts[0], sharded.from() / "a.safetensors");
  store_tensors(parts[1], sharded.from() / "b.safetensors");
  const auto index = [&](Json::Object entries) {
    write_atomically(sharded.from() / "model.safetensors.index.json",
                     Json(Json::Object{{"weight_map", std::move(entries)}}).text());
  };
  index(map);
  import_model({.from = sharded.from(), .to = sharded.to()});
  expect_same_tensors(stored_tensors(sharded.to() / "model.safetensors"), wanted);

  const auto refusal = [&] {
    return message_of<DataError>(
        [&] { import_model({.from = sharded.from(), .to = sharded.folder / "other"}); });
  };
  Json::Object outside = map;
  outside.front().second = Json("../a.safetensors");
  index(outside);
  EXPECT_TRUE(says(refusal(), "it takes a name in the same folder")) << refusal();
  Json::Object wrong = map;
  wrong.front().second = Json("b.safetensors");
  index(wrong);
  EXPECT_TRUE(says(refusal(), "which the index does not name")) << refusal();
}

TEST(Import, ListsWhatIsMissingWhatIsTooMuchAndWhatHasAnotherShape) {
  TinyCopy copy;
  copy.tensors.erase("bert.encoder.layer.1.output.dense.bias");
  copy.tensors["surplus.weight"] = {{2}, {1, 2}};
  copy.tensors["bert.encoder.layer.0.output.dense.bias"] = {{3}, {1, 2, 3}};
  const std::string message = copy.refusal();
  EXPECT_TRUE(says(message, "encoder.layer.1.output.dense.bias is missing, [32]")) << message;
  EXPECT_TRUE(says(message, "surplus.weight [2] is no part of such a model")) << message;
  EXPECT_TRUE(
      says(message, "bert.encoder.layer.0.output.dense.bias is [3]; the config asks for [32]"))
      << message;
}

TEST(Import, RefusesConfigsThatItDoesNotCoverByKeyAndValue) {
  const auto refused = [](const std::string& key, Json value) {
    TinyCopy copy;
    copy.set(key, std::move(value));
    return copy.refusal();
  };
  EXPECT_TRUE(says(refused("position_embedding_type", "relative_key"),
                   "config.json: position_embedding_type: \"relative_key\""));
  EXPECT_TRUE(says(refused("is_decoder", true), "config.json: is_decoder: true"));
  EXPECT_TRUE(says(refused("hidden_act", "quick_gelu"), "hidden_act \"quick_gelu\""));
  EXPECT_TRUE(says(refused("num_attention_heads", 5), "32 features do not divide into 5 heads"));
  EXPECT_TRUE(says(refused("num_hidden_layers", 1 << 20), "at most 1000"));
  EXPECT_TRUE(says(refused("hidden_size", -1), "config.json: hidden_size: -1"));
  EXPECT_TRUE(says(refused("model_type", "bort"), "\"bort\""));
  EXPECT_TRUE(says(refused("architectures", Json::List{"BertForWishes"}), "BertForWishes"));
  EXPECT_TRUE(says(refused("vocab_size", 40), "a special token is number") ||
              says(refused("vocab_size", 40), "rows"));
}

// What a folder may say that cannot be, or that Heed does not have: each refused by file and key,
// and nothing left behind.
struct Broken {
  const char* model;
  const char* key;
  Json value;
  const char* says = nullptr;  // besides the file; else the key
};

TEST(Import, RefusesEveryBrokenConfigByFileAndKey) {
  const std::string llama = tiny_vocabulary({{0, "<unk>"}, {1, "<s>"}, {2, "</s>"}}, "<s>");
  const std::map<std::string, std::string> vocabularies = {
      {"bert-masked", kBertVocabulary},
      {"roberta-masked",
       tiny_vocabulary({{0, "<s>"}, {1, "<pad>"}, {2, "</s>"}, {3, "<unk>"}, {4, "<mask>"}}, "<s>",
                       "</s>")},
      {"gpt2", kGptVocabulary},
      {"llama-linear", llama},
      {"marian", tiny_vocabulary({{0, "</s>"}, {1, "<unk>"}, {47, "<pad>"}}, "", "</s>")},
      {"t5", tiny_vocabulary({{0, "<pad>"}, {1, "</s>"}, {2, "<unk>"}}, "", "</s>")},
      {"vit-classify", "{}"}};
  constexpr std::int64_t kHuge = std::int64_t{1} << 60;
  const std::vector<Broken> all = {
      {"bert-masked", "add_cross_attention", true},
      {"bert-masked", "hidden_size", 0},
      {"bert-masked", "hidden_size", "large"},
      {"bert-masked", "hidden_size", kHuge},
      {"bert-masked", "vocab_size", kHuge},
      {"bert-masked", "vocab_size", 4.5},
      {"bert-masked", "layer_norm_eps", "small"},
      {"bert-masked", "max_position_embeddings", 0},
      {"bert-masked", "intermediate_size", -3},
      {"bert-masked", "num_attention_heads", 0},
      {"bert-masked", "type_vocab_size", -1},
      {"bert-masked", "hidden_act", Json::List{}},
      {"roberta-masked", "max_position_embeddings", 2, "are never read"},
      {"roberta-masked", "pad_token_id", kHuge},
      {"gpt2", "n_head", 5, "heads"},
      {"gpt2", "n_inner", -1},
      {"gpt2", "n_embd", kHuge},
      {"gpt2", "activation_function", "gelu_10"},
      {"gpt2", "n_layer", 1 << 20, "layers"},
      {"llama-linear", "num_key_value_heads", 3, "heads of keys"},
      {"llama-linear", "head_dim", 7, "even number"},
      {"llama-linear", "head_dim", 1 << 20, "even number"},
      {"llama-linear", "hidden_act", "quick_gelu"},
      {"llama-linear", "rope_theta", -1},
      {"llama-linear", "rope_scaling", Json::Object{{"type", "dynamic"}, {"factor", 2}}, "dynamic"},
      {"llama-linear", "rope_scaling", Json::Object{{"type", "longrope"}}, "longrope"},
      {"llama-linear", "rope_scaling", Json::Object{{"type", "linear"}}, "factor"},
      {"llama-linear", "rope_scaling", Json::Object{{"type", "linear"}, {"factor", 0}}, "factor"},
      {"marian", "normalize_before", true},
      {"marian", "normalize_embedding", true},
      {"marian", "add_final_layer_norm", true},
      {"marian", "static_position_embeddings", false},
      {"marian", "share_encoder_decoder_embeddings", false},
      {"marian", "decoder_vocab_size", 40},
      {"marian", "d_model", 33, "heads"},
      {"marian", "encoder_attention_heads", 2, "other heads"},
      {"marian", "encoder_layers", 100'000, "layers"},
      {"t5", "feed_forward_proj", "gated-silu"},
      {"t5", "d_kv", 100'000, "65536"},
      {"t5", "relative_attention_num_buckets", 0},
      {"vit-classify", "patch_size", 5, "patches"},
      {"vit-classify", "num_channels", 1},
      {"vit-classify", "image_size", kHuge},
      {"vit-classify", "image_size", 1 << 20, "patches"},
      {"vit-classify", "num_hidden_layers", 101, "layers"},
      {"vit-classify", "model_type", "deit"},
      {"vit-classify", "id2label", Json::List{"a"}}};
  for (const Broken& one : all) {
    TinyCopy copy(one.model, vocabularies.at(one.model));
    copy.set(one.key, one.value);
    const std::string message = copy.refusal();
    EXPECT_TRUE(says(message, "config.json")) << one.model << ": " << message;
    EXPECT_TRUE(says(message, one.says == nullptr ? one.key : one.says))
        << one.model << ", " << one.key << ": " << message;
  }
}

TEST(Import, RefusesFilesThatAreNoneByNameAndPlace) {
  const auto message = [](const std::string& file, const std::string& content) {
    TinyCopy copy;
    write_atomically(copy.from() / file, content);
    const std::string refused = copy.refusal();
    EXPECT_TRUE(says(refused, file)) << refused;
    return refused;
  };
  std::string deep;
  for (int i = 0; i < 65; ++i) deep += "[";
  EXPECT_TRUE(says(message("config.json", "{\"a\": " + deep), "64"));
  EXPECT_TRUE(says(message("config.json", "{\"model_type\": \"b\xff\"}"), "UTF-8"));
  message("config.json", "");
  message("config.json", "[1]");
  message("config.json", R"({"model_type": "bert", "model_type": "bert"})");
  message("generation_config.json", "{");
  message("tokenizer.json", "{\"model\": {}}");
  message("tokenizer.json", "\xff");
  message("tokenizer_config.json", "no");
  // A piece twice, and a number that two pieces have or that no row has.
  const auto pieces = [&](const std::string& vocabulary) {
    return message("tokenizer.json",
                   R"({"pre_tokenizer": {"type": "WhitespaceSplit"}, "model": {"type": "WordPiece",
                       "unk_token": "[UNK]", "vocab": {)" +
                       vocabulary + "}}}");
  };
  pieces(R"("[UNK]": 0, "a": 1, "a": 2)");
  pieces(R"("[UNK]": 0, "a": 1, "b": 1)");
  pieces(R"("[UNK]": 0, "a": 1000000)");
  pieces(R"("[UNK]": 0, "a": -1)");
  TinyCopy lost;
  fs::remove(lost.from() / "tokenizer.json");
  EXPECT_TRUE(says(lost.refusal(), "there is no vocabulary"));
  TinyCopy nothing;
  fs::remove(nothing.from() / "config.json");
  EXPECT_TRUE(says(nothing.refusal(), "config.json is missing"));
}

TEST(Import, RefusesWeightsThatAreCutShort) {
  TinyCopy copy;
  const fs::path weights = copy.from() / "model.safetensors";
  const std::string whole = read_file(weights);
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{7}, std::size_t{100}, whole.size() - 1}) {
    write_atomically(weights, whole.substr(0, size));
    const std::string message =
        message_of<DataError>([&] { import_model({.from = copy.from(), .to = copy.to()}); });
    EXPECT_TRUE(says(message, "model.safetensors")) << message;
    EXPECT_FALSE(fs::exists(copy.to()));
  }
}

TEST(Import, RefusesRotaryPositionsAndWindowsThatItDoesNotHave) {
  const std::string vocabulary = tiny_vocabulary({{0, "<unk>"}, {1, "<s>"}, {2, "</s>"}}, "<s>");
  TinyCopy yarn("llama3", vocabulary);
  yarn.set("rope_scaling", Json::Object{{"rope_type", "yarn"}, {"factor", 4}});
  EXPECT_TRUE(says(yarn.refusal(), "rotary positions \"yarn\""));
  TinyCopy some("qwen2", vocabulary);
  some.set("use_sliding_window", true);
  some.set("sliding_window", 4);
  some.set("max_window_layers", 1);
  EXPECT_TRUE(says(some.refusal(), "Heed reads one window for all layers, or none"));
}

TEST(Import, ReadsRotaryParametersOfBothVersions) {
  const std::string vocabulary = tiny_vocabulary({{0, "<unk>"}, {1, "<s>"}, {2, "</s>"}}, "<s>");
  TinyCopy before("llama3", vocabulary);
  before.imported();
  TinyCopy after("llama3", vocabulary);
  after.set("rope_parameters", Json::Object{{"rope_type", "llama3"},
                                            {"rope_theta", 500.0},
                                            {"factor", 8.0},
                                            {"low_freq_factor", 1.0},
                                            {"high_freq_factor", 4.0},
                                            {"original_max_position_embeddings", 64}});
  after.set("rope_theta", 7.0);  // what stands inside the object counts
  after.imported();
  EXPECT_EQ(read_file(before.to() / "config.toml"), read_file(after.to() / "config.toml"));
}

TEST(Import, ReadsAFileOfPytorchAndNamesTheProgramOfAHostileOne) {
  const test::TemporaryFolder folder;
  for (const char* file : {"pytorch_model.bin", "hostile.bin", "legacy.bin"}) {
    const fs::path from = folder / (std::string("from-") + file);
    fs::create_directories(from);
    fs::copy_file(golden_model("pytorch-bin") / "config.json", from / "config.json");
    fs::copy_file(golden_model("pytorch-bin") / file, from / "pytorch_model.bin");
    write_atomically(from / "tokenizer.json", kGptVocabulary);
    // Its end is number 50256, which 48 rows have no room for, and no architecture is named.
    const std::string config = read_file(from / "config.json");
    std::string small = config;
    for (std::size_t at; (at = small.find("50256")) != std::string::npos;)
      small.replace(at, 5, "0");
    small.insert(small.find('{') + 1, "\"architectures\": [\"GPT2LMHeadModel\"],");
    write_atomically(from / "config.json", small);
  }
  const ImportReport report =
      import_model({.from = folder / "from-pytorch_model.bin", .to = folder / "model"});
  EXPECT_EQ(report.family, "GPT-2");
  EXPECT_TRUE(says(message_of<DataError>([&] {
                     import_model({.from = folder / "from-hostile.bin", .to = folder / "other"});
                   }),
                   "asks to run a program"));
  EXPECT_TRUE(says(message_of<DataError>([&] {
                     import_model({.from = folder / "from-legacy.bin", .to = folder / "other"});
                   }),
                   "before 1.6"));
  EXPECT_FALSE(fs::exists(folder / "other"));
}

TEST(Import, WritesACardAndNeverOverAFolder) {
  TinyCopy copy;
  write_atomically(copy.from() / "README.md",
                   "---\nlanguage: en\nlicense: apache-2.0\n---\nlicense: no\n");
  copy.imported();
  const std::string card = read_file(copy.to() / "card.md");
  EXPECT_TRUE(says(card, "| licence | apache-2.0 |")) << card;
  EXPECT_TRUE(says(card, "| SHA-256 of model.safetensors | ")) << card;
  EXPECT_TRUE(
      says(message_of<UsageError>([&] { import_model({.from = copy.from(), .to = copy.to()}); }),
           "it is there already"));
  EXPECT_TRUE(says(message_of<UsageError>([&] {
                     import_model({.from = copy.from(), .to = copy.folder / "b", .task = "dance"});
                   }),
                   "becomes a model for"));
}

}  // namespace
}  // namespace heed::pipeline
