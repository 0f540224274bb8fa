// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "app/cli/commands.h"
#include "app/cli/serve_command.h"
#include "app/server/exit_code.h"
#include "app/server/terminal.h"
#include "base/core/json_writer.h"

namespace parley::app {
namespace {

std::string list_problems(const std::vector<Problem>& problems) {
  std::string out;
  for (const Problem& problem : problems) out += problem.to_string() + "\n";
  return out;
}

void write_problems(core::JsonWriter& json, std::string_view name,
                    const std::vector<Problem>& problems) {
  json.key(name).objects(problems, [](core::JsonWriter& out, const Problem& problem) {
    out.key("where").string(problem.where).key("message").string(problem.message);
    out.key("hint").string(problem.hint);
  });
}

int print_check(const ConfigSources& sources, const ConfigResult& result) {
  const std::string out = core::json_object([&](core::JsonWriter& json) {
    json.key("valid").boolean(result.has_value()).key("file");
    sources.file_text ? json.string(sources.file_name) : json.null();
    write_problems(json, "problems", result ? std::vector<Problem>() : result.error());
    write_problems(json, "warnings", result ? result->warnings : std::vector<Problem>());
  });
  if (!print(out + "\n")) return kExitFailure;
  return result ? kExitOk : kExitUsage;
}

}  // namespace

int check_config(const ConfigSources& sources, bool file_only, bool json) {
  ConfigSources checked = sources;
  if (file_only) checked.environment.clear();
  const ConfigResult result = load_config(checked);
  if (json) return print_check(checked, result);
  if (!result) {
    print_text(list_problems(result.error()));
    return kExitUsage;
  }
  std::string out = list_problems(result->warnings);
  out += checked.file_text ? "ok: " + checked.file_name + "\n" : "ok: no configuration file\n";
  return print_text(out) ? kExitOk : kExitFailure;
}

int print_config(const ConfigSources& sources, bool json) {
  const ConfigResult result = load_config(sources);
  if (!result) {
    complain_about(result.error());
    return kExitUsage;
  }
  return print(json ? config_json(*result) : show_config(*result)) ? kExitOk : kExitFailure;
}

}  // namespace parley::app
