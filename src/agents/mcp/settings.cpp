// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "agents/mcp/settings.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <toml++/toml.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <boost/json/parse.hpp>
#include <boost/system/error_code.hpp>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <system_error>

#include "base/core/file_lock.h"
#include "base/core/json_member.h"
#include "base/core/percent.h"
#include "base/core/result.h"
#include "base/core/toml_dots.h"

namespace parley::mcp {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxEndpointFile = 64U << 10U;

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

fs::path below_home(const char* variable, const char* default_folder) {
  if (const std::string set = environment(variable); set.starts_with('/')) return set;
  const std::string home = environment("HOME");
  return home.empty() ? fs::path() : fs::path(home) / default_folder;
}

bool is_printable(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) {
    return static_cast<unsigned char>(c) > 0x20 && static_cast<unsigned char>(c) != 0x7f;
  });
}

// The reason why a setting is invalid, or empty. Does not repeat the value, which may be a token.
std::string fault_of(const ServerSettings& server) {
  if (server.host && (server.host->empty() || !is_printable(*server.host) ||
                      server.host->find_first_of("/?#@") != std::string::npos)) {
    return "host: must be a host name or an address, for example \"127.0.0.1\"";
  }
  if (server.port && (*server.port < 1 || *server.port > 65535)) {
    return "port: must be a number from 1 to 65535";
  }
  if (server.token && (server.token->empty() || !is_printable(*server.token))) {
    return "token: must not be empty, and must not have spaces or control characters";
  }
  if (server.base_url &&
      (!is_printable(*server.base_url) ||
       (!server.base_url->starts_with("http://") && !server.base_url->starts_with("https://")))) {
    return "base_url: must begin with http:// or https://";
  }
  return {};
}

core::Error file_error(const std::string& file, const toml::source_region& at,
                       const std::string& key, const std::string& text) {
  const std::string place = file + ":" + std::to_string(at.begin.line) + ": ";
  return {core::Code::invalid_argument, place + (key.empty() ? "" : key + ": ") + text, key};
}

// Reads one key of the file; an error names the allowed values.
core::Result<bool> take_key(ServerSettings& server, const std::string& name,
                            const toml::node& value, const std::string& file) {
  const auto text = [&](std::optional<std::string>& into) -> core::Result<bool> {
    into = value.value_exact<std::string>();
    if (into) return true;
    return core::fail(file_error(file, value.source(), name, "must be a string in quotes"));
  };
  if (name == "agentassistant_server_host") return text(server.host);
  if (name == "agentassistant_server_token") return text(server.token);
  if (name == "agentassistant_server_base_url") return text(server.base_url);
  if (name == "agentassistant_server_ca_file") return text(server.ca_file);
  if (name == "agentassistant_server_proxy") return text(server.proxy);
  if (name == "agentassistant_server_port") {
    const std::optional<std::int64_t> port = value.value_exact<std::int64_t>();
    if (!port || *port < 0 || *port > 65535) {
      return core::fail(file_error(file, value.source(), name, "must be a number from 1 to 65535"));
    }
    if (*port != kNoPort) server.port = static_cast<int>(*port);
    return true;
  }
  if (name == "agentassistant_server_tls") {
    server.tls = value.value_exact<bool>();
    if (server.tls) return true;
    return core::fail(file_error(file, value.source(), name, "must be true or false"));
  }
  return false;
}

// A fault_of() the command line, with the name of its flag.
std::string fault_of_flags(const ServerSettings& flags) {
  constexpr std::string_view kUrl = "base_url";
  std::string fault = fault_of(flags);
  if (fault.starts_with(kUrl)) fault.replace(0, kUrl.size(), "url");
  return fault.empty() ? fault : "--" + fault;
}

void overlay(ServerSettings& base, const ServerSettings& over) {
  // An address on the command line replaces that of the file as a whole.
  if (over.host || over.port) base.base_url.reset();
  if (over.host) base.host = over.host;
  if (over.port) base.port = over.port;
  if (over.token) base.token = over.token;
  if (over.tls) base.tls = over.tls;
  if (over.base_url) base.base_url = over.base_url;
  if (over.ca_file) base.ca_file = over.ca_file;
  if (over.proxy) base.proxy = over.proxy;
}

