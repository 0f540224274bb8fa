// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/commands.h"
#include "cli/serve_command.h"
#include "server/exit_code.h"
#include "server/terminal.h"

namespace parley::app {
namespace {

std::string list_problems(const std::vector<Problem>& problems) {
  std::string out;
  for (const Problem& problem : problems) out += problem.to_string() + "\n";
  return out;
}

}  // namespace

int check_config(const ConfigSources& sources, bool file_only) {
  ConfigSources checked = sources;
  if (file_only) checked.environment.clear();
  const ConfigResult result = load_config(checked);
  if (!result) {
    print_text(list_problems(result.error()));
    return kExitUsage;
  }
  std::string out = list_problems(result->warnings);
  out += checked.file_text ? "ok: " + checked.file_name + "\n" : "ok: no configuration file\n";
  return print_text(out) ? kExitOk : kExitFailure;
}

int print_config(const ConfigSources& sources) {
  const ConfigResult result = load_config(sources);
  if (!result) {
    complain_about(result.error());
    return kExitUsage;
  }
  return print(show_config(*result)) ? kExitOk : kExitFailure;
}

}  // namespace parley::app
