// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/service_command.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string_view>
#include <system_error>

#include "cli/program_call.h"
#include "cli/service_unit.h"
#include "core/json_writer.h"
#include "core/private_files.h"
#include "core/visible_text.h"
#include "mcp/settings.h"
#include "server/config.h"
#include "server/exit_code.h"
#include "server/terminal.h"

namespace parley::app {
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
  // "active", "inactive", "enabled" and the like; empty: systemd does not answer.
  std::string state(const char* question) const {
    const ProgramCall call = control({question, std::string(kServiceName)});
    return core::visible_line(call.out.substr(0, call.out.find('\n')));
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
  const auto running = mcp::running_server(settings.data);
  if (running && service.state("is-active") != "active") {
    complain({what,
              "A server with this data directory runs already, as process " +
                  std::to_string(running->pid) + ".",
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
  const std::string lingers = linger();
  const std::string said =
      options.json
          ? core::json_object([&](core::JsonWriter& json) {
              json.key("installed").boolean(true).key("path").string(service.path());
              json.key("linger").string(lingers);
            })
          : "Parley runs as a service of yours: " + service.path() + "\n" + linger_advice(lingers) +
                "`parley status` shows it, `journalctl --user -u parley` its log.";
  return print_text(said + "\n") ? kExitOk : kExitFailure;
}

int uninstall_service(const ServiceOptions& options) {
  const UserService service;
  const bool is_there = service.is_installed();
  if (is_there && !is_own_unit(service.text())) {
    complain({"The service was not removed.", service.path() + " is not from Parley.", ""});
    return kExitFailure;
  }
  if (options.dry_run || !is_there) {
    const std::string text = is_there ? "Would stop the service and remove " + service.path()
                                      : "The service is not installed.";
    return print_text(text + "\n") ? kExitOk : kExitFailure;
  }
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
  return print_text("The service is removed; its data stays.\n") ? kExitOk : kExitFailure;
}

int show_service(const ServiceOptions& options) {
  const UserService service;
  const bool is_there = service.is_installed();
  const std::string active = is_there ? service.state("is-active") : "";
  const std::string enabled = is_there ? service.state("is-enabled") : "";
  const std::string lingers = is_there ? linger() : "";
  bool printed = false;
  if (options.json) {
    printed = print(core::json_object([&](core::JsonWriter& json) {
                      json.key("installed").boolean(is_there).key("path").string(service.path());
                      json.key("active").string(active).key("enabled").string(enabled);
                      json.key("linger").string(lingers);
                    }) +
                    "\n");
  } else if (!is_there) {
    printed = print_text("The service is not installed: `parley service install`.\n");
  } else {
    const auto known = [](const std::string& state) {
      return state.empty() ? std::string("unknown: systemd does not answer") : state;
    };
    printed = print_text("  State    " + known(active) + "\n  At start " + known(enabled) +
                         "\n  Unit     " + service.path() + "\n" + linger_advice(lingers));
  }
  if (!printed) return kExitFailure;
  return active == "active" ? kExitOk : kExitUnreachable;
}

}  // namespace parley::app
