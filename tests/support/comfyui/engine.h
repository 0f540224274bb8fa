// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/entropy.h"
#include "base/core/scheduler.h"
#include "tests/support/comfyui/file_store.h"
#include "tests/support/comfyui/node_catalog.h"
#include "tests/support/comfyui/picture.h"

namespace parley::fake_comfyui {

// A workflow in the queue.
struct Job {
  double number = 0;
  std::string prompt_id;
  boost::json::object prompt;
  boost::json::object extra_data;
  std::vector<std::string> outputs;
  std::string client_id;

  boost::json::value number_value() const;  // an integer if it is whole
  boost::json::array tuple() const;         // [number, prompt_id, prompt, extra_data, outputs]
};

// Receives the engine's events, on its scheduler.
class EngineListener {
 public:
  virtual ~EngineListener() = default;
  virtual void on_event(const std::string& client_id, std::string_view type,
                        boost::json::object data) = 0;
  virtual void on_preview(const std::string& client_id, std::string message) = 0;
  virtual void on_queue_changed() = 0;
};

struct EngineOptions {
  core::Millis tick{20};       // time of a node; of a step of KSampler and TestSlow
  bool deterministic = false;  // times of messages count from a fixed start
  std::size_t max_queue = 1'000;
  std::size_t max_history = 1'000;
  // As servers of 2023: a history without `status`, no execution_success, progress without node.
  bool old_shapes = false;
};

// The queue, the single worker and the history of a server. One thread.
class Engine {
 public:
  Engine(core::Scheduler& scheduler, core::Entropy& entropy, FileStore& files,
         EngineListener& listener, EngineOptions options);
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  // Inserts a job by its number, behind equal numbers. False if the queue is full.
  bool submit(Job job);
  std::size_t remaining() const { return pending_.size() + (run_ ? 1 : 0); }
  boost::json::object queue() const;
  void remove_pending(const std::set<std::string>& ids);
  void clear_pending();
  // `prompt_id`: interrupts only this job, if it is running; empty: any.
  void interrupt(std::string_view prompt_id);
  void forget_cache() { cache_.clear(); }

  // The entry of `prompt_id`, or the last `max_items`.
  boost::json::object history(std::string_view prompt_id) const;
  boost::json::object history(std::size_t max_items) const;
  void remove_history(const std::set<std::string>& ids);
  void clear_history() { history_.clear(); }
  // Drops the queue, the run and the history without events, as a crash does.
  void crash();

  // The running node of a run of this client, to be sent when the client reconnects; std::nullopt:
  // no run of it.
  std::optional<boost::json::object> executing_for(std::string_view client_id) const;
  std::string new_prompt_id();

 private:
  // The output of a node.
  struct Made {
    Sketch sketch;
    std::shared_ptr<const std::string> file;  // a loaded picture
    int batch = 1;
  };
  struct Cached {
    Made created;
    std::optional<boost::json::object> ui;
  };
  struct Run {
    Job job;
    std::vector<std::string> order;
    std::map<std::string, std::string> signatures;
    std::map<std::string, Made> created;
    std::set<std::string> cached;
    boost::json::array executed;
    boost::json::object states;  // of progress_state: nodes that have begun
    boost::json::object outputs;
    boost::json::array messages;
    std::size_t at = 0;
    std::int64_t ticks = 0;
    std::int64_t total = 1;
    bool interrupted = false;
  };

  void start_next();
  void begin();
  void add_in_order(const std::string& id);
  std::string signature_of(const std::string& id) const;
  void next_node();
  void tick();
  void tell_state(const std::string& id, std::string_view state, const boost::json::value& value,
                  const boost::json::value& max);
  void tell_progress(const std::string& id);
  void complete_node();
  void fail(const std::string& id, std::string_view message);
  void end_interrupted();
  void end(std::string_view status, bool completed);
  boost::json::object save(const std::string& id, const boost::json::object& inputs, bool temp);
  Made make(const std::string& id);
  Made input_of(const std::string& id, std::string_view name) const;
  const boost::json::object& inputs_of(const std::string& id) const;
  std::string class_of(const std::string& id) const;
  void send(std::string_view type, boost::json::object data, bool keep);
  std::int64_t timestamp();
  void later(core::Millis delay, void (Engine::*step)());

  core::Scheduler& scheduler_;
  core::Entropy& entropy_;
  FileStore& files_;
  EngineListener& listener_;
  const EngineOptions options_;
  std::deque<Job> pending_;
  std::unique_ptr<Run> run_;
  std::map<std::string, Cached> cache_;
  std::deque<std::pair<std::string, boost::json::object>> history_;
  std::map<std::string, int> saved_;  // number of saved pictures, by prefix
  core::TimerId timer_ = 0;
  std::int64_t moments_ = 0;
};

}  // namespace parley::fake_comfyui
