// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/tool/mcp/mcp_tools.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <cctype>
#include <string>
#include <string_view>
#include <utility>

#include "base/core/ask.h"
#include "base/core/json_member.h"
#include "runtime/tool/mcp/mcp_http.h"
#include "runtime/tool/mcp/mcp_stdio.h"
#include "runtime/tool/output_text.h"

namespace parley::tool {

namespace {

using boost::json::object;
using boost::json::value;

std::string text_of(const object& piece) {
  const std::size_t bytes = core::string_member(piece, "data").size() / 4 * 3;
  return "[" + core::string_member(piece, "type") + ": " + core::string_member(piece, "mimeType") +
         ", about " + std::to_string(bytes) + " bytes; it cannot be shown to you]";
}

std::string words_of(const object& piece) {
  const std::string type = core::string_member(piece, "type");
  if (type == "text") return core::string_member(piece, "text");
  if (type == "resource_link") {
    return "[resource: " + core::string_member(piece, "uri") + " " +
           core::string_member(piece, "name") + "]";
  }
  const value* resource = piece.if_contains("resource");
  if (type == "resource" && resource != nullptr && resource->is_object()) {
    const object& inside = resource->get_object();
    const std::string text = core::string_member(inside, "text");
    return text.empty() ? "[resource: " + core::string_member(inside, "uri") + ", " +
                              core::string_member(inside, "mimeType") + "]"
                        : text;
  }
  return text_of(piece);
}

}  // namespace

ToolResult read_mcp_result(const object& result) {
  ToolResult out;
  const value* is_error = result.if_contains("isError");
  out.is_error = is_error != nullptr && is_error->is_bool() && is_error->get_bool();
  const value* content = result.if_contains("content");
  if (content != nullptr && content->is_array()) {
    for (const value& piece : content->get_array()) {
      if (!piece.is_object()) continue;
      if (!out.content.empty()) out.content += '\n';
      out.content += words_of(piece.get_object());
    }
  }
  const value* structured = result.if_contains("structuredContent");
  if (out.content.empty() && structured != nullptr && !structured->is_null()) {
    out.content = boost::json::serialize(*structured);
  }
  if (out.content.empty()) out.content = "(no output)";
  out.content = cut_text(out.content, kMaxMcpText);
  return out;
}

namespace {

// One call. `done` and the cancellation belong to the context's scheduler, `call_` to the home.
class McpToolCall : public std::enable_shared_from_this<McpToolCall> {
 public:
  McpToolCall(std::shared_ptr<McpServer> server, core::Scheduler& home, ToolContext context,
              Tool::Done done)
      : server_(std::move(server)),
        home_(home),
        context_(std::move(context)),
        done_(std::move(done)) {}

  void begin(std::string tool, boost::json::object arguments) {
    if (context_.cancel.cancelled()) {
      return finish(ToolResult::error("The call was cancelled before it began."));
    }
    cancelled_ =
        context_.cancel.on_cancel(core::unless_gone(weak_from_this(), &McpToolCall::on_cancel));
    home_.post([self = shared_from_this(), tool = std::move(tool),
                arguments = std::move(arguments)]() mutable {
      self->start(std::move(tool), std::move(arguments));
    });
  }

 private:
  // --- on the home ---

  void start(std::string tool, boost::json::object arguments) {
    if (withdrawn_) return;
    call_ = server_->call(
        std::move(tool), std::move(arguments),
        [self = shared_from_this()](std::string_view text) { self->on_progress(text); },
        [self = shared_from_this()](core::Result<boost::json::object> result) {
          self->pass_on(result ? read_mcp_result(*result)
                               : ToolResult::error(result.error().message));
        });
  }

  void on_progress(std::string_view text) {
    if (!context_.output) return;
    context_.scheduler->post([self = shared_from_this(), said = std::string(text)] {
      if (self->done_) self->context_.output(said);
    });
  }

  void pass_on(ToolResult result) {
    context_.scheduler->post([self = shared_from_this(), result = std::move(result)]() mutable {
      self->finish(std::move(result));
    });
  }

  // --- on the context's scheduler ---

  void on_cancel() {
    home_.post([self = shared_from_this(), why = context_.cancel.reason()] {
      self->withdrawn_ = true;
      if (const auto call = std::exchange(self->call_, nullptr)) call->cancel(why);
    });
    pass_on(ToolResult::error("The call was cancelled."));
  }

  void finish(ToolResult result) {
    if (!done_) return;
    cancelled_.reset();
    Tool::Done done = std::move(done_);
    done_ = nullptr;
    done(std::move(result));
  }

  const std::shared_ptr<McpServer> server_;
  core::Scheduler& home_;
  const ToolContext context_;
  Tool::Done done_;
  core::CancelToken::Registration cancelled_;
  std::shared_ptr<McpServer::Call> call_;
  bool withdrawn_ = false;
};

class McpTool final : public Tool {
 public:
  McpTool(std::shared_ptr<McpServer> server, McpToolInfo info, std::string name,
          core::Scheduler& home)
      : server_(std::move(server)), info_(std::move(info)), home_(home) {
    spec_.name = std::move(name);
    spec_.description = info_.description;
    spec_.parameters = info_.input_schema;
  }

