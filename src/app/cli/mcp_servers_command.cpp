// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "app/cli/mcp_servers_command.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <filesystem>
#include <functional>

#include "app/cli/pretty_json.h"
#include "app/server/exit_code.h"
#include "app/server/terminal.h"
#include "base/core/json_member.h"
#include "runtime/tool/mcp/mcp_config.h"
#include "runtime/tool/process/child_environment.h"

namespace parley::app {
namespace {

namespace fs = std::filesystem;
namespace json = boost::json;

struct McpFilePlaces {
  tool::McpPlaces all;
  bool folder_counts = false;
  // The file that runs in this folder read; empty: none.
  std::string counts() const {
    tool::McpPlaces places = all;
    if (!folder_counts) places.working_folder.clear();
    return tool::find_mcp_config(places).value_or("");
  }
};

McpFilePlaces places_of(const Settings& settings, const McpFileChoice& choice) {
  const tool::Environment environment = tool::process_environment();
  McpFilePlaces places;
  places.folder_counts = settings.folder_mcp;
  places.all.named = choice.named.empty() ? settings.mcp_config : choice.named;
  places.all.variable = std::string(tool::value_of(environment, "LOOM_MCP_CONFIG_PATH"));
  std::error_code error;
  places.all.working_folder = choice.working_folder.empty()
                                  ? fs::current_path(error).string()
                                  : fs::absolute(choice.working_folder, error).string();
  places.all.home = std::string(tool::value_of(environment, "HOME"));
  return places;
}

std::string chosen_file(const McpFilePlaces& places, const McpFileChoice& choice) {
  if (choice.user) return tool::mcp_config_below(places.all.home);
  if (choice.project) return tool::mcp_config_below(places.all.working_folder);
  const std::string counts = places.counts();
  return counts.empty() ? tool::mcp_config_below(places.all.home) : counts;
}

int complain_mcp(const std::string& what, const core::Error& error) {
  const bool missing = error.code == core::Code::not_found;
  complain({what, error.message,
            missing ? "`parley mcp list` lists the MCP servers."
            : error.code == core::Code::already_exists
                ? "`parley mcp edit` changes it."
                : "`parley mcp add --help` shows the syntax."});
  const bool failure = missing || error.code == core::Code::already_exists ||
                       error.code == core::Code::permission_denied ||
                       error.code == core::Code::unavailable;
  return failure ? kExitFailure : kExitUsage;
}

// Prints the faults that prevent a server of the file from being used here.
void tell_faults(const McpFile& file) {
  const auto config = tool::read_mcp_config(file.text(), tool::process_environment());
  if (!config) return;
  for (const std::string& fault : config->faults) complain({fault, "", ""});
}

std::string server_line(const json::object& server) {
  if (server.contains("error")) return "(" + core::string_member(server, "error") + ")";
  if (core::string_member(server, "type") == "http") return core::string_member(server, "url");
  std::string out = core::string_member(server, "command");
  for (const json::value& arg : server.at("args").as_array()) {
    out += " " + std::string(std::string_view(arg.as_string()));
  }
  return out;
}

bool server_is_on(const json::object& server) {
  const json::value* enabled = server.if_contains("enabled");
  return enabled != nullptr && enabled->as_bool();
}

std::string mcp_lines(const McpFile& file) {
  if (file.servers().empty()) {
    return "There are no MCP servers. `parley mcp add NAME -- PROGRAM` adds one.\n";
  }
  std::size_t width = 0;
  for (const auto& each : file.servers()) width = std::max(width, each.key().size());
  std::string out;
  for (const auto& each : file.servers()) {
    const json::object server = shown_server(each.key(), each.value());
    std::string name(each.key());
    name.resize(width, ' ');
    out += name + "  " + (server_is_on(server) ? "on   " : "off  ") + server_line(server) + "\n";
  }
  return out + "in " + file.path() + "\n";
}

std::string server_pairs(const json::object& server, std::string_view member) {
  std::string out;
  const json::value* pairs = server.if_contains(member);
  if (pairs == nullptr) return out;
  for (const auto& each : pairs->as_object()) {
    out += std::string(member) + ":  " + std::string(each.key()) + " = " +
           std::string(std::string_view(each.value().as_string())) + "\n";
  }
  return out;
}

std::string mcp_text(const McpFile& file, const json::object& server) {
  std::string out = "server:   " + std::string(std::string_view(server.at("name").as_string())) +
                    (server_is_on(server) ? "\n" : "  (disabled)\n");
  out += std::string(server.contains("url") ? "url:      " : "program:  ") + server_line(server) +
         "\n";
  out += server_pairs(server, "env") + server_pairs(server, "headers");
  return out + "file:     " + file.path() + "\n";
}

using McpChange = std::function<core::Result<void>(McpFile& file)>;

// A change of one server, and how it is told.
struct McpChangeText {
  std::string name;
  std::string failed;  // a sentence
  std::string done;    // a word
  bool json = false;
};

bool print_change(const McpFile& file, const McpChangeText& text) {
  if (!text.json) return print_text(text.done + " " + text.name + " in " + file.path() + ".\n");
  const json::value* found = file.servers().if_contains(text.name);
  json::object server = found != nullptr ? shown_server(text.name, *found)
                                         : json::object{{"name", text.name}, {"deleted", true}};
  server["file"] = file.path();
  return print(pretty_json(server));
}

// Opens, changes and saves the file.
int change_file(const Settings& settings, const McpFileChoice& choice, McpFile::Use use,
                const McpChangeText& text, const McpChange& change) {
  const McpFilePlaces places = places_of(settings, choice);
  auto file = McpFile::open(chosen_file(places, choice), use);
  if (!file) return complain_mcp(text.failed, file.error());
  core::Result<void> changed = change(*file);
  if (changed) changed = file->save();
  if (!changed) return complain_mcp(text.failed, changed.error());
  if (!print_change(*file, text)) return kExitFailure;
  tell_faults(*file);
  const std::string counts = places.counts();
  std::error_code error;
  if (counts.empty() || !fs::equivalent(counts, file->path(), error)) {
    const bool of_the_folder = choice.project && !places.folder_counts;
    complain(
        {of_the_folder ? "Runs do not read the mcp.json of the working folder."
                       : "Runs in this folder read another file.",
         of_the_folder ? "It can start any program, and the folder may not be yours."
                       : counts + " takes precedence.",
         of_the_folder ? "Name it with `parley run --mcp-config`, or set runs.folder_mcp." : ""});
  }
  return kExitOk;
}

core::Result<McpFile> open_to_look(const Settings& settings, const McpFileChoice& choice) {
  const std::string path = chosen_file(places_of(settings, choice), choice);
  auto file = McpFile::open(path, McpFile::Use::look);
  if (file && !file->is_there() && !choice.named.empty()) {
    return core::fail(core::Code::not_found, "There is no file " + path + ".");
  }
  return file;
}

}  // namespace

int list_mcp_servers(const Settings& settings, const McpFileChoice& choice, bool json) {
  const auto file = open_to_look(settings, choice);
  if (!file) return complain_mcp("The MCP servers cannot be listed.", file.error());
  if (!json) {
    if (!print_text(mcp_lines(*file))) return kExitFailure;
    tell_faults(*file);
    return kExitOk;
  }
  json::array out;
  for (const auto& each : file->servers()) {
    json::object server = shown_server(each.key(), each.value());
    server["file"] = file->path();
    out.push_back(std::move(server));
  }
  return print(pretty_json(out)) ? kExitOk : kExitFailure;
}

int show_mcp_server(const Settings& settings, const McpFileChoice& choice, const std::string& name,
                    bool json) {
  const std::string failed = "The MCP server cannot be shown.";
  const auto file = open_to_look(settings, choice);
  if (!file) return complain_mcp(failed, file.error());
  const json::value* found = file->servers().if_contains(name);
  if (found == nullptr) {
    return complain_mcp(failed, {core::Code::not_found,
                                 "There is no MCP server \"" + name + "\" in " + file->path() + ".",
                                 {}});
  }
  json::object server = shown_server(name, *found);
  server["file"] = file->path();
  const bool written = json ? print(pretty_json(server)) : print_text(mcp_text(*file, server));
  return written ? kExitOk : kExitFailure;
}

int add_mcp_server(const Settings& settings, const McpFileChoice& choice, const std::string& name,
                   const McpServerEdit& edit, bool json) {
  return change_file(settings, choice, McpFile::Use::create,
                     {name, "The MCP server was not added.", "Added", json},
                     [&](McpFile& file) { return file.add(name, edit); });
}

int edit_mcp_server(const Settings& settings, const McpFileChoice& choice, const std::string& name,
                    const McpServerEdit& edit, bool json) {
  return change_file(settings, choice, McpFile::Use::edit,
                     {name, "The MCP server was not changed.", "Changed", json},
                     [&](McpFile& file) { return file.change(name, edit); });
}

int delete_mcp_server(const Settings& settings, const McpFileChoice& choice,
                      const std::string& name, bool json) {
  return change_file(settings, choice, McpFile::Use::edit,
                     {name, "The MCP server was not deleted.", "Deleted", json},
                     [&](McpFile& file) { return file.remove(name); });
}

int enable_mcp_server(const Settings& settings, const McpFileChoice& choice,
                      const std::string& name, bool on, bool json) {
  return change_file(settings, choice, McpFile::Use::edit,
                     {name, "The MCP server was not changed.", on ? "Enabled" : "Disabled", json},
                     [&](McpFile& file) { return file.enable(name, on); });
}

}  // namespace parley::app
