// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "app/cli/cli.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <vector>

#include "agents/hook/hook_command.h"
#include "agents/hook/hook_options.h"
#include "agents/mcp/ask_command.h"
#include "agents/mcp/mcp_command.h"
#include "app/cli/command_flags.h"
#include "app/cli/command_tree.h"
#include "app/cli/commands.h"
#include "app/cli/completion_scripts.h"
#include "app/cli/data_command_line.h"
#include "app/cli/help_format.h"
#include "app/cli/run_command_line.h"
#include "app/cli/serve_command.h"
#include "app/cli/service_command.h"
#include "app/cli/setup_command_line.h"
#include "app/cli/status_command.h"
#include "app/cli/text_port.h"
#include "app/cli/user_command_line.h"
#include "app/server/exit_code.h"
#include "app/server/terminal.h"
#include "app/server/version.h"

namespace parley::app {
namespace {

constexpr const char* kAbout =
    "Example: start the server, open the link that it prints, and ask yourself\n"
    "  parley serve\n"
    "  parley ask --option yes --option no \"Shall I go on?\"\n\n"
    "Parley connects AI agents, the people they work for, and user interfaces.";

constexpr const char* kServeAbout =
    "Example:\n"
    "  parley serve\n"
    "  parley serve --listen 127.0.0.1:0 --data /tmp/try --token secret-token\n\n"
    "Runs the server. Prints one line, \"ready URL\", on stdout once it accepts connections; logs\n"
    "to stderr. SIGTERM and SIGINT drain it, a second one ends it at once, SIGHUP reads the\n"
    "certificate again.";

constexpr std::string_view kOf = "--of";

int complain_usage(const StrangerText& text) {
  complain({"The command line is not valid.", text.why, text.next});
  return kExitUsage;
}

int complain_usage(const Place& place, const std::string& why) {
  if (place.stranger) return complain_usage(text_of_stranger(place));
  const std::string next = "`" + place.path + " --help` lists the commands and flags.";
  const bool misses = place.command->get_require_subcommand_min() > 0;
  return complain_usage({misses ? "`" + place.path + "` needs a command." : why, next});
}

// The headings of `parley --help`, and the commands below each.
std::vector<CommandGroup> command_groups() {
  return {
      {"Start", {"serve", "status", "open", "setup", "doctor", "service"}},
      {"Ask a person", {"ask", "hook", "mcp"}},
      {"Agents and their runs", {"run", "session", "events", "agent", "tool", "models"}},
      {"Access and data",
       {"token", "user", "config", "export", "import", "migrate", "verify", "cluster"}},
      {"Studies", {"study", "booking"}},
      {"This program", {"completion", "help", "version"}},
  };
}

// The flags of `parley serve --help`; all others are for special cases.
std::vector<std::string> serve_flags() {
  return {"--config",     "--data",      "--listen", "--tls",    "--token",
          "--public-url", "--tailscale", "--open",   "--welcome"};
}

// Parses the command line: every subcommand sets the action that main runs.
class CommandLine {
 public:
  explicit CommandLine(std::vector<SettingDefault> defaults = {}) : app_(kAbout, "parley") {
    flags_.defaults = std::move(defaults);
    app_.require_subcommand(1);
    // Subcommands inherit these when they are added.
    app_.formatter(help_);
    app_.set_help_flag("-h,--help", "Show this help");
    app_.set_help_all_flag("--help-all", "Show all commands and flags");
    app_.set_version_flag("-v,--version", std::string(kVersion), "Show the version");
    CLI::App& serve_app = *app_.add_subcommand("serve", kServeAbout);
    add_serve(serve_app);
    help_->shorten(serve_app, serve_flags());
    add_token();
    users_.add_to(app_);
    data_.add_to(app_);
    add_study();
    add_booking();
    agents_.add_to(app_);
    add_doctor();
    add_config();
    add_ask();
    setup_.add_to(app_);
    add_others();
    help_->shorten(*app_.get_subcommand("run"),
                   {"--interactive", "--agent", "--model", "--session", "--resume", "--cwd",
                    "--approve", "--dry", "--json"});
    help_->shorten(*app_.get_subcommand("setup"),
                   {"--all", "--remove", "--show", "--project", "--dry-run", "--gate", "--stop",
                    "--questions", "--json"});
    help_->arrange(app_, command_groups());
  }

