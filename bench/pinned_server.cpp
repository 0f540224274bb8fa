// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "pinned_server.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <string_view>

namespace parley::bench {
namespace {

constexpr int kServerProcessor = 0;
constexpr int kLoadProcessor = 1;

std::vector<std::string> placed(std::vector<std::string> command, Place place) {
  if (place == Place::free) command.insert(command.begin(), "/usr/bin/env");
  if (place == Place::free) return command;
  std::vector<std::string> all = {"/usr/bin/taskset", "-c", std::to_string(kServerProcessor)};
  all.insert(all.end(), command.begin(), command.end());
  return all;
}

int port_in(const std::string& line) {
  const std::size_t colon = line.rfind(':');
  return std::atoi(line.substr(colon == std::string::npos ? 0 : colon + 1).c_str());
}

}  // namespace

PinnedServer::PinnedServer(std::vector<std::string> command, Place place)
    : process_(placed(std::move(command), place)), port_(port_in(process_.read_line())) {}

Seconds PinnedServer::cpu() const {
  clockid_t clock = 0;
  timespec at{};
  if (clock_getcpuclockid(process_.pid(), &clock) != 0 || clock_gettime(clock, &at) != 0) {
    std::perror("clock_gettime");
    std::exit(1);
  }
  return Seconds(static_cast<double>(at.tv_sec) + static_cast<double>(at.tv_nsec) * 1e-9);
}

double PinnedServer::resident_bytes() const {
  std::ifstream file("/proc/" + std::to_string(process_.pid()) + "/statm");
  double total = 0;
  double resident = 0;
  file >> total >> resident;
  return resident * static_cast<double>(sysconf(_SC_PAGESIZE));
}

double PinnedServer::peak_bytes() const {
  std::ifstream file("/proc/" + std::to_string(process_.pid()) + "/status");
  for (std::string line; std::getline(file, line);) {
    constexpr std::string_view kName = "VmHWM:";
    if (line.starts_with(kName)) return std::atof(line.c_str() + kName.size()) * 1'024;
  }
  return 0;
}

void pin_load() {
  cpu_set_t processors;
  CPU_ZERO(&processors);
  CPU_SET(kLoadProcessor, &processors);
  sched_setaffinity(0, sizeof(processors), &processors);
}

std::string own_path() {
  std::string path(4'096, '\0');
  const ssize_t size = readlink("/proc/self/exe", path.data(), path.size());
  path.resize(static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
  return path;
}

}  // namespace parley::bench
