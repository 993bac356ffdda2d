// SPDX-License-Identifier: Apache-2.0
// The options as the command line and config files name them.
#include "server/serve_options.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <string_view>

#include "heed/base/error.h"
#include "heed/base/file.h"
#include "heed/base/text.h"

namespace heed::server {
namespace {

constexpr double kMany = 1 << 24;

// What a header carries unchanged, through proxies too.
bool is_plain(char letter) {
  return std::isalnum(static_cast<unsigned char>(letter)) != 0 ||
         std::string_view("-._~+/=").find(letter) != std::string_view::npos;
}

}  // namespace

ServeOptions::ServeOptions() {
  list.add("host", host, "address to listen on; 0.0.0.0: all addresses of this machine");
  list.add("port", port, "port to listen on; 0: any that is free").range(0, 65535);
  list.add("allow-host", allowed_hosts,
           "names this server may be called by, besides its address and localhost, such as one "
           "that a reverse proxy passes on");
  list.add("token", token, "what clients must send as a bearer token; empty: nothing");
  list.add("token-file", token_file, "file that holds the token; HEED_TOKEN may hold it too");
  list.add(
      "metrics-listen", metrics_listen,
      "HOST:PORT for /metrics, without a token; /healthz and /readyz answer there, too; empty: "
      "/metrics is where all else is");
  list.add("metrics-open", metrics_open, "whether /metrics may be read without the token");
  list.add("watch", watch,
           "load a model again when its folder has changed; one that cannot be loaded stays as it "
           "was");
  list.add("admin", admin,
           "whether requests may add and remove models; needs --model-root, and a token or an "
           "address that only this machine can reach");
  list.add("model-root", model_roots, "folders below which model folders may be added from");
  list.add("drain", drain_seconds,
           "seconds between SIGTERM, when /readyz says that the server is stopping, and the end of "
           "new requests")
      .range(0, 3600);
  list.add("batch-tokens", batch.tokens, "most tokens of a batch").range(1, kMany);
  list.add("batch-wait-ms", batch.wait_ms, "how long a request waits for others to share its batch")
      .range(0, 1000);
  list.add("queue", limits.queue, "most requests that may wait; more get 503").range(1, kMany);
  list.add("connections", limits.connections, "connections at once; more get 503").range(1, 900);
  list.add("generations", limits.generations, "texts written at once; more get 503").range(1, 1000);
  list.add("requests-per-client", limits.requests_per_client,
           "requests of one address at once, more get 429; 0: any number")
      .range(0, kMany);
  list.add("deadline", limits.deadline_seconds,
           "seconds within which an answer must be ready, else 504")
      .range(.01, 3600);
  list.add("receive", limits.receive_seconds, "seconds for a client to send a whole request")
      .range(.01, 3600);
  list.add("idle", limits.idle_seconds, "seconds a connection may be idle between requests")
      .range(.01, 3600);
  list.add("max-body", limits.body, "bytes of a request's body").range(1, 1 << 30);
  list.add("max-length", limits.length, "tokens of one text").range(1, kMany);
  list.add("max-texts", limits.texts, "texts of one request").range(1, kMany);
  list.add("max-cost", limits.cost, "tokens times beams of one request").range(1, kMany);
  list.add("max-written", limits.written, "most tokens that one request may generate")
      .range(1, kMany);
  list.add("max-beam", limits.beam, "hypotheses of a search").range(1, 1000);
  list.add("log", log, {"plain", "json", "none"}, "a line for each request, on standard error");
  list.add("log-text", log_text, "whether these lines hold what clients sent");
  list.add("threads", threads, "threads to compute with; 0: one per core").range(0, 1024);
}

std::string ServeOptions::effective_token() const {
  std::string found = token;
  std::string place = "--token";
  if (found.empty() && !token_file.empty()) {
    place = token_file;
    found = trim(read_file(token_file));
    if (found.empty()) throw UsageError("{}: is empty; it must hold the token", token_file);
  }
  if (const char* said = std::getenv("HEED_TOKEN"); found.empty() && said != nullptr) {
    place = "HEED_TOKEN";
    found = said;
  }
  if (!std::ranges::all_of(found, is_plain)) {
    throw UsageError("{}: a token is made of letters, digits and -._~+/= only", place);
  }
  return found;
}

void ServeOptions::check() const {
  if (models.empty() && !admin) {
    throw UsageError("no model folder; give one or more (heed train translate makes one)");
  }
  if (admin && model_roots.empty()) {
    throw UsageError("--admin: say with --model-root where models may be added from");
  }
  if (!admin && !model_roots.empty()) {
    throw UsageError("--model-root: it is for --admin, which lets requests add models");
  }
  if (admin && !address().on_loopback() && effective_token().empty()) {
    throw UsageError(
        "--admin: {} can be reached by other machines, so anybody could change what is served; "
        "--token-file FILE asks for a token",
        host);
  }
  if (!metrics_listen.empty()) {
    ListenAddress::parse(metrics_listen, "--metrics-listen");
    if (metrics_open) {
      throw UsageError(
          "--metrics-open: --metrics-listen has moved /metrics to an address that asks for no "
          "token; leave one of them out");
    }
  }
}

bool ListenAddress::on_loopback() const {
  return host == "localhost" || host == "::1" || host.starts_with("127.");
}

ListenAddress ListenAddress::parse(const std::string& written, const std::string& option) {
  const std::size_t colon = written.rfind(':');
  const std::string_view text = written;
  ListenAddress address;
  if (colon != written.npos) {
    std::string_view host = text.substr(0, colon);
    const bool six = host.starts_with('[') && host.ends_with(']');
    if (six) host = host.substr(1, host.size() - 2);
    const std::string_view port = text.substr(colon + 1);
    const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), address.port);
    address.host = host;
    const bool colons = host.find(':') != host.npos;
    if (error == std::errc() && end == port.data() + port.size() && !host.empty() &&
        six == colons && address.port >= 0 && address.port <= 65535) {
      return address;
    }
  }
  throw UsageError("{}: \"{}\" is not HOST:PORT, such as 127.0.0.1:9100 or [::1]:9100", option,
                   written);
}

}  // namespace heed::server
