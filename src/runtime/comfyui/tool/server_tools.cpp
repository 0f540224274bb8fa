// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/comfyui/tool/server_tools.h"

#include <algorithm>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <utility>

#include "base/core/ascii.h"
#include "base/core/json_writer.h"
#include "runtime/comfyui/tool/answer_text.h"
#include "runtime/comfyui/tool/server_call.h"
#include "runtime/tool/arguments.h"

namespace parley::comfyui {
namespace {

using core::Result;
using tool::integer_argument;
using tool::text_argument;

// Words that must all occur in a text, ignoring case.
class Search {
 public:
  explicit Search(std::string_view query) {
    std::string word;
    for (const char c : core::lowered(query) + " ") {
      if (c != ' ') {
        word += c;
      } else if (!word.empty()) {
        words_.push_back(std::exchange(word, {}));
      }
    }
  }
  bool finds(std::string_view text) const {
    const std::string low = core::lowered(text);
    return std::all_of(words_.begin(), words_.end(), [&low](const std::string& word) {
      return low.find(word) != std::string::npos;
    });
  }

 private:
  std::vector<std::string> words_;
};

void status(const ServerCallPtr& call) {
  call->client().system_stats(
      call->context.cancel, [call](const Result<boost::json::object>& stats) {
        if (!stats) return call->fail(stats.error());
        std::string text = status_text(*stats);
        call->client().queue_state(
            call->context.cancel,
            [call, text = std::move(text)](const Result<QueueState>& queue) mutable {
              if (!queue) return call->fail(queue.error());
              call->ok(text + "\n" + queue_text(*queue));
            });
      });
}

std::string page_of_classes(const std::vector<NodeSummary>& all, const ServerCall& call) {
  const std::string query(text_argument(call.arguments, "query"));
  const Search search(query);
  std::vector<const NodeSummary*> found;
  // Matches in names come before those in the category, and these before those in the description.
  std::vector<const NodeSummary*> by_category;
  std::vector<const NodeSummary*> by_description;
  for (const NodeSummary& node : all) {
    std::string text = node.name + " " + node.display_name;
    if (search.finds(text)) {
      found.push_back(&node);
    } else if (search.finds(text += " " + node.category)) {
      by_category.push_back(&node);
    } else if (search.finds(text + " " + node.description)) {
      by_description.push_back(&node);
    }
  }
  found.insert(found.end(), by_category.begin(), by_category.end());
  found.insert(found.end(), by_description.begin(), by_description.end());
  const std::size_t pages =
      std::max<std::size_t>(1, (found.size() + kClassesOfPage - 1) / kClassesOfPage);
  const auto page = static_cast<std::size_t>(std::clamp<std::int64_t>(
      integer_argument(call.arguments, "page", 1), 1, static_cast<std::int64_t>(pages)));
  std::string out = std::to_string(found.size()) + " node classes";
  if (!query.empty()) out += " match \"" + one_line(query) + "\"";
  if (pages > 1) out += ", page " + std::to_string(page) + " of " + std::to_string(pages);
  out += ":\n";
  const std::size_t end = std::min(found.size(), page * kClassesOfPage);
  for (std::size_t i = (page - 1) * kClassesOfPage; i < end; ++i) out += class_line(*found[i]);
  return out;
}

void nodes(const ServerCallPtr& call) {
  call->link->node_list(call->scheduler(), call->context.cancel,
                        [call](const Result<NodeList>& list) {
                          if (!list) return call->fail(list.error());
                          call->ok(page_of_classes(**list, *call));
                        });
}

void node(const ServerCallPtr& call) {
  std::string name(text_argument(call->arguments, "class"));
  call->client().node_schema(
      name, call->context.cancel, [call, name](const Result<NodeClass>& described) {
        if (!described) return call->fail(described.error());
        boost::json::object one;
        one[name] = **described;
        NodeSchemas schemas;
        if (Result<void> read = schemas.add(boost::json::serialize(one)); !read) {
          return call->fail(read.error());
        }
        const NodeSchema* schema = schemas.find(name);
        if (schema == nullptr) return call->ok("The class " + name + " cannot be read.");
        call->ok(class_text(*schema));
      });
}

// --- models --------------------------------------------------------------------------------------

// Classes of ComfyUI whose input lists the models of a folder.
struct ModelLoader {
  std::string_view folder;
  std::string_view node_class;
  std::string_view input;
};
constexpr ModelLoader kModelLoaders[] = {
    {"checkpoints", "CheckpointLoaderSimple", "ckpt_name"},
    {"clip", "CLIPLoader", "clip_name"},
    {"clip_vision", "CLIPVisionLoader", "clip_name"},
    {"controlnet", "ControlNetLoader", "control_net_name"},
    {"diffusers", "DiffusersLoader", "model_path"},
    {"gligen", "GLIGENLoader", "gligen_name"},
    {"hypernetworks", "HypernetworkLoader", "hypernetwork_name"},
    {"loras", "LoraLoader", "lora_name"},
    {"style_models", "StyleModelLoader", "style_model_name"},
    {"unet", "UNETLoader", "unet_name"},
    {"upscale_models", "UpscaleModelLoader", "model_name"},
    {"vae", "VAELoader", "vae_name"},
};

// Reads the models of several folders, one folder after the other.
struct ModelWalk {
  ServerCallPtr call;
  Search search;
  std::vector<std::string> folders = {};
  bool by_class = false;  // the server has no /models
  std::size_t next = 0;
  std::size_t found = 0;
  std::string text = {};
};

void next_folder(const std::shared_ptr<ModelWalk>& walk);

// The texts among the choices of an input.
std::vector<std::string> choices_of(const boost::json::object& node_class, std::string_view input) {
  NodeSchemas schemas;
  std::vector<std::string> out;
  const NodeSchema* schema =
      schemas.add(boost::json::serialize(boost::json::object{{"", node_class}})) ? schemas.find("")
                                                                                 : nullptr;
  const InputSchema* found = schema == nullptr ? nullptr : schema->input(input);
  for (const std::string& choice : found == nullptr ? std::vector<std::string>() : found->choices) {
    boost::system::error_code problem;
    const boost::json::value value = boost::json::parse(choice, problem);
    if (!problem && value.is_string()) out.emplace_back(value.get_string());
  }
  return out;
}

void on_models(const std::shared_ptr<ModelWalk>& walk, const std::string& folder,
               const Result<std::vector<std::string>>& names) {
  // A listed folder that cannot be read is skipped; one that was requested is an error.
  if (!names && (names.error().code != core::Code::not_found || walk->folders.size() == 1)) {
    return walk->call->fail(names.error());
  }
  std::string lines;
  for (const std::string& name : names ? *names : std::vector<std::string>()) {
    std::string text = folder;
    text += ' ';
    text += name;
    if (!walk->search.finds(text)) continue;
    if (++walk->found <= kMaxListedModels) lines += "- " + one_line(name, 512) + "\n";
  }
  if (!lines.empty()) walk->text += one_line(folder) + ":\n" + lines;
  next_folder(walk);
}

// The models that a class lists; `missing` is the error if the server does not have the class.
void read_by_class(const std::shared_ptr<ModelWalk>& walk, const std::string& folder,
                   const core::Error& missing) {
  const auto* const loader =
      std::find_if(std::begin(kModelLoaders), std::end(kModelLoaders),
                   [&](const ModelLoader& one) { return one.folder == folder; });
  if (loader == std::end(kModelLoaders)) return on_models(walk, folder, core::fail(missing));
  walk->call->client().node_schema(
      std::string(loader->node_class), walk->call->context.cancel,
      [walk, folder, missing, input = loader->input](const Result<NodeClass>& described) {
        if (!described && described.error().code == core::Code::not_found) {
          return on_models(walk, folder, core::fail(missing));
        }
        if (!described) return on_models(walk, folder, core::fail(described.error()));
        on_models(walk, folder, choices_of(**described, input));
      });
}

void next_folder(const std::shared_ptr<ModelWalk>& walk) {
  const ServerCallPtr& call = walk->call;
  if (walk->next < std::min(walk->folders.size(), kMaxModelFolders)) {
    std::string folder = walk->folders[walk->next++];
    if (walk->by_class) return read_by_class(walk, folder, {core::Code::not_found, "", {}});
    call->client().models(folder, call->context.cancel,
                          [walk, folder](const Result<std::vector<std::string>>& names) {
                            const bool missing =
                                !names && names.error().code == core::Code::not_found;
                            if (missing) return read_by_class(walk, folder, names.error());
                            on_models(walk, folder, names);
                          });
    return;
  }
  std::string out = walk->text.empty() ? "No models are found." : std::move(walk->text);
  if (walk->found > kMaxListedModels) {
    out +=
        "and " + std::to_string(walk->found - kMaxListedModels) + " more: search with \"query\".\n";
  }
  call->ok(std::move(out));
}

void models(const ServerCallPtr& call) {
  const auto walk =
      std::make_shared<ModelWalk>(ModelWalk{call, Search(text_argument(call->arguments, "query"))});
  std::string folder(text_argument(call->arguments, "folder"));
  if (!folder.empty()) {
    walk->folders.push_back(std::move(folder));
    return next_folder(walk);
  }
  call->client().model_folders(call->context.cancel,
                               [walk](Result<std::vector<std::string>> folders) {
                                 if (folders) {
                                   walk->folders = std::move(*folders);
                                 } else if (folders.error().code == core::Code::not_found) {
                                   walk->by_class = true;
                                   for (const ModelLoader& loader : kModelLoaders) {
                                     walk->folders.emplace_back(loader.folder);
                                   }
                                 } else {
                                   return walk->call->fail(folders.error());
                                 }
                                 next_folder(walk);
                               });
}

// --- queue and history ---------------------------------------------------------------------------

void queue(const ServerCallPtr& call) {
  call->client().queue_state(call->context.cancel, [call](const Result<QueueState>& queue) {
    if (!queue) return call->fail(queue.error());
    call->ok(queue_text(*queue));
  });
}

std::string record_json(const PromptRecord& record, const ServerLink& link) {
  static constexpr std::string_view kStatus[] = {"success", "error", "interrupted", "unknown"};
  RunFacts facts{kStatus[static_cast<std::size_t>(record.status)], record.prompt_id,
                 record.outputs};
  if (record.fault) facts.error = fault_text(*record.fault);
  return run_json(facts, link);
}

void history(const ServerCallPtr& call) {
  std::string id(text_argument(call->arguments, "prompt_id"));
  if (!id.empty()) {
    call->client().history(
        id, call->context.cancel, [call](const Result<std::optional<PromptRecord>>& record) {
          if (!record) return call->fail(record.error());
          if (*record) return call->ok(record_json(**record, *call->link));
          call->finish(
              tool::ToolResult::error("The history has no workflow with this id, or it has not "
                                      "ended: check with comfyui_queue."));
        });
    return;
  }
  const std::int64_t limit =
      std::clamp<std::int64_t>(integer_argument(call->arguments, "limit", 1), 1, kMaxListedPrompts);
  call->client().history(static_cast<std::size_t>(limit), call->context.cancel,
                         [call](Result<std::vector<PromptRecord>> records) {
                           if (!records) return call->fail(records.error());
                           if (records->size() == 1) {
                             return call->ok(record_json(records->front(), *call->link));
                           }
                           std::string out;
                           core::JsonWriter json(out);
                           json.begin_object().key("prompts").begin_array();
                           std::reverse(records->begin(), records->end());
                           for (const PromptRecord& record : *records) {
                             json.raw(record_json(record, *call->link));
                           }
                           json.end_array().end_object();
                           call->ok(std::move(out));
                         });
}

void interrupt(const ServerCallPtr& call) {
  std::string id(text_argument(call->arguments, "prompt_id"));
  const auto reply = [call, id](const Result<void>& done) {
    if (!done) return call->fail(done.error());
    call->ok(id.empty() ? "The running workflow, if any, was interrupted."
                        : "The workflow was interrupted, or removed from the queue.");
  };
  if (id.empty()) return call->client().interrupt("", call->context.cancel, reply);
  call->client().withdraw(id, call->context.cancel, reply);
}

void clear(const ServerCallPtr& call) {
  call->client().clear_pending(call->context.cancel, [call](const Result<void>& done) {
    if (!done) return call->fail(done.error());
    call->ok("All waiting workflows were removed. A running workflow continues.");
  });
}

// --- the list ------------------------------------------------------------------------------------

struct ServerForm {
  std::string_view name;
  std::string_view description;
  std::string_view parameters;
  tool::Approval approval = tool::Approval::automatic;
  void (*begin)(const ServerCallPtr& call) = nullptr;
};

constexpr std::string_view kNone =
    R"({"type":"object","properties":{},"additionalProperties":false})";
constexpr auto kAuto = tool::Approval::automatic;
constexpr auto kAsk = tool::Approval::ask;

constexpr ServerForm kServerForms[] = {
    {"comfyui_status", "Tells version, memory and queue of the ComfyUI server.", kNone, kAuto,
     status},
    {"comfyui_nodes",
     "Lists the node classes that the ComfyUI server has, a page at a time, or searches them.",
     R"({"type":"object","properties":{"query":{"type":"string","description":"words in name, )"
     R"(category or description; all if absent"},"page":{"type":"integer","minimum":1}},)"
     R"("additionalProperties":false})",
     kAuto, nodes},
    {"comfyui_node", "Shows one node class: its inputs with ranges and choices, its outputs.",
     R"({"type":"object","properties":{"class":{"type":"string","description":"KSampler"}},)"
     R"("required":["class"],"additionalProperties":false})",
     kAuto, node},
    {"comfyui_models",
     "Lists the models of the ComfyUI server by folder (checkpoints, loras, vae), or searches "
     "them.",
     R"({"type":"object","properties":{"folder":{"type":"string","description":"all if absent"},)"
     R"("query":{"type":"string","description":"words in the name"}},)"
     R"("additionalProperties":false})",
     kAuto, models},
    {"comfyui_validate",
     "Checks a workflow against the ComfyUI server without running it: the open one, or the one "
     "that is given.",
     R"({"type":"object","properties":{"workflow":{"type":["object","string"],)"
     R"("description":"UI or API form; the open one if absent"}},"additionalProperties":false})",
     kAuto, validate_workflow},
    {"comfyui_run",
     "Queues a workflow on the ComfyUI server and waits for its end: the open one, or the one that "
     "is given. Gives the pictures that it made.",
     R"({"type":"object","properties":{"workflow":{"type":["object","string"],)"
     R"("description":"UI or API form; the open one if absent"},"timeout_seconds":)"
     R"({"type":"integer","minimum":1,"maximum":3600,"description":"600 if absent; then it is )"
     R"(withdrawn"}},"additionalProperties":false})",
     kAsk, run_workflow},
    {"comfyui_queue", "Tells which workflows run and wait on the ComfyUI server.", kNone, kAuto,
     queue},
    {"comfyui_history",
     "Shows a workflow that has ended, with its pictures: one by its id, or the latest.",
     R"({"type":"object","properties":{"prompt_id":{"type":"string"},"limit":{"type":"integer",)"
     R"("minimum":1,"maximum":50,"description":"how many of the latest; 1 if absent"}},)"
     R"("additionalProperties":false})",
     kAuto, history},
    {"comfyui_interrupt",
     "Interrupts the workflow that runs on the ComfyUI server, or takes the one of that id from "
     "the queue.",
     R"({"type":"object","properties":{"prompt_id":{"type":"string","description":"what runs if )"
     R"(absent"}},"additionalProperties":false})",
     kAsk, interrupt},
    {"comfyui_clear", "Removes all workflows that wait on the ComfyUI server, of everybody.", kNone,
     kAsk, clear},
};

