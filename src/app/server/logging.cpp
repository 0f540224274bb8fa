// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "app/server/logging.h"

#include <google/protobuf/stubs/logging.h>
#include <spdlog/async.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <future>
#include <system_error>
#include <thread>
#include <utility>

#include "app/server/terminal.h"
#include "base/core/json_writer.h"
#include "base/core/time_text.h"
#include "base/core/visible_text.h"

namespace parley::app {
namespace {

class JsonFormatter final : public spdlog::formatter {
 public:
  void format(const spdlog::details::log_msg& message, spdlog::memory_buf_t& dest) override {
    const auto at = std::chrono::time_point_cast<core::Millis>(message.time);
    const auto level = spdlog::level::to_string_view(message.level);
    std::string line;
    core::JsonWriter json(line);
    json.begin_object().key("time").string(core::time_text_ms(at));
    json.key("level").string({level.data(), level.size()});
    json.key("message").string(
        core::visible_line({message.payload.data(), message.payload.size()}));
    json.key("thread").number(static_cast<std::uint64_t>(message.thread_id)).end_object();
    line.push_back('\n');
    dest.append(line.data(), line.data() + line.size());
  }
  std::unique_ptr<spdlog::formatter> clone() const override {
    return std::make_unique<JsonFormatter>();
  }
};

// Writes a line's message with its hidden characters made visible.
class VisibleMessage final : public spdlog::custom_flag_formatter {
 public:
  void format(const spdlog::details::log_msg& message, const std::tm&,
              spdlog::memory_buf_t& dest) override {
    const std::string text = core::visible_line({message.payload.data(), message.payload.size()});
    dest.append(text.data(), text.data() + text.size());
  }
  std::unique_ptr<custom_flag_formatter> clone() const override {
    return std::make_unique<VisibleMessage>();
  }
};

}  // namespace

std::unique_ptr<spdlog::formatter> make_text_formatter() {
  auto formatter = std::make_unique<spdlog::pattern_formatter>();
  formatter->add_flag<VisibleMessage>('*').set_pattern("%Y-%m-%d %H:%M:%S.%e %^%-7l%$ %*");
  return formatter;
}

std::unique_ptr<spdlog::formatter> make_json_formatter() {
  return std::make_unique<JsonFormatter>();
}

namespace {

constexpr const char* kLoggerName = "parley";

spdlog::sink_ptr stderr_sink(bool coloured) {
  if (coloured) return std::make_shared<spdlog::sinks::stderr_color_sink_mt>();
  return std::make_shared<spdlog::sinks::stderr_sink_mt>();
}

void use(std::shared_ptr<spdlog::logger> logger, const std::string& level, bool json) {
  if (json) {
    logger->set_formatter(make_json_formatter());
  } else {
    logger->set_formatter(make_text_formatter());
  }
  logger->set_level(spdlog::level::from_str(level));
  spdlog::set_default_logger(std::move(logger));
  // Disables Protobuf's log of ill-formed text from clients, which the dialect counts and logs
  // itself.
  google::protobuf::SetLogHandler(nullptr);
}

}  // namespace

void set_up_logging(const std::string& level, bool json, bool colour) {
  use(std::make_shared<spdlog::logger>(kLoggerName, stderr_sink(colour && !json)), level, json);
}

void start_server_log(const std::string& level, bool json, bool colour) {
  spdlog::init_thread_pool(kLogQueueLines, 1);
  use(std::make_shared<spdlog::async_logger>(kLoggerName, stderr_sink(colour && !json),
                                             spdlog::thread_pool(),
                                             spdlog::async_overflow_policy::overrun_oldest),
      level, json);
}

LogState log_state() {
  const auto pool = spdlog::thread_pool();
  if (pool == nullptr) return {};
  return {pool->overrun_counter(), pool->queue_size()};
}

int end_server_log(int status) {
  // Keeps the logger alive until the log's thread has ended.
  const std::shared_ptr<spdlog::logger> logger = spdlog::default_logger();
  // Runs on a detached thread, because shutdown() joins the log's thread, which may block on stderr
  // for ever.
  std::promise<void> written;
  std::future<void> done = written.get_future();
  try {
    std::thread([written = std::move(written)]() mutable {
      spdlog::shutdown();
      written.set_value();
    }).detach();
  } catch (const std::system_error&) {  // the system has no thread left
    spdlog::shutdown();
    return status;
  }
  if (done.wait_for(kLogPatience) == std::future_status::timeout) ::_exit(status);
  return status;
}

void set_up_command_logging(const Settings& settings) {
  set_up_logging(settings.log_level == "info" ? "warn" : settings.log_level, settings.log_json,
                 stderr_has_colour());
}

}  // namespace parley::app
