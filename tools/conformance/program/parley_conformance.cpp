// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// Runs cases of a protocol, written as data, against a server. See docs/conformance.md.
#include <absl/strings/str_split.h>
#include <fnmatch.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <thread>

#include "base/core/id.h"
#include "base/core/result.h"
#include "base/core/temp_folder.h"
#include "tools/conformance/case_runner.h"
#include "tools/conformance/variables.h"

namespace parley::conformance {
namespace {

constexpr int kStartMs = 20'000;
constexpr int kTokenMs = 500;  // of a new token, beside the start of its command
constexpr int kStopMs = 15'000;
constexpr int kExitFailures = 1;
constexpr int kExitUsage = 2;

struct Options {
  std::string target;
  std::string token;
  std::string token2;
  std::string token_command;
  std::string start;
  std::string junit;
  std::string json;
  std::vector<std::string> filters;
  std::vector<std::string> excepted;
  std::vector<std::string> vars;
  std::vector<std::string> paths;
  double patience = 1.0;
  int jobs = 0;
  bool list = false;
  bool verbose = false;
  bool server_log = false;
};

int complain(const std::string& what) {
  std::cerr << "parley-conformance: " << what << "\n";
  return kExitUsage;
}

void declare(CLI::App& app, Options& options) {
  app.add_option("--target", options.target, "URL of the server, such as http://127.0.0.1:22080");
  app.add_option("--token", options.token, "the variable ${token} of every case");
  app.add_option("--token2", options.token2, "the variable ${token2}: of somebody else");
  app.add_option("--token-command", options.token_command,
                 "a command that is given names and prints a token for each, a line each: gives "
                 "each case its own");
  app.add_option("--start", options.start,
                 "a command that starts the server and prints 'ready URL'; replaces --target");
  app.add_option("--var", options.vars, "NAME=VALUE for the variable ${NAME}")
      ->allow_extra_args(false);
  app.add_option("--except", options.excepted, "no case whose name, or FILE:NAME, fits this glob");
  app.add_option("--filter", options.filters, "only cases whose name, or FILE:NAME, fits this glob")
      ->allow_extra_args(false);
  app.add_option("--junit", options.junit, "write a report in JUnit's form");
  app.add_option("--json", options.json, "write a report in JSON");
  app.add_option("--patience", options.patience, "multiply every wait for something by this");
  app.add_option("--jobs", options.jobs, "cases at a time (8 if each has its own token, else 1)");
  app.add_flag("--list", options.list, "name the cases and where they come from");
  app.add_flag("--verbose", options.verbose, "name the cases that passed, too");
  app.add_flag("--server-log", options.server_log, "print what the started server logged");
  app.add_option("paths", options.paths, "files of cases, or folders of them")->required();
}

// True if one of the globs fits.
bool fits(const Case& one, const std::vector<std::string>& globs) {
  const std::string full = one.at.file + ":" + one.name;
  return std::any_of(globs.begin(), globs.end(), [&](const std::string& glob) {
    return fnmatch(glob.c_str(), one.name.c_str(), 0) == 0 ||
           fnmatch(glob.c_str(), full.c_str(), 0) == 0;
  });
}

bool wanted(const Case& one, const Options& options) {
  if (fits(one, options.excepted)) return false;
  return options.filters.empty() || fits(one, options.filters);
}

core::Result<std::vector<Case>> load(const Options& options) {
  PARLEY_TRY(const auto files, find_case_files(options.paths));
  std::vector<Case> cases;
  for (const std::string& file : files) {
    PARLEY_TRY(auto loaded, load_case_file(file));
    for (Case& one : loaded) {
      if (wanted(one, options)) cases.push_back(std::move(one));
    }
  }
  return cases;
}

bool needs(const Case& one, std::string_view name) {
  return std::find(one.needs.begin(), one.needs.end(), name) != one.needs.end();
}

// The whole run: state shared by its cases, and their results.
class Run {
 public:
  Run(const Options& options, std::vector<Case> cases)
      : options_(options), cases_(std::move(cases)), results_(cases_.size()) {}

  core::Result<void> prepare();
  void run_all();
  const std::vector<CaseResult>& results() const { return results_; }
  const std::string& target() const { return target_; }
  void finish();

