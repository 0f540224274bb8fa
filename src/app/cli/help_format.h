// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace parley::app {

// The description of a command without its examples: the text after the first empty line if it
// begins with "Example".
std::string_view about_of(std::string_view description);

// Its first sentence, on one line.
std::string first_sentence(std::string_view description);

// The allowed values of an option (CLI::IsMember, allow_values()); empty: any.
std::vector<std::string> choices_of(const CLI::Option& option);

// Names the values of an option for help and completion without checking them: the command does.
void allow_values(CLI::Option& option, const std::vector<std::string>& values);

// The parts of `text` between separators; at least one.
std::vector<std::string_view> parts_of(std::string_view text, std::string_view separator);

// Breaks `text` at blanks into lines of at most `width` bytes, unless a word is longer.
std::vector<std::string> lines_of(std::string_view text, std::size_t width);

// A heading of the list of commands, and the commands below it.
struct CommandGroup {
  std::string title;
  std::vector<std::string> commands;
};

// The help of the commands of `parley`. A list of commands has one sentence each; a command whose
// flags were shortened shows some of them, and all by --help-all.
class HelpFormat final : public CLI::Formatter {
 public:
  // `columns`: of the terminal.
  explicit HelpFormat(std::size_t columns);

  // --help of `command` shows only these flags. The command must not move or end before its help.
  void shorten(const CLI::App& command, std::vector<std::string> flags);

  // Lists the commands of `root` in this order below these headings. All of them must exist; those
  // that are not named come last.
  void arrange(CLI::App& root, const std::vector<CommandGroup>& groups);

  std::string make_help(const CLI::App* app, std::string name,
                        CLI::AppFormatMode mode) const override;
  std::string make_subcommands(const CLI::App* app, CLI::AppFormatMode mode) const override;
  std::string make_subcommand(const CLI::App* sub) const override;
  std::string make_option(const CLI::Option* option, bool is_positional) const override;
  std::string make_option_opts(const CLI::Option* option) const override;

 private:
  std::vector<const CLI::App*> listed(const CLI::App& app) const;
  std::string row(const std::string& left, std::string_view right) const;
  std::string flags_of(const CLI::App& app, bool all) const;

  std::size_t columns_;
  std::map<const CLI::App*, std::set<std::string>> shortened_;
  std::map<const CLI::App*, std::size_t> ranks_;
};

}  // namespace parley::app
