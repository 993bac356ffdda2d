// SPDX-License-Identifier: Apache-2.0
// The server as its clients meet it: every route, its own description held against it, signals,
// tokens, and what happens when there is too much to do.
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>

#include "heed/base/text.h"
#include "http_client.h"
#include "json_schema.h"
#include "run_program.h"
#include "server_process.h"

namespace heed::test {
namespace {

using nlohmann::json;

TEST(HeedServe, AnswersEveryRoute) {
  ServerProcess server;
  ASSERT_GT(server.port(), 0) << server.log();
  HttpClient client(server.port());  // one connection for all
  const json translated =
      client.post("/v1/translate", R"({"text": "a b c", "attention": true})").json();
  EXPECT_FALSE(translated["results"][0]["translations"][0]["trace"]["examples"].empty());
  EXPECT_EQ(client.post("/v1/generate", R"({"prompt": "aa", "length": 5})").json()["tokens"], 5);
  EXPECT_EQ(client.post("/v1/classify", R"({"text": "ba lovely do"})").status, 200);
  EXPECT_EQ(client.post("/v1/score", R"({"text": "a b", "target": "B A"})").status, 200);
  EXPECT_EQ(client.post("/v1/fill", R"({"text": "sun [MASK]"})").json()["gaps"][0].size(), 5u);
  EXPECT_EQ(client.post("/v1/ask", R"({"story": "Ann went.", "question": "Where is Ann?"})")
                .json()["sentences"][0]["text"],
            "Ann went.");
  const json pointed =
      client.post("/v1/point", R"({"points": [[0, 0], [1, 0], [0, 1]], "attention": true})").json();
  EXPECT_EQ(pointed["results"][0]["route"].size(), 3u) << pointed;
  EXPECT_FALSE(pointed["results"][0]["trace"]["examples"].empty());
  const json refused =
      client.post("/v1/point", R"({"points": [[0, 0], [1, 1], [2, 2]]})").json()["error"];
  EXPECT_EQ(refused["where"], "/points");
  EXPECT_NE(refused["message"].get<std::string>().find("lie on one line"), std::string::npos);
  EXPECT_EQ(client
                .post("/v1/attend", R"({"mechanism": "dot", "query": [[1]], "keys": [[1]],
                                        "values": [[2]]})")
                .json()["context"],
            json::parse("[[2.0]]"));
  EXPECT_GT(client.get("/v1/mechanisms").json()["parts"].size(), 40u);
  EXPECT_EQ(client.post("/v1/completions", R"({"prompt": "aa"})").json()["model"], "lines");
  const json models = client.get("/v1/models").json();
  EXPECT_EQ(models["data"][1]["task"], "language");
  EXPECT_EQ(models["data"][0]["examples"].size(), 4u) << models;
  EXPECT_NE(models["data"][3]["examples"][0]["text"].get<std::string>().find("[MASK]"),
            std::string::npos);
  EXPECT_EQ(client.get("/v1/models/lines").json(), models["data"][1]);
  EXPECT_EQ(client.get("/healthz").json()["status"], "ok");
  EXPECT_EQ(client.get("/readyz").json()["models"], all_models().size());
  const HttpAnswer metrics = client.get("/metrics");
  for (const char* line :
       {"heed_requests_total{route=\"/v1/translate\",model=\"letters\",status=\"200\"} 1\n",
        "heed_requests_total{route=\"/v1/attend\",model=\"\",status=\"200\"} 1\n",
        "heed_written_tokens_total{model=\"lines\"} 21\n", "heed_build_info{version=\"",
        "heed_model_info{model=\"pairs\",task=\"masked\"} 1\n", "heed_ready 1\n"}) {
    EXPECT_NE(metrics.body.find(line), std::string::npos) << line << metrics.body;
  }
  EXPECT_NE(metrics.body.find("heed_connections 1\n"), std::string::npos);
  const HttpAnswer page = client.get("/");
  EXPECT_EQ(page.headers.at("content-type"), "text/html; charset=utf-8");
  EXPECT_NE(page.headers.at("content-security-policy").find("default-src 'none'"),
            std::string::npos);
  EXPECT_EQ(page.headers.at("x-content-type-options"), "nosniff");
  EXPECT_EQ(client.get("/heed/matrix.js").headers.at("content-type"),
            "text/javascript; charset=utf-8");
  client.send("HEAD /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_EQ(client.receive(true).status, 200);
  EXPECT_EQ(client.get("/healthz").status, 200);
  EXPECT_EQ(server.stop(), 0) << server.log();
  // No text of a client in the log.
  EXPECT_NE(server.log().find(" POST /v1/translate 200 "), std::string::npos) << server.log();
  EXPECT_EQ(server.log().find("a b c"), std::string::npos);
}

TEST(HeedServe, StreamsATextAsItIsWritten) {
  ServerProcess server;
  HttpClient client(server.port());
  const HttpAnswer answer =
      client.post("/v1/generate", R"({"prompt": "aa", "length": 40, "stream": true})");
  EXPECT_EQ(answer.headers.at("content-type"), "text/event-stream");
  EXPECT_NE(answer.body.find("event: piece\ndata: {\"text\":"), std::string::npos) << answer.body;
  EXPECT_NE(answer.body.find("event: end\ndata: {\"model\":\"lines\""), std::string::npos);
  EXPECT_EQ(client.get("/healthz").status, 200);  // the connection is still good
}

// What a field needs of others to be allowed.
json with_company(const std::string& path, json body, const std::string& field) {
  if (path == "/v1/score") body["target"] = "B A";
  if (path == "/v1/fill") body["text"] = "sun [MASK]";
  if (field == "layers" || field == "heads") body["attention"] = path != "/v1/attend";
  const bool draws =
      field == "temperature" || field == "top_k" || field == "nucleus" || field == "seed";
  if (draws && path == "/v1/translate") body["sample"] = true;
  if (field == "n_best") body["beam"] = body["n_best"];
  if (path == "/v1/attend") body.erase("attention");
  return body;
}

// Values that a field's schema allows, and such that it does not.
struct Values {
  std::vector<json> good, bad;
};
Values values_of(const json& schema) {
  Values values;
  if (schema.contains("anyOf") && schema["anyOf"].back() == json{{"type", "null"}}) {
    json known = schema["anyOf"].front();  // null is as good as nothing
    for (const char* key : {"default", "examples"}) {
      if (schema.contains(key)) known[key] = schema[key];
    }
    values = values_of(known);
    std::erase(values.bad, json());
    values.good.push_back(nullptr);
    return values;
  }
  if (schema.contains("default")) values.good.push_back(schema["default"]);
  for (const json& one : schema.value("examples", json::array())) values.good.push_back(one);
  for (const json& one : schema.value("enum", json::array())) values.good.push_back(one);
  const std::string type = schema.value("type", "");
  values.bad.push_back(type == "object" ? json(1) : json::object());
  values.bad.push_back(nullptr);
  if (type != "boolean" && type != "array") values.bad.push_back(true);
  if (type != "string" && !schema.contains("anyOf")) values.bad.push_back("text");
  if (type == "string" && schema.contains("enum")) values.bad.push_back("none of them");
  if (type == "integer") values.bad.push_back(1.5);
  for (const auto& [limit, step] : {std::pair{"minimum", -1}, std::pair{"maximum", 1}}) {
    if (!schema.contains(limit)) continue;
    const double value = schema[limit];
    const auto number = [&](double x) {
      return type == "integer" ? json(static_cast<std::int64_t>(x)) : json(x);
    };
    if (std::abs(value) <= 1000) values.good.push_back(number(value));
    values.bad.push_back(number(value + step * std::max(1.0, std::abs(value))));
  }
  if (schema.contains("exclusiveMinimum")) values.bad.push_back(schema["exclusiveMinimum"]);
  return values;
}

TEST(HeedServe, KeepsToItsOwnDescriptionRequestByRequest) {
  ServerProcess server;
  HttpClient client(server.port());
  const json page = client.get("/openapi.json").json();
  EXPECT_EQ(page["openapi"], "3.1.0");
  std::size_t requests = 0;
  // Sends a request; the answer must be one that the page announces, and look as it says.
  const auto check = [&](const std::string& path, const json& operation, const json& body,
                         int status) {
    ++requests;
    const HttpAnswer answer = body.is_null() ? client.get(path) : client.post(path, body.dump());
    EXPECT_EQ(answer.status, status) << path << " " << body.dump() << "\n" << answer.body;
    const json& announced = operation["responses"];
    ASSERT_TRUE(announced.contains(std::to_string(answer.status))) << path << answer.body;
    const json& content = announced[std::to_string(answer.status)]["content"];
    const std::string type = answer.headers.at("content-type");
    const std::string plain(type.substr(0, type.find(';')));
    ASSERT_TRUE(content.contains(plain)) << path << ": " << type;
    if (plain != "application/json") return;
    EXPECT_EQ(misfit(answer.json(), content[plain]["schema"], page), "") << path << body.dump();
  };
  for (const auto& [path, operations] : page["paths"].items()) {
    for (const auto& [method, operation] : operations.items()) {
      if (method == "get") {
        const std::size_t name = path.find("{name}");
        check(path.substr(0, name) + (name == path.npos ? "" : "letters"), operation, nullptr, 200);
        continue;
      }
      const json& schema = operation["requestBody"]["content"]["application/json"]["schema"];
      const json example = with_company(path, schema["examples"][0], "");
      check(path, operation, example, 200);
      for (const auto& name : schema.value("required", json::array())) {
        json less = example;
        less.erase(name.get<std::string>());
        check(path, operation, less, 400);
      }
      json more = example;
      more["no_such_field"] = 1;
      check(path, operation, more, 400);
      for (const auto& [name, field] : schema["properties"].items()) {
        const Values values = values_of(field);
        for (const json& value : values.good) {
          json body = example;
          body[name] = value;
          if (name == "text" && path != "/v1/translate") continue;  // each takes its own
          check(path, operation, with_company(path, body, name), 200);
        }
        for (const json& value : values.bad) {
          json body = with_company(path, example, name);
          body[name] = value;
          check(path, operation, body, 400);
        }
      }
    }
  }
  EXPECT_GT(requests, 150u);
  EXPECT_EQ(server.stop(), 0);
}

TEST(HeedServe, AsksForItsToken) {
  ServerProcess server({"--token", "secret"}, {all_models().front()});
  HttpClient client(server.port());
  const HttpAnswer refused = client.get("/v1/models");
  EXPECT_EQ(refused.status, 401);
  EXPECT_EQ(refused.headers.at("www-authenticate"), "Bearer");
  EXPECT_EQ(refused.json()["error"]["kind"], "unauthorised");
  EXPECT_EQ(client.get("/v1/models", "Authorization: Bearer secre\r\n").status, 401);
  EXPECT_EQ(client.get("/v1/models", "Authorization: Bearer secret\r\n").status, 200);
  EXPECT_EQ(client.get("/healthz").status, 200);
  const json page = client.get("/openapi.json").json();
  EXPECT_EQ(page["components"]["securitySchemes"]["token"]["scheme"], "bearer");
}

TEST(HeedServe, AnswersToItsOwnNameOnly) {
  ServerProcess server({"--allow-host", "heed.example"}, {all_models().front()});
  const auto status = [&](const std::string& host) {
    HttpClient client(server.port());
    client.send("GET /healthz HTTP/1.1\r\nHost: " + host + "\r\n\r\n");
    return client.receive().status;
  };
  EXPECT_EQ(status("127.0.0.1:8080"), 200);
  EXPECT_EQ(status("heed.example"), 200);
  EXPECT_EQ(status("other.example"), 403);
}

TEST(HeedServe, FinishesWhatHasBegunWhenItIsToldToStop) {
  ServerProcess server;
  std::atomic<int> done = 0;
  std::atomic<int> broken = 0;
  std::atomic<bool> told = false;
  std::vector<std::thread> clients;
  for (int i = 0; i < 8; ++i) {
    clients.emplace_back([&] {
      while (!told) {
        HttpClient client(server.port());
        if (!client.connected()) return;  // nobody listens any more
        if (!client.send("POST /v1/generate HTTP/1.1\r\nHost: localhost\r\nContent-Type: "
                         "application/json\r\nContent-Length: 29\r\n\r\n"
                         "{\"prompt\":\"aa\",\"length\": 400}")) {
          return;
        }
        const HttpAnswer answer = client.receive();
        // Not accepted at all: the listener was closed before the request was read.
        if (answer.status == 0 && told) return;
        ++(answer.status == 200 && answer.json()["tokens"] == 400 ? done : broken);
      }
    });
  }
  for (int i = 0; i < 30'000 && done < 8; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  told = true;
  EXPECT_EQ(server.stop(), 0) << server.log();
  for (std::thread& client : clients) client.join();
  EXPECT_EQ(broken, 0);
  EXPECT_GE(done, 8);
}

TEST(HeedServe, LoadsItsFoldersAnewAllOrNone) {
  namespace fs = std::filesystem;
  const TemporaryFolder folder;
  fs::copy(served_models() / "translate/model", folder / "one", fs::copy_options::recursive);
  fs::copy(served_models() / "language/model", folder / "two", fs::copy_options::recursive);
  ServerProcess server({}, {(folder / "one").string(), (folder / "two").string()});
  HttpClient client(server.port());
  const auto answer = [&] { return client.post("/v1/translate", R"({"text": "a b c"})").body; };
  const std::string before = answer();
  server.signal(SIGHUP);
  ASSERT_TRUE(server.logs("reloaded 2 models"));
  EXPECT_EQ(answer(), before);
  // One folder is broken: both stay.
  put(folder / "two/model.safetensors", "nonsense");
  server.signal(SIGHUP);
  ASSERT_TRUE(server.logs("the models stay as they are: "));
  EXPECT_EQ(answer(), before);
  EXPECT_EQ(client.post("/v1/generate", R"({"prompt": "a"})").status, 200);
  const std::string metrics = client.get("/metrics").body;
  EXPECT_NE(metrics.find("heed_reloads_total{model=\"two\",outcome=\"loaded\"} 1\n"),
            std::string::npos);
  EXPECT_NE(metrics.find("heed_reloads_total{model=\"two\",outcome=\"failed\"} 1\n"),
            std::string::npos);
  EXPECT_EQ(server.stop(), 0);
}

TEST(HeedServe, RefusesAtOnceWhatIsTooMuch) {
  ServerProcess server({"--queue", "2", "--connections", "12", "--batch-tokens", "1"});
  std::atomic<int> served = 0, refused = 0, other = 0;
  std::atomic<int> slowest_refusal_ms = 0;
  std::vector<std::thread> clients;
  for (int i = 0; i < 24; ++i) {
    clients.emplace_back([&] {
      for (int k = 0; k < 6; ++k) {
        const auto start = std::chrono::steady_clock::now();
        HttpClient client(server.port());
        const HttpAnswer answer = client.post(
            "/v1/translate", R"({"text": ["a b c", "d e f", "a b c d e f"], "beam": 16})");
        if (answer.status == 503) {
          ++refused;
          EXPECT_EQ(answer.headers.at("retry-after"), "1");
          const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(
              std::chrono::steady_clock::now() - start);
          slowest_refusal_ms = std::max(slowest_refusal_ms.load(), static_cast<int>(ms.count()));
        } else {
          ++(answer.status == 200 ? served : other);
        }
      }
    });
  }
  for (std::thread& client : clients) client.join();
  EXPECT_GT(served, 0);
  EXPECT_GT(refused, 0);
  EXPECT_EQ(other, 0);
  EXPECT_LT(slowest_refusal_ms, 2000);  // 100 ms on a machine that has nothing else to do
  HttpClient client(server.port());
  EXPECT_EQ(client.get("/healthz").status, 200);
  // Each is counted under the route it asked for, once its first line has come.
  const auto refusals = [&](const std::string& route) {
    const std::string text = client.get("/metrics").body;
    // Of no model where the head was not read, of one where its queue was full.
    const std::string begin = "heed_requests_total{route=\"" + route + "\",";
    const std::string end = ",status=\"503\"} ";
    int count = 0;
    for (const std::string_view line : split(text, '\n')) {
      const std::size_t at = line.find(end);
      if (!line.starts_with(begin) || at == line.npos) continue;
      count += std::atoi(std::string(line.substr(at + end.size())).c_str());
    }
    return count;
  };
  for (int i = 0; i < 300 && refusals("/v1/translate") + refusals("unread") < refused; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  EXPECT_EQ(refusals("/v1/translate") + refusals("unread"), refused);
  EXPECT_GT(refusals("/v1/translate"), refused / 2);
  EXPECT_EQ(refusals("other"), 0);
}

TEST(HeedServe, LetsOneClientHaveOnlySoMany) {
  ServerProcess server({"--requests-per-client", "1"});
  HttpClient second(server.port());
  std::unique_ptr<HttpClient> first;
  int status = 0;
  // A busy machine may let the first end before the second begins.
  for (int attempt = 0; attempt < 20 && status != 429; ++attempt) {
    first = std::make_unique<HttpClient>(server.port());
    first->send(
        "POST /v1/generate HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        "Content-Length: 47\r\n\r\n{\"prompt\":\"aa\",\"length\": 1000, \"stream\": true }");
    EXPECT_EQ(first->receive(true).status, 200);  // it has begun
    status = second.post("/v1/translate", R"({"text": "a"})").status;
  }
  EXPECT_EQ(status, 429);
  first->close();
  status = 0;
  for (int i = 0; i < 100 && status != 200; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    status = second.post("/v1/translate", R"({"text": "a"})").status;
  }
  EXPECT_EQ(status, 200);
}

TEST(HeedServe, FreesThePlaceOfAClientThatHungUp) {
  ServerProcess server({"--generations", "1", "--max-written", "1000000"});
  HttpClient leaver(server.port());
  leaver.send(
      "POST /v1/generate HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
      "Content-Length: 33\r\n\r\n{\"prompt\":\"aa\",\"length\": 1000000}");
  HttpClient other(server.port());
  for (int i = 0;
       i < 2000 && other.get("/metrics").body.find("heed_generations 1\n") == std::string::npos;
       ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  EXPECT_EQ(other.post("/v1/generate", R"({"prompt": "a", "length": 1})").status, 503);
  leaver.reset();
  int status = 0;
  for (int i = 0; i < 100 && status != 200; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    status = other.post("/v1/generate", R"({"prompt": "a", "length": 1})").status;
  }
  EXPECT_EQ(status, 200);
  EXPECT_TRUE(server.logs(" /v1/generate 499 "));
}

TEST(HeedBenchServe, CountsWhatAServerAnswers) {
  ServerProcess server({"--log", "none"});
  const ProgramResult result = run_heed({"bench", "serve", "--port", std::to_string(server.port()),
                                         "--clients", "4", "--load-seconds", "0.5", "--json"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const json found = json::parse(result.out);
  EXPECT_GT(found["served"], 0);
  EXPECT_EQ(found["errors"], 0);
  EXPECT_GE(found["p99_ms"], found["p50_ms"]);
  EXPECT_GT(found["resident_mib_after"], 1);
  EXPECT_EQ(server.stop(), 0);
  const ProgramResult nobody =
      run_heed({"bench", "serve", "--port", std::to_string(server.port())});
  EXPECT_EQ(nobody.exit_code, 2);
  EXPECT_NE(nobody.err.find("nothing listens at 127.0.0.1"), std::string::npos) << nobody.err;
}

}  // namespace
}  // namespace heed::test