class ServerTool final : public tool::Tool {
 public:
  ServerTool(const ServerForm& form, ServerLinkPtr link, OpenWorkflowPtr workflow,
             tool::WorkerPool& workers)
      : spec_{std::string(form.name), std::string(form.description), std::string(form.parameters)},
        form_(form),
        link_(std::move(link)),
        workflow_(std::move(workflow)),
        workers_(workers) {}

  const model::ToolSpec& spec() const override { return spec_; }
  tool::Approval default_approval() const override { return form_.approval; }
  std::string source() const override { return "comfyui"; }

  void run(tool::ToolContext context, boost::json::object arguments, Done done) override {
    core::Scheduler& scheduler = *context.scheduler;
    const ServerCallPtr call(new ServerCall{link_, workflow_, workers_, std::move(context),
                                            std::move(arguments), std::move(done)});
    scheduler.post([call, begin = form_.begin] {
      if (call->context.cancel.cancelled()) return call->finish(tool::cancelled_result());
      begin(call);
    });
  }

 private:
  const model::ToolSpec spec_;
  const ServerForm form_;
  const ServerLinkPtr link_;
  const OpenWorkflowPtr workflow_;
  tool::WorkerPool& workers_;
};

}  // namespace

std::vector<tool::ToolPtr> server_tools(const ServerLinkPtr& link, const OpenWorkflowPtr& workflow,
                                        tool::WorkerPool& workers) {
  std::vector<tool::ToolPtr> out;
  for (const ServerForm& form : kServerForms) {
    out.push_back(std::make_shared<ServerTool>(form, link, workflow, workers));
  }
  return out;
}

}  // namespace parley::comfyui
