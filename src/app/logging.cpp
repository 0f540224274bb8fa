// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "app/logging.h"

#include <google/protobuf/stubs/logging.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <array>
#include <cstdio>

#include "app/terminal.h"
#include "core/json_writer.h"
#include "protocol/v1/time_text.h"

namespace parley::app {
namespace {

class JsonFormatter final : public spdlog::formatter {
 public:
  void format(const spdlog::details::log_msg& message, spdlog::memory_buf_t& dest) override {
    const auto at = std::chrono::time_point_cast<core::Millis>(message.time);
    std::string time = v1::format_time(at);
    std::array<char, 8> millis{};
    std::snprintf(millis.data(), millis.size(), ".%03d",
                  static_cast<int>(core::to_unix_ms(at) % 1'000));
    time.insert(time.size() - 1, millis.data());
    const auto level = spdlog::level::to_string_view(message.level);
    std::string line;
    core::JsonWriter json(line);
    json.begin_object().key("time").string(time);
    json.key("level").string({level.data(), level.size()});
    json.key("message").string({message.payload.data(), message.payload.size()});
    json.key("thread").number(static_cast<std::uint64_t>(message.thread_id)).end_object();
    line.push_back('\n');
    dest.append(line.data(), line.data() + line.size());
  }
  std::unique_ptr<spdlog::formatter> clone() const override {
    return std::make_unique<JsonFormatter>();
  }
};

}  // namespace

std::unique_ptr<spdlog::formatter> make_json_formatter() {
  return std::make_unique<JsonFormatter>();
}

void set_up_logging(const std::string& level, bool json, bool colour) {
  spdlog::sink_ptr sink;
  if (colour && !json) {
    sink = std::make_shared<spdlog::sinks::stderr_color_sink_mt>();
  } else {
    sink = std::make_shared<spdlog::sinks::stderr_sink_mt>();
  }
  auto logger = std::make_shared<spdlog::logger>("parley", std::move(sink));
  if (json) {
    logger->set_formatter(make_json_formatter());
  } else {
    logger->set_pattern("%Y-%m-%d %H:%M:%S.%e %^%-7l%$ %v");
  }
  logger->set_level(spdlog::level::from_str(level));
  logger->flush_on(spdlog::level::warn);
  spdlog::set_default_logger(std::move(logger));
  // Protobuf would write a line of its own for each ill-formed text that a client sends; the
  // dialect counts and logs those itself.
  google::protobuf::SetLogHandler(nullptr);
}

void set_up_command_logging(const Settings& settings) {
  set_up_logging(settings.log_level == "info" ? "warn" : settings.log_level, settings.log_json,
                 stderr_has_colour());
}

}  // namespace parley::app