  int run(int argc, char** argv) {
    const std::vector<std::string> words(argv + 1, argv + agents_.take_program(argc, argv));
    if (words.size() > 1 && words[0] == "completion" && words[1] == kOf) {
      return print(lines_of(complete(app_, {words.begin() + 2, words.end()}))) ? kExitOk
                                                                               : kExitFailure;
    }
    const Place place = place_of(app_, words);
    if (place.stranger && place.command == &app_ && words.front() == *place.stranger) {
      return complain_usage(place, {});
    }
    try {
      app_.parse(static_cast<int>(words.size()) + 1, argv);
    } catch (const CLI::ParseError& error) {
      if (error.get_exit_code() == 0) return app_.exit(error) == 0 ? kExitOk : kExitFailure;
      return complain_usage(place, error.what());
    }
    return run_ ? run_() : static_cast<int>(kExitUsage);
  }

 private:
  void add_serve(CLI::App& serve_app) {
    add_common_flags(serve_app, flags_);
    for (const Setting& setting : setting_table()) add_setting_flag(serve_app, flags_, setting);
    serve_app.add_flag("--welcome", serve_.welcome,
                       "Show the links and the agent's configuration line on stderr, even if "
                       "stderr is not a terminal.");
    serve_app.add_flag("--open", serve_.open, "Open the page in the browser.");
    serve_app.callback([this] {
      run_ = [this] {
        return with_config(flags_,
                           [this](const Configuration& config) { return serve(config, serve_); });
      };
    });
  }

  void add_status() {
    CLI::App& status =
        add(app_, "status",
            "Example:\n  parley status\n\nShows whether a server runs, what waits there, and "
            "which agents are set up. Exit codes: 0 it\nanswers, 5 it does not.",
            [this](const Settings& s) { return show_status(s, json_); });
    status.add_flag("--json", json_, "As JSON");
    CLI::App& open = add(app_, "open",
                         "Example:\n  parley open\n\nOpens the console of the running server in "
                         "the browser, signed in. Without a browser it shows the\nlink at a "
                         "terminal. The link contains the token: keep it to yourself.",
                         [this](const Settings& s) { return open_console(s, open_); });
    open.add_flag("--print", open_.print, "Print the link instead, also into a pipe or a file");
  }

  void add_service() {
    CLI::App& service = add_group(
        app_, "service",
        "Example:\n  parley service install --tls auto --listen 0.0.0.0:22080\n\nRuns the "
        "server as a service of this user, by systemd: it starts with the computer or the "
        "login.");
    CLI::App& install = add_command(
        service, "install",
        "Writes the unit, enables and starts the service, and waits until it answers; again with "
        "other flags: replaces it.",
        flags_, run_, [this](const Settings& s) {
          service_.config_file = flags_.config_file;
          service_.settings = flags_.settings;
          return install_service(s, service_);
        });
    for (const char* key : {"data", "listen", "tls.mode", "tls.cert", "tls.key", "public_url",
                            "tailscale", "log.level"}) {
      add_setting_flag(install, flags_, *find_setting(key));
    }
    install.add_flag("--dry-run", service_.dry_run, "Print the unit; changes nothing");
    CLI::App& uninstall =
        *service.add_subcommand("uninstall", "Stops the service and removes its unit.");
    uninstall.add_flag("--dry-run", service_.dry_run, "Say what would be done; changes nothing");
    uninstall.callback([this] { run_ = [this] { return uninstall_service(service_); }; });
    CLI::App& status = *service.add_subcommand(
        "status", "Shows whether it runs. Exit codes: 0 it runs, 5 it does not.");
    status.callback([this] { run_ = [this] { return show_service(service_); }; });
    for (CLI::App* one : {&install, &uninstall, &status})
      one->add_flag("--json", service_.json, "As JSON");
  }

