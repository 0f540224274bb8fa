// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "app/cli/command_tree.h"

#include <algorithm>
#include <utility>

#include "app/cli/help_format.h"
#include "base/core/ascii.h"
#include "base/core/near_names.h"
#include "base/core/visible_text.h"

namespace parley::app {
namespace {

bool is_flag(std::string_view word) { return word.size() > 1 && word.starts_with('-'); }

const CLI::App* command_named(const CLI::App& parent, std::string_view name) {
  for (const CLI::App* one : parent.get_subcommands({})) {
    if (one->get_name() == name) return one;
  }
  return nullptr;
}

std::vector<const CLI::App*> visible_commands(const CLI::App& parent) {
  return parent.get_subcommands([](const CLI::App* one) { return !one->get_group().empty(); });
}

std::vector<const CLI::Option*> arguments_of(const CLI::App& command) {
  return command.get_options([](const CLI::Option* one) { return one->get_positional(); });
}

std::vector<std::string> long_flags(const CLI::App& command) {
  std::vector<std::string> out;
  for (const CLI::Option* option : command.get_options({})) {
    if (!option->nonpositional() || option == command.get_help_all_ptr()) continue;
    for (const std::string& name : option->get_lnames()) out.push_back("--" + name);
  }
  return out;
}

void add_values(const CLI::Option& option, Completion& out) {
  for (const std::string& value : choices_of(option)) out.candidates.push_back({value, {}});
  const std::string type = option.get_type_name();
  out.folders = out.folders || type.find("DIR") != std::string::npos;
  out.files = out.files || type.find("FILE") != std::string::npos;
}

void add_flags(const CLI::App& command, Completion& out) {
  for (const std::string& name : long_flags(command)) {
    const CLI::Option* option = flag_named(command, name);
    out.candidates.push_back({name, first_sentence(option->get_description())});
  }
}

}  // namespace

const CLI::Option* flag_named(const CLI::App& command, std::string_view name) {
  for (const CLI::Option* option : command.get_options({})) {
    if (option->nonpositional() && option->check_name(std::string(name))) return option;
  }
  return nullptr;
}

Place place_of(const CLI::App& root, const std::vector<std::string>& words) {
  Place place{&root, root.get_name(), 0, nullptr, std::nullopt};
  bool only_arguments = false;
  int values = 0;  // that the last flag may still take
  for (const std::string& word : words) {
    if (std::exchange(place.awaited, nullptr) != nullptr || (values > 0 && !is_flag(word))) {
      --values;
      continue;
    }
    values = 0;
    if (!only_arguments && word == "--") {
      only_arguments = true;
    } else if (!only_arguments && is_flag(word)) {
      const std::string name = word.substr(0, word.find('='));
      const CLI::Option* option = flag_named(*place.command, name);
      if (option == nullptr) {
        if (!place.stranger) place.stranger = name;
      } else if (name == word && option->get_type_size() != 0) {
        values = option->get_expected_max();
        if (option->get_expected_min() > 0) place.awaited = option;
      }
    } else if (const CLI::App* below = command_named(*place.command, word);
               below != nullptr && place.arguments == 0 && !only_arguments) {
      place.command = below;
      place.path += " " + word;
    } else {
      const bool takes_none = arguments_of(*place.command).empty();
      if (takes_none && !place.stranger) place.stranger = word;
      ++place.arguments;
    }
  }
  return place;
}

StrangerText text_of_stranger(const Place& place) {
  const std::string& word = place.stranger.value();
  std::vector<std::string> owned;
  StrangerText text;
  if (is_flag(word)) {
    text.why = "`" + place.path + "` has no flag " + core::in_quotes(word) + ".";
    owned = long_flags(*place.command);
  } else if (visible_commands(*place.command).empty()) {
    text.why = "`" + place.path + "` takes no argument " + core::in_quotes(word) + ".";
  } else {
    text.why = place.command->get_parent() == nullptr
                   ? "There is no command " + core::in_quotes(word) + "."
                   : "`" + place.path + "` has no command " + core::in_quotes(word) + ".";
    for (const CLI::App* one : visible_commands(*place.command)) owned.push_back(one->get_name());
  }
  const std::string help = "`" + place.path + " --help` lists the commands and flags.";
  const std::vector<std::string> near = core::near_names(word, {owned.begin(), owned.end()}, 1);
  text.next = near.empty() ? help : "Did you mean " + near.front() + "? " + help;
  return text;
}

Completion complete(const CLI::App& root, const std::vector<std::string>& words) {
  Completion all;
  if (words.empty()) return all;
  const std::string& typed = words.back();
  const Place place = place_of(root, {words.begin(), words.end() - 1});
  if (place.awaited != nullptr) {
    add_values(*place.awaited, all);
  } else if (typed.starts_with('-')) {
    add_flags(*place.command, all);
  } else {
    if (place.arguments == 0) {
      for (const CLI::App* one : visible_commands(*place.command)) {
        all.candidates.push_back({one->get_name(), first_sentence(one->get_description())});
      }
    }
    const std::vector<const CLI::Option*> arguments = arguments_of(*place.command);
    if (!arguments.empty()) {
      const std::size_t at = std::min(place.arguments, arguments.size() - 1);
      const bool is_list =
          arguments[at]->get_expected_max() == CLI::detail::expected_max_vector_size;
      if (place.arguments < arguments.size() || is_list) add_values(*arguments[at], all);
    }
  }
  Completion out{{}, all.files, all.folders};
  for (Candidate& one : all.candidates) {
    if (one.word.starts_with(typed)) out.candidates.push_back(std::move(one));
  }
  return out;
}

std::string lines_of(const Completion& completion) {
  std::string out;
  for (const Candidate& one : completion.candidates) {
    out += one.word + (one.about.empty() ? "" : "\t" + core::visible_line(one.about)) + "\n";
  }
  if (completion.files) out += ":files\n";
  if (completion.folders && !completion.files) out += ":folders\n";
  return out;
}

void add_flags_of_text(CLI::App& command, std::string_view help) {
  for (const std::string_view line : parts_of(help, "\n")) {
    if (!line.starts_with("  --")) continue;
    const std::string_view rest = line.substr(2);
    const std::string_view names = rest.substr(0, rest.find("  "));
    const std::string about(core::trimmed(rest.substr(names.size()), " "));
    for (const std::string_view one : parts_of(names, ", ")) {
      const std::size_t blank = std::min(one.find(' '), one.size());
      const std::string name(one.substr(0, blank));
      const std::string value(core::trimmed(one.substr(blank), " "));
      if (flag_named(command, name) != nullptr) continue;
      if (value.empty()) {
        command.add_flag(name, about);
        continue;
      }
      CLI::Option* option = command.add_option(name, about);
      option->type_size(1)->expected(1)->type_name(value);
      if (value.find('|') == std::string::npos) continue;
      const std::vector<std::string_view> values = parts_of(value, "|");
      allow_values(*option->type_name(""), {values.begin(), values.end()});
    }
  }
}

}  // namespace parley::app
