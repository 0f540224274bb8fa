// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "person_tokens.h"

#include <unistd.h>

#include <fstream>

#include "user_interface.h"

namespace parley::bench {

// Resident memory of a process, in bytes.
double resident(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/statm");
  double total = 0;
  double pages = 0;
  file >> total >> pages;
  check(pages > 0, "statm");
  return pages * static_cast<double>(sysconf(_SC_PAGESIZE));
}

std::string make_token(std::uint16_t port, const std::string& token, int number) {
  const std::string body = R"({"name":"person-)" + std::to_string(number) + R"("})";
  const int fd = connect_to(port);
  write_all(fd, "POST /v1/tokens HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(port) +
                    "\r\nAuthorization: Bearer " + token +
                    "\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: " +
                    std::to_string(body.size()) + "\r\n\r\n" + body);
  std::string answer;
  char byte = 0;
  while (read(fd, &byte, 1) == 1) answer.push_back(byte);
  close(fd);
  const std::string before = R"("token":")";
  const std::size_t from = answer.find(before);
  check(from != std::string::npos, answer.c_str());
  const std::size_t begin = from + before.size();
  return answer.substr(begin, answer.find('"', begin) - begin);
}

}  // namespace parley::bench
