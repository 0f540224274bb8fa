// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/tool/process/bash.h"

#include <csignal>
#include <cstring>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "base/core/ascii.h"
#include "base/core/ask.h"
#include "base/core/utf8_repair.h"
#include "runtime/tool/file/workspace.h"
#include "runtime/tool/output_text.h"

namespace parley::tool {
namespace {

constexpr std::string_view kBashParameters = R"json({
  "type": "object",
  "properties": {
    "command": {"type": "string", "description": "The command line, as for bash -c."},
    "workdir": {"type": "string", "description": "Folder to run in, relative to the working folder and inside it. Default: the working folder."},
    "timeout": {"type": "integer", "minimum": 1, "maximum": 3600000, "description": "Milliseconds after which the command and all that it started are stopped. Default: 120000."},
    "description": {"type": "string", "description": "What the command is for, in a few words; shown to people."}
  },
  "required": ["command"]
})json";

// Resolves the folder of a command. Errors: `invalid_argument` (outside the working folder,
// missing, or part of the program's own data).
core::Result<std::string> folder_of(const std::string& working_folder, std::string_view workdir,
                                    const std::string& data_folder) {
  const core::Result<Workspace> workspace = Workspace::open(working_folder, data_folder);
  if (!workspace) {
    const bool missing = workspace.error().code == core::Code::not_found;
    return core::fail(core::Code::invalid_argument,
                      missing ? "The working folder " + working_folder + " does not exist."
                              : workspace.error().message);
  }
  const core::Result<Place> place = workspace->locate(workdir);
  if (!place && place.error().code == core::Code::permission_denied) {
    return core::fail(core::Code::invalid_argument,
                      "workdir: " + std::string(workdir) + " is outside the working folder.");
  }
  if (!place || !place->is_folder()) {
    return core::fail(core::Code::invalid_argument,
                      "workdir: there is no folder " + std::string(workdir) + ".");
  }
  return place->is_root() ? workspace->root() : workspace->root() + "/" + place->path;
}

// One command. Created and ended on the context's scheduler; output arrives on the watcher's
// thread.
class BashCall : public std::enable_shared_from_this<BashCall> {
 public:
  BashCall(ProcessRunner& runner, const BashOptions& options, ToolContext context, Tool::Done done)
      : runner_(runner),
        options_(options),
        context_(std::move(context)),
        done_(std::move(done)),
        out_(options.kept_head, options.kept_tail),
        err_(options.kept_head, options.kept_tail) {}

  void begin(const boost::json::object& arguments);

 private:
  void start(std::string command, std::string folder);
  void on_output(ProcessStream stream, std::string_view bytes);
  void show_waiting();
  void on_end(const ProcessEnd& end);
  void finish(ToolResult result);
  std::string report(const ProcessEnd& end) const;

  ProcessRunner& runner_;
  const BashOptions options_;
  ToolContext context_;
  Tool::Done done_;
  core::Millis timeout_{};
  core::TimerId timer_ = 0;
  core::CancelToken::Registration cancelled_;
  ProcessId process_ = 0;
  bool timed_out_ = false;

  // Watcher's thread only, until the end.
  BoundedText out_;
  BoundedText err_;
  core::Utf8Stream shown_out_;
  core::Utf8Stream shown_err_;
  std::size_t shown_bytes_ = 0;

  std::mutex mutex_;     // guards waiting_
  std::string waiting_;  // to be shown; a task is posted while this is not empty
};

void BashCall::begin(const boost::json::object& arguments) {
  const boost::json::value* command = arguments.if_contains("command");
  if (command == nullptr || !command->is_string() || command->get_string().empty()) {
    return finish(ToolResult::error("command: must be a non-empty string."));
  }
  std::string line(command->get_string());
  if (core::has_nul(line)) {
    return finish(ToolResult::error("command: must not have a NUL character."));
  }
  timeout_ = options_.default_timeout;
  if (const boost::json::value* timeout = arguments.if_contains("timeout")) {
    boost::json::error_code error;
    const auto ms = timeout->is_number() ? timeout->to_number<std::int64_t>(error) : 0;
    if (error || ms < 1 || ms > options_.max_timeout.count()) {
      return finish(ToolResult::error("timeout: must be a number of milliseconds from 1 to " +
                                      std::to_string(options_.max_timeout.count()) + "."));
    }
    timeout_ = core::Millis(ms);
  }
  std::string workdir = ".";
  if (const boost::json::value* named = arguments.if_contains("workdir")) {
    if (named->is_string() && !named->get_string().empty()) workdir = named->get_string().c_str();
  }
  const core::Result<std::string> folder =
      folder_of(context_.working_folder, workdir, options_.data_folder);
  if (!folder) return finish(ToolResult::error(folder.error().message));
  if (context_.cancel.cancelled()) {
    return finish(ToolResult::error("The command was not started: " + context_.cancel.reason()));
  }
  start(std::move(line), *folder);
}

