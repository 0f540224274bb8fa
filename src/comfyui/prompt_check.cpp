// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "comfyui/prompt_check.h"

#include <algorithm>
#include <boost/json/serialize.hpp>
#include <charconv>
#include <map>
#include <optional>
#include <set>

#include "comfyui/json_access.h"
#include "core/ascii.h"
#include "core/json_member.h"
#include "core/utf8.h"

namespace parley::comfyui {
namespace {

using boost::json::array;
using boost::json::object;
using boost::json::value;

constexpr std::size_t kMaxShownValue = 200;
constexpr std::size_t kMaxShownChoices = 20;  // as the server does

std::string shown_value(const value& what) {
  const std::string text =
      what.is_string() ? std::string(what.get_string()) : boost::json::serialize(what);
  return std::string(core::utf8_truncate(text, kMaxShownValue));
}

// One input of a schema: [type or choices, {config}].
struct InputRule {
  std::string type;                // "COMBO" for choices
  const array* choices = nullptr;  // of a COMBO, if the schema names them
  const object* config = nullptr;
  bool required = false;
};

std::optional<InputRule> read_rule(const value& spec, bool required) {
  const array* parts = spec.if_array();
  if (parts == nullptr || parts->empty()) return std::nullopt;
  InputRule rule;
  rule.required = required;
  if (parts->size() > 1) rule.config = (*parts)[1].if_object();
  rule.choices = (*parts)[0].if_array();
  if (rule.choices != nullptr) {
    rule.type = "COMBO";
  } else if ((*parts)[0].is_string()) {
    rule.type = std::string((*parts)[0].get_string());
  } else {
    return std::nullopt;
  }
  if (rule.choices == nullptr && rule.type == "COMBO" && rule.config != nullptr) {
    rule.choices = array_member(*rule.config, "options");
  }
  return rule;
}

// Types may be unions: "INT,FLOAT". A link fits if all that may come is taken.
bool types_fit(std::string_view received, std::string_view wanted) {
  if (received == "*" || wanted == "*" || received == wanted) return true;
  const auto parts_of = [](std::string_view text) {
    std::set<std::string_view> out;
    while (true) {
      const std::size_t comma = text.find(',');
      out.insert(core::trimmed(text.substr(0, comma)));
      if (comma == std::string_view::npos) return out;
      text.remove_prefix(comma + 1);
    }
  };
  const auto from = parts_of(received);
  const auto to = parts_of(wanted);
  return to.contains("*") || std::includes(to.begin(), to.end(), from.begin(), from.end());
}

// The number that a server makes of a value for INT or FLOAT; nothing if it cannot.
std::optional<double> converted(const value& given, bool whole) {
  if (given.is_bool()) return given.get_bool() ? 1 : 0;
  if (const auto number = number_of(given)) return number;
  if (!given.is_string()) return std::nullopt;
  const std::string_view text = core::trimmed(given.get_string());
  const char* const end = text.data() + text.size();
  double number = 0;
  if (whole) {
    std::int64_t integer = 0;
    const auto read = std::from_chars(text.data(), end, integer);
    if (read.ec != std::errc() || read.ptr != end) return std::nullopt;
    return static_cast<double>(integer);
  }
  const auto read = std::from_chars(text.data(), end, number);
  if (read.ec != std::errc() || read.ptr != end) return std::nullopt;
  return number;
}

std::string choices_text(const array& choices) {
  if (choices.size() > kMaxShownChoices) {
    return "(list of length " + std::to_string(choices.size()) + ")";
  }
  std::string out = "[";
  for (const value& choice : choices) {
    if (out.size() > 1) out.append(", ");
    out.append("'").append(shown_value(choice)).append("'");
  }
  return out + "]";
}

class PromptCheck {
 public:
  PromptCheck(const object& prompt, const SchemaLookup& lookup)
      : prompt_(prompt), lookup_(lookup) {}

  PromptFaults run() {
    if (!check_classes()) return std::move(faults_);
    collect_reachable();
    for (const std::string_view id : reachable_) check_node(id);
    find_circles();
    if (!faults_.nodes.empty()) {
      faults_.type = "prompt_outputs_failed_validation";
      faults_.message = "Prompt outputs failed validation";
    }
    return std::move(faults_);
  }

 private:
  struct Node {
    const object* body = nullptr;
    const object* inputs = nullptr;
    const object* schema = nullptr;
    std::string_view class_type;
  };