  void add_others() {
    add_status();
    add_service();
    // `parley hook` and `parley mcp` read their flags by themselves: here they are for help and
    // completion.
    CLI::App& hook = *app_.add_subcommand(
        "hook", "Asks a person what a coding agent would ask in its terminal.");
    std::vector<std::string> agents;
    agents.reserve(hook::kAgents.size());
    for (const hook::AgentFacts& agent : hook::kAgents) agents.emplace_back(agent.word);
    allow_values(*hook.add_option("agent", name_, "Agent that runs the hook"), agents);
    add_flags_of_text(hook, hook::kHookHelp);
    add_flags_of_text(*app_.get_subcommand("mcp"), mcp::kMcpHelp);
    CLI::App& help = *app_.add_subcommand(
        "help", "Example:\n  parley help token create\n\nShows the help of a command.");
    help.add_option("command", targets_, "The command, and the one below it");
    CLI::App& completion = *app_.add_subcommand(
        "completion",
        "Example: load it with each bash\n  echo 'source <(parley completion bash)' >> "
        "~/.bashrc\n\nPrints the script with which a shell completes commands, flags and "
        "values.\n  zsh   parley completion zsh > a folder of $fpath/_parley\n  fish  parley "
        "completion fish > ~/.config/fish/completions/parley.fish");
    completion.add_option("shell", name_, "The shell: bash, zsh or fish")
        ->required()
        ->check(CLI::IsMember({"bash", "zsh", "fish"}));
    completion.callback([this] {
      run_ = [this] { return print(completion_script(name_)) ? kExitOk : kExitFailure; };
    });
    CLI::App& version = *app_.add_subcommand("version", "Prints the version.");
    version.add_flag("--json", json_, "As JSON");
    version.callback([this] {
      run_ = [this] {
        const std::string number(kVersion);
        return print(json_ ? "{\"version\":\"" + number + "\"}\n" : "parley " + number + "\n")
                   ? kExitOk
                   : kExitFailure;
      };
    });
  }

  void add_token() {
    CLI::App& token = add_group(
        app_, "token",
        "Example:\n  parley token create --name laptop --expires 30d\n\nTokens authenticate agents "
        "and people, and carry their rights. A running server applies changes within a second.");
    CLI::App& create =
        add(token, "create", "Creates a token and prints it; it cannot be shown again.",
            [this](const Settings& s) { return create_token(s, create_, json_); });
    create.add_option("--name", create_.names, "Name of the token; several make a token each")
        ->required()
        ->type_name("NAME");
    create
        .add_option("--expires", create_.expires,
                    "Expiry: 12h, 30d, 2027-01-31 or 2027-01-31T12:00:00Z. Default: never")
        ->type_name("WHEN");
    create
        .add_option("--rights", create_.rights,
                    "Rights, separated by commas: ask, answer, read, study, run, run-auto, admin; "
                    "or all. Default: ask,answer,read")
        ->type_name("RIGHTS");
    create
        .add_option("--same-workspace-as", create_.shares,
                    "A token, by name or id: the new one sees the same inbox, runs and chats. "
                    "Default: a workspace of its own")
        ->type_name("TOKEN");
    create.add_flag("--json", json_, "As JSON, one object per token");
    CLI::App& rename =
        add(token, "rename", "Gives a token another name.",
            [this](const Settings& s) { return rename_token(s, name_, new_name_, json_); });
    rename.add_flag("--json", json_, "As JSON");
    rename.add_option("token", name_, "Name or id of the token")->required();
    rename.add_option("name", new_name_, "The new name")->required();
    CLI::App& list = add(token, "list", "Lists the tokens, without their secrets.",
                         [this](const Settings& s) { return list_tokens(s, json_); });
    list.add_flag("--json", json_, "As JSON");
    CLI::App& revoke = add(token, "revoke", "Revokes a token and closes its connections.",
                           [this](const Settings& s) { return revoke_token(s, name_, json_); });
    revoke.add_flag("--json", json_, "As JSON");
    revoke.add_option("name", name_, "Name or id of the token")->required();
    CLI::App& logins = add(token, "logins", "Lists the agents that logged in with a token.",
                           [this](const Settings& s) { return list_logins(s, json_); });
    logins.add_flag("--json", json_, "As JSON");
    CLI::App& logout = add(token, "logout", "Ends all logins of an agent.",
                           [this](const Settings& s) { return end_logins(s, name_, json_); });
    logout.add_flag("--json", json_, "As JSON");
    logout.add_option("client", name_, "Client id of the agent")->required();
  }

