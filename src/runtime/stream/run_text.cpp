// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/stream/run_text.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "core/utf8.h"
#include "core/visible_text.h"

namespace parley::runtime {
namespace {

constexpr std::string_view kBranch = "\xe2\x94\x9c\xe2\x94\x80 ";  // the corner of one of many
constexpr std::string_view kLast = "\xe2\x94\x94\xe2\x94\x80 ";    // that of the last one
constexpr std::string_view kPass = "\xe2\x94\x82  ";               // past the others
constexpr std::string_view kDot = " \xc2\xb7 ";
constexpr std::string_view kEllipsis = "\xe2\x80\xa6";

// A line of the tree and what lies below it.
struct Item {
  std::string text;
  std::vector<Item> below = {};
};

std::string plural(std::uint64_t count, std::string_view one) {
  return std::to_string(count) + ' ' + std::string(one) + (count == 1 ? "" : "s");
}

// Makes items of what was read.
class TreeWriter {
 public:
  explicit TreeWriter(const TextOptions& options) : options_(options) {}

  Item run(const RunTree& run) const {
    Item item{head_of(run)};
    if (!run.message.empty()) item.below.push_back({bold("asked ") + quote(run.message)});
    for (const NodeRun& node : run.nodes) item.below.push_back(this->node(node));
    if (!run.tot.empty()) item.below.push_back(thoughts(run));
    if (!run.got.empty()) item.below.push_back(plan(run));
    if (run.reply) item.below.push_back(reply(*run.reply));
    item.below.push_back({totals(run)});
    return item;
  }

 private:
  std::string paint(std::string_view code, const std::string& text) const {
    return options_.colour ? "\x1b[" + std::string(code) + 'm' + text + "\x1b[0m" : text;
  }
  std::string bold(const std::string& text) const { return paint("1", text); }
  std::string red(const std::string& text) const { return paint("31", text); }
  std::string green(const std::string& text) const { return paint("32", text); }
  std::string dim(const std::string& text) const { return paint("2", text); }
  std::string quote(std::string_view text) const { return one_line(text, options_.width); }

  std::string head_of(const RunTree& run) const {
    std::string out = run.sub_agent.empty() ? "run" : "sub-agent " + quote(run.sub_agent);
    if (!run.id.empty()) out += ' ' + quote(run.id);
    out = bold(out);
    if (!run.agent.empty() && run.agent != run.sub_agent) {
      out += std::string(kDot) + quote(run.agent);
    }
    if (run.resumed > 0) out += std::string(kDot) + "resumed " + plural(run.resumed, "time");
    return out;
  }

  static std::string events_of(const NodeRun& node) {
    if (!node.first_event) return {};
    return std::string(kDot) + "events " + std::to_string(*node.first_event) + '-' +
           std::to_string(node.last_event.value_or(*node.first_event));
  }

  Item node(const NodeRun& node) const {
    Item item{bold(node.name.empty() ? "(no node)" : quote(node.name))};
    std::string rest;
    if (!node.node_id.empty()) rest += "  " + quote(node.node_id);
    item.text += dim(rest + events_of(node));
    if (node.open) item.text += std::string(kDot) + "not over";
    if (node.error) item.below.push_back({red("failed: " + quote(*node.error))});
    if (!node.thoughts.empty()) item.below.push_back({dim("thought: " + quote(node.thoughts))});
    if (!node.text.empty()) item.below.push_back({"said: " + quote(node.text)});
    for (const ToolUse& tool : node.tools) item.below.push_back(this->tool(tool));
    for (const RunTree& agent : node.agents) item.below.push_back(run(agent));
    if (node.usage.total_tokens > 0) item.below.push_back({dim(usage(node.usage))});
    return item;
  }

  Item tool(const ToolUse& tool) const {
    Item item{"tool " + bold(quote(tool.name))};
    if (tool.call_id) item.text += dim(" (" + quote(*tool.call_id) + ")");
    item.text += std::string(kDot);
    if (tool.state != ToolUse::State::ended) {
      item.text += std::string(state_name(tool.state));
    } else {
      item.text += tool.is_error ? red("error") : green("ok");
    }
    if (tool.approval_asked) item.text += std::string(kDot) + "a person was asked";
    if (!tool.arguments.empty()) item.below.push_back({dim("with ") + quote(tool.arguments)});
    if (!tool.output.empty()) item.below.push_back({dim("output ") + quote(tool.output)});
    if (!tool.result.empty()) item.below.push_back({dim("result ") + quote(tool.result)});
    for (const RunTree& agent : tool.agents) item.below.push_back(run(agent));
    return item;
  }

  Item thoughts(const RunTree& run) const {
    Item item{bold("tree of thoughts")};
    for (const TotLevel& level : run.tot) {
      Item at{"level " + std::to_string(level.depth)};
      if (level.abandoned) at.text += std::string(kDot) + "abandoned";
      for (std::size_t i = 0; i < level.candidates.size(); ++i) {
        std::string text = level.chosen == i ? green("chosen  ") : "        ";
        if (i < level.scores.size()) text += score(level.scores[i]) + "  ";
        at.below.push_back({text + quote(level.candidates[i])});
      }
      item.below.push_back(std::move(at));
    }
    for (const TotBacktracking& back : run.backtracks) {
      item.below.push_back(
          {"back to level " + std::to_string(back.to_depth) + ": " + quote(back.reason)});
    }
    return item;
  }