std::optional<std::string> read_private_file(const fs::path& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  if (fd < 0) return std::nullopt;
  struct stat status {};
  std::string text;
  const bool ours = ::fstat(fd, &status) == 0 && S_ISREG(status.st_mode) &&
                    status.st_uid == ::geteuid() && (status.st_mode & 077U) == 0;
  std::array<char, 4096> part{};
  ssize_t got = ours ? 1 : 0;
  while (got > 0 && text.size() <= kMaxEndpointFile) {
    got = ::read(fd, part.data(), part.size());
    if (got > 0) text.append(part.data(), static_cast<std::size_t>(got));
  }
  ::close(fd);
  if (!ours || got < 0 || text.size() > kMaxEndpointFile) return std::nullopt;
  return text;
}

// True for a living process of this user. kill() alone permits root the processes of all users, and
// /proc is not mounted everywhere.
bool is_own_process(pid_t pid) {
  if (::kill(pid, 0) != 0) return false;
  struct stat status {};
  if (::stat(("/proc/" + std::to_string(pid)).c_str(), &status) != 0) {
    return ::stat("/proc/self", &status) != 0;
  }
  return status.st_uid == ::geteuid();
}

std::string without_end_slash(std::string url) {
  while (url.ends_with('/')) url.pop_back();
  return url;
}

std::string url_of(const ServerSettings& server) {
  if (server.base_url) return without_end_slash(*server.base_url);
  std::string host = server.host.value_or(std::string(kDefaultHost));
  if (host.find(':') != std::string::npos && !host.starts_with('[')) host = "[" + host + "]";
  return (server.tls.value_or(false) ? "https://" : "http://") + host + ":" +
         std::to_string(server.port.value_or(kDefaultPort));
}

}  // namespace

UserPlaces UserPlaces::of_this_process() {
  UserPlaces places;
  std::error_code ignored;
  places.working_directory = fs::current_path(ignored);
  places.config_home = below_home("XDG_CONFIG_HOME", ".config");
  if (const std::string data = environment("PARLEY_DATA"); !data.empty()) {
    places.data = data;
  } else if (const fs::path home = below_home("XDG_DATA_HOME", ".local/share"); !home.empty()) {
    places.data = home / "parley";
  }
  return places;
}

core::Result<Settings> parse_settings(std::string_view text, const std::string& file) {
  Settings settings;
  settings.file = file;
  if (core::count_toml_dots(text) > core::kMaxTomlDots) {
    return core::fail(core::Code::invalid_argument, file + ": the tables are nested too deeply");
  }
  toml::table table;
  try {
    table = toml::parse(text, file);
  } catch (const toml::parse_error& error) {
    return core::fail(file_error(file, error.source(), "", std::string(error.description())));
  }
  for (const auto& [key, value] : table) {
    const std::string name(key.str());
    PARLEY_TRY(const bool known, take_key(settings.server, name, value, file));
    if (!known) {
      std::string& warning = settings.warnings.emplace_back(file);
      warning.append(":").append(std::to_string(key.source().begin.line));
      warning.append(": unknown key ").append(name).append(" (ignored)");
    }
  }
  if (const std::string fault = fault_of(settings.server); !fault.empty()) {
    return core::fail(core::Code::invalid_argument, file + ": agentassistant_server_" + fault);
  }
  return settings;
}

core::Result<Settings> load_settings(ServerSettings flags, const UserPlaces& places,
                                     const std::string& file) {
  if (flags.port == kNoPort) flags.port.reset();
  std::vector<fs::path> candidates;
  if (!file.empty()) {
    candidates.emplace_back(file);
  } else {
    if (!places.working_directory.empty()) {
      candidates.push_back(places.working_directory / kSettingsFile);
    }
    if (!places.config_home.empty()) {
      candidates.push_back(places.config_home / "agentassistant" / kSettingsFile);
      candidates.push_back(places.config_home / "parley" / kSettingsFile);
    }
  }
  Settings settings;
  std::error_code ignored;
  for (const fs::path& path : candidates) {
    if (file.empty() && !fs::exists(path, ignored)) continue;
    std::ifstream in(path);
    std::ostringstream text;
    text << in.rdbuf();
    if (!in) return core::fail(core::Code::not_found, path.string() + ": cannot be read");
    core::Result<Settings> read = parse_settings(text.str(), path.string());
    if (!read) return read;
    settings = *std::move(read);
    break;
  }
  if (const std::string fault = fault_of_flags(flags); !fault.empty()) {
    return core::fail(core::Code::invalid_argument, fault);
  }
  overlay(settings.server, flags);
  return settings;
}