  void add_study() {
    CLI::App& study = add_group(
        app_, "study",
        "Example:\n  parley study export --format summary --out studies.csv\n\nStudy sessions and "
        "their logs. The server may be running.");
    CLI::App& list = add(study, "list", "Shows the study sessions, newest first.",
                         [this](const Settings& s) { return list_studies(s, study_list_); });
    list.add_option("--state", study_list_.state, "Only study sessions in this state")
        ->type_name("STATE")
        ->check(CLI::IsMember({"open", "ended"}));
    list.add_option("--study", study_list_.study, "Only sessions of this study")->type_name("NAME");
    list.add_option("--participant", study_list_.participant, "Only sessions of this participant")
        ->type_name("ID");
    list.add_flag("--json", study_list_.json, "As JSON");
    CLI::App& show = add(study, "show", "Shows one study session and its outcome.",
                         [this](const Settings& s) { return show_study(s, name_, json_); });
    show.add_option("id", name_, "Id of the study session, for example s-20260213-001")->required();
    show.add_flag("--json", json_, "As JSON");
    add_study_export(study);
    add_study_verify(study);
    add_study_kit(study);
  }

  void add_study_export(CLI::App& study) {
    CLI::App& app =
        add(study, "export",
            "Writes logs (jsonl), tool calls (csv), or a row for each session (summary).",
            [this](const Settings& s) { return export_studies(s, study_export_); });
    app.add_option("--format", study_export_.format, "Output format. Default: jsonl")
        ->type_name("FORM")
        ->check(CLI::IsMember({"jsonl", "csv", "summary"}));
    app.add_option("--study", study_export_.study,
                   "Id of a study session or name of a study. Default: all")
        ->type_name("ID");
    app.add_option("--out", study_export_.out, "Output file; - is stdout, and the default")
        ->type_name("FILE");
  }

  void add_study_verify(CLI::App& study) {
    CLI::App& app = add(study, "verify",
                        "Checks that logs are complete: all records present, in order, with all "
                        "their fields. Exit code 0: no faults, 1: faults.",
                        [this](const Settings& s) { return verify_studies(s, targets_, json_); });
    app.add_option("log", targets_,
                   "Ids of study sessions, or log files. Default: all study sessions")
        ->type_name("ID|FILE");
    app.add_flag("--json", json_, "As JSON");
  }

  void add_study_kit(CLI::App& study) {
    CLI::App& kit = add_group(study, "kit", "The study kit: the file that describes the studies.");
    CLI::App& check =
        *kit.add_subcommand("check", "Lists all faults with line, cause and allowed values.");
    check.add_option("file", name_, "The file")->required()->type_name("FILE");
    check.add_flag("--json", json_, "As JSON");
    check.callback([this] { run_ = [this] { return check_study_kit(name_, json_); }; });
  }