  static std::string score(double score) {
    const auto hundredths = std::lround(std::clamp(score, -1e6, 1e6) * 100);
    std::string out = std::to_string(hundredths);
    if (out.size() < 3) out.insert(0, 3 - out.size(), '0');
    out.insert(out.size() - 2, ".");
    return out;
  }

  Item plan(const RunTree& run) const {
    Item item{bold("graph of thoughts") + std::string(kDot) + plural(run.got.size(), "task")};
    for (const GotTask& task : run.got) {
      Item at{bold(quote(task.id)) + std::string(kDot)};
      const std::string state(state_name(task.state));
      at.text += task.state == GotTask::State::failed ? red(state) : state;
      std::string after;
      for (const auto& [from, to] : run.got_edges) {
        if (to == task.id) after += (after.empty() ? "" : ", ") + quote(from);
      }
      if (!after.empty()) at.text += std::string(kDot) + "after " + after;
      if (task.nodes_added > 0) {
        at.text += std::string(kDot) + "became " + plural(task.nodes_added, "task");
      }
      if (!task.description.empty()) at.below.push_back({dim(quote(task.description))});
      if (!task.summary.empty()) at.below.push_back({quote(task.summary)});
      item.below.push_back(std::move(at));
    }
    return item;
  }

  Item reply(const Reply& reply) const {
    Item item{bold("reply ") + quote(reply.reply)};
    if (reply.stop_reason && *reply.stop_reason != "end_turn") {
      item.text += std::string(kDot) + quote(*reply.stop_reason);
    }
    if (reply.error) item.below.push_back({red("error: " + quote(*reply.error))});
    return item;
  }

  static std::string usage(const runtime::Usage& usage) {
    return "tokens " + std::to_string(usage.prompt_tokens) + " + " +
           std::to_string(usage.completion_tokens) + " = " + std::to_string(usage.total_tokens);
  }

  std::string totals(const RunTree& run) const {
    std::uint64_t tools = 0;
    for (const NodeRun& node : run.nodes) tools += node.tools.size();
    std::string out = plural(run.events, "event") + ", " + plural(run.nodes.size(), "node") + ", " +
                      plural(tools, "tool call");
    if (!run.checkpoints.empty()) out += ", " + plural(run.checkpoints.size(), "checkpoint");
    if (run.model_calls > 0) {
      out += ", " + plural(run.model_calls, "model call") + ", " + usage(run.usage);
    }
    if (run.unknown > 0) out += ", " + plural(run.unknown, "event") + " of unknown types";
    if (run.began_at && run.ended_at) {
      out += ", " + std::to_string(*run.ended_at - *run.began_at) + " ms";
    }
    if (!run.reply) out += std::string(kDot) + "not over";
    return dim(out);
  }

  const TextOptions& options_;
};

void print(std::string& out, const Item& item, const std::string& margin) {
  for (std::size_t i = 0; i < item.below.size(); ++i) {
    const bool last = i + 1 == item.below.size();
    out.append(margin).append(last ? kLast : kBranch).append(item.below[i].text).append("\n");
    print(out, item.below[i], margin + std::string(last ? "   " : kPass));
  }
}

}  // namespace

std::string one_line(std::string_view text, std::size_t width) {
  std::string line;
  for (const char c : text.substr(0, width)) {
    const bool blank = c == '\n' || c == '\r' || c == '\t' || c == ' ';
    if (!blank) {
      line += c;
    } else if (c == ' ' || (!line.empty() && line.back() != ' ')) {
      line += ' ';
    }
  }
  const bool cut = text.size() > width;
  if (cut) line.resize(core::utf8_prefix(line));
  return core::visible_line(line) + std::string(cut ? kEllipsis : "");
}

std::string tree_text(const Reading& reading, const TextOptions& options) {
  const TreeWriter writer(options);
  std::string out;
  for (const SessionTree& session : reading.sessions) {
    out += session.id.empty() ? "session (not named)\n"
                              : "session " + one_line(session.id, options.width) + '\n';
    Item runs;
    for (const RunTree& run : session.runs) runs.below.push_back(writer.run(run));
    print(out, runs, "");
  }
  out += plural(reading.counts.lines, "line") + ", " + plural(reading.counts.events, "event");
  if (reading.counts.duplicates > 0) out += ", " + plural(reading.counts.duplicates, "duplicate");
  if (reading.counts.broken > 0) out += ", " + plural(reading.counts.broken, "broken line");
  out += '\n';
  return out;
}

std::string findings_text(const Reading& reading) {
  std::string out;
  for (const Finding& finding : reading.findings) {
    out += finding.source;
    if (finding.line > 0) out += ':' + std::to_string(finding.line);
    out += ": " + std::string(severity_name(severity_of(finding.code))) + ' ' +
           std::string(code_name(finding.code)) + ": " + one_line(finding.message, 300) + '\n';
  }
  if (reading.counts.findings_left_out > 0) {
    out += plural(reading.counts.findings_left_out, "more finding") + '\n';
  }
  return out;
}

}  // namespace parley::runtime
