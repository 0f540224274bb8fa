// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/tool/memory/memory_tools.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/core/result.h"
#include "base/core/time_text.h"
#include "runtime/tool/arguments.h"

namespace parley::tool {
namespace {

using core::Code;
using core::fail;
using core::Result;

constexpr std::int64_t kDefaultRecalled = 5;
constexpr std::int64_t kDefaultFound = 10;
constexpr std::int64_t kDefaultListed = 50;
constexpr std::int64_t kMaxShown = 100;

// One call, on a worker's thread.
struct MemoryCall {
  MemoryStore& memory;
  std::string owner;
  boost::json::object arguments;

  std::string_view text(std::string_view name) const { return text_argument(arguments, name, {}); }
};

// Returns the result's content; an error's message is an error result.
using MemoryWork = Result<std::string> (*)(MemoryCall& call);

struct MemoryToolForm {
  std::string_view name;
  std::string_view description;
  std::string_view parameters;  // JSON Schema
  Approval approval = Approval::automatic;
  MemoryWork work = nullptr;
};

class MemoryTool final : public Tool {
 public:
  MemoryTool(const MemoryToolForm& form, WorkerPool& workers, std::shared_ptr<MemoryStore> memory)
      : spec_{std::string(form.name), std::string(form.description), std::string(form.parameters)},
        approval_(form.approval),
        work_(form.work),
        workers_(workers),
        memory_(std::move(memory)) {}

  const model::ToolSpec& spec() const override { return spec_; }
  Approval default_approval() const override { return approval_; }

  void run(ToolContext context, boost::json::object arguments, Done done) override {
    auto work = [memory = memory_, work = work_, owner = context.owner,
                 arguments = std::move(arguments)](const StopFlag& stop) mutable {
      if (stop.stopped()) return cancelled_result();
      MemoryCall call{*memory, std::move(owner), std::move(arguments)};
      Result<std::string> result = work(call);
      if (result) return ToolResult::ok(std::move(*result));
      return ToolResult::error(std::move(result.error().message));
    };
    run_blocking(workers_, std::move(context), std::move(work), std::move(done));
  }

