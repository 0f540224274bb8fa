// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "core/json_text.h"
#include "runtime/stream/event_fields.h"
#include "runtime/stream/run_builder_agent.h"

namespace parley::runtime {
namespace {

using namespace runtime;

std::string title(std::string_view name, const std::optional<std::string>& call_id) {
  std::string out = '"' + std::string(name) + '"';
  if (call_id) out += " (" + *call_id + ')';
  return out;
}

}  // namespace

ToolUse* RunBuilder::find_tool(const std::optional<std::string>& call_id, std::string_view name) {
  const auto wanted = [&](const ToolUse& tool) {
    if (tool.state == ToolUse::State::ended) return false;
    return call_id && tool.call_id ? *call_id == *tool.call_id : name == tool.name;
  };
  for (std::size_t i = run_.nodes.size(); i-- > 0;) {
    auto& tools = run_.nodes[i].tools;
    const auto found = std::find_if(tools.rbegin(), tools.rend(), wanted);
    if (found != tools.rend()) return &*found;
  }
  return nullptr;
}

ToolUse& RunBuilder::tool_for(const StreamLine& line, const std::optional<std::string>& call_id,
                              std::string_view name) {
  if (ToolUse* found = find_tool(call_id, name)) return *found;
  ToolUse tool;
  tool.call_id = call_id;
  tool.name = name;
  NodeRun& node = node_for(line);
  node.tools.push_back(std::move(tool));
  return node.tools.back();
}

void RunBuilder::chunk(const StreamLine& line, const ToolCallChunk& it) {
  ToolUse* tool = nullptr;
  if (it.call_id || it.name) {
    tool = &tool_for(line, it.call_id, it.name.value_or(""));
  } else {
    // Belongs to the call that was written last.
    NodeRun& node = node_for(line);
    if (node.tools.empty()) node.tools.emplace_back();
    tool = &node.tools.back();
  }
  if (tool->name.empty()) tool->name = it.name.value_or("");
  if (!tool->arguments_whole) tool->arguments += it.arguments_delta;
}

void RunBuilder::call(const StreamLine& line, const ToolCallMade& it) {
  node_of(line);
  ToolUse* known = find_tool(it.call_id, it.name);
  // A second whole call of a tool without ids is another call.
  if (known != nullptr && known->arguments_whole && !it.call_id) known = nullptr;
  if (known == nullptr) {
    NodeRun& node = node_for(line);
    // Its chunks may have come without a name.
    ToolUse* last = node.tools.empty() ? nullptr : &node.tools.back();
    if (last != nullptr && last->name.empty() && !last->arguments_whole) {
      known = last;
    } else {
      known = &node.tools.emplace_back();
    }
  }
  known->call_id = it.call_id;
  known->name = it.name;
  known->arguments = it.arguments;
  known->arguments_whole = true;
}

void RunBuilder::tool_start(const StreamLine& line, const ToolStart& it) {
  node_of(line);
  if (find_tool(it.call_id, it.name) == nullptr && run_.whole) {
    tell(FindingCode::tool_start_without_call,
         "tool_start of " + title(it.name, it.call_id) + ", which was not called.");
  }
  ToolUse& tool = tool_for(line, it.call_id, it.name);
  tool.started = true;
  tool.state = ToolUse::State::running;
}

void RunBuilder::tool_output(const StreamLine& line, const ToolOutput& it) {
  node_of(line);
  const ToolUse* known = find_tool(it.call_id, it.name);
  if ((known == nullptr || !known->started) && run_.whole) {
    tell(FindingCode::tool_output_outside,
         "tool_output of " + title(it.name, it.call_id) + ", which is not running.");
  }
  tool_for(line, it.call_id, it.name).output += it.content;
}

void RunBuilder::tool_end(const StreamLine& line, const ToolEnd& it) {
  node_of(line);
  const ToolUse* known = find_tool(it.call_id, it.name);
  // A call that was refused, or that could not be made, ends without having begun.
  if ((known == nullptr || (!known->started && !it.is_error)) && run_.whole) {
    tell(FindingCode::tool_end_without_start,
         "tool_end of " + title(it.name, it.call_id) + ", which has not begun.");
  }
  ToolUse& tool = tool_for(line, it.call_id, it.name);
  tool.state = ToolUse::State::ended;
  tool.result = it.raw_result.value_or(it.result);
  tool.is_error = it.is_error;
}

void RunBuilder::approval(const StreamLine& line, const ToolApproval& it) {
  node_of(line);
  ToolUse* known = find_tool(it.call_id, it.name);
  if (known != nullptr && known->name != it.name) known = nullptr;  // of a tool within it
  if (known != nullptr && known->started) {
    tell(FindingCode::approval_late,
         "tool_approval of " + title(it.name, it.call_id) + ", which runs already.");
    return;
  }
  if (known == nullptr) {
    NodeRun& node = node_for(line);
    known = &node.tools.emplace_back();
    known->call_id = it.call_id;
    known->name = it.name;
  }
  if (!known->arguments_whole) known->arguments = it.arguments;
  known->arguments_whole = true;
  known->approval_asked = true;
  known->state = ToolUse::State::waiting;
}

// --- sub-agents ----------------------------------------------------------------------------------

void RunBuilder::custom(const StreamLine& line, const Custom& it) {
  node_of(line);
  std::vector<core::JsonField> fields;
  std::vector<core::JsonField> unused;
  if (core::scan_object(it.value, kMaxLineDepth, {}, fields, unused) != core::ScanResult::ok) {
    return;  // another value
  }
  EventFields in(fields, false);
  if (const core::JsonField* resumed = in.find("resumed");
      resumed != nullptr && resumed->type == core::JsonType::object) {
    return resume();
  }
  const core::JsonField* event = in.find("event");
  std::optional<std::string> name = in.optional_text("sub_agent");
  std::optional<std::string> call_id = in.optional_text("call_id");
  if (in.fault() || !name || event == nullptr || event->type != core::JsonType::object) return;
  sub_agent(line, std::move(*name), call_id.value_or(""), event->value);
}

// The process had ended in the midst of it: what was open then is never closed.
void RunBuilder::resume() {
  ++run_.resumed;
  just_resumed_ = true;
  for (NodeRun& node : run_.nodes) {
    if (node.open) node.entered_when_closed = entered_;
    node.open = false;
    for (ToolUse& tool : node.tools) tool.interrupted = tool.state != ToolUse::State::ended;
  }
}

void RunBuilder::sub_agent(const StreamLine& line, std::string name, std::string call_id,
                           std::string_view event) {
  if (run_.depth >= kMaxAgentDepth) {
    tell(FindingCode::too_deeply_nested, "Sub-agents lie too deeply within each other.");
    return;
  }
  const auto inner = parser_.parse(event);
  if (!inner) {
    tell(inner.error().code,
         "In a frame of the sub-agent \"" + name + "\": " + inner.error().message);
    return;
  }
  const auto fits = [&](const std::unique_ptr<SubAgent>& agent) {
    return agent->name == name && agent->call_id == call_id && agent->builder->continues(*inner);
  };
  const auto found = std::find_if(agents_.rbegin(), agents_.rend(), fits);
  SubAgent* agent = found == agents_.rend() ? nullptr : found->get();
  if (agent == nullptr) {
    auto made = std::make_unique<SubAgent>();
    made->name = std::move(name);
    made->call_id = std::move(call_id);
    made->node_id = line.node_id.value_or("");
    made->builder = std::make_unique<RunBuilder>(
        run_.session, run_.depth + 1,
        [this, of = made->name](FindingCode code, std::string message) {
          tell(code, "In the sub-agent \"" + of + "\": " + message);
        });
    agents_.push_back(std::move(made));
    agent = agents_.back().get();
  }
  agent->builder->take(*inner);
}

void RunBuilder::place_agents() {
  for (const std::unique_ptr<SubAgent>& agent : agents_) {
    RunTree tree = agent->builder->finish();
    tree.sub_agent = agent->name;
    tree.call_id = agent->call_id;
    run_.model_calls += tree.model_calls;
    run_.usage.prompt_tokens += tree.usage.prompt_tokens;
    run_.usage.completion_tokens += tree.usage.completion_tokens;
    run_.usage.total_tokens += tree.usage.total_tokens;
    ToolUse* tool = nullptr;
    NodeRun* home = nullptr;
    for (NodeRun& node : run_.nodes) {
      if (!agent->node_id.empty() && node.node_id == agent->node_id) home = &node;
      for (ToolUse& use : node.tools) {
        if (!agent->call_id.empty() && use.call_id == agent->call_id) tool = &use;
      }
    }
    if (home == nullptr && run_.nodes.empty()) run_.nodes.emplace_back().open = false;
    if (home == nullptr) home = &run_.nodes.back();
    (tool != nullptr ? tool->agents : home->agents).push_back(std::move(tree));
  }
  agents_.clear();
}

}  // namespace parley::runtime