  const model::ToolSpec& spec() const override { return spec_; }
  Approval default_approval() const override {
    return info_.read_only ? Approval::automatic : Approval::ask;
  }
  std::string source() const override { return "mcp:" + server_->name(); }
  std::string identity() const override { return source() + "@" + server_->digest(); }
  void run(ToolContext context, boost::json::object arguments, Done done) override {
    core::Scheduler& scheduler = *context.scheduler;
    auto call = std::make_shared<McpToolCall>(server_, home_, std::move(context), std::move(done));
    scheduler.post([call, tool = info_.name, arguments = std::move(arguments)]() mutable {
      call->begin(std::move(tool), std::move(arguments));
    });
  }

 private:
  const std::shared_ptr<McpServer> server_;
  const McpToolInfo info_;
  core::Scheduler& home_;
  model::ToolSpec spec_;
};

}  // namespace

ToolPtr make_mcp_tool(std::shared_ptr<McpServer> server, McpToolInfo info, std::string name,
                      core::Scheduler& home) {
  return std::make_shared<McpTool>(std::move(server), std::move(info), std::move(name), home);
}

namespace {

using core::Result;

constexpr std::size_t kMaxToolName = 64;

// A server with its configuration and folder.
struct Entry {
  McpServerConfig config;
  std::string folder;  // of a program; empty: a server with an address
  std::shared_ptr<McpServer> server;
};

// The tools of each server of one toolbox while they arrive.
struct Gathering {
  std::vector<std::pair<std::shared_ptr<McpServer>, std::vector<McpToolInfo>>> found;
  std::vector<std::string> faults;
  std::size_t left = 0;
};

// A command such as "./server" or "bin/server"; one without "/" is found in PATH.
bool is_relative_path(std::string_view command) {
  return !command.starts_with('/') && command.find('/') != std::string_view::npos;
}

void add_tools(Toolbox& tools, const Gathering& gathering, core::Scheduler& home) {
  for (const auto& [server, infos] : gathering.found) {
    for (const McpToolInfo& info : infos) {
      std::string name = model_tool_name(info.name);
      if (tools.find(name)) name = model_tool_name(server->name() + "_" + info.name);
      if (tools.find(name)) {
        spdlog::warn("MCP server {}: the tool {} is left out: another tool has the same name",
                     server->name(), info.name);
        continue;
      }
      tools.add(make_mcp_tool(server, info, std::move(name), home));
    }
  }
}

}  // namespace

std::string model_tool_name(std::string_view name) {
  std::string out(name.substr(0, kMaxToolName));
  for (char& c : out) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '_' && c != '-') c = '_';
  }
  return out;
}

// State shared with tasks on the home.
struct McpTools::State : std::enable_shared_from_this<McpTools::State> {
  State(Toolbox builtin_in, Finish finish_in, McpOptions options_in, ProcessRunner& runner_in,
        http_client::Fetcher& fetcher_in, core::Scheduler& home_in)
      : builtin(std::move(builtin_in)),
        finish(std::move(finish_in)),
        options(std::move(options_in)),
        runner(runner_in),
        fetcher(fetcher_in),
        home(home_in) {}

  void gather(const std::string& folder, core::Scheduler& scheduler, Done done);
  McpConfig config_of(const std::string& folder) const;
  // `of_folder`: the configuration is a file of the folder.
  std::shared_ptr<McpServer> server_of(const McpServerConfig& config, const std::string& folder,
                                       bool of_folder);
  void make_room();
  void deliver(const std::string& folder, Gathering& gathering, core::Scheduler& scheduler,
               Done done);

  const Toolbox builtin;
  const Finish finish;
  const McpOptions options;
  ProcessRunner& runner;
  http_client::Fetcher& fetcher;
  core::Scheduler& home;
  bool closed = false;         // home only
  core::CancelSource life;     // home only
  std::vector<Entry> entries;  // home only

  std::mutex mutex;  // guards faults
  std::map<std::string, std::vector<std::string>> faults;
};

McpConfig McpTools::State::config_of(const std::string& folder) const {
  McpPlaces places;
  places.named = options.config_path;
  places.variable = std::string(value_of(options.environment, "LOOM_MCP_CONFIG_PATH"));
  if (options.folder_config) places.working_folder = folder;
  places.home = options.home;
  McpConfig found;
  if (const std::optional<std::string> path = find_mcp_config(places); path) {
    Result<McpConfig> config = load_mcp_config(*path, options.environment);
    if (config) {
      found = std::move(*config);
      found.path = *path;
    } else {
      found.faults.push_back(config.error().message);
    }
  }
  places.working_folder = folder;
  if (!options.folder_config && find_mcp_config(places) == mcp_config_below(folder) &&
      folder != options.home) {
    found.faults.push_back(
        mcp_config_below(folder) +
        " is not read, because it can start programs and the folder may not be yours. To use it, "
        "name the file with --mcp-config, or set runs.folder_mcp.");
  }
  return found;
}

