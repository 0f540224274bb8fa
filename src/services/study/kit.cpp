// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "services/study/kit.h"

#include <toml++/toml.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <functional>
#include <optional>
#include <set>
#include <sstream>

#include "base/core/id.h"
#include "base/core/toml_dots.h"

namespace parley::study {
namespace {

// Limit (Studies): file of a study kit. Reached: a fault of the file.
constexpr std::size_t kMaxFileBytes = 1U << 20U;
// Limit (Studies): studies of a kit. Reached: a fault of the file.
constexpr std::size_t kMaxStudies = 100;
// Limit (Studies): conditions of a study, and scenarios. Reached: a fault of the file.
constexpr std::size_t kMaxParts = 100;  // conditions or scenarios of a study
// Limit (Studies): participants named in a kit. Reached: a fault of the file.
constexpr std::size_t kMaxParticipants = 10'000;  // for AssignmentRule::fixed
constexpr std::int64_t kMaxWeight = 100;
constexpr std::int64_t kMaxSeed = 4'294'967'295;
constexpr std::int64_t kMaxDays = 366;

constexpr std::array<std::string_view, 10> kTools = {
    "filter", "sort",        "highlight", "augment", "clearModification",
    "select", "setQuantity", "next",      "prev",    "postMessage"};
constexpr std::array<std::string_view, 5> kAdapting = {"filter", "sort", "highlight", "augment",
                                                       "clearModification"};

template <std::size_t Size>
bool is_one_of(const std::array<std::string_view, Size>& list, std::string_view word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

template <typename List>
std::string join(const List& words) {
  std::string out;
  for (const auto& word : words) {
    if (!out.empty()) out += ", ";
    out += word;
  }
  return out;
}

using Faults = std::vector<KitFault>;

// Reads one table strictly: a key that was not read is a fault.
class TableReader {
 public:
  TableReader(const toml::table& table, std::string name, Faults& faults)
      : table_(table), name_(std::move(name)), faults_(faults) {}

  void text(std::string_view key, std::string& out, bool required = false) {
    const toml::node* node = take(key, required);
    if (node == nullptr) return;
    if (const auto value = node->value_exact<std::string>()) {
      out = *value;
      if (!required || !out.empty()) return;
    }
    fault(*node, quoted(key) + " must be a string" + (required ? " that is not empty." : "."));
  }

  // Reads a name that is used in paths and tables.
  void id(std::string& out) {
    text("id", out, true);
    if (out.empty() || core::is_safe_id(out)) return;
    fault(*table_.get("id"), "\"id\" must be 1 to 64 of A-Z a-z 0-9 . _ -");
    out.clear();
  }

  void number(std::string_view key, std::uint64_t& out, std::int64_t min, std::int64_t max) {
    const toml::node* node = take(key, false);
    if (node == nullptr) return;
    const auto value = node->value_exact<std::int64_t>();
    if (value && *value >= min && *value <= max) {
      out = static_cast<std::uint64_t>(*value);
      return;
    }
    fault(*node, quoted(key) + " must be a whole number from " + std::to_string(min) + " to " +
                     std::to_string(max) + ".");
  }

  void boolean(std::string_view key, bool& out) {
    const toml::node* node = take(key, false);
    if (node == nullptr) return;
    if (const auto value = node->value_exact<bool>()) {
      out = *value;
    } else {
      fault(*node, quoted(key) + " must be true or false.");
    }
  }

  // A list of texts; std::nullopt: it is missing.
  std::optional<std::vector<std::string>> texts(
      std::string_view key, const std::function<std::string(const std::string&)>& objection) {
    const toml::node* node = take(key, false);
    if (node == nullptr) return std::nullopt;
    std::vector<std::string> out;
    const toml::array* list = node->as_array();
    if (list == nullptr) {
      fault(*node, quoted(key) + " must be an array of strings.");
      return out;
    }
    for (const toml::node& item : *list) {
      const auto value = item.value_exact<std::string>();
      const std::string wrong = value ? objection(*value) : "must be an array of strings.";
      if (wrong.empty()) {
        out.push_back(*value);
      } else {
        fault(item, quoted(key) + " " + wrong);
      }
    }
    return out;
  }

  void table(std::string_view key, const std::function<void(TableReader&)>& use) {
    const toml::node* node = take(key, false);
    if (node == nullptr) return;
    if (const toml::table* inner = node->as_table()) {
      TableReader reader(*inner, name_ + "." + std::string(key), faults_);
      use(reader);
      reader.finish();
    } else {
      fault(*node, quoted(key) + " must be a table.");
    }
  }

  void each(std::string_view key, std::size_t limit, bool required,
            const std::function<void(TableReader&)>& use) {
    const toml::node* node = take(key, required);
    if (node == nullptr) return;
    const toml::array* list = node->as_array();
    const std::string name = name_.empty() ? std::string(key) : name_ + "." + std::string(key);
    if (list == nullptr || (!list->empty() && !list->is_array_of_tables())) {
      fault(*node, quoted(key) + " must be written as [[" + name + "]].");
      return;
    }
    if (list->size() > limit) {
      fault(*node, "There may be at most " + std::to_string(limit) + " of [[" + name + "]].");
      return;
    }
    for (const toml::node& item : *list) {
      TableReader reader(*item.as_table(), name, faults_);
      use(reader);
      reader.finish();
    }
  }

  void finish() {
    for (const auto& [key, node] : table_) {
      const std::string_view word(key);
      if (std::find(known_.begin(), known_.end(), word) != known_.end()) continue;
      fault(node, quoted(word) + " is not known" +
                      (name_.empty() ? std::string() : " in [[" + name_ + "]]") +
                      ". Allowed: " + join(known_) + ".");
    }
  }

  void fault(const toml::node& node, std::string message) {
    faults_.push_back({node.source().begin.line, std::move(message)});
  }
  void fault(std::string message) { fault(table_, std::move(message)); }
  const toml::table& source() const { return table_; }

 private:
  static std::string quoted(std::string_view key) { return "\"" + std::string(key) + "\""; }

  const toml::node* take(std::string_view key, bool required) {
    known_.emplace_back(key);
    const toml::node* node = table_.get(key);
    if (node == nullptr && required) {
      fault(table_, quoted(key) + " is missing" +
                        (name_.empty() ? std::string() : " in [[" + name_ + "]]") + ".");
    }
    return node;
  }

  const toml::table& table_;
  const std::string name_;
  Faults& faults_;
  std::vector<std::string> known_;
};

// Reports an id that the list already has.
void check_new(TableReader& reader, std::set<std::string>& seen, const std::string& id) {
  if (id.empty() || seen.insert(id).second) return;
  reader.fault("The id \"" + id + "\" is given twice.");
}

KitCondition read_condition(TableReader& reader) {
  KitCondition out;
  reader.id(out.id);
  reader.text("title", out.title);
  reader.number("weight", out.weight, 1, kMaxWeight);
  reader.boolean("agent", out.agent);
  reader.boolean("gui_adaptation", out.gui_adaptation);
  const auto tools = reader.texts("tools", [](const std::string& tool) {
    if (is_one_of(kTools, tool)) return std::string();
    return "has an unknown tool \"" + tool + "\". Allowed: " + join(kTools) + ".";
  });
  for (const std::string& tool : tools.value_or(all_tools())) {
    const bool ruled_out = !out.agent || (!out.gui_adaptation && is_one_of(kAdapting, tool));
    if (!ruled_out) out.tools.push_back(tool);
  }
  return out;
}

KitScenario read_scenario(TableReader& reader) {
  KitScenario out;
  reader.id(out.id);
  reader.text("title", out.title);
  reader.text("instructions", out.instructions, true);
  reader.table("data", [&out](TableReader& data) {
    data.number("seed", out.seed, 0, kMaxSeed);
    data.number("days", out.days, 1, kMaxDays);
  });
  return out;
}

void read_rule(TableReader& reader, KitStudy& study) {
  std::string rule = "random";
  reader.text("assignment", rule);
  if (rule == "random") {
    study.assignment = AssignmentRule::random;
  } else if (rule == "block") {
    study.assignment = AssignmentRule::block;
  } else if (rule == "fixed") {
    study.assignment = AssignmentRule::fixed;
  } else {
    reader.fault(*reader.source().get("assignment"),
                 "\"assignment\" must be random, block or fixed.");
  }
}

void read_participants(TableReader& reader, KitStudy& study) {
  std::set<std::string> ids;
  reader.each("participant", kMaxParticipants, false, [&](TableReader& one) {
    KitParticipant participant;
    one.text("id", participant.id, true);
    one.text("condition", participant.condition);
    one.text("scenario", participant.scenario);
    check_new(one, ids, participant.id);
    if (!participant.condition.empty() && study.condition(participant.condition) == nullptr) {
      one.fault("The study has no condition \"" + participant.condition + "\".");
    }
    if (!participant.scenario.empty() && study.scenario(participant.scenario) == nullptr) {
      one.fault("The study has no scenario \"" + participant.scenario + "\".");
    }
    study.participants.push_back(std::move(participant));
  });
  if (!study.participants.empty() && study.assignment != AssignmentRule::fixed) {
    reader.fault("[[study.participant]] is allowed only with assignment = \"fixed\".");
  }
}

KitStudy read_study(TableReader& reader) {
  KitStudy study;
  reader.id(study.id);
  reader.text("title", study.title, true);
  reader.text("consent", study.consent, true);
  reader.text("end", study.end_text);
  reader.number("seed", study.seed, 0, kMaxSeed);
  read_rule(reader, study);
  std::set<std::string> ids;
  reader.each("condition", kMaxParts, true, [&](TableReader& one) {
    study.conditions.push_back(read_condition(one));
    check_new(one, ids, study.conditions.back().id);
  });
  ids.clear();
  reader.each("scenario", kMaxParts, true, [&](TableReader& one) {
    study.scenarios.push_back(read_scenario(one));
    check_new(one, ids, study.scenarios.back().id);
  });
  read_participants(reader, study);
  return study;
}

}  // namespace

std::vector<std::string> all_tools() { return {kTools.begin(), kTools.end()}; }

const KitCondition* KitStudy::condition(std::string_view wanted) const {
  const auto it = std::find_if(conditions.begin(), conditions.end(),
                               [wanted](const KitCondition& one) { return one.id == wanted; });
  return it == conditions.end() ? nullptr : &*it;
}

const KitScenario* KitStudy::scenario(std::string_view wanted) const {
  const auto it = std::find_if(scenarios.begin(), scenarios.end(),
                               [wanted](const KitScenario& one) { return one.id == wanted; });
  return it == scenarios.end() ? nullptr : &*it;
}

tl::expected<Kit, std::vector<KitFault>> Kit::parse(std::string_view text,
                                                    const std::string& name) {
  Faults faults;
  std::vector<KitStudy> studies;
  if (core::count_toml_dots(text) > core::kMaxTomlDots) {
    return tl::unexpected(
        std::vector<KitFault>{{1, "The tables of the file are nested too deeply."}});
  }
  try {
    const toml::table root = toml::parse(text, name);
    TableReader reader(root, "", faults);
    std::set<std::string> ids;
    reader.each("study", kMaxStudies, true, [&](TableReader& one) {
      studies.push_back(read_study(one));
      check_new(one, ids, studies.back().id);
    });
    reader.finish();
  } catch (const toml::parse_error& error) {
    faults.push_back({error.source().begin.line, std::string(error.description()) + "."});
  }
  if (!faults.empty()) {
    std::stable_sort(faults.begin(), faults.end(),
                     [](const KitFault& a, const KitFault& b) { return a.line < b.line; });
    return tl::unexpected(std::move(faults));
  }
  return Kit(std::move(studies));
}

tl::expected<Kit, std::vector<KitFault>> Kit::load(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file || text.view().size() > kMaxFileBytes) {
    return tl::unexpected(
        Faults{{0, file ? "The file is larger than 1 MiB." : "The file cannot be read."}});
  }
  return parse(text.view(), path);
}

const KitStudy* Kit::find(std::string_view id) const {
  const auto it = std::find_if(studies_.begin(), studies_.end(),
                               [id](const KitStudy& study) { return study.id == id; });
  return it == studies_.end() ? nullptr : &*it;
}

}  // namespace parley::study
