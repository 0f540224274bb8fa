// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "app/cli/service_command.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

#include "agents/mcp/settings.h"
#include "app/cli/program_call.h"
#include "app/cli/server_state.h"
#include "app/cli/unit_state.h"
#include "app/server/config.h"
#include "app/server/exit_code.h"
#include "app/server/terminal.h"
#include "base/core/clock.h"
#include "base/core/json_writer.h"
#include "base/core/private_files.h"
#include "base/core/visible_text.h"
#include "model/event/data_dir_lock.h"

namespace parley::app {

namespace {

constexpr std::string_view kMark = "# Written by `parley service install`";

}  // namespace

std::optional<std::string> unit_word(std::string_view word, UnitWord kind) {
  std::string out = "\"";
  for (const char c : word) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) return std::nullopt;
    // '%' begins a specifier, '$' a variable.
    if (c == '%' || (c == '$' && kind == UnitWord::argument)) out.push_back(c);
    if (c == '"' || c == '\\') out.push_back('\\');
    out.push_back(c);
  }
  return out + "\"";
}

std::optional<std::string> unit_text(const std::vector<std::string>& command) {
  std::string line;
  for (const std::string& word : command) {
    const auto quoted = unit_word(word, line.empty() ? UnitWord::program : UnitWord::argument);
    if (!quoted) return std::nullopt;
    line += (line.empty() ? "" : " ") + *quoted;
  }
  return std::string(kMark) +
         "; `parley service uninstall` removes it.\n"
         "[Unit]\n"
         "Description=Parley, between AI agents and the people they work for\n"
         "StartLimitIntervalSec=0\n"
         "\n"
         "[Service]\n"
         "Type=exec\n"
         "ExecStart=" +
         line +
         "\n"
         "ExecReload=/bin/kill -HUP $MAINPID\n"
         "TimeoutStopSec=10\n"
         "Restart=on-failure\n"
         "RestartSec=5\n"
         "UMask=0077\n"
         "\n"
         "[Install]\n"
         "WantedBy=default.target\n";
}

bool is_own_unit(std::string_view text) { return text.starts_with(kMark); }

std::string unit_file(std::string_view config_home, std::string_view home) {
  const std::string folder =
      config_home.starts_with('/') ? std::string(config_home) : std::string(home) + "/.config";
  return folder + "/systemd/user/" + std::string(kServiceName);
}

namespace {

namespace fs = std::filesystem;

std::string variable(const char* name) {
  // Safe: no thread of this program changes the environment.
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe)
  return value == nullptr ? std::string() : std::string(value);
}

// The unit of this user.
class UserService {
 public:
  UserService() : path_(unit_file(variable("XDG_CONFIG_HOME"), variable("HOME"))) {}

  const std::string& path() const { return path_; }
  bool is_installed() const {
    std::error_code error;
    return fs::exists(path_, error);
  }
  std::string text() const {
    const std::ifstream in(path_);
    std::ostringstream out;
    out << in.rdbuf();
    return out.str();
  }
  ProgramCall control(std::vector<std::string> words) const {
    words.insert(words.begin(), {"systemctl", "--user"});
    return call_program(words, kSystemctlWait);
  }
  UnitState state() const {
    return unit_state_of(
        control({"show", std::string(kServiceName), "--property=" + std::string(kUnitProperties)})
            .out);
  }

 private:
  std::string path_;
};

int complain_systemd(const std::string& what, const ProgramCall& call) {
  if (!call.exit_code) {
    complain({what, call.reason(),
              "Without systemd, start `parley serve` by the means of your system; `parley service "
              "install --dry-run` shows the command."});
  } else {
    complain({what, call.reason().empty() ? "systemctl gave no reason." : call.reason(),
              "Run it in a session of your own (not by su or sudo), or once `sudo loginctl "
              "enable-linger $USER`."});
  }
  return kExitFailure;
}

std::string own_path() {
  std::error_code error;
  return fs::read_symlink("/proc/self/exe", error).string();
}