void BashCall::start(std::string command, std::string folder) {
  ProcessSpec spec;
  spec.command = {options_.shell, "-c", std::move(command)};
  spec.environment = options_.environment;
  set_variable(spec.environment, "PWD", folder);
  spec.folder = std::move(folder);
  ProcessEvents events;
  const auto self = shared_from_this();
  events.on_output = [self](ProcessStream stream, std::string_view bytes) {
    self->on_output(stream, bytes);
  };
  events.on_end = [self](ProcessEnd end) {
    self->context_.scheduler->post([self, end = std::move(end)] { self->on_end(end); });
  };
  process_ = runner_.start(std::move(spec), std::move(events));
  timer_ = context_.scheduler->after(timeout_, [self] {
    self->timer_ = 0;
    self->timed_out_ = true;
    self->runner_.stop(self->process_);
  });
  cancelled_ = context_.cancel.on_cancel(core::unless_gone(
      weak_from_this(), [](BashCall& call) { call.runner_.stop(call.process_); }));
}

void BashCall::on_output(ProcessStream stream, std::string_view bytes) {
  const bool is_out = stream == ProcessStream::out;
  (is_out ? out_ : err_).append(bytes);
  if (!context_.output || shown_bytes_ >= options_.shown) return;
  std::string text =
      (is_out ? shown_out_ : shown_err_).feed(bytes.substr(0, options_.shown - shown_bytes_));
  shown_bytes_ += bytes.size();
  if (shown_bytes_ >= options_.shown) {
    text += "\n[... more output is not shown while the command runs ...]\n";
  }
  if (text.empty()) return;
  const std::scoped_lock lock(mutex_);
  const bool on_its_way = !waiting_.empty();
  waiting_ += text;
  if (on_its_way) return;
  context_.scheduler->post([self = shared_from_this()] { self->show_waiting(); });
}

void BashCall::show_waiting() {
  std::string text;
  {
    const std::scoped_lock lock(mutex_);
    text.swap(waiting_);
  }
  if (!text.empty() && done_) context_.output(text);
}

void BashCall::on_end(const ProcessEnd& end) {
  show_waiting();
  std::string content = report(end);
  const bool good = end.exit_code == 0 && !timed_out_ && !context_.cancel.cancelled();
  finish({std::move(content), !good});
}

void BashCall::finish(ToolResult result) {
  context_.scheduler->cancel(std::exchange(timer_, 0));
  cancelled_.reset();
  // The caller keeps this object alive; members destroyed by `done` are not used after it.
  Tool::Done done = std::move(done_);
  done_ = nullptr;
  done(std::move(result));
}

std::string BashCall::report(const ProcessEnd& end) const {
  if (!end.failure.empty()) return "The command was not started: " + end.failure;
  std::string text = out_.text();
  const auto to_new_line = [&text] {
    if (!text.empty() && text.back() != '\n') text += '\n';
  };
  if (err_.total() > 0) {
    to_new_line();
    text += "stderr:\n" + err_.text();
  }
  to_new_line();
  if (text.empty()) text = "(no output)\n";
  if (timed_out_) {
    return text + "The command did not end within " + std::to_string(timeout_.count()) +
           " ms; it was stopped with all that it had started.";
  }
  if (context_.cancel.cancelled()) return text + "The command was cancelled.";
  if (end.signal) {
    const char* name = ::sigabbrev_np(*end.signal);
    return text + "ended by signal " + std::to_string(*end.signal) +
           (name == nullptr ? std::string() : " (SIG" + std::string(name) + ")");
  }
  return text + "exit code: " + std::to_string(end.exit_code.value_or(-1));
}

class Bash final : public Tool {
 public:
  Bash(ProcessRunner& runner, BashOptions options) : runner_(runner), options_(std::move(options)) {
    spec_.name = "bash";
    spec_.description =
        "Runs a command with bash in the working folder and gives its output and its exit code. "
        "Standard input is empty. What the command leaves running in the background is ended with "
        "it. Long output is cut in the middle. Read and change files with the tools for that.";
    spec_.parameters = kBashParameters;
  }

  const model::ToolSpec& spec() const override { return spec_; }
  Approval default_approval() const override { return Approval::ask; }
  void run(ToolContext context, boost::json::object arguments, Done done) override {
    core::Scheduler& scheduler = *context.scheduler;
    auto call = std::make_shared<BashCall>(runner_, options_, std::move(context), std::move(done));
    scheduler.post([call, arguments = std::move(arguments)] { call->begin(arguments); });
  }

 private:
  ProcessRunner& runner_;
  BashOptions options_;
  model::ToolSpec spec_;
};

}  // namespace

ToolPtr make_bash(ProcessRunner& runner, BashOptions options) {
  return std::make_shared<Bash>(runner, std::move(options));
}

}  // namespace parley::tool