 private:
  const model::ToolSpec spec_;
  const Approval approval_;
  const MemoryWork work_;
  WorkerPool& workers_;
  const std::shared_ptr<MemoryStore> memory_;
};

// "[12] (2026-11-22) colour: blue"
std::string shown(const Memory& memory) {
  std::string out = "[" + std::to_string(memory.id) + "] (" + core::day_text(memory.at) + ") ";
  if (!memory.key.empty()) out += memory.key + ": ";
  return out + memory.content + "\n";
}

std::size_t limit_of(const MemoryCall& call, std::int64_t fallback) {
  return static_cast<std::size_t>(
      std::clamp<std::int64_t>(integer_argument(call.arguments, "limit", fallback), 1, kMaxShown));
}

Result<std::string> remember(MemoryCall& call) {
  PARLEY_TRY(const Memory memory,
             call.memory.remember(call.owner, call.text("key"), call.text("content")));
  return "Remembered as [" + std::to_string(memory.id) + "].";
}

Result<std::string> found(MemoryCall& call, std::int64_t fallback, std::optional<Memory> exact) {
  const std::size_t limit = limit_of(call, fallback);
  PARLEY_TRY(const std::vector<Memory> memories,
             call.memory.search(call.owner, call.text("query"), limit));
  std::string out = exact ? shown(*exact) : std::string();
  for (const Memory& memory : memories) {
    if (!exact || memory.id != exact->id) out += shown(memory);
  }
  return out.empty() ? "(Nothing is remembered about this.)" : out;
}

Result<std::string> recall(MemoryCall& call) {
  PARLEY_TRY(std::optional<Memory> exact, call.memory.find(call.owner, call.text("query")));
  return found(call, kDefaultRecalled, std::move(exact));
}

Result<std::string> search_memories(MemoryCall& call) {
  return found(call, kDefaultFound, std::nullopt);
}

Result<std::string> list_memories(MemoryCall& call) {
  const auto offset = static_cast<std::size_t>(
      std::max<std::int64_t>(0, integer_argument(call.arguments, "offset", 0)));
  PARLEY_TRY(const MemoryStore::Page page,
             call.memory.list(call.owner, limit_of(call, kDefaultListed), offset));
  if (page.total == 0) return "(Nothing is remembered yet.)";
  std::string out;
  for (const Memory& memory : page.memories) out += shown(memory);
  const std::size_t end = offset + page.memories.size();
  if (end < page.total) {
    out += "(" + std::to_string(page.total - end) + " older ones: list with offset " +
           std::to_string(end) + ".)\n";
  }
  return out.empty() ? "(There are only " + std::to_string(page.total) + ".)" : out;
}

Result<std::string> forget(MemoryCall& call) {
  const bool by_id = has_argument(call.arguments, "id");
  const std::string_view key = call.text("key");
  if (!by_id && key.empty()) {
    return fail(Code::invalid_argument, "Give the `id` or the `key` of the memory.");
  }
  PARLEY_TRY(const bool gone,
             by_id ? call.memory.forget(call.owner, integer_argument(call.arguments, "id", 0))
                   : call.memory.forget(call.owner, key));
  if (!gone) return fail(Code::not_found, "There is no such memory; list_memories lists them.");
  return "Forgotten.";
}

constexpr MemoryToolForm kRemember = {
    "remember",
    "Keeps a fact for later conversations with the same person. With `key` it takes the place of "
    "what was kept under that key.",
    R"({"type":"object","properties":{)"
    R"("content":{"type":"string","minLength":1,"description":"the fact, in a sentence"},)"
    R"("key":{"type":"string","description":"a short name for it, such as favourite-colour"}},)"
    R"("required":["content"],"additionalProperties":false})",
    Approval::automatic, remember};

constexpr MemoryToolForm kRecall = {
    "recall",
    "Recalls what was remembered about something: the memory with this key, then those that share "
    "most words with the query.",
    R"({"type":"object","properties":{)"
    R"("query":{"type":"string","minLength":1,"description":"words, or a key"},)"
    R"("limit":{"type":"integer","minimum":1,"maximum":100,"description":"5 if absent"}},)"
    R"("required":["query"],"additionalProperties":false})",
    Approval::automatic, recall};

constexpr MemoryToolForm kSearchMemories = {
    "search_memories",
    "Searches all memories for words; best ones first, each with its number and date.",
    R"({"type":"object","properties":{)"
    R"("query":{"type":"string","minLength":1,"description":"words to look for"},)"
    R"("limit":{"type":"integer","minimum":1,"maximum":100,"description":"10 if absent"}},)"
    R"("required":["query"],"additionalProperties":false})",
    Approval::automatic, search_memories};

constexpr MemoryToolForm kListMemories = {
    "list_memories", "Lists all memories, newest first, each with its number and date.",
    R"({"type":"object","properties":{)"
    R"("limit":{"type":"integer","minimum":1,"maximum":100,"description":"50 if absent"},)"
    R"("offset":{"type":"integer","minimum":0,"description":"how many to pass over"}},)"
    R"("additionalProperties":false})",
    Approval::automatic, list_memories};

constexpr MemoryToolForm kForget = {"forget", "Forgets one memory, named by its number or its key.",
                                    R"({"type":"object","properties":{)"
                                    R"("id":{"type":"integer","description":"its number"},)"
                                    R"("key":{"type":"string","description":"its key"}},)"
                                    R"("additionalProperties":false})",
                                    Approval::ask, forget};

}  // namespace

Toolbox memory_tools(WorkerPool& workers, const std::shared_ptr<MemoryStore>& memory) {
  Toolbox box;
  for (const MemoryToolForm& form : {kRemember, kRecall, kSearchMemories, kListMemories, kForget}) {
    box.add(std::make_shared<MemoryTool>(form, workers, memory));
  }
  return box;
}

}  // namespace parley::tool
