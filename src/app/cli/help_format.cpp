// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "app/cli/help_format.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_join.h"

namespace parley::app {
namespace {

constexpr std::size_t kLeftColumn = 30;
constexpr std::size_t kNarrowest = 72;
constexpr std::size_t kWidest = 110;
// Longer lists of values are left to the command's text.
constexpr std::size_t kShownChoices = 6;

bool is_help_all(const CLI::App& app, const CLI::Option* option) {
  return app.get_help_all_ptr() == option;
}

}  // namespace

std::string_view about_of(std::string_view description) {
  if (!description.starts_with("Example")) return description;
  const std::size_t end = description.find("\n\n");
  return end == std::string_view::npos ? std::string_view() : description.substr(end + 2);
}

std::string first_sentence(std::string_view description) {
  std::string out;
  const std::string_view about = about_of(description);
  for (std::size_t i = 0; i < about.size(); ++i) {
    const bool ends = i + 1 == about.size() || about[i + 1] == ' ' || about[i + 1] == '\n';
    out.push_back(about[i] == '\n' ? ' ' : about[i]);
    if (about[i] == '.' && ends) break;
  }
  return out;
}

std::vector<std::string> choices_of(const CLI::Option& option) {
  // A set's description is "{a,b}"; a type name follows it up to here.
  const std::string type = option.get_type_name();
  const std::size_t begin = type.find('{');
  const std::size_t end = type.find('}', begin == std::string::npos ? 0 : begin);
  if (begin == std::string::npos || end == std::string::npos) return {};
  const std::string inside = type.substr(begin + 1, end - begin - 1);
  const std::vector<std::string_view> values = parts_of(inside, ",");
  return {values.begin(), values.end()};
}

void allow_values(CLI::Option& option, const std::vector<std::string>& values) {
  option.check(CLI::Validator([](std::string&) { return std::string(); },
                              "{" + absl::StrJoin(values, ",") + "}"));
}

std::vector<std::string_view> parts_of(std::string_view text, std::string_view separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + separator.size());
  }
}