// The command of the service. Directory and configuration file are always named: the service does
// not have the environment of this shell, and starts in another folder.
std::vector<std::string> serve_words(const Settings& settings, const ServiceOptions& options) {
  std::error_code error;
  std::vector<std::string> words = {own_path(), "serve"};
  const auto add_path = [&](const std::string& flag, const std::string& path) {
    words.push_back(flag + "=" + fs::absolute(path, error).lexically_normal().string());
  };
  const std::string config = find_config_file(options.config_file).path;
  if (!config.empty()) add_path("--config", config);
  add_path("--data", settings.data);
  for (const auto& [key, text] : options.settings) {
    if (key == "data") continue;
    if (find_setting(key)->type == SettingType::path && !text.starts_with('~')) {
      add_path(flag_name(key), text);
    } else {
      words.push_back(flag_name(key) + "=" + text);
    }
  }
  return words;
}

// "yes", "no"; empty: unknown.
std::string linger() {
  const ProgramCall call = call_program(
      {"loginctl", "show-user", std::to_string(::geteuid()), "--property=Linger", "--value"},
      kSystemctlWait);
  return call.succeeded() ? core::visible_line(call.out.substr(0, call.out.find('\n'))) : "";
}

std::string linger_advice(const std::string& state) {
  if (state == "yes") return {};
  return "It ends when you log out; `loginctl enable-linger` keeps it.\n";
}

// The exit code of an obstacle to the installation, after a complaint; std::nullopt: none.
std::optional<int> obstacle(const Settings& settings, const UserService& service) {
  const std::string what = "The service was not installed.";
  if (service.is_installed() && !is_own_unit(service.text())) {
    complain({what, service.path() + " is not from Parley.", "Move this file away first."});
    return kExitFailure;
  }
  // Any answer means that the systemd of this user can be reached.
  if (const ProgramCall call = service.control({"show-environment"}); !call.succeeded()) {
    return complain_systemd(what, call);
  }
  const auto held = event::DataDirLock::is_held(settings.data);
  if (!held) {
    complain({what, held.error().message, "Name a directory of yours by --data."});
    return kExitFailure;
  }
  const auto running = mcp::running_server(settings.data);
  const std::int64_t own = service.state().main_pid;
  if (*held && (running ? running->pid != own : own == 0)) {
    complain({what,
              running ? "A server with this data directory runs already, as process " +
                            std::to_string(running->pid) + "."
                      : "A process has this data directory already.",
              "Stop it, then install the service; open questions wait meanwhile."});
    return kExitDataInUse;
  }
  return std::nullopt;
}

int start_service(const UserService& service, const std::string& text) {
  const fs::path folder = fs::path(service.path()).parent_path();
  std::error_code error;
  fs::create_directories(folder, error);
  if (const auto written = core::write_private_file(service.path(), text); !written) {
    complain({"The service was not installed.", written.error().message, ""});
    return kExitFailure;
  }
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"daemon-reload"},
        std::vector<std::string>{"enable", std::string(kServiceName)},
        std::vector<std::string>{"restart", std::string(kServiceName)}}) {
    if (const ProgramCall call = service.control(words); !call.succeeded()) {
      return complain_systemd(
          "The service could not be started (systemctl --user " + words.front() + ").", call);
    }
  }
  return kExitOk;
}

std::string service_text(const UnitState& unit, const std::string& path) {
  const auto known = [](const std::string& state) {
    return state.empty() ? std::string("unknown: systemd does not answer") : state;
  };
  std::string state = known(unit.active);
  if (!unit.sub.empty() && unit.sub != unit.active) state += " (" + unit.sub + ")";
  if (unit.main_pid > 0) state += ", process " + std::to_string(unit.main_pid);
  if (!unit.active.empty() && !unit.is_up()) state += ": `journalctl --user -u parley` shows why";
  return "  State    " + state + "\n  At start " + known(unit.enabled) + "\n  Unit     " + path +
         "\n";
}

