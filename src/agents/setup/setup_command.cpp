// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "agents/setup/setup_command.h"

#include <algorithm>
#include <boost/json/serialize.hpp>
#include <cstdlib>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "agents/hook/hook_places.h"
#include "agents/setup/agent_plan.h"
#include "agents/setup/agent_report.h"
#include "agents/setup/agent_variables.h"
#include "agents/setup/file_apply.h"
#include "agents/setup/mcp_entry.h"
#include "agents/setup/setup_show.h"
#include "agents/setup/trusted_program.h"
#include "base/core/json_writer.h"
#include "base/core/near_names.h"
#include "base/core/result.h"

namespace parley::setup {
namespace {

namespace fs = std::filesystem;

// Limit (parley setup): names of `--gate`. Reached: wrong usage.
constexpr std::size_t kMaxGateBytes = 4'096;
const fs::path kNoProject;

core::Error wrong(std::string why) { return {core::Code::invalid_argument, std::move(why), {}}; }

bool is_one_of(const std::string& value, std::initializer_list<std::string_view> allowed) {
  return value.empty() || std::find(allowed.begin(), allowed.end(), value) != allowed.end();
}

bool is_gate(const std::string& gate) {
  return gate.size() <= kMaxGateBytes && !gate.starts_with(',') && !gate.ends_with(',') &&
         gate.find(",,") == std::string::npos && std::all_of(gate.begin(), gate.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                  c == '_' || c == '-' || c == ',' || c == ':' || c == '/';
         });
}

core::Result<void> check(const SetupOptions& options) {
  if (options.remove && options.show)
    return core::fail(wrong("--remove and --show exclude each other"));
  if (options.mcp_only && options.hooks_only) {
    return core::fail(wrong("--mcp-only and --hooks-only exclude each other"));
  }
  if (options.shared && !options.project) return core::fail(wrong("--shared needs --project"));
  if (options.all && !options.agents.empty()) {
    return core::fail(wrong("--all and the names of agents exclude each other"));
  }
  if (!is_one_of(options.stop, {"off", "notify", "ask"})) {
    return core::fail(wrong("--stop must be off, notify or ask"));
  }
  if (!is_one_of(options.questions, {"on", "off", "pre"})) {
    return core::fail(wrong("--questions must be on, off or pre"));
  }
  if (!is_one_of(options.when_nobody, {"ask", "pass"})) {
    return core::fail(wrong("--when-nobody must be ask or pass"));
  }
  if (!is_one_of(options.somebody, {"any", "page"})) {
    return core::fail(wrong("--somebody must be any or page"));
  }
  if (!is_gate(options.gate)) {
    return core::fail(wrong("--gate takes the names of tools, separated by commas"));
  }
  return {};
}

std::string no_agent(const std::string& word) {
  std::vector<std::string_view> words;
  for (const AgentFacts& agent : agent_table()) words.push_back(agent.word);
  return "There is no agent " + core::in_quotes(word) + "." + core::did_you_mean(word, words);
}

// The project of a folder: the nearest one above with Git's files; empty: none.
fs::path project_around(const fs::path& folder) {
  std::error_code error;
  for (fs::path at = fs::canonical(folder, error); !error && !at.empty(); at = at.parent_path()) {
    if (fs::exists(at / ".git", error)) return at;
    if (!at.has_relative_path()) break;
  }
  return {};
}

class Setup {
 public:
  Setup(const SetupOptions& options, const SetupPlaces& places, const core::Clock& clock,
        const BeforeRename& before_rename)
      : options_(options), places_(places), clock_(clock), before_rename_(before_rename) {}

  SetupOutcome run() {
    core::Result<void> ready = prepare();
    if (!ready) return {kSetupUsage, {}, ready.error().message};
    return options_.show ? show() : change();
  }

