// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/support/comfyui/prompt_rules.h"

#include <algorithm>
#include <boost/json/serialize.hpp>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "base/core/number_text.h"

namespace parley::fake_comfyui {
namespace {

using boost::json::array;
using boost::json::object;
using boost::json::value;

// Limit of the depth of links, like Python's recursion limit.
constexpr int kMaxChain = 900;
constexpr std::size_t kLongList = 20;

std::string text_of(const value& what) {
  return what.is_string() ? std::string(what.get_string()) : boost::json::serialize(what);
}

object error_object(std::string_view type, std::string message, std::string details,
                    object extra = {}) {
  return {{"type", type},
          {"message", std::move(message)},
          {"details", std::move(details)},
          {"extra_info", std::move(extra)}};
}

// int() and float() of Python, for values that JSON can hold.
std::optional<double> to_number(const value& given, bool is_integer) {
  if (given.is_bool()) return given.get_bool() ? 1.0 : 0.0;
  if (given.is_number()) return given.to_number<double>();
  if (!given.is_string()) return std::nullopt;
  const std::string_view text = given.get_string();
  if (is_integer && text.find_first_not_of("+-0123456789") != std::string_view::npos)
    return std::nullopt;
  return core::parse_number<double>(text);
}

class Rules {
 public:
  Rules(const object& prompt, const NodeCatalog& catalog,
        const std::function<bool(std::string_view)>& has_input)
      : prompt_(prompt), catalog_(catalog), has_input_(has_input) {}

  Verdict run() {
    Verdict verdict;
    std::vector<std::string_view> outputs;
    for (const auto& node : prompt_) {
      if (auto bad = bad_class(node.key(), node.value())) {
        verdict.error = std::move(*bad);
        return verdict;
      }
      const object& schema = catalog_.plain(class_of(node.key()));
      if (schema.at("output_node").get_bool()) outputs.push_back(node.key());
    }
    if (outputs.empty()) {
      verdict.error = error_object("prompt_no_outputs", "Prompt has no outputs", "");
      return verdict;
    }
    for (const std::string_view output : outputs) {
      if (const std::optional<Raised> raised = check(output, 0)) {
        results_[output] = {false, {raised_error(true, *raised)}};
      }
      if (results_[output].valid) {
        verdict.outputs.emplace_back(output);
      } else {
        collect(output, verdict.node_errors);
      }
    }
    verdict.valid = !verdict.outputs.empty();
    if (!verdict.valid) {
      verdict.error = error_object("prompt_outputs_failed_validation",
                                   "Prompt outputs failed validation", details_of(outputs));
    }
    return verdict;
  }

 private:
  struct Result {
    bool valid = true;
    array errors;
  };
  // An exception of the Python code.
  struct Raised {
    std::string type;
    std::string what;
  };

  static std::optional<object> missing_class(std::string_view id) {
    return error_object("invalid_prompt",
                        "Cannot execute because a node is missing the class_type property.",
                        "Node ID '#" + std::string(id) + "'");
  }

  std::optional<object> bad_class(std::string_view id, const value& node) const {
    if (!node.is_object()) return missing_class(id);
    const value* type = node.get_object().if_contains("class_type");
    if (type == nullptr || !type->is_string()) return missing_class(id);
    if (!catalog_.has(type->get_string())) {
      return error_object("invalid_prompt",
                          "Cannot execute because node " + text_of(*type) + " does not exist.",
                          "Node ID '#" + std::string(id) + "'");
    }
    const value* inputs = node.get_object().if_contains("inputs");
    if (inputs == nullptr || !inputs->is_object()) {
      return error_object("invalid_prompt", "A node has no inputs.",
                          "Node ID '#" + std::string(id) + "'");
    }
    return std::nullopt;
  }

  std::string_view class_of(std::string_view id) const {
    return prompt_.at(id).get_object().at("class_type").get_string();
  }

