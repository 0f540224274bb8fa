// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/model/offline_parameter.h"

#include <algorithm>

namespace parley::model::offline {
namespace {

class SlotFinder {
 public:
  SlotFinder(const Step& step, const Position& position, bool required, const Before& before)
      : step_(step),
        slots_(step.slots),
        position_(position),
        required_(required),
        before_(before) {}

  // What the intent has for a parameter of this name.
  std::optional<std::string> slot(const ParameterName& parameter) {
    switch (step_.intent) {
      case Intent::write:
        if (parameter.has({"content", "contents", "text", "data", "body", "value"}))
          return content();
        break;
      case Intent::edit:
        if (parameter.has({"new", "replacement", "replace", "after", "with"}))
          return slots_.new_text;
        if (parameter.has({"old", "search", "find", "before"})) return slots_.old_text;
        break;
      case Intent::move:
        return moved(parameter);
      case Intent::glob:
        if (parameter.has({"pattern", "glob", "query", "include", "name"})) return slots_.pattern;
        if (parameter.is_path()) return slots_.folder;
        return std::nullopt;
      case Intent::search:
        if (parameter.has({"pattern", "query", "regex", "search", "text", "q", "keyword", "term"}))
          return slots_.pattern;
        if (parameter.has({"include", "glob"})) return first(slots_.options);
        if (parameter.is_path()) return slots_.folder;
        return std::nullopt;
      case Intent::list:
        if (parameter.has({"pattern", "glob"}))
          return slots_.paths.empty() ? "*" : slots_.paths.front() + "/*";
        break;
      case Intent::shell:
        if (parameter.has({"command", "commands", "cmd", "script", "code", "input"}))
          return slots_.command;
        return std::nullopt;
      case Intent::fetch:
        if (parameter.is_url()) return first(slots_.urls);
        return std::nullopt;
      default:
        return talk_slot(parameter);
    }
    if (parameter.is_path()) return path(parameter);
    return std::nullopt;
  }

 private:
  std::optional<std::string> talk_slot(const ParameterName& parameter) {
    switch (step_.intent) {
      case Intent::remember:
        if (parameter.has(
                {"content", "text", "fact", "memory", "value", "note", "info", "information"}))
          return slots_.subject;
        if (required_ && parameter.has({"key", "title", "name", "topic"}) && slots_.subject)
          return slots_.subject->substr(0, 40);
        return std::nullopt;
      case Intent::recall:
        if (parameter.has({"query", "q", "text", "search", "key", "keyword", "topic", "about"})) {
          return slots_.subject ? slots_.subject : std::string(bare(step_.text.text));
        }
        return std::nullopt;
      case Intent::todo_write:
        if (parameter.has(
                {"content", "text", "title", "task", "todo", "description", "item", "name"})) {
          if (position_.item < slots_.items.size()) return slots_.items[position_.item];
        }
        if (parameter.has({"id"})) return std::to_string(position_.item + 1);
        if (parameter.has({"action", "command", "operation"})) return "add";
        return std::nullopt;
      case Intent::ask_person:
        if (parameter.has({"question", "prompt", "message", "text", "query"}))
          return slots_.subject;
        return std::nullopt;
      case Intent::ask_agent:
        if (parameter.has({"agent", "profile", "name", "subagent"}) &&
            !parameter.has({"description"}))
          return slots_.agent;
        if (parameter.has(
                {"task", "prompt", "message", "description", "instructions", "query", "input"}))
          return slots_.subject;
        return std::nullopt;
      default:
        break;
    }
    return parameter.is_path() ? path(parameter) : std::nullopt;
  }

  static std::optional<std::string> first(const std::vector<std::string>& list) {
    if (list.empty()) return std::nullopt;
    return list.front();
  }

  std::optional<std::string> content() const {
    if (slots_.content) return slots_.content;
    return slots_.of_result ? before_.result : std::nullopt;
  }

  std::optional<std::string> path(const ParameterName& parameter) {
    if (slots_.paths.empty()) {
      const bool here = step_.intent == Intent::list || parameter.has({"cwd", "root"});
      return here && step_.intent == Intent::list ? std::optional<std::string>(".") : std::nullopt;
    }
    return slots_.paths[std::min(position_.path, slots_.paths.size() - 1)];
  }

  std::optional<std::string> moved(const ParameterName& parameter) const {
    const bool is_target = parameter.has({"destination", "dest", "to", "new", "target", "dst"});
    const bool is_source = parameter.has({"source", "src", "from", "old", "origin"}) ||
                           (!is_target && parameter.is_path());
    if (is_target && slots_.paths.size() > 1) return slots_.paths[1];
    if (is_source && !slots_.paths.empty() && !is_target) return slots_.paths[0];
    return std::nullopt;
  }

  const Step& step_;
  const Slots& slots_;
  const Position& position_;
  const bool required_;
  const Before& before_;
};

}  // namespace

bool ParameterName::has(Words words) const {
  return std::any_of(words.begin(), words.end(), [this](std::string_view word) {
    return std::find(words_.begin(), words_.end(), word) != words_.end();
  });
}

bool ParameterName::is_path() const {
  return has({"path", "paths", "file", "files", "filename", "filenames", "filepath", "dir",
              "directory", "folder", "target", "location", "cwd", "root"});
}

bool ParameterName::is_url() const {
  return has({"url", "urls", "uri", "link", "href", "address", "page", "website"});
}

std::optional<std::string> slot_for(const Step& step, const ParameterName& parameter,
                                    const Position& position, bool required, const Before& before) {
  return SlotFinder(step, position, required, before).slot(parameter);
}

}  // namespace parley::model::offline