  bool refuse(std::string type, std::string message, std::string details = {}) {
    faults_.type = std::move(type);
    faults_.message = std::move(message);
    faults_.details = std::move(details);
    return false;
  }

  void fault(std::string_view id, std::string input, std::string type, std::string message,
             std::string details) {
    if (faults_.nodes.size() >= kMaxNodeFaults) return;
    faults_.nodes.push_back({std::string(id), std::string(nodes_[id].class_type), std::move(input),
                             std::move(type), std::move(message), std::move(details)});
  }

  bool check_classes() {
    if (prompt_.size() > kMaxPromptNodes) {
      return refuse("invalid_prompt",
                    "The workflow has more than " + std::to_string(kMaxPromptNodes) + " nodes.");
    }
    bool all_known = true;
    for (const auto& [id, item] : prompt_) {
      Node& node = nodes_[id];
      node.body = item.if_object();
      const value* named = node.body == nullptr ? nullptr : node.body->if_contains("class_type");
      if (named == nullptr || !named->is_string()) {
        return refuse("invalid_prompt",
                      "Cannot execute because a node is missing the class_type property.",
                      "Node ID '#" + std::string(id) + "'");
      }
      node.class_type = named->get_string();
      node.inputs = object_member(*node.body, "inputs");
      node.schema = lookup_(node.class_type);
      if (node.schema == nullptr) {
        all_known = false;
        fault(id, {}, "missing_node_type",
              "The server has no node class '" + std::string(node.class_type) + "'.", {});
      } else if (true_member(*node.schema, "output_node")) {
        outputs_.push_back(id);
      }
    }
    if (!all_known) {
      return refuse("missing_node_type", "The workflow has nodes of classes that are not there.");
    }
    if (outputs_.empty()) return refuse("prompt_no_outputs", "Prompt has no outputs");
    return true;
  }

  // What the link of an input leads to; null if it is no link to a node of this workflow.
  const Node* linked(const value& given) {
    const array* link = given.if_array();
    if (link == nullptr || link->size() != 2 || !(*link)[0].is_string()) return nullptr;
    const auto found = nodes_.find(std::string_view((*link)[0].get_string()));
    return found == nodes_.end() ? nullptr : &found->second;
  }

  // The inputs of a node that its class has; others are ignored by the server.
  template <typename Visit>
  void each_rule(const Node& node, Visit visit) {
    const object* input = object_member(*node.schema, "input");
    if (input == nullptr) return;
    for (const char* part : {"required", "optional"}) {
      const object* rules = object_member(*input, part);
      if (rules == nullptr) continue;
      for (const auto& [name, spec] : *rules) {
        const auto rule = read_rule(spec, std::string_view(part) == "required");
        if (!rule) continue;
        visit(std::string_view(name), *rule,
              node.inputs == nullptr ? nullptr : node.inputs->if_contains(name));
      }
    }
  }

  void collect_reachable() {
    std::vector<std::string_view> waiting = outputs_;
    std::set<std::string_view> seen(waiting.begin(), waiting.end());
    while (!waiting.empty()) {
      const std::string_view id = waiting.back();
      waiting.pop_back();
      reachable_.push_back(id);
      each_rule(nodes_.at(id), [&](std::string_view, const InputRule&, const value* given) {
        if (given == nullptr || linked(*given) == nullptr) return;
        const std::string_view next = given->get_array()[0].get_string();
        links_[id].push_back(next);
        if (seen.insert(next).second) waiting.push_back(next);
      });
    }
  }

  void check_node(std::string_view id) {
    each_rule(nodes_.at(id), [&](std::string_view name, const InputRule& rule, const value* given) {
      if (given == nullptr) {
        if (rule.required) {
          fault(id, std::string(name), "required_input_missing", "Required input is missing",
                std::string(name));
        }
      } else if (given->is_array()) {
        check_link(id, std::string(name), rule, *given);
      } else {
        check_value(id, std::string(name), rule, *given);
      }
    });
  }

