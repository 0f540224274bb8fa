// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "crowd_server.h"

#include <sys/resource.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string_view>

#include "base/core/json_writer.h"
#include "stream_server.h"
#include "tests/support/http_client/scripted_server.h"
#include "user_interface.h"

namespace parley::bench {
namespace {

constexpr std::size_t kSmokeRuns = 50;

void write_file(const std::string& path, const std::string& text) {
  std::ofstream file(path);
  file << text;
  check(file.good(), path.c_str());
}

}  // namespace

CrowdOptions read_crowd_options(int argc, char** argv, std::size_t runs) {
  CrowdOptions options;
  std::string mode = "full";
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string_view option = argv[i];
    if (option == "--mode") mode = argv[i + 1];
    if (option == "--bin") options.bin = argv[i + 1];
    if (option == "--peers") options.peers = argv[i + 1];
    if (option == "--out") options.out = argv[i + 1];
    if (option == "--runs") options.runs = std::strtoul(argv[i + 1], nullptr, 10);
  }
  options.smoke = mode == "smoke";
  options.quick = options.smoke || mode == "quick";
  if (options.runs == 0) options.runs = options.smoke ? kSmokeRuns : runs;
  if (options.bin.empty() || options.peers.empty() || options.out.empty() ||
      (mode != "full" && mode != "quick" && mode != "smoke")) {
    std::fprintf(stderr,
                 "%s [--mode full|quick|smoke] [--runs N] --bin DIR --peers DIR --out FILE\n",
                 argv[0]);
    std::exit(2);
  }
  return options;
}

std::string CrowdScript::text() const {
  const std::string piece = "sent " + std::string(http_client::kStampMark) + " so. ";
  std::string reply;
  for (std::size_t at = 0; at < pieces; ++at) reply += piece;
  std::string out;
  core::JsonWriter json(out);
  json.begin_object().key("model").string("scripted").key("by").string("conversation");
  json.key("turns").begin_array();
  for (std::size_t i = 0; i < replies; ++i) {
    json.begin_object().key("text").string(reply).key("stamped").boolean(true);
    json.key("chunk_bytes").number(std::uint64_t{piece.size()});
    json.key("delay_ms").number(delay_ms);
    if (i + 1 < replies) {
      json.key("tool_calls").begin_array().begin_object().key("name").string("ls");
      json.key("arguments").string("{}").end_object().end_array();
    }
    json.end_object();
  }
  json.end_array().end_object();
  return out;
}

CrowdModel::CrowdModel(const std::string& bin, const std::string& script_file)
    : process_({bin + "/parley-scripted-model", script_file}) {
  const std::string ready = process_.read_line();
  check(ready.starts_with("ready "), ready.c_str());
  url_ = ready.substr(6);
}

CrowdFolder::CrowdFolder() {
  for (const char* name : {"work", "home", "peer"}) {
    std::filesystem::create_directory(folder_.file(name));
    std::filesystem::permissions(folder_.file(name), std::filesystem::perms::owner_all);
  }
}

std::string CrowdFolder::write_script(const CrowdScript& script) {
  std::string file = folder_.file("script.json");
  write_file(file, script.text());
  return file;
}

std::vector<std::string> CrowdFolder::parley(const std::string& bin, const CrowdModel& model) {
  std::filesystem::remove_all(folder_.file("data"));
  write_file(folder_.file("parley.toml"), "[[models.providers]]\nname = \"bench\"\nbase_url = \"" +
                                              model.url() + "\"\nmodels = [\"scripted\"]\n");
  return {"/usr/bin/env",
          "HOME=" + folder_.file("home"),
          bin + "/parley",
          "serve",
          "--config",
          folder_.file("parley.toml"),
          "--listen",
          "127.0.0.1:0",
          "--data",
          folder_.file("data"),
          "--token",
          kStreamToken,
          "--log-level",
          "error",
          "--runs-working-folder",
          folder_.file("work")};
}

std::vector<std::string> CrowdFolder::peer(const std::string& script, const CrowdModel& model) {
  return {"/usr/bin/env", "node", script, folder_.file("peer"), model.url()};
}

void raise_descriptor_limit() {
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace parley::bench