  // Stores the result of a node and of all that it needs. An exception is for the caller, who
  // stores it as the error of this node.
  std::optional<Raised> check(std::string_view id, int depth) {
    if (results_.contains(id)) return std::nullopt;
    if (depth > kMaxChain) return Raised{"RecursionError", "maximum recursion depth exceeded"};
    // The exception at the bottom of a cycle is replaced by the results of its nodes on the way
    // back: they are not valid, without an error of their own.
    if (!open_.insert(id).second) {
      results_[id] = {false, {}};
      return std::nullopt;
    }
    const value schema = catalog_.describe(class_of(id));
    const object& input = schema.at("input").get_object();
    const object& given = prompt_.at(id).get_object().at("inputs").get_object();
    Result result;
    for (const char* part : {"required", "optional"}) {
      const value* rules = input.if_contains(part);
      if (rules == nullptr) continue;
      for (const auto& rule : rules->get_object()) {
        const value* set = given.if_contains(rule.key());
        if (set != nullptr) {
          auto raised = check_input(id, rule.key(), rule.value(), *set, depth, result);
          if (raised) return raised;
        } else if (std::string_view(part) == "required") {
          result.errors.push_back(error_object("required_input_missing",
                                               "Required input is missing", std::string(rule.key()),
                                               {{"input_name", rule.key()}}));
        }
      }
    }
    open_.erase(id);
    result.valid = result.valid && result.errors.empty();
    results_[id] = std::move(result);
    return std::nullopt;
  }

  // `more`: the members of an inner node's error.
  static object raised_error(bool is_output, const Raised& raised, object more = {}) {
    more["exception_type"] = raised.type;
    more["traceback"] = array{"  File \"/ComfyUI/execution.py\", line 1010, in validate_inputs\n"};
    return error_object(
        is_output ? "exception_during_validation" : "exception_during_inner_validation",
        is_output ? "Exception when validating node" : "Exception when validating inner node",
        raised.what, std::move(more));
  }

  std::optional<Raised> check_input(std::string_view id, std::string_view name, const value& rule,
                                    const value& set, int depth, Result& result) {
    if (set.is_array()) return check_link(name, rule, set.get_array(), depth, result);
    const value& type = rule.get_array()[0];
    if (type.is_array() || type == "COMBO") {
      check_choice(id, name, rule, set, result);
    } else {
      check_number(name, rule, set, result);
    }
    return std::nullopt;
  }

  static void check_number(std::string_view name, const value& rule, const value& set,
                           Result& result) {
    const object info{{"input_name", name}, {"input_config", rule}, {"received_value", set}};
    const value& type = rule.get_array()[0];
    const std::string kind = text_of(type);
    if (kind != "INT" && kind != "FLOAT") return;
    const auto number = to_number(set, kind == "INT");
    if (!number) {
      result.errors.push_back(error_object(
          "invalid_input_type", "Failed to convert an input value to a " + kind + " value",
          std::string(name) + ", " + text_of(set) + ", invalid literal", info));
      return;
    }
    const object& config = rule.get_array()[1].get_object();
    const value* min = config.if_contains("min");
    const value* max = config.if_contains("max");
    if (min != nullptr && *number < min->to_number<double>()) {
      result.errors.push_back(
          error_object("value_smaller_than_min",
                       "Value " + text_of(set) + " smaller than min of " + text_of(*min),
                       std::string(name), info));
    } else if (max != nullptr && *number > max->to_number<double>()) {
      result.errors.push_back(error_object(
          "value_bigger_than_max", "Value " + text_of(set) + " bigger than max of " + text_of(*max),
          std::string(name), info));
    }
  }

