// SPDX-License-Identifier: Apache-2.0
// Starts `heed serve model`, asks it from C++ without any library, and ends it again.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

// A server of our own at a free port; its first line says which.
struct Server {
  pid_t process = -1;
  int port = 0;
};

Server start(const char* model) {
  int ends[2];
  if (pipe(ends) != 0) return {};
  Server server{.process = fork()};
  if (server.process == 0) {
    dup2(ends[1], 1);
    execlp("heed", "heed", "serve", model, "--port", "0", "--log", "none", nullptr);
    _exit(127);
  }
  close(ends[1]);
  std::string line;
  for (char letter = 0; read(ends[0], &letter, 1) == 1 && letter != '\n';) line += letter;
  close(ends[0]);
  server.port = std::atoi(line.c_str() + line.rfind(':') + 1);
  return server;
}

// The body of the answer; empty when there is none.
std::string post(int port, const std::string& path, const std::string& body) {
  const int line = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  std::string answer;
  if (connect(line, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0) {
    const std::string request = "POST " + path +
                                " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
                                "Content-Type: application/json\r\nContent-Length: " +
                                std::to_string(body.size()) + "\r\n\r\n" + body;
    send(line, request.data(), request.size(), 0);
    char block[4096];
    for (ssize_t count = 0; (count = recv(line, block, sizeof block, 0)) > 0;) {
      answer.append(block, static_cast<std::size_t>(count));
    }
  }
  close(line);
  const std::size_t end = answer.find("\r\n\r\n");
  return end == answer.npos ? "" : answer.substr(end + 4);
}

int main(int argc, char** argv) {
  const Server server = start(argc > 1 ? argv[1] : "model");
  if (server.port == 0) return 1;
  const std::string good = post(server.port, "/v1/translate", R"({"text": "3 May 1998"})");
  std::printf("%s\n", good.substr(0, good.find(",\"score\"")).c_str());
  const std::string bad = post(server.port, "/v1/translate", R"({"texts": "3 May 1998"})");
  std::printf("%s", bad.c_str());
  kill(server.process, SIGTERM);
  int status = 0;
  waitpid(server.process, &status, 0);
  std::printf("the server ended with %d\n", WEXITSTATUS(status));
  return WIFEXITED(status) && good.find("translations") != good.npos ? WEXITSTATUS(status) : 1;
}