std::shared_ptr<McpServer> McpTools::State::server_of(const McpServerConfig& config,
                                                      const std::string& folder, bool of_folder) {
  const std::string where = config.command.empty() ? std::string() : folder;
  for (Entry& entry : entries) {
    if (entry.config == config && entry.folder == where) return entry.server;
  }
  // A program of the same name and folder has an outdated configuration.
  std::erase_if(entries, [&](const Entry& entry) {
    return entry.config.name == config.name && entry.folder == where && !where.empty();
  });
  make_room();
  McpServer::MakeTransport make;
  if (config.command.empty()) {
    make = [config, &net = fetcher, &where_it_lives = home, token = life.token()] {
      return make_mcp_http(config, net, where_it_lives, token);
    };
  } else {
    make = [config, where, environment = options.program_environment, &programs = runner,
            &where_it_lives = home] {
      return make_mcp_stdio(config, where, environment, programs, where_it_lives);
    };
  }
  // Elsewhere the program of a configuration for all folders is the same one.
  const bool is_of_folder = of_folder || is_relative_path(config.command);
  std::string digest = mcp_config_digest(config, is_of_folder ? where : std::string());
  auto server = std::make_shared<McpServer>(config.name, std::move(digest), std::move(make), home,
                                            options.server);
  entries.push_back({config, where, server});
  return server;
}

void McpTools::State::make_room() {
  if (entries.size() < kMaxServers) return;
  auto victim = std::find_if(entries.begin(), entries.end(),
                             [](const Entry& entry) { return !entry.server->running(); });
  entries.erase(victim == entries.end() ? entries.begin() : victim);
}

void McpTools::State::gather(const std::string& folder, core::Scheduler& scheduler, Done done) {
  const McpConfig config = config_of(folder);
  auto gathering = std::make_shared<Gathering>();
  gathering->faults = config.faults;
  gathering->found.resize(config.servers.size());
  // Counts one more, so that the result is delivered once even if every answer arrives at once.
  gathering->left = config.servers.size() + 1;
  auto shared_done = std::make_shared<Done>(std::move(done));
  const auto one_less = [self = shared_from_this(), gathering, folder, &scheduler, shared_done] {
    if (--gathering->left == 0) {
      self->deliver(folder, *gathering, scheduler, std::move(*shared_done));
    }
  };
  for (std::size_t i = 0; i < config.servers.size(); ++i) {
    const std::shared_ptr<McpServer> server =
        server_of(config.servers[i], folder, config.path == mcp_config_below(folder));
    gathering->found[i].first = server;
    server->tools([gathering, i, one_less](Result<std::vector<McpToolInfo>> tools) {
      if (tools) {
        gathering->found[i].second = std::move(*tools);
      } else {
        gathering->faults.push_back(tools.error().message);
      }
      one_less();
    });
  }
  one_less();
}

void McpTools::State::deliver(const std::string& folder, Gathering& gathering,
                              core::Scheduler& scheduler, Done done) {
  Toolbox tools = builtin;
  add_tools(tools, gathering, home);
  if (finish) finish(tools);
  {
    const std::scoped_lock lock(mutex);
    std::vector<std::string>& known = faults[folder];
    if (known != gathering.faults) {
      for (const std::string& fault : gathering.faults) spdlog::warn("{}", fault);
      known = std::move(gathering.faults);
    }
  }
  core::reply(scheduler, std::move(done), std::move(tools));
}

McpTools::McpTools(Toolbox builtin, Finish finish, McpOptions options, ProcessRunner& runner,
                   http_client::Fetcher& fetcher, core::Scheduler& home)
    : state_(std::make_shared<State>(std::move(builtin), std::move(finish), std::move(options),
                                     runner, fetcher, home)) {}

McpTools::~McpTools() {
  state_->closed = true;
  state_->life.cancel("The server is shutting down.");
  for (Entry& entry : std::exchange(state_->entries, {})) entry.server->stop("it is shut down");
}

void McpTools::toolbox(const std::string& working_folder, core::Scheduler& scheduler, Done done) {
  state_->home.post([state = state_, working_folder, &scheduler, done = std::move(done)]() mutable {
    if (state->closed) {
      return core::reply(scheduler, std::move(done),
                         core::fail(core::Code::unavailable, "The tools are shut down."));
    }
    state->gather(working_folder, scheduler, std::move(done));
  });
}

std::vector<std::string> McpTools::faults(const std::string& working_folder) const {
  const std::scoped_lock lock(state_->mutex);
  const auto found = state_->faults.find(working_folder);
  return found == state_->faults.end() ? std::vector<std::string>() : found->second;
}

}  // namespace parley::tool