// Waits until the server of the started service answers. Errors: why it does not.
core::Result<std::string> ready_url(const UserService& service, const std::string& data) {
  const core::SystemClock clock;
  const core::MonoTime end = clock.mono() + kServiceStartWait;
  while (true) {
    const auto server = mcp::running_server(data);
    ServiceStart start = service_start(service.state(), server);
    if (start.state == ServiceStart::State::failed) {
      return core::fail(core::Code::unavailable, std::move(start.why));
    }
    if (start.state == ServiceStart::State::listening) {
      const ServerState state = look_at_server(data);
      if (state.answers() || state.lacks_token) return server->access.base_url;
      start.why = state.failure;
    }
    if (clock.mono() >= end) return core::fail(core::Code::deadline_exceeded, std::move(start.why));
    std::this_thread::sleep_for(kStateInterval);
  }
}

}  // namespace

int install_service(const Settings& settings, const ServiceOptions& options) {
  const UserService service;
  const auto text = unit_text(serve_words(settings, options));
  if (!text) {
    complain({"The service was not installed.",
              "A flag, or the path of the program, has a control character.", ""});
    return kExitUsage;
  }
  if (options.dry_run) {
    return print_text("# " + service.path() + "\n" + *text) ? kExitOk : kExitFailure;
  }
  if (const auto code = obstacle(settings, service)) return *code;
  if (const int code = start_service(service, *text); code != kExitOk) return code;
  const auto url = ready_url(service, settings.data);
  if (!url) {
    complain(
        {"The service is installed, and does not run as it should.", url.error().message,
         "`journalctl --user -u parley` shows its log; systemd goes on trying, `parley service "
         "uninstall` ends that."});
    return kExitFailure;
  }
  const std::string lingers = linger();
  const std::string message =
      options.json ? core::json_object([&](core::JsonWriter& json) {
        json.key("installed").boolean(true).key("path").string(service.path());
        json.key("url").string(*url).key("linger").string(lingers);
      })
                   : "Parley runs as a service of yours at " + core::visible_line(*url) + ", by " +
                         service.path() + "\n" + linger_advice(lingers) +
                         "`parley status` shows it, `journalctl --user -u parley` its log.";
  return print_text(message + "\n") ? kExitOk : kExitFailure;
}

int uninstall_service(const ServiceOptions& options) {
  const UserService service;
  const bool is_there = service.is_installed();
  if (is_there && !is_own_unit(service.text())) {
    complain({"The service was not removed.", service.path() + " is not from Parley.", ""});
    return kExitFailure;
  }
  const auto say = [&](const std::string& text, bool removed) {
    const std::string json = core::json_object([&](core::JsonWriter& out) {
      out.key("removed").boolean(removed).key("path").string(service.path());
    });
    return print_text((options.json ? json : text) + "\n") ? kExitOk : kExitFailure;
  };
  if (!is_there) return say("The service is not installed.", false);
  if (options.dry_run) return say("Would stop the service and remove " + service.path(), false);
  const ProgramCall stopped = service.control({"disable", "--now", std::string(kServiceName)});
  // Without systemd nothing runs by this file.
  if (stopped.exit_code && !stopped.succeeded()) {
    return complain_systemd("The service was not removed.", stopped);
  }
  std::error_code error;
  if (!fs::remove(service.path(), error)) {
    complain({"The service was not removed.", error.message(), "Remove " + service.path() + "."});
    return kExitFailure;
  }
  service.control({"daemon-reload"});
  return say("The service is removed; its data stays.", true);
}

int show_service(const ServiceOptions& options) {
  const UserService service;
  const bool is_there = service.is_installed();
  const UnitState unit = is_there ? service.state() : UnitState();
  const std::string lingers = is_there ? linger() : "";
  bool printed = false;
  if (options.json) {
    printed = print(core::json_object([&](core::JsonWriter& json) {
                      json.key("installed").boolean(is_there).key("path").string(service.path());
                      json.key("active").string(unit.active).key("sub").string(unit.sub);
                      json.key("result").string(unit.result).key("pid");
                      unit.main_pid > 0 ? json.number(unit.main_pid) : json.null();
                      json.key("enabled").string(unit.enabled).key("linger").string(lingers);
                    }) +
                    "\n");
  } else if (!is_there) {
    printed = print_text("The service is not installed: `parley service install`.\n");
  } else {
    printed = print_text(service_text(unit, service.path()) + linger_advice(lingers));
  }
  if (!printed) return kExitFailure;
  return unit.active == "active" ? kExitOk : kExitUnreachable;
}

}  // namespace parley::app