 private:
  core::Result<std::vector<std::string>> new_tokens(const std::vector<std::string>& names);
  core::Result<void> give_tokens();
  core::Result<void> set_variables();
  void run_one(std::size_t index);
  int start_ms() const;
  std::string missing(std::size_t index) const;

  const Options& options_;
  std::vector<Case> cases_;
  std::vector<CaseResult> results_;
  std::vector<std::map<std::string, std::string>> variables_;
  core::TempFolder scratch_{"parley-conformance"};
  core::SystemClock clock_;
  core::SystemEntropy entropy_;
  SchemaCache schemas_;
  std::unique_ptr<ServerProcess> server_;
  std::string target_;
};

core::Result<std::vector<std::string>> Run::new_tokens(const std::vector<std::string>& names) {
  const Bindings given = {{"tmp", boost::json::value(scratch_.path())}};
  Process::Start how;
  const auto filled = fill_parameters(boost::json::value(options_.token_command), given);
  how.command = split_command(filled.as_string());
  how.command.insert(how.command.end(), names.begin(), names.end());
  PARLEY_TRY(auto process, Process::start(how));
  process->close_input();
  std::string output;
  const auto deadline = in_ms(kStartMs + kTokenMs * static_cast<int>(names.size()));
  while (true) {
    PARLEY_TRY(const auto more, process->read_some(output, deadline));
    if (!more) break;
  }
  const auto status = process->wait(deadline);
  std::vector<std::string> tokens = absl::StrSplit(output, '\n', absl::SkipWhitespace());
  if (!status || *status != 0 || tokens.size() != names.size()) {
    return core::fail(
        core::Code::unavailable,
        "--token-command must print a line for each of its " + std::to_string(names.size()) +
            " names; lines: " + std::to_string(tokens.size()) + ". " + process->errors());
  }
  return tokens;
}

// Sets ${token} of each case, and ${token2} of the cases that need it.
core::Result<void> Run::give_tokens() {
  const std::string run = core::random_hex(entropy_, 4);
  std::vector<std::string> names;
  std::vector<std::string*> places;
  for (std::size_t i = 0; i < cases_.size(); ++i) {
    auto& own = variables_[i];
    const std::string name = "case-" + run + "-" + std::to_string(i);
    own["token_name"] = name;
    names.push_back(name);
    places.push_back(&own["token"]);
    if (!needs(cases_[i], "token2")) continue;
    names.push_back(name + "-second");
    places.push_back(&own["token2"]);
  }
  PARLEY_TRY(auto tokens, new_tokens(names));
  for (std::size_t i = 0; i < tokens.size(); ++i) *places[i] = std::move(tokens[i]);
  return {};
}

core::Result<void> Run::set_variables() {
  variables_.resize(cases_.size());
  for (auto& own : variables_) {
    own["tmp"] = scratch_.path();
    if (!options_.token.empty()) own["token"] = options_.token;
    if (!options_.token2.empty()) own["token2"] = options_.token2;
    for (const std::string& var : options_.vars) {
      own[var.substr(0, var.find('='))] = var.substr(std::min(var.find('='), var.size() - 1) + 1);
    }
  }
  return options_.token_command.empty() ? core::Result<void>() : give_tokens();
}

core::Result<void> Run::prepare() {
  auto set = set_variables();
  if (!set) return set;
  target_ = options_.target;
  if (options_.start.empty()) return {};
  const Bindings given = {{"tmp", boost::json::value(scratch_.path())},
                          {"token", boost::json::value(options_.token)}};
  const auto filled = fill_parameters(boost::json::value(options_.start), given);
  server_ = std::make_unique<ServerProcess>(split_command(filled.as_string()));
  auto started = server_->start(in_ms(start_ms()));
  target_ = server_->url();
  return started;
}

int Run::start_ms() const { return static_cast<int>(kStartMs * options_.patience); }

std::string Run::missing(std::size_t index) const {
  std::string out;
  for (const std::string& need : cases_[index].needs) {
    const bool given = need == "server" ? server_ != nullptr : variables_[index].contains(need);
    if (!given) out += (out.empty() ? "needs " : ", ") + need;
  }
  return out;
}

void Run::run_one(std::size_t index) {
  const Case& one = cases_[index];
  CaseResult& result = results_[index];
  const std::string lacks = missing(index);
  if (!lacks.empty()) {
    result.name = one.name;
    result.source = one.source;
    result.at = one.at;
    result.verdict = Verdict::not_run;
    result.reason = lacks;
    return;
  }
  Surroundings surroundings;
  const bool alone = needs(one, "server");
  if (alone && !server_->running()) {
    const auto started = server_->start(in_ms(start_ms()));
    if (!started) std::cerr << "parley-conformance: " << started.error().message << "\n";
  }
  const std::string url = server_ ? server_->url() : target_;
  const auto target = Target::parse(url);
  if (target) surroundings.target = *target;
  surroundings.variables = variables_[index];
  surroundings.variables["target"] = url;
  surroundings.variables["host"] = surroundings.target.host;
  surroundings.variables["port"] = surroundings.target.port;
  surroundings.patience = options_.patience;
  surroundings.schemas = &schemas_;
  surroundings.server = alone ? server_.get() : nullptr;
  surroundings.entropy = &entropy_;
  surroundings.clock = &clock_;
  result = run_case(one, surroundings);
}

// Cases that stop or kill the server run alone, after all others.
void Run::run_all() {
  std::vector<std::size_t> shared;
  std::vector<std::size_t> alone;
  for (std::size_t i = 0; i < cases_.size(); ++i) {
    (needs(cases_[i], "server") ? alone : shared).push_back(i);
  }
  const int jobs = options_.jobs > 0 ? options_.jobs : (options_.token_command.empty() ? 1 : 8);
  std::atomic<std::size_t> next{0};
  {
    std::vector<std::jthread> threads;
    threads.reserve(static_cast<std::size_t>(jobs));
    for (int job = 0; job < jobs; ++job) {
      threads.emplace_back([&] {
        for (std::size_t at = next++; at < shared.size(); at = next++) run_one(shared[at]);
      });
    }
  }
  for (const std::size_t index : alone) run_one(index);
}

void Run::finish() {
  if (!server_) return;
  if (server_->running()) {
    const auto stopped = server_->stop(in_ms(kStopMs));
    if (!stopped) std::cerr << "parley-conformance: " << stopped.error().message << "\n";
  }
  if (options_.server_log) std::cerr << server_->errors();
}

void list(const std::vector<Case>& cases) {
  for (const Case& one : cases) {
    std::cout << one.at.to_string() << "\t" << one.name << "\t" << one.source << "\n";
  }
}

int report(const Options& options, const Run& run) {
  const auto& results = run.results();
  std::cout << readable_report(results, options.verbose);
  if (!options.junit.empty()) std::ofstream(options.junit) << junit_report(results);
  if (!options.json.empty()) {
    std::ofstream(options.json) << json_report(results, run.target());
  }
  return summarize(results).failed == 0 ? 0 : kExitFailures;
}

int run_cases(const Options& options) {
  auto cases = load(options);
  if (!cases) return complain(cases.error().message);
  if (cases->empty()) return complain("no case fits");
  if (options.list) {
    list(*cases);
    return 0;
  }
  if (options.target.empty() == options.start.empty()) {
    return complain("give --target or --start, one of them");
  }
  const auto target = Target::parse(options.target);
  if (options.start.empty() && !target) return complain(target.error().message);
  for (const std::string& var : options.vars) {
    if (var.find('=') == std::string::npos) return complain("--var takes NAME=VALUE");
  }
  Run all(options, std::move(*cases));
  const auto prepared = all.prepare();
  if (!prepared) return complain(prepared.error().message);
  all.run_all();
  all.finish();
  return report(options, all);
}

}  // namespace
}  // namespace parley::conformance

int main(int argc, char** argv) {
  using namespace parley::conformance;
  CLI::App app{"Runs protocol cases, written as data, against a server."};
  Options options;
  declare(app, options);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : kExitUsage;
  }
  std::signal(SIGPIPE, SIG_IGN);
  return run_cases(options);
}
