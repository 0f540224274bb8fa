// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/support/comfyui/engine.h"

#include <algorithm>
#include <boost/json/serialize.hpp>
#include <boost/json/string.hpp>
#include <utility>

#include "base/core/id.h"

namespace parley::fake_comfyui {
namespace {

using boost::json::array;
using boost::json::object;
using boost::json::value;

constexpr std::int64_t kFirstMoment = 1'700'000'000'000;
constexpr int kMaxBatch = 16;
constexpr double kWholeNumbers = 1e15;
constexpr int kPreviewSide = 32;

std::string word(const object& from, std::string_view name) {
  const value* found = from.if_contains(name);
  if (found == nullptr) return {};
  return found->is_string() ? std::string(found->get_string()) : boost::json::serialize(*found);
}

std::int64_t whole(const object& from, std::string_view name, std::int64_t otherwise) {
  const value* found = from.if_contains(name);
  if (found == nullptr) return otherwise;
  if (found->is_int64()) return found->get_int64();
  if (found->is_uint64()) return static_cast<std::int64_t>(found->get_uint64());
  if (found->is_double()) return static_cast<std::int64_t>(found->get_double());
  return otherwise;
}

// Id of the node that an input is linked to; empty if it is not a link.
std::string link_of(const value& input) {
  if (!input.is_array() || input.get_array().size() != 2) return {};
  const value& from = input.get_array()[0];
  return from.is_string() ? std::string(from.get_string()) : std::string();
}

void append_big_endian(std::string& out, std::uint32_t number) {
  for (const unsigned shift : {24U, 16U, 8U, 0U}) {
    out.push_back(static_cast<char>((number >> shift) & 0xffU));
  }
}

}  // namespace

array Job::tuple() const {
  array ends;
  for (const std::string& output : outputs) ends.push_back(boost::json::string(output));
  return {number_value(), prompt_id, prompt, extra_data, std::move(ends)};
}

value Job::number_value() const {
  const auto integer = static_cast<std::int64_t>(std::clamp(number, -kWholeNumbers, kWholeNumbers));
  if (static_cast<double>(integer) == number) return integer;
  return number;
}

Engine::Engine(core::Scheduler& scheduler, core::Entropy& entropy, FileStore& files,
               EngineListener& listener, EngineOptions options)
    : scheduler_(scheduler),
      entropy_(entropy),
      files_(files),
      listener_(listener),
      options_(options) {
  files_.put({"input", "", "example.png"}, draw({7, "example", 64, 64}));
}

Engine::~Engine() { scheduler_.cancel(timer_); }

std::string Engine::new_prompt_id() {
  std::string id = core::random_hex(entropy_, 16);
  for (const std::size_t at : {20U, 16U, 12U, 8U}) id.insert(at, "-");
  return id;
}

std::int64_t Engine::timestamp() {
  if (options_.deterministic) return kFirstMoment + 10 * moments_++;
  return core::to_unix_ms(scheduler_.clock().wall());
}

void Engine::later(core::Millis delay, void (Engine::*step)()) {
  scheduler_.cancel(timer_);
  timer_ = scheduler_.after(delay, [this, step] {
    timer_ = 0;
    (this->*step)();
  });
}

bool Engine::submit(Job job) {
  if (pending_.size() >= options_.max_queue) return false;
  const auto behind =
      std::upper_bound(pending_.begin(), pending_.end(), job,
                       [](const Job& a, const Job& b) { return a.number < b.number; });
  pending_.insert(behind, std::move(job));
  listener_.on_queue_changed();
  start_next();
  return true;
}

object Engine::queue() const {
  array running;
  array pending;
  if (run_) running.push_back(run_->job.tuple());
  for (const Job& job : pending_) pending.push_back(job.tuple());
  return {{"queue_running", std::move(running)}, {"queue_pending", std::move(pending)}};
}

void Engine::remove_pending(const std::set<std::string>& ids) {
  if (std::erase_if(pending_, [&](const Job& job) { return ids.contains(job.prompt_id); }) > 0) {
    listener_.on_queue_changed();
  }
}

void Engine::clear_pending() {
  pending_.clear();
  listener_.on_queue_changed();
}

void Engine::interrupt(std::string_view prompt_id) {
  if (run_ && (prompt_id.empty() || prompt_id == run_->job.prompt_id)) run_->interrupted = true;
}

void Engine::crash() {
  scheduler_.cancel(std::exchange(timer_, 0));
  run_.reset();
  pending_.clear();
  history_.clear();
  cache_.clear();
}

object Engine::history(std::string_view prompt_id) const {
  for (const auto& [id, entry] : history_) {
    if (id == prompt_id) return {{id, entry}};
  }
  return {};
}

object Engine::history(std::size_t max_items) const {
  object out;
  const std::size_t skipped = history_.size() > max_items ? history_.size() - max_items : 0;
  for (std::size_t i = skipped; i < history_.size(); ++i) {
    out[history_[i].first] = history_[i].second;
  }
  return out;
}

void Engine::remove_history(const std::set<std::string>& ids) {
  std::erase_if(history_, [&](const auto& entry) { return ids.contains(entry.first); });
}

std::optional<object> Engine::executing_for(std::string_view client_id) const {
  if (!run_ || run_->job.client_id != client_id || run_->at >= run_->order.size()) {
    return std::nullopt;
  }
  return object{{"node", run_->order[run_->at]}, {"prompt_id", run_->job.prompt_id}};
}

void Engine::send(std::string_view type, object data, bool keep) {
  if (keep) {
    data["timestamp"] = timestamp();
    run_->messages.push_back(array{boost::json::string(type), data});
  }
  if (!run_->job.client_id.empty()) listener_.on_event(run_->job.client_id, type, std::move(data));
}

void Engine::start_next() {
  if (run_ || pending_.empty()) return;
  run_ = std::make_unique<Run>();
  run_->job = std::move(pending_.front());
  pending_.pop_front();
  listener_.on_queue_changed();
  later(core::Millis(0), &Engine::begin);
}

const object& Engine::inputs_of(const std::string& id) const {
  return run_->job.prompt.at(id).get_object().at("inputs").get_object();
}

std::string Engine::class_of(const std::string& id) const {
  return std::string(run_->job.prompt.at(id).get_object().at("class_type").get_string());
}

// Appends nodes in the order of execution: inputs first.
void Engine::add_in_order(const std::string& id) {
  if (run_->signatures.contains(id)) return;
  run_->signatures[id] = "";
  for (const auto& input : inputs_of(id)) {
    const std::string from = link_of(input.value());
    if (!from.empty() && run_->job.prompt.contains(from)) add_in_order(from);
  }
  run_->signatures[id] = signature_of(id);
  run_->order.push_back(id);
}

// Nodes with the same signature have the same output.
std::string Engine::signature_of(const std::string& id) const {
  object inputs;
  for (const auto& input : inputs_of(id)) {
    const auto from = run_->signatures.find(link_of(input.value()));
    if (from == run_->signatures.end()) {
      inputs[input.key()] = input.value();
    } else {
      inputs[input.key()] = array{boost::json::string(from->second), input.value().get_array()[1]};
    }
  }
  const std::string type = class_of(id);
  std::string text = type + boost::json::serialize(inputs);
  if (type == "LoadImage") {
    const std::string* file = files_.find(FileStore::key_of(word(inputs_of(id), "image")));
    text.append(std::to_string(file == nullptr ? 0 : fingerprint(*file)));
  }
  if (type == "SaveImage" || type == "PreviewImage") text.append("#").append(id);
  return std::to_string(fingerprint(text));
}

void Engine::begin() {
  const std::string& prompt_id = run_->job.prompt_id;
  for (const std::string& output : run_->job.outputs) add_in_order(output);
  array cached;
  std::map<std::string, Cached> kept;
  for (const std::string& id : run_->order) {
    const auto known = cache_.find(run_->signatures[id]);
    if (known == cache_.end()) continue;
    run_->cached.insert(id);
    run_->created[id] = known->second.created;
    cached.push_back(boost::json::string(id));
    kept.insert(*known);
  }
  cache_ = std::move(kept);  // keeps entries of the last workflow only
  send("execution_start", {{"prompt_id", prompt_id}}, true);
  send("execution_cached", {{"nodes", std::move(cached)}, {"prompt_id", prompt_id}}, true);
  next_node();
}

void Engine::next_node() {
  while (run_->at < run_->order.size() && !run_->interrupted) {
    const std::string& id = run_->order[run_->at];
    if (!run_->cached.contains(id)) break;
    const auto known = cache_.find(run_->signatures[id]);
    if (known != cache_.end() && known->second.ui) {
      run_->outputs[id] = *known->second.ui;
      send("executed",
           {{"node", id},
            {"display_node", id},
            {"output", *known->second.ui},
            {"prompt_id", run_->job.prompt_id}},
           false);
      tell_state(id, "finished", 1, 1);
    }
    ++run_->at;
  }
  if (run_->interrupted) return end_interrupted();
  if (run_->at >= run_->order.size()) {
    if (!options_.old_shapes) {
      send("execution_success", {{"prompt_id", run_->job.prompt_id}}, true);
    }
    // The history has the run a moment later, as on a real server.
    return scheduler_.post([this, id = run_->job.prompt_id] {
      if (run_ && run_->job.prompt_id == id) end("success", true);
    });
  }
  const std::string& id = run_->order[run_->at];
  const std::string type = class_of(id);
  run_->ticks = 0;
  run_->total = type == "KSampler"   ? whole(inputs_of(id), "steps", 20)
                : type == "TestSlow" ? whole(inputs_of(id), "ticks", 50)
                                     : 1;
  tell_state(id, "running", 0.0, 1.0);
  send("executing", {{"node", id}, {"display_node", id}, {"prompt_id", run_->job.prompt_id}},
       false);
  later(options_.tick, &Engine::tick);
}

void Engine::tick() {
  if (run_->interrupted) return end_interrupted();
  const std::string id = run_->order[run_->at];
  ++run_->ticks;
  if (run_->total > 1) tell_progress(id);
  if (run_->ticks < run_->total) return later(options_.tick, &Engine::tick);
  complete_node();
}

// Sends the states of all nodes that have begun, with the new one.
void Engine::tell_state(const std::string& id, std::string_view state, const value& value,
                        const boost::json::value& max) {
  if (options_.old_shapes) return;
  const std::string& prompt_id = run_->job.prompt_id;
  run_->states[id] = object{{"value", value},
                            {"max", max},
                            {"state", state},
                            {"node_id", id},
                            {"prompt_id", prompt_id},
                            {"display_node_id", id},
                            {"parent_node_id", nullptr},
                            {"real_node_id", id}};
  send("progress_state", {{"prompt_id", prompt_id}, {"nodes", run_->states}}, false);
}

void Engine::tell_progress(const std::string& id) {
  const std::string& prompt_id = run_->job.prompt_id;
  tell_state(id, "running", run_->ticks, run_->total);
  if (options_.old_shapes) {
    send("progress", {{"value", run_->ticks}, {"max", run_->total}}, false);
  } else {
    send("progress",
         {{"value", run_->ticks}, {"max", run_->total}, {"prompt_id", prompt_id}, {"node", id}},
         false);
  }
  if (class_of(id) != "KSampler" || run_->job.client_id.empty()) return;
  std::string message;
  append_big_endian(message, 1);  // PREVIEW_IMAGE
  append_big_endian(message, 2);  // PNG
  message += draw({static_cast<std::uint64_t>(run_->ticks), id, kPreviewSide, kPreviewSide});
  listener_.on_preview(run_->job.client_id, std::move(message));
}

Engine::Made Engine::input_of(const std::string& id, std::string_view name) const {
  const value* input = inputs_of(id).if_contains(name);
  if (input == nullptr) return {};
  const auto found = run_->created.find(link_of(*input));
  return found == run_->created.end() ? Made() : found->second;
}

Engine::Made Engine::make(const std::string& id) {
  const object& inputs = inputs_of(id);
  const std::string type = class_of(id);
  Made created;
  if (type == "CLIPTextEncode") created.sketch.text = word(inputs, "text");
  if (type == "EmptyLatentImage") {
    created.sketch.width = static_cast<int>(whole(inputs, "width", 64));
    created.sketch.height = static_cast<int>(whole(inputs, "height", 64));
    created.batch =
        static_cast<int>(std::min<std::int64_t>(whole(inputs, "batch_size", 1), kMaxBatch));
  }
  if (type == "KSampler") {
    created = input_of(id, "latent_image");
    created.sketch.text = input_of(id, "positive").sketch.text;
    created.sketch.seed = static_cast<std::uint64_t>(whole(inputs, "seed", 0));
  }
  if (type == "VAEDecode") created = input_of(id, "samples");
  if (type == "TestSlow") created = input_of(id, "image");
  if (type == "LoadImage") {
    const std::string* file = files_.find(FileStore::key_of(word(inputs, "image")));
    if (file != nullptr) created.file = std::make_shared<const std::string>(*file);
  }
  if (type == "ImageUpscaleWithModel") {
    created = input_of(id, "image");
    if (created.file) created.sketch.seed = fingerprint(*created.file);
    created.file.reset();
    created.sketch.width = std::min(created.sketch.width, kMaxSide) * 4;
    created.sketch.height = std::min(created.sketch.height, kMaxSide) * 4;
  }
  return created;
}

object Engine::save(const std::string& id, const object& inputs, bool temp) {
  std::string prefix = temp ? "ComfyUI_temp_fake" : word(inputs, "filename_prefix");
  if (prefix.empty()) prefix = "ComfyUI";
  std::string subfolder;
  if (const std::size_t slash = prefix.rfind('/'); slash != std::string::npos) {
    subfolder = prefix.substr(0, slash);
    prefix = prefix.substr(slash + 1);
  }
  const Made picture = input_of(id, "images");
  array images;
  for (int i = 0; i < std::max(picture.batch, 1); ++i) {
    std::string place = temp ? "temp/" : "output/";
    place.append(subfolder).append("/").append(prefix);
    const int count = ++saved_[place];
    std::string number = std::to_string(count);
    number.insert(0, number.size() < 5 ? 5 - number.size() : 0, '0');
    std::string name = prefix;
    name.append("_").append(number).append("_.png");
    const FileStore::Key key{temp ? "temp" : "output", subfolder, std::move(name)};
    Sketch sketch = picture.sketch;
    sketch.seed += static_cast<std::uint64_t>(i);
    files_.put(key, picture.file ? *picture.file : draw(sketch));
    images.push_back(
        object{{"filename", key.name}, {"subfolder", key.subfolder}, {"type", key.type}});
  }
  return {{"images", std::move(images)}};
}

void Engine::complete_node() {
  const std::string id = run_->order[run_->at];
  const std::string type = class_of(id);
  const object& inputs = inputs_of(id);
  if (type == "TestFail") {
    const std::string said = word(inputs, "message");
    return fail(id, said.empty() ? "This node always fails." : said);
  }
  Cached created{make(id), std::nullopt};
  if (type == "SaveImage" || type == "PreviewImage") {
    if (word(inputs, "filename_prefix").find("..") != std::string::npos) {
      return fail(id, "**** ERROR: Saving image outside the output folder is not allowed.");
    }
    created.ui = save(id, inputs, type == "PreviewImage");
    run_->outputs[id] = *created.ui;
    send("executed",
         {{"node", id},
          {"display_node", id},
          {"output", *created.ui},
          {"prompt_id", run_->job.prompt_id}},
         false);
  }
  run_->created[id] = created.created;
  cache_[run_->signatures[id]] = std::move(created);
  tell_state(id, "finished", run_->total, run_->total);
  run_->executed.push_back(boost::json::string(id));
  ++run_->at;
  next_node();
}

void Engine::fail(const std::string& id, std::string_view message) {
  object current;
  for (const auto& input : inputs_of(id)) current[input.key()] = array{input.value()};
  send("execution_error",
       {{"prompt_id", run_->job.prompt_id},
        {"node_id", id},
        {"node_type", class_of(id)},
        {"executed", run_->executed},
        {"exception_message", std::string(message) + "\n"},
        {"exception_type", "RuntimeError"},
        {"traceback",
         {"  File \"/ComfyUI/execution.py\", line 349, in execute\n",
          "  File \"/ComfyUI/nodes.py\", line 1, in run\n    raise RuntimeError(message)\n"}},
        {"current_inputs", std::move(current)},
        {"current_outputs", run_->executed}},
       true);
  end("error", false);
}

void Engine::end_interrupted() {
  const std::string id = run_->at < run_->order.size() ? run_->order[run_->at] : std::string();
  send("execution_interrupted",
       {{"prompt_id", run_->job.prompt_id},
        {"node_id", id},
        {"node_type", id.empty() ? std::string() : class_of(id)},
        {"executed", run_->executed}},
       true);
  end("error", false);
}

void Engine::end(std::string_view status, bool completed) {
  object meta;
  for (const auto& output : run_->outputs) {
    meta[output.key()] = {{"node_id", output.key()},
                          {"display_node", output.key()},
                          {"parent_node", nullptr},
                          {"real_node_id", output.key()}};
  }
  object entry{
      {"prompt", run_->job.tuple()},
      {"outputs", std::move(run_->outputs)},
      {"status",
       {{"status_str", status}, {"completed", completed}, {"messages", std::move(run_->messages)}}},
      {"meta", std::move(meta)}};
  if (options_.old_shapes) entry.erase("status");
  history_.emplace_back(run_->job.prompt_id, std::move(entry));
  if (history_.size() > options_.max_history) history_.pop_front();
  const Job job = std::move(run_->job);
  run_.reset();
  listener_.on_queue_changed();
  if (!job.client_id.empty()) {
    listener_.on_event(job.client_id, "executing",
                       {{"node", nullptr}, {"prompt_id", job.prompt_id}});
  }
  start_next();
}

}  // namespace parley::fake_comfyui
