// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/tool/mcp/mcp_stdio.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <utility>

#include "base/core/line_splitter.h"
#include "base/core/utf8_repair.h"

namespace parley::tool {
namespace {

constexpr std::size_t kMaxLoggedLine = 2'000;
// Limit of the lines that wait for the home scheduler, in bytes; each line adds kLineCost.
constexpr std::size_t kMaxOnItsWay = 64U << 20U;
constexpr std::size_t kLineCost = 128;

std::string ending_in_words(const ProcessEnd& end) {
  if (!end.failure.empty()) return "it could not be started: " + end.failure;
  if (end.signal) return "it was ended by signal " + std::to_string(*end.signal);
  return "it ended with exit code " + std::to_string(end.exit_code.value_or(-1));
}

// State shared by the watcher's thread and the home.
struct Link {
  Link(core::Scheduler& home_in, std::string name_in) : name(std::move(name_in)), home(&home_in) {}

  // Posts to the home, which may be gone once the transport is closed.
  void post(core::Task task) {
    const std::scoped_lock lock(mutex);
    if (home != nullptr) home->post(std::move(task));
  }

  const std::string name;
  core::LineSplitter lines{kMaxMcpMessage};   // watcher's thread only
  core::LineSplitter errors{kMaxMcpMessage};  // watcher's thread only
  bool flooded = false;                       // watcher's thread only
  std::atomic<std::size_t> on_its_way{0};     // bytes of lines that the home has not processed
  McpTransport::Events events;                // home only
  bool open = true;                           // home only

  std::mutex mutex;       // guards home
  core::Scheduler* home;  // null once it is closed
};

class McpStdio final : public McpTransport {
 public:
  McpStdio(std::string name, ProcessSpec spec, ProcessRunner& runner, core::Scheduler& home)
      : spec_(std::move(spec)),
        runner_(runner),
        link_(std::make_shared<Link>(home, std::move(name))) {}
  ~McpStdio() override { close(); }

  void open(Events events) override {
    link_->events = std::move(events);
    ProcessEvents process;
    process.on_output = [link = link_](ProcessStream stream, std::string_view bytes) {
      if (stream == ProcessStream::err) return log(*link, bytes);
      link->lines.feed(bytes, [&link](std::string_view line, bool too_long) {
        if (!too_long && !line.empty()) take(link, line);
      });
    };
    process.on_end = [link = link_](ProcessEnd end) {
      close_by_itself(link, ending_in_words(end));
    };
    process_ = runner_.start(std::move(spec_), std::move(process));
  }

  void send(std::string json, std::int64_t request) override {
    static_cast<void>(request);
    json += '\n';
    runner_.write(process_, std::move(json));
  }

  void drop(std::int64_t request) override { static_cast<void>(request); }

  void agreed(const std::string& protocol_version) override { static_cast<void>(protocol_version); }

  // A well-behaved server ends when its input does; SIGTERM and SIGKILL end the others.
  void close() override {
    link_->open = false;
    {
      const std::scoped_lock lock(link_->mutex);
      link_->home = nullptr;
    }
    if (process_ == 0) return;
    runner_.close_input(process_);
    runner_.stop(std::exchange(process_, 0));
  }

 private:
  static void take(const std::shared_ptr<Link>& link, std::string_view line) {
    if (link->flooded) return;
    link->flooded = link->on_its_way.fetch_add(line.size() + kLineCost) > kMaxOnItsWay;
    if (link->flooded) return close_by_itself(link, "it writes faster than it can be read");
    link->post([link, text = std::string(line)] {
      link->on_its_way.fetch_sub(text.size() + kLineCost);
      if (link->open) link->events.on_message(text);
    });
  }

  static void close_by_itself(const std::shared_ptr<Link>& link, std::string why) {
    link->post([link, why = std::move(why)] {
      if (std::exchange(link->open, false)) link->events.on_closed(why);
    });
  }

  static void log(Link& link, std::string_view bytes) {
    link.errors.feed(bytes, [&link](std::string_view line, bool too_long) {
      if (too_long || line.empty()) return;
      spdlog::debug("MCP server {}: {}", link.name,
                    core::repaired_utf8(line.substr(0, kMaxLoggedLine)));
    });
  }

  ProcessSpec spec_;
  ProcessRunner& runner_;
  std::shared_ptr<Link> link_;
  ProcessId process_ = 0;
};

}  // namespace

std::unique_ptr<McpTransport> make_mcp_stdio(const McpServerConfig& config, std::string folder,
                                             Environment environment, ProcessRunner& runner,
                                             core::Scheduler& home) {
  ProcessSpec spec;
  spec.command = {config.command};
  spec.command.insert(spec.command.end(), config.args.begin(), config.args.end());
  spec.folder = std::move(folder);
  spec.environment = std::move(environment);
  for (const auto& [name, value] : config.env) set_variable(spec.environment, name, value);
  spec.input = true;
  return std::make_unique<McpStdio>(config.name, std::move(spec), runner, home);
}

}  // namespace parley::tool