  void check_link(std::string_view id, std::string name, const InputRule& rule,
                  const value& given) {
    const array& link = given.get_array();
    const Node* from = linked(given);
    const auto slot = link.size() == 2 ? number_of(link[1]) : std::nullopt;
    if (link.size() != 2 || from == nullptr || !slot || *slot < 0) {
      const bool gone = link.size() == 2 && link[0].is_string();
      return fault(id, name, "bad_linked_input",
                   gone && slot ? "The link leads to a node that is not there"
                                : "Bad linked input, must be a length-2 list of [node_id, "
                                  "slot_index]",
                   name + ", " + shown_value(given));
    }
    const array* outputs = array_member(*from->schema, "output");
    const auto at = static_cast<std::size_t>(std::min(*slot, 1e6));
    if (outputs == nullptr || at >= outputs->size()) {
      return fault(id, name, "bad_linked_input", "The linked node has no such output",
                   name + ", " + shown_value(given));
    }
    const value& type = (*outputs)[at];
    const std::string received = type.is_string() ? std::string(type.get_string()) : "COMBO";
    if (!types_fit(received, rule.type)) {
      fault(id, name, "return_type_mismatch", "Return type mismatch between linked nodes",
            name + ", received_type(" + received + ") mismatch input_type(" + rule.type + ")");
    }
  }

  void check_value(std::string_view id, std::string name, const InputRule& rule,
                   const value& given) {
    if (rule.type == "INT" || rule.type == "FLOAT") {
      const auto number = converted(given, rule.type == "INT");
      if (!number) {
        return fault(id, name, "invalid_input_type",
                     "Failed to convert an input value to a " + rule.type + " value",
                     name + ", " + shown_value(given));
      }
      return check_range(id, name, rule, *number, given);
    }
    if (rule.choices == nullptr) return;
    // A class with uploads looks at its files by itself: they need not be in the list.
    if (rule.config != nullptr && true_member(*rule.config, "image_upload")) return;
    if (std::find(rule.choices->begin(), rule.choices->end(), given) != rule.choices->end()) return;
    fault(id, name, "value_not_in_list", "Value not in list",
          name + ": '" + shown_value(given) + "' not in " + choices_text(*rule.choices));
  }

  void check_range(std::string_view id, const std::string& name, const InputRule& rule,
                   double number, const value& given) {
    if (rule.config == nullptr) return;
    const auto min = number_member(*rule.config, "min");
    const auto max = number_member(*rule.config, "max");
    if (min && number < *min) {
      return fault(id, name, "value_smaller_than_min",
                   "Value " + shown_value(given) + " smaller than min of " +
                       shown_value(rule.config->at("min")),
                   name);
    }
    if (max && number > *max) {
      fault(id, name, "value_bigger_than_max",
            "Value " + shown_value(given) + " bigger than max of " +
                shown_value(rule.config->at("max")),
            name);
    }
  }

  // Takes nodes away whose links are all taken; what stays is in a circle, or needs one.
  void find_circles() {
    std::map<std::string_view, std::size_t> open;
    std::map<std::string_view, std::vector<std::string_view>> users;
    for (const std::string_view id : reachable_) {
      open[id] = links_[id].size();
      for (const std::string_view from : links_[id]) users[from].push_back(id);
    }
    std::vector<std::string_view> ready;
    for (const auto& [id, count] : open) {
      if (count == 0) ready.push_back(id);
    }
    while (!ready.empty()) {
      const std::string_view id = ready.back();
      ready.pop_back();
      for (const std::string_view user : users[id]) {
        if (--open[user] == 0) ready.push_back(user);
      }
    }
    for (const auto& [id, count] : open) {
      if (count == 0) continue;
      return fault(id, {}, "dependency_cycle", "The links of the workflow form a circle", {});
    }
  }

  const object& prompt_;
  const SchemaLookup& lookup_;
  std::map<std::string_view, Node> nodes_;
  std::map<std::string_view, std::vector<std::string_view>> links_;
  std::vector<std::string_view> outputs_;
  std::vector<std::string_view> reachable_;
  PromptFaults faults_;
};

}  // namespace

std::vector<std::string> classes_of(const object& prompt) {
  std::set<std::string> names;
  for (const auto& [id, item] : prompt) {
    const object* node = item.if_object();
    if (node == nullptr) continue;
    if (std::string name = core::string_member(*node, "class_type"); !name.empty()) {
      names.insert(std::move(name));
    }
  }
  return {names.begin(), names.end()};
}

PromptFaults check_prompt(const object& prompt, const SchemaLookup& lookup) {
  return PromptCheck(prompt, lookup).run();
}

}  // namespace parley::comfyui