 private:
  core::Result<void> prepare() {
    PARLEY_TRY_VOID(check(options_));
    for (const std::string& word : options_.agents) {
      const AgentFacts* agent = agent_named(word);
      if (agent == nullptr) return core::fail(wrong(no_agent(word)));
      if (std::find(agents_.begin(), agents_.end(), agent) == agents_.end())
        agents_.push_back(agent);
    }
    around_ = project_around(places_.working_directory);
    if (options_.project) {
      const fs::path given = *options_.project;
      std::error_code error;
      project_ = fs::canonical(
          given.empty() ? places_.working_directory : places_.working_directory / given, error);
      if (error || !fs::is_directory(project_, error)) {
        return core::fail(wrong("--project: there is no folder " + given.string()));
      }
      if (project_ == fs::weakly_canonical(places_.home, error)) {
        return core::fail(wrong("--project: the home directory is no project"));
      }
      around_ = project_;
    }
    // Without an agent nothing is written.
    if (agents_.empty() && !options_.all) options_.show = true;
    if (!agents_.empty()) return {};
    for (const AgentFacts& agent : agent_table()) {
      if (!options_.all || is_detected(agent, places_)) agents_.push_back(&agent);
    }
    return {};
  }

  SetupOutcome show() const {
    SetupOutcome outcome;
    std::vector<AgentState> states;
    for (const AgentFacts* agent : agents_) {
      states.push_back(state_of(*agent, options_, places_, project_, around_));
    }
    if (options_.json) {
      outcome.out =
          core::json_object([&](core::JsonWriter& json) {
            json.key("agents").objects(states, [](core::JsonWriter& out, const AgentState& state) {
              write_members(out, state);
            });
          }) +
          "\n";
      return outcome;
    }
    std::string others;
    for (const AgentState& state : states) {
      if (state.is_found || !options_.agents.empty()) {
        outcome.out += text_of(state, places_.home) + "\n";
      } else {
        others += (others.empty() ? "" : ", ") + std::string(state.agent->word);
      }
    }
    if (!others.empty()) outcome.out += "Not found on this computer: " + others + "\n";
    if (options_.agents.empty()) {
      outcome.out += "Nothing was written. `parley setup AGENT` or `parley setup --all` sets up.\n";
    }
    return outcome;
  }

  SetupOutcome change() {
    SetupOutcome outcome;
    // In the user's own files the place of the program is the user's choice, also a clone of
    // Parley.
    const fs::path& project = options_.project ? around_ : kNoProject;
    if (const std::string why = distrust_of(places_.program, project);
        !why.empty() && !options_.remove && !options_.shared) {
      outcome.status = kSetupRefused;
      outcome.error = "Agents must not run " + places_.program.string() + ": " + why + ".";
      return outcome;
    }
    core::Result<SetupStore> store =
        options_.dry_run ? SetupStore::look(places_.data) : SetupStore::open(places_.data);
    if (!store) return {kSetupFailed, {}, store.error().message};
    std::vector<AgentReport> reports;
    for (const AgentFacts* agent : agents_) {
      reports.push_back(change_one(*agent, *store));
      outcome.status = std::max(outcome.status, reports.back().status());
    }
    if (options_.json) {
      outcome.out = core::json_object([&](core::JsonWriter& json) {
                      json.key("status").number(outcome.status);
                      json.key("dry_run").boolean(options_.dry_run);
                      json.key("agents").objects(
                          reports, [](core::JsonWriter& out, const AgentReport& report) {
                            write_members(out, report);
                          });
                    }) +
                    "\n";
      return outcome;
    }
    for (const AgentReport& report : reports) outcome.out += text_of(report, places_.home) + "\n";
    if (agents_.empty()) outcome.out = "No agent was found on this computer.\n";
    return outcome;
  }

