// SPDX-License-Identifier: Apache-2.0
// A thread for each client; an answer is read by its Content-Length.
#include "cli/bench/load.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <mutex>
#include <thread>

#include "heed/base/error.h"
#include "heed/base/text.h"

namespace heed::cli {
namespace {

using Clock = std::chrono::steady_clock;

constexpr time_t kPatience = 60;  // seconds for one answer
constexpr std::chrono::milliseconds kPause{10};

class Line {
 public:
  explicit Line(int port) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const int yes = 1;
    ::setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    const timeval patience{.tv_sec = kPatience, .tv_usec = 0};
    ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    good_ = ::connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
  }
  ~Line() { ::close(socket_); }
  Line(const Line&) = delete;
  Line& operator=(const Line&) = delete;

  bool good() const { return good_; }

  // The status, and the body where it is wanted; 0 when the line broke.
  int ask(const std::string& request, std::string* body = nullptr) {
    good_ = good_ && ::send(socket_, request.data(), request.size(), MSG_NOSIGNAL) ==
                         static_cast<ssize_t>(request.size());
    std::size_t end = 0;
    while ((end = buffer_.find("\r\n\r\n")) == buffer_.npos) {
      if (!fill()) return 0;
    }
    const std::string head = lower(buffer_.substr(0, end + 2));
    const std::size_t mark = head.find("content-length:");
    const std::size_t length =
        mark == head.npos ? 0 : std::strtoul(head.c_str() + mark + 15, nullptr, 10);
    while (buffer_.size() < end + 4 + length) {
      if (!fill()) return 0;
    }
    if (body != nullptr) *body = buffer_.substr(end + 4, length);
    buffer_.erase(0, end + 4 + length);
    good_ = head.find("connection: close") == head.npos;
    return std::atoi(head.c_str() + 9);
  }

 private:
  bool fill() {
    std::array<char, 16384> block{};
    const ssize_t count = ::recv(socket_, block.data(), block.size(), 0);
    if (count <= 0) return good_ = false;
    buffer_.append(block.data(), static_cast<std::size_t>(count));
    return true;
  }

  int socket_;
  bool good_ = false;
  std::string buffer_{};
};

void add(LoadOutcome& all, const LoadOutcome& mine) {
  for (const auto& [status, count] : mine.statuses) all.statuses[status] += count;
  all.served_ms.insert(all.served_ms.end(), mine.served_ms.begin(), mine.served_ms.end());
  all.refused_ms.insert(all.refused_ms.end(), mine.refused_ms.begin(), mine.refused_ms.end());
}

}  // namespace

std::size_t LoadOutcome::errors() const {
  std::size_t count = 0;
  for (const auto& [status, times] : statuses) {
    if (status != 200 && status != 503) count += times;
  }
  return count;
}

double quantile(const std::vector<double>& sorted, double share) {
  if (sorted.empty()) return 0;
  const auto place = std::ceil(share * static_cast<double>(sorted.size()));
  return sorted[static_cast<std::size_t>(std::max(place, 1.0)) - 1];
}

std::string fetched(int port, const std::string& path) {
  std::string body;
  Line(port).ask(fmt::format("GET {} HTTP/1.1\r\nHost: localhost\r\n\r\n", path), &body);
  return body;
}

LoadOutcome load(const LoadOptions& options) {
  if (!Line(options.port).good()) {
    throw UsageError("nothing listens at 127.0.0.1:{}; start `heed serve MODEL --port {}`",
                     options.port, options.port);
  }
  std::atomic<std::size_t> next = 0;
  std::mutex mutex;
  LoadOutcome all;
  const auto start = Clock::now();
  const auto end = start + std::chrono::duration<double>(options.seconds);
  const auto client = [&] {
    LoadOutcome mine;
    auto line = std::make_unique<Line>(options.port);
    while (Clock::now() < end) {
      const std::size_t number = next++;
      if (options.rate > 0) {
        std::this_thread::sleep_until(
            start + std::chrono::duration_cast<Clock::duration>(
                        std::chrono::duration<double>(static_cast<double>(number) / options.rate)));
      }
      const std::string body = options.body(number);
      const std::string request = fmt::format(
          "POST {} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
          "Content-Length: {}\r\n\r\n{}",
          options.path, body.size(), body);
      const auto asked = Clock::now();
      if (!line->good()) line = std::make_unique<Line>(options.port);
      const int status = line->ask(request);
      const double ms = std::chrono::duration<double, std::milli>(Clock::now() - asked).count();
      ++mine.statuses[status];
      if (status == 200) mine.served_ms.push_back(ms);
      if (status == 503) mine.refused_ms.push_back(ms);
      // Nobody listens any more: asking on at once would take the cores from a server that ends.
      if (status == 0) std::this_thread::sleep_for(kPause);
    }
    const std::lock_guard lock(mutex);
    add(all, mine);
  };
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < options.clients; ++i) threads.emplace_back(client);
  for (std::thread& thread : threads) thread.join();
  all.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  std::ranges::sort(all.served_ms);
  std::ranges::sort(all.refused_ms);
  return all;
}

}  // namespace heed::cli