  void add_booking() {
    CLI::App& booking = add_group(
        app_, "booking",
        "Example:\n  parley booking seed --seed 7 --days 14\n\nThe movies, showings and seats of "
        "the booking backend.");
    CLI::App& seed = add(booking, "seed",
                         "Generates new sample data, determined by seed, days and first day. The "
                         "server must not be running.",
                         [this](const Settings& s) { return seed_booking(s, booking_, json_); });
    seed.add_flag("--json", json_, "As JSON");
    seed.add_option("--seed", booking_.seed,
                    "Seed of the generator. Default: the setting booking.seed")
        ->type_name("N");
    seed.add_option("--days", booking_.days,
                    "Days with showings. Default: the setting booking.days")
        ->type_name("D")
        ->check(CLI::Range(1, 366));
    seed.add_option("--from", booking_.from, "First day. Default: today")->type_name("YYYY-MM-DD");
    seed.add_flag("--force", booking_.force,
                  "Replace the data even if bookings exist; they are lost");
    CLI::App& show = add(booking, "show", "Lists the datasets.",
                         [this](const Settings& s) { return show_booking(s, json_); });
    show.add_flag("--json", json_, "As JSON");
  }

  void add_doctor() {
    CLI::App& app =
        add(app_, "doctor",
            "Example:\n  parley doctor --ask\n\nChecks everything between an agent and you: the "
            "server, notices and phones, the certificate, the\nsettings of the agents, the data "
            "directory. Each fault has the next step. Exit codes: 0 no fault, 8 faults.",
            [this](const Settings& s) { return doctor(s, doctor_); });
    app.add_flag("--ask", doctor_.ask, "Ask a test question and wait for its answer");
    app.add_flag("--json", doctor_.json, "As JSON");
  }