std::optional<RunningServer> running_server(const fs::path& data) {
  if (data.empty()) return std::nullopt;
  const std::optional<std::string> text = read_private_file(data / "endpoint.json");
  if (!text) return std::nullopt;
  boost::system::error_code failed;
  const boost::json::value value = boost::json::parse(*text, failed);
  const boost::json::object* object = failed.failed() ? nullptr : value.if_object();
  if (object == nullptr) return std::nullopt;
  const boost::json::value* url = object->if_contains("url");
  const boost::json::value* token = object->if_contains("token");
  const boost::json::value* pid = object->if_contains("pid");
  if (url == nullptr || !url->is_string() || token == nullptr || !token->is_string() ||
      pid == nullptr || !pid->is_int64() || pid->get_int64() <= 0 || pid->get_int64() > INT32_MAX) {
    return std::nullopt;
  }
  ServerSettings settings;
  settings.base_url = url->get_string();
  if (!token->get_string().empty()) settings.token = token->get_string();
  if (!fault_of(settings).empty()) return std::nullopt;
  if (!is_own_process(static_cast<pid_t>(pid->get_int64()))) return std::nullopt;
  // A killed server leaves this file, and its process id may be another program's by now.
  if (!core::is_file_locked((data / core::kServerLockFile).string()).value_or(false)) {
    return std::nullopt;
  }
  // Relative to the data directory.
  const boost::json::value* ca_file = object->if_contains("ca_file");
  std::string trusted;
  if (ca_file != nullptr && ca_file->is_string() && !ca_file->get_string().empty()) {
    trusted = (data / std::string(ca_file->get_string())).string();
  }
  RunningServer running;
  running.access = {without_end_slash(*settings.base_url),
                    settings.token.value_or(""),
                    std::move(trusted),
                    "the running server",
                    {}};
  running.pid = pid->get_int64();
  running.version = core::string_member(*object, "version");
  const boost::json::value* started = object->if_contains("started_at");
  if (started != nullptr && started->is_int64()) running.started_at = started->get_int64();
  return running;
}

std::optional<ServerAccess> discover_server(const fs::path& data) {
  std::optional<RunningServer> running = running_server(data);
  if (!running || running->access.token.empty()) return std::nullopt;
  return std::move(running->access);
}

ServerAccess resolve_endpoint(const ServerSettings& server, const std::string& file,
                              const UserPlaces& places) {
  const bool placed = server.host || server.port || server.base_url || server.tls;
  std::optional<ServerAccess> running;
  if (!placed || !server.token) running = discover_server(places.data);
  ServerAccess endpoint;
  endpoint.ca_file = server.ca_file.value_or("");
  endpoint.proxy = server.proxy.value_or("");
  if (!placed && running) {
    endpoint.base_url = running->base_url;
    endpoint.origin = running->origin;
  } else {
    endpoint.base_url = url_of(server);
    endpoint.origin = placed ? (file.empty() ? "the command line" : file + " or the command line")
                             : "the default, as no server runs for this user";
  }
  const bool is_running = running && running->base_url == endpoint.base_url;
  if (is_running && endpoint.ca_file.empty()) endpoint.ca_file = running->ca_file;
  if (server.token) {
    endpoint.token = *server.token;
  } else if (is_running) {
    endpoint.token = running->token;
  } else {
    endpoint.token = kDefaultToken;
  }
  return endpoint;
}

std::string page_url(const ServerAccess& endpoint) {
  return endpoint.base_url + "/?token=" + core::percent_encoded(endpoint.token);
}

}  // namespace parley::mcp