std::vector<std::string> lines_of(std::string_view text, std::size_t width) {
  std::vector<std::string> lines;
  for (const std::string_view given : parts_of(text, "\n")) {
    std::string line;
    for (const std::string_view word : parts_of(given, " ")) {
      if (word.empty()) continue;
      if (!line.empty() && line.size() + 1 + word.size() > width) {
        lines.push_back(std::exchange(line, std::string()));
      }
      if (!line.empty()) line.push_back(' ');
      line += word;
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

HelpFormat::HelpFormat(std::size_t columns) : columns_(std::clamp(columns, kNarrowest, kWidest)) {
  column_width(kLeftColumn);
  label("SUBCOMMAND", "COMMAND");
  label("Subcommands", "Commands");
  label("Positionals", "Arguments");
}

void HelpFormat::shorten(const CLI::App& command, std::vector<std::string> flags) {
  shortened_[&command] = {flags.begin(), flags.end()};
}

void HelpFormat::arrange(CLI::App& root, const std::vector<CommandGroup>& groups) {
  for (const CommandGroup& group : groups) {
    for (const std::string& name : group.commands) {
      CLI::App* const command = root.get_subcommand(name);
      command->group(group.title);
      ranks_.emplace(command, ranks_.size());
    }
  }
}

std::vector<const CLI::App*> HelpFormat::listed(const CLI::App& app) const {
  std::vector<const CLI::App*> commands =
      app.get_subcommands([](const CLI::App* one) { return !one->get_group().empty(); });
  const auto rank = [this](const CLI::App* one) {
    const auto found = ranks_.find(one);
    return found == ranks_.end() ? ranks_.size() : found->second;
  };
  std::stable_sort(commands.begin(), commands.end(),
                   [&rank](const auto* a, const auto* b) { return rank(a) < rank(b); });
  return commands;
}

std::string HelpFormat::make_help(const CLI::App* app, std::string name,
                                  CLI::AppFormatMode mode) const {
  const bool all = mode == CLI::AppFormatMode::All;
  std::string out = make_description(app) + "\n" + make_usage(app, name) + make_positionals(app);
  out += flags_of(*app, all) + make_subcommands(app, mode);
  if (const std::string footer = make_footer(app); !footer.empty()) out += "\n" + footer;
  if (!all && shortened_.contains(app)) {
    out += "\n`" + name + " --help-all` lists all flags.\n";
  }
  if (!all && app->get_parent() == nullptr) {
    out += "\n`" + name + " help COMMAND` says more about a command.\n";
  }
  return out;
}

std::string HelpFormat::flags_of(const CLI::App& app, bool all) const {
  const auto found = shortened_.find(&app);
  if (all || found == shortened_.end()) {
    std::string out;
    for (const std::string& group : app.get_groups()) {
      const auto options = app.get_options([&](const CLI::Option* option) {
        return option->get_group() == group && option->nonpositional() &&
               (!is_help_all(app, option) || app.get_parent() == nullptr || all);
      });
      if (!group.empty() && !options.empty()) out += make_group(group, false, options);
    }
    return out;
  }
  const std::set<std::string>& shown = found->second;
  return make_group("Options", false, app.get_options([&](const CLI::Option* option) {
    return option->nonpositional() && (option == app.get_help_ptr() || is_help_all(app, option) ||
                                       shown.contains(option->get_name(false, false)));
  }));
}

std::string HelpFormat::make_subcommands(const CLI::App* app, CLI::AppFormatMode mode) const {
  std::string out;
  std::string group;
  for (const CLI::App* one : listed(*app)) {
    if (one->get_group() != group) {
      group = one->get_group();
      out += "\n" + get_label(group) + ":\n";
    }
    out += make_subcommand(one);
    if (mode != CLI::AppFormatMode::All) continue;
    for (const CLI::App* below : listed(*one)) {
      out += row("  " + one->get_name() + " " + below->get_name(),
                 first_sentence(below->get_description()));
    }
  }
  return out;
}

std::string HelpFormat::make_subcommand(const CLI::App* sub) const {
  return row(sub->get_name(), first_sentence(sub->get_description()));
}

std::string HelpFormat::make_option(const CLI::Option* option, bool is_positional) const {
  return row(make_option_name(option, is_positional) + make_option_opts(option),
             make_option_desc(option));
}

std::string HelpFormat::make_option_opts(const CLI::Option* option) const {
  if (option->get_type_size() == 0) return {};
  const std::vector<std::string> choices = choices_of(*option);
  // The descriptions of checks follow the type: "FORM:{json,yaml}", "S:INT in [1 - 60]".
  std::string type = option->get_type_name();
  type.resize(std::min({type.find('{'), type.find(":{"), type.find(":INT in "), type.size()}));
  if (!choices.empty() && choices.size() <= kShownChoices) type = absl::StrJoin(choices, "|");
  std::string out = type.empty() ? "" : " " + type;
  if (option->get_expected_max() == CLI::detail::expected_max_vector_size) out += " ...";
  return out;
}

// "  LEFT      RIGHT", RIGHT wrapped in its column and on a new line if LEFT is too long.
std::string HelpFormat::row(const std::string& left, std::string_view right) const {
  std::string out = "  " + left;
  const std::string indent(kLeftColumn, ' ');
  bool is_begun = out.size() + 1 >= kLeftColumn;
  if (is_begun) out += "\n";
  for (const std::string& line : lines_of(right, columns_ - kLeftColumn)) {
    if (!is_begun) {
      out.append(kLeftColumn - out.size(), ' ');
      is_begun = true;
    } else {
      if (!out.ends_with('\n')) out += "\n";
      out += indent;
    }
    out += line;
  }
  out.resize(out.find_last_not_of(" \n") + 1);
  return out + "\n";
}

}  // namespace parley::app
