// SPDX-License-Identifier: Apache-2.0
// Matrix products through Heed beside the same products by calling oneDNN directly:
// bench_gemm_against_onednn [--json] prints one row per shape and thread count.
#include <fmt/format.h>
#include <dnnl.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <string_view>
#include <vector>

#include "heed/base/threads.h"
#include "heed/kernels/measure.h"
#include "heed/kernels/products/gemm.h"
#include "heed/kernels/targets.h"
#include "timing.h"

namespace {

using heed::benchmarks::best_of_turns;
using heed::benchmarks::Buffer;
using heed::benchmarks::random_buffer;
using heed::kernels::GemmOptions;

constexpr double kSecondsPerRow = 0.6;

struct Shape {
  std::size_t m, n, k;
  double flops() const { return 2.0 * static_cast<double>(m) * n * k; }
};

// oneDNN's matmul with weights in the format it likes best, reordered before.
class ReorderedMatmul {
 public:
  ReorderedMatmul(const Shape& shape, float* a, float* b, float* c)
      : engine_(dnnl::engine::kind::cpu, 0), stream_(engine_) {
    using Memory = dnnl::memory;
    using Tag = Memory::format_tag;
    const auto dim = [](std::size_t n) { return static_cast<Memory::dim>(n); };
    const auto describe = [&](std::size_t rows, std::size_t columns, Tag tag) {
      return Memory::desc({dim(rows), dim(columns)}, Memory::data_type::f32, tag);
    };
    const dnnl::matmul::desc product(describe(shape.m, shape.k, Tag::ab),
                                     describe(shape.k, shape.n, Tag::any),
                                     describe(shape.m, shape.n, Tag::ab));
    const dnnl::matmul::primitive_desc chosen(product, engine_);
    Memory plain(describe(shape.k, shape.n, Tag::ab), engine_, b);
    Memory reordered(chosen.weights_desc(), engine_);
    dnnl::reorder(plain, reordered).execute(stream_, plain, reordered);
    stream_.wait();
    matmul_ = dnnl::matmul(chosen);
    arguments_ = {{DNNL_ARG_SRC, Memory(describe(shape.m, shape.k, Tag::ab), engine_, a)},
                  {DNNL_ARG_WEIGHTS, reordered},
                  {DNNL_ARG_DST, Memory(describe(shape.m, shape.n, Tag::ab), engine_, c)}};
  }
  void run() {
    matmul_.execute(stream_, arguments_);
    stream_.wait();
  }

 private:
  dnnl::engine engine_;
  dnnl::stream stream_;
  dnnl::matmul matmul_;
  std::unordered_map<int, dnnl::memory> arguments_;
};

void sgemm(const Shape& shape, const float* a, const float* b, float* c) {
  const auto dim = [](std::size_t n) { return static_cast<dnnl_dim_t>(n); };
  dnnl_sgemm('N', 'N', dim(shape.m), dim(shape.n), dim(shape.k), 1, a, dim(shape.k), b,
             dim(shape.n), 0, c, dim(shape.n));
}

// The FMA rate of one core, measured again beside each row.
nlohmann::json row(std::string_view name, const Shape& shape, double heed, double onednn) {
  const double fma = heed::kernels::fma_gflops(0.03);
  const double gflops = shape.flops() / heed * 1e-9;
  return {{"name", name},
          {"m", shape.m},
          {"n", shape.n},
          {"k", shape.k},
          {"threads", heed::threads()},
          {"ms", heed * 1e3},
          {"onednn_ms", onednn * 1e3},
          {"ratio", onednn / heed},
          {"gflops", gflops},
          {"fraction_of_fma", gflops / (fma * heed::threads())}};
}

nlohmann::json square(std::size_t size) {
  const Shape shape{size, size, size};
  const Buffer a = random_buffer(size * size);
  const Buffer b = random_buffer(size * size);
  const Buffer c = random_buffer(size * size);
  const GemmOptions<float> options{.m = size, .n = size, .k = size};
  const std::vector<double> best =
      best_of_turns({[&] { heed::kernels::gemm<float>(a.get(), b.get(), c.get(), options); },
                     [&] { sgemm(shape, a.get(), b.get(), c.get()); }},
                    kSecondsPerRow);
  return row("gemm_" + std::to_string(size), shape, best[0], best[1]);
}

// Few rows against a weight that stays: the rival is the faster of sgemm and matmul.
nlohmann::json few_rows(std::size_t rows) {
  const Shape shape{rows, 2048, 512};
  const Buffer a = random_buffer(shape.m * shape.k);
  const Buffer b = random_buffer(shape.k * shape.n);
  const Buffer c = random_buffer(shape.m * shape.n);
  const Buffer packed = random_buffer(heed::kernels::packed_size<float>(shape.k, shape.n));
  heed::kernels::pack<float>(b.get(), {.k = shape.k, .n = shape.n}, packed.get());
  ReorderedMatmul matmul(shape, a.get(), b.get(), c.get());
  const GemmOptions<float> options{.m = shape.m, .n = shape.n, .k = shape.k};
  const std::vector<double> best = best_of_turns(
      {[&] { heed::kernels::gemm_packed<float>(a.get(), packed.get(), c.get(), options); },
       [&] { sgemm(shape, a.get(), b.get(), c.get()); }, [&] { matmul.run(); }},
      kSecondsPerRow / 3);
  nlohmann::json result = row("packed_" + std::to_string(rows) + "x512x2048", shape, best[0],
                              std::min(best[1], best[2]));
  result["onednn_best"] = best[1] < best[2] ? "sgemm" : "matmul";
  return result;
}

}  // namespace

// NOLINTNEXTLINE(bugprone-exception-escape): what goes wrong may end a benchmark
int main(int argc, char** argv) {
  const bool json = argc > 1 && std::string_view(argv[1]) == "--json";
  if (argc > 2 || (argc == 2 && !json)) {
    fmt::print(stderr, "usage: {} [--json]\n", argv[0]);
    return 2;
  }
  if (!json) {
    fmt::print("CPU target {}, FMA loop {:.0f} GFLOP/s per core\n", heed::kernels::current_target(),
               heed::kernels::fma_gflops(0.2));
    fmt::print("{:<22} {:>7} {:>10} {:>10} {:>7} {:>9} {:>8}\n", "product", "threads", "Heed ms",
               "oneDNN ms", "ratio", "GFLOP/s", "of FMA");
  }
  nlohmann::json rows = nlohmann::json::array();
  const auto report = [&](const nlohmann::json& result) {
    rows.push_back(result);
    if (json) return;
    fmt::print("{:<22} {:>7} {:>10.4f} {:>10.4f} {:>7.3f} {:>9.1f} {:>8.3f}\n",
               result["name"].get<std::string>(), result["threads"].get<int>(),
               result["ms"].get<double>(), result["onednn_ms"].get<double>(),
               result["ratio"].get<double>(), result["gflops"].get<double>(),
               result["fraction_of_fma"].get<double>());
    std::fflush(stdout);
  };
  for (const int count : {1, 2}) {
    heed::set_threads(count);
    for (const std::size_t size : {256, 512, 1024, 2048}) report(square(size));
    for (const std::size_t m : {1, 2, 4, 6, 8, 12, 16, 24, 32}) report(few_rows(m));
  }
  if (json) fmt::print("{}\n", rows.dump(2));
  return 0;
}