  AgentReport change_one(const AgentFacts& agent, SetupStore& store) {
    AgentPlan plan = plan_agent(agent, options_, places_, project_);
    AgentReport report;
    report.agent = &agent;
    report.dry_run = options_.dry_run;
    report.warnings = std::move(plan.warnings);
    if (project_.empty() && !options_.remove) {
      for (std::string& text : misplaced_by_variables(agent, places_)) {
        report.warnings.push_back(std::move(text));
      }
    }
    // To remove from files that an agent does not have is nothing to do.
    if (!options_.remove) report.refusals = std::move(plan.refusals);
    report.next = std::move(plan.next);
    ApplyOptions apply;
    apply.agent = agent.word;
    apply.remove = options_.remove;
    apply.dry_run = options_.dry_run;
    apply.project = project_;
    apply.now = clock_.wall();
    apply.before_rename = before_rename_;
    // Those that were written before and stay are shown by --show.
    const bool has_hooks =
        std::any_of(plan.files.begin(), plan.files.end(), [](const FilePlan& file) {
          return std::any_of(file.parts.begin(), file.parts.end(),
                             [](const FilePart& part) { return part.kind == PartKind::hooks; });
        });
    if (has_hooks && !options_.remove) report.asks = asks_when(agent, options_);
    // The first file may have made the folders of the others: it goes last.
    if (options_.remove) std::reverse(plan.files.begin(), plan.files.end());
    for (const FilePlan& file : plan.files) {
      const bool asks_claude = project_.empty() && is_claude_state_file(agent, places_, file.path);
      const bool is_asked =
          asks_claude && !options_.dry_run && ask_claude(file, plan.entry, store, apply);
      report.files.push_back(apply_file(file, store, apply));
      if (is_asked && report.files.back().action == FileAction::unchanged) {
        report.files.back().action = options_.remove ? FileAction::removed : FileAction::written;
      }
    }
    return report;
  }

  // A running Claude Code rewrites ~/.claude.json: its own program edits that file without losing
  // either change. True if that program has changed the file; otherwise it is edited here.
  bool ask_claude(const FilePlan& file, const boost::json::object& entry, SetupStore& store,
                  ApplyOptions apply) const {
    const auto program = find_program(places_, "claude");
    if (!program || !distrust_of(*program, around_).empty()) return false;
    apply.dry_run = true;
    const FileResult wanted = apply_file(file, store, apply);
    if (wanted.action != FileAction::created && wanted.action != FileAction::written &&
        wanted.action != FileAction::removed) {
      return false;
    }
    const auto before = read_config_file(file.path, {});
    if (!before) return false;
    if (before->exists && !store.back_up(*before, "claude", apply.now)) return false;
    const std::string name(kMcpName);
    const bool is_missing =
        run_quietly(*program, {"mcp", "remove", name, "--scope", "user"}, places_.home);
    if (options_.remove) return is_missing;
    const std::string text = boost::json::serialize(entry);
    return run_quietly(*program, {"mcp", "add-json", name, text, "--scope", "user"}, places_.home);
  }

  SetupOptions options_;
  const SetupPlaces& places_;
  const core::Clock& clock_;
  const BeforeRename& before_rename_;
  std::vector<const AgentFacts*> agents_;
  fs::path project_;  // empty: the files of the user
  fs::path around_;   // the project of the working directory; empty: none
};

}  // namespace

core::Result<SetupPlaces> places_of_this_process() {
  PARLEY_TRY(const hook::HookPlaces user, hook::HookPlaces::of_this_user({}));
  SetupPlaces places;
  places.home = user.home;
  places.data = user.data;
  std::error_code error;
  places.program = fs::read_symlink("/proc/self/exe", error);
  if (error) return core::fail(core::Code::not_found, "the path of this program is not known");
  places.working_directory = fs::current_path(error);
  const char* path = std::getenv("PATH");
  std::string_view rest(path == nullptr ? "" : path);
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(':'), rest.size());
    places.search_path.emplace_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  places.variables = variables_of_this_process();
#ifdef __APPLE__
  places.is_mac = true;
#endif
  return places;
}

SetupOutcome run_setup(const SetupOptions& options, const SetupPlaces& places,
                       const core::Clock& clock, const BeforeRename& before_rename) {
  return Setup(options, places, clock, before_rename).run();
}

}  // namespace parley::setup
