// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "base/core/json_text.h"
#include "runtime/stream/run_checker.h"

namespace parley::runtime {
namespace {

using namespace runtime;

std::string title(std::string_view name, const std::optional<std::string>& call_id) {
  std::string out = '"' + std::string(name) + '"';
  if (call_id) out += " (" + *call_id + ')';
  return out;
}

bool tells_of_a_resumption(const Custom& it) {
  std::vector<core::JsonField> fields;
  std::vector<core::JsonField> unused;
  if (core::scan_object(it.value, kMaxLineDepth, {}, fields, unused) != core::ScanResult::ok) {
    return false;
  }
  const core::JsonField* resumed = core::find_field(fields, "resumed");
  return resumed != nullptr && resumed->type == core::JsonType::object;
}

}  // namespace

RunChecker::ToolUse* RunChecker::find_tool(const std::optional<std::string>& call_id,
                                           std::string_view name) {
  const auto wanted = [&](const ToolUse& tool) {
    if (tool.ended) return false;
    return call_id && tool.call_id ? *call_id == *tool.call_id : name == tool.name;
  };
  for (std::size_t i = nodes_.size(); i-- > 0;) {
    auto& tools = nodes_[i].tools;
    const auto found = std::find_if(tools.rbegin(), tools.rend(), wanted);
    if (found != tools.rend()) return &*found;
  }
  return nullptr;
}

RunChecker::ToolUse& RunChecker::tool_for(const StreamLine& line,
                                          const std::optional<std::string>& call_id,
                                          std::string_view name) {
  if (ToolUse* found = find_tool(call_id, name)) return *found;
  ToolUse tool;
  tool.call_id = call_id;
  tool.name = name;
  NodeRun& node = node_for(line);
  node.tools.push_back(std::move(tool));
  return node.tools.back();
}

void RunChecker::chunk(const StreamLine& line, const ToolCallChunk& it) {
  ToolUse* tool = nullptr;
  if (it.call_id || it.name) {
    tool = &tool_for(line, it.call_id, it.name.value_or(""));
  } else {
    // Belongs to the last call.
    NodeRun& node = node_for(line);
    if (node.tools.empty()) node.tools.emplace_back();
    tool = &node.tools.back();
  }
  if (tool->name.empty()) tool->name = it.name.value_or("");
}

void RunChecker::call(const StreamLine& line, const ToolCallMade& it) {
  node_of(line);
  ToolUse* known = find_tool(it.call_id, it.name);
  // Without ids, a second whole call of a tool is another call.
  if (known != nullptr && known->arguments_whole && !it.call_id) known = nullptr;
  if (known == nullptr) {
    NodeRun& node = node_for(line);
    // Its chunks may have had no name.
    ToolUse* last = node.tools.empty() ? nullptr : &node.tools.back();
    if (last != nullptr && last->name.empty() && !last->arguments_whole) {
      known = last;
    } else {
      known = &node.tools.emplace_back();
    }
  }
  known->call_id = it.call_id;
  known->name = it.name;
  known->arguments_whole = true;
}

void RunChecker::tool_start(const StreamLine& line, const ToolStart& it) {
  node_of(line);
  if (find_tool(it.call_id, it.name) == nullptr && run_.complete) {
    tell(FindingCode::tool_start_without_call,
         "tool_start of " + title(it.name, it.call_id) + ", which was not called.");
  }
  tool_for(line, it.call_id, it.name).started = true;
}

void RunChecker::tool_output(const StreamLine& line, const ToolOutput& it) {
  node_of(line);
  const ToolUse* known = find_tool(it.call_id, it.name);
  if ((known == nullptr || !known->started) && run_.complete) {
    tell(FindingCode::tool_output_outside,
         "tool_output of " + title(it.name, it.call_id) + ", which is not running.");
  }
  tool_for(line, it.call_id, it.name);
}

void RunChecker::tool_end(const StreamLine& line, const ToolEnd& it) {
  node_of(line);
  const ToolUse* known = find_tool(it.call_id, it.name);
  // A call that was refused, or could not be made, ends without having started.
  if ((known == nullptr || (!known->started && !it.is_error)) && run_.complete) {
    tell(FindingCode::tool_end_without_start,
         "tool_end of " + title(it.name, it.call_id) + ", which has not begun.");
  }
  tool_for(line, it.call_id, it.name).ended = true;
}

void RunChecker::approval(const StreamLine& line, const ToolApproval& it) {
  node_of(line);
  ToolUse* known = find_tool(it.call_id, it.name);
  if (known != nullptr && known->name != it.name) known = nullptr;  // a tool inside it
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
  known->arguments_whole = true;
}

// --- sub-agents ----------------------------------------------------------------------------------

void RunChecker::custom(const StreamLine& line, const Custom& it) {
  if (tells_of_a_resumption(it)) resume();
  node_of(line);
  if (const auto frame = sub_agent_frame(it)) sub_agent(*frame);
}

// The process ended during the run: everything open at that time is never closed.
void RunChecker::resume() {
  ++run_.resumed;
  just_resumed_ = true;
  for (NodeRun& node : nodes_) {
    if (node.open) node.entered_when_closed = run_.nodes;
    node.open = false;
    for (ToolUse& tool : node.tools) tool.interrupted = !tool.ended;
  }
}

void RunChecker::sub_agent(const SubAgentFrame& frame) {
  if (depth_ >= kMaxAgentDepth) {
    tell(FindingCode::too_deeply_nested, "Sub-agents lie too deeply within each other.");
    return;
  }
  const auto inner = parser_.parse(frame.event);
  if (!inner) {
    tell(inner.error().code,
         "In a frame of the sub-agent \"" + frame.name + "\": " + inner.error().message);
    return;
  }
  const auto found = std::find_if(agents_.rbegin(), agents_.rend(), [&](const SubAgent& agent) {
    return agent.name == frame.name && agent.call_id == frame.call_id &&
           agent.index == frame.index && agent.checker->continues(*inner);
  });
  if (found != agents_.rend()) return found->checker->take(*inner);
  const auto tell_of = [this, name = frame.name](FindingCode code, std::string message) {
    tell(code, "In the sub-agent \"" + name + "\": " + message);
  };
  agents_.push_back(
      {frame.name, frame.call_id, frame.index, std::make_unique<RunChecker>(depth_ + 1, tell_of)});
  agents_.back().checker->take(*inner);
}

void RunChecker::finish_agents(RunEnd of_this) {
  for (const SubAgent& agent : agents_) {
    const RunSummary inner = agent.checker->finish(of_this);
    run_.model_calls += inner.model_calls;
    add_usage(run_.usage, inner.usage);
  }
  agents_.clear();
}

}  // namespace parley::runtime