  void check_choice(std::string_view id, std::string_view name, const value& rule, const value& set,
                    Result& result) {
    if (class_of(id) == "LoadImage") {  // VALIDATE_INPUTS
      if (set.is_string() && has_input_(set.get_string())) return;
      result.errors.push_back(error_object(
          "custom_validation_failed", "Custom validation failed for node",
          std::string(name) + " - Invalid image file: " + text_of(set), {{"input_name", name}}));
      return;
    }
    const value& type = rule.get_array()[0];
    const array& choices =
        type.is_array() ? type.get_array() : rule.get_array()[1].at("options").get_array();
    if (std::find(choices.begin(), choices.end(), set) != choices.end()) return;
    const std::string list = choices.size() > kLongList
                                 ? "(list of length " + std::to_string(choices.size()) + ")"
                                 : boost::json::serialize(choices);
    result.errors.push_back(
        error_object("value_not_in_list", "Value not in list",
                     std::string(name) + ": '" + text_of(set) + "' not in " + list,
                     {{"input_name", name},
                      {"input_config", choices.size() > kLongList ? value(nullptr) : rule},
                      {"received_value", set}}));
  }

  std::optional<Raised> check_link(std::string_view name, const value& rule, const array& link,
                                   int depth, Result& result) {
    if (link.size() != 2) {
      result.errors.push_back(error_object(
          "bad_linked_input", "Bad linked input, must be a length-2 list of [node_id, slot_index]",
          std::string(name),
          {{"input_name", name}, {"input_config", rule}, {"received_value", link}}));
      return std::nullopt;
    }
    const value* from = link[0].is_string() ? prompt_.if_contains(link[0].get_string()) : nullptr;
    if (from == nullptr) return Raised{"KeyError", "'" + text_of(link[0]) + "'"};
    const std::string_view from_id = link[0].get_string();
    const array& outputs = catalog_.plain(class_of(from_id)).at("output").get_array();
    const bool has_slot = link[1].is_int64() && link[1].get_int64() >= 0 &&
                          static_cast<std::size_t>(link[1].get_int64()) < outputs.size();
    if (!has_slot) return Raised{"IndexError", "tuple index out of range"};
    const std::string received = text_of(outputs[static_cast<std::size_t>(link[1].get_int64())]);
    const value& wanted = rule.get_array()[0];
    if (!wanted.is_string() || received != text_of(wanted)) {
      result.errors.push_back(error_object("return_type_mismatch",
                                           "Return type mismatch between linked nodes",
                                           std::string(name) + ", received_type(" + received +
                                               ") mismatch input_type(" + text_of(wanted) + ")",
                                           {{"input_name", name},
                                            {"input_config", rule},
                                            {"received_type", received},
                                            {"linked_node", link}}));
      return std::nullopt;
    }
    if (const std::optional<Raised> raised = check(from_id, depth + 1)) {
      results_[from_id] = {false,
                           {raised_error(false, *raised,
                                         {{"input_name", name},
                                          {"input_config", rule},
                                          {"exception_message", raised->what},
                                          {"linked_node", link}})}};
    }
    if (!results_[from_id].valid) result.valid = false;
    return std::nullopt;
  }

  // Collects the faulty nodes that this output needs.
  void collect(std::string_view output, object& node_errors) {
    for (const auto& [id, result] : results_) {
      if (result.valid || result.errors.empty()) continue;
      value& entry = node_errors[id];
      if (entry.is_null()) {
        entry = {{"errors", result.errors},
                 {"dependent_outputs", array()},
                 {"class_type", class_of(id)}};
      }
      entry.get_object()["dependent_outputs"].get_array().push_back(boost::json::string(output));
    }
  }

  std::string details_of(const std::vector<std::string_view>& outputs) {
    std::string out;
    for (const std::string_view output : outputs) {
      for (const value& error : results_[output].errors) {
        if (!out.empty()) out.push_back('\n');
        out.append(text_of(error.at("message"))).append(": ").append(text_of(error.at("details")));
      }
    }
    return out;
  }

  const object& prompt_;
  const NodeCatalog& catalog_;
  const std::function<bool(std::string_view)>& has_input_;
  std::map<std::string_view, Result> results_;
  std::set<std::string_view> open_;
};

}  // namespace

Verdict validate_prompt(const object& prompt, const NodeCatalog& catalog,
                        const std::function<bool(std::string_view name)>& has_input) {
  return Rules(prompt, catalog, has_input).run();
}

}  // namespace parley::fake_comfyui