  void add_ask() {
    CLI::App& ask = *app_.add_subcommand(
        "ask",
        "Example:\n  parley ask --option yes --option no \"Shall I go on?\"\n\nAsks the person and "
        "prints the answer. Exit codes: 0 answered, 3 timed out, 4 cancelled, 5 the server\n"
        "cannot be reached. Without flags it finds the running server of this user.");
    mcp::AskOptions& o = ask_;
    ask.add_option("question", o.question, "The question; - reads it from stdin")->required();
    ask.add_option("--option", o.options, "Answer to choose from; may be repeated")
        ->type_name("TEXT")
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    ask.add_option("--timeout", o.timeout_s, "Seconds to wait for the answer")
        ->type_name("S")
        ->check(CLI::Range(1, 86'400));
    ask.add_option("--project", o.project,
                   "Project directory shown with the question. Default: the current directory")
        ->type_name("DIR");
    ask.add_flag("--json", o.json, "The whole answer as one JSON object");
    ask.add_option("--host", o.server.host, "Host of the server")->type_name("HOST");
    ask.add_option("--port", o.server.port, "Port of the server")->type_name("PORT");
    ask.add_option("--token", o.server.token, "Token")->type_name("TOKEN");
    ask.add_option("--url", o.server.base_url, "Origin of the server; overrides host and port")
        ->type_name("URL");
    ask.add_option("--config", o.config_file, "The agentassistant-mcp.toml to use")
        ->type_name("FILE");
    ask.add_option("--data", o.data, "Data directory of a server on this computer")
        ->type_name("DIR");
    ask.callback([this] {
      run_ = [this] {
        ask_.show_status = stderr_is_terminal();
        ask_.out_is_terminal = stdout_is_terminal();
        return mcp::run_ask(ask_, std::cin, std::cout, std::cerr);
      };
    });
  }

  void add_config() {
    CLI::App& config = add_group(app_, "config",
                                 "Example:\n  parley config check "
                                 "/etc/parley/parley.toml\n\nChecks and shows the configuration.");
    CLI::App& check = *config.add_subcommand(
        "check", "Lists all faults with file, line, key and allowed values.");
    check
        .add_option("file", flags_.config_file,
                    "Configuration file. Default: the one that `serve` uses")
        ->type_name("FILE");
    check.callback([this] {
      run_ = [this] {
        const bool file_only = !flags_.config_file.empty();
        return with_sources(flags_, [this, file_only](const ConfigSources& sources) {
          return check_config(sources, file_only, json_);
        });
      };
    });
    check.add_flag("--json", json_, "As JSON");
    CLI::App& show = *config.add_subcommand(
        "show", "Prints every setting with its value and where it comes from.");
    add_common_flags(show, flags_);
    for (const Setting& setting : setting_table()) add_setting_flag(show, flags_, setting);
    show.add_flag("--json", json_, "As JSON");
    show.callback([this] {
      run_ = [this] {
        return with_sources(
            flags_, [this](const ConfigSources& sources) { return print_config(sources, json_); });
      };
    });
    std::vector<std::string> shown = serve_flags();
    shown.emplace_back("--json");
    help_->shorten(show, shown);
  }

  CLI::App& add(CLI::App& app, const char* name, const char* about,
                std::function<int(const Settings&)> use) {
    return add_data_command(app, name, about, flags_, run_, std::move(use));
  }

  const std::shared_ptr<HelpFormat> help_ =
      std::make_shared<HelpFormat>(terminal_columns(STDOUT_FILENO));
  CLI::App app_;
  Flags flags_;
  ServeOptions serve_;
  OpenOptions open_;
  ServiceOptions service_;
  DoctorOptions doctor_;
  TokenCreateOptions create_;
  BookingSeedOptions booking_;
  StudyListOptions study_list_;
  StudyExportOptions study_export_;
  std::vector<std::string> targets_;
  mcp::AskOptions ask_;
  std::string name_;
  std::string new_name_;
  bool json_ = false;
  Chosen run_;
  RunCommandLine agents_{flags_, run_};
  UserCommandLine users_{flags_, run_};
  DataCommandLine data_{flags_, run_};
  SetupCommandLine setup_{run_};
};

// `agentassistant-srv ...` is `parley serve ...`, on the port of agentassistant-mcp.toml.
int run_as_server(int argc, char** argv) {
  std::error_code ignored;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", ignored);
  auto defaults = defaults_of_text(program.parent_path(), mcp::UserPlaces::of_this_process());
  if (!defaults) {
    complain({defaults.error().message, "", "agentassistant-srv takes its port from this file."});
    return kExitUsage;
  }
  std::string serve_word = "serve";
  std::vector<char*> arguments = {argv[0], serve_word.data()};
  arguments.insert(arguments.end(), argv + 1, argv + argc);
  arguments.push_back(nullptr);
  return CommandLine(std::move(*defaults)).run(argc + 1, arguments.data());
}

// `parley help COMMAND...` is `parley COMMAND... --help`.
int run_help(int argc, char** argv) {
  std::string flag = "--help";
  std::vector<char*> arguments = {argv[0]};
  arguments.insert(arguments.end(), argv + 2, argv + argc);
  arguments.push_back(flag.data());
  arguments.push_back(nullptr);
  return run_parley(argc, arguments.data());
}

}  // namespace

int run_parley(int argc, char** argv) {
  const std::string_view called(argc > 0 ? argv[0] : "parley");
  if (called.substr(called.rfind('/') + 1) == "agentassistant-srv") {
    return run_as_server(argc, argv);
  }
  if (argc > 1 && std::string_view(argv[1]) == "help" &&
      std::none_of(argv + 2, argv + argc, [](const char* word) { return word[0] == '-'; })) {
    return run_help(argc, argv);
  }
  // Flags are for the server on stdio; a word is a command, or a mistyped one.
  if (argc > 1 && std::string_view(argv[1]) == "mcp" && (argc == 2 || argv[2][0] == '-')) {
    return run_mcp_server({argv + 2, argv + argc});
  }
  // Before anything else is prepared: an agent waits, and wrong usage must not look like a refusal.
  if (argc > 1 && std::string_view(argv[1]) == "hook") {
    return hook::run_hook({argv + 2, argv + argc});
  }
  return CommandLine().run(argc, argv);
}

}  // namespace parley::app
