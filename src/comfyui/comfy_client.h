// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "comfyui/output_file.h"
#include "comfyui/prompt_answer.h"
#include "comfyui/prompt_record.h"
#include "comfyui/server_address.h"
#include "core/cancel.h"
#include "core/entropy.h"
#include "core/result.h"
#include "core/scheduler.h"
#include "http_client/fetcher.h"

namespace parley::comfyui {

// Limits of a client; docs/comfyui.md says why each is as it is.
struct ClientOptions {
  Credentials credentials;  // that have passed check()
  std::string ca_file;      // of PEM certificates to trust beside none other; empty: system's
  core::Millis connect_timeout{5'000};
  core::Millis request_timeout{30'000};    // a whole request whose answer is small
  core::Millis transfer_timeout{120'000};  // all node classes, files
  core::Millis schema_ttl{60'000};         // a schema that is older is read again
  // Further tries of a GET that no answer came to, because there was no connection or it broke;
  // the first after kFirstRetryPause, each next one after twice as long.
  int max_retries = 0;
  std::size_t max_schemas = 1'024;  // in the cache
  std::size_t max_json_bytes = 16U << 20U;
  std::size_t max_node_list_bytes = 64U << 20U;
  std::size_t max_file_bytes = 32U << 20U;    // of a file that is fetched
  std::size_t max_upload_bytes = 32U << 20U;  // of a file that is sent
  std::size_t max_prompt_bytes = 8U << 20U;   // of a workflow that is sent
};

// A node class as /object_info describes it: input{required,optional,hidden}, input_order,
// output[], ... Shared with the cache, never changed. workflow/node_schema.h reads it.
using NodeClass = std::shared_ptr<const boost::json::object>;

// An entry of the list of node classes.
struct NodeSummary {
  std::string name;
  std::string display_name;
  std::string category;
  std::string description;  // at most kMaxDescriptionBytes
  std::vector<std::string> outputs;
  bool output_node = false;
  bool deprecated = false;
  bool experimental = false;
};

inline constexpr core::Millis kFirstRetryPause{100};
inline constexpr std::size_t kMaxDescriptionBytes = 1'024;
inline constexpr std::size_t kMaxNodeClasses = 50'000;

// A workflow in API form, {id: {class_type, inputs}}, that is to be queued.
struct PromptRequest {
  boost::json::object prompt;
  std::string client_id;  // whose WebSocket is told of it; empty: nobody's
  std::string prompt_id;  // newer servers take it, older ones give their own
  bool front = false;     // before all others that wait
  boost::json::object extra_data;
};

struct FileBytes {
  std::string content_type;
  std::string bytes = {};
};

struct FileUpload {
  std::string filename;
  std::string bytes = {};
  std::string content_type = "image/png";
  std::string subfolder = {};
  std::string type = "input";
  bool overwrite = false;
};

// One ComfyUI server over its REST routes. Belongs to the thread of `home`: all calls are made
// there, `done` runs there once, never inside the call. A cancelled call ends with `cancelled` at
// once; after the client is destroyed nothing runs any more. No Origin is sent and no redirect is
// followed. Errors of every call, beside its own: `unavailable` (no connection, an answer that was
// cut, 5xx), `deadline_exceeded`, `resource_exhausted` (the answer is over its limit),
// `unauthenticated` (401), `permission_denied` (403), `internal` (an answer that is not what the
// route answers), `cancelled`.
class ComfyClient {
 public:
  template <typename T>
  using Done = absl::AnyInvocable<void(core::Result<T>)>;

  // All references outlive it.
  ComfyClient(ServerAddress address, ClientOptions options, http_client::Fetcher& fetcher,
              core::Entropy& entropy, core::Scheduler& home);
  ~ComfyClient();
  ComfyClient(const ComfyClient&) = delete;
  ComfyClient& operator=(const ComfyClient&) = delete;

  const ServerAddress& address() const { return address_; }
  const ClientOptions& options() const { return options_; }
  core::Scheduler& home() const { return home_; }
  core::Entropy& entropy() const { return entropy_; }

  void system_stats(const core::CancelToken& cancel, Done<boost::json::object> done);
  // `not_found` for a class that the server does not have.
  void node_schema(std::string class_name, const core::CancelToken& cancel, Done<NodeClass> done);
  // All classes. The server's answer has megabytes; it is read as it comes and not kept.
  void node_classes(const core::CancelToken& cancel, Done<std::vector<NodeSummary>> done);
  // Forgets the schemas: after a change of the server's models or extensions.
  void forget_schemas() { schemas_.clear(); }

  void model_folders(const core::CancelToken& cancel, Done<std::vector<std::string>> done);
  // `not_found` for a folder that the server does not have.
  void models(std::string folder, const core::CancelToken& cancel,
              Done<std::vector<std::string>> done);

  // `invalid_argument`: over max_prompt_bytes; nothing is sent then. After `unavailable` and
  // `deadline_exceeded` it may be queued nevertheless: PromptWatch finds out.
  void queue(PromptRequest request, const core::CancelToken& cancel, Done<PromptAnswer> done);
  void queue_state(const core::CancelToken& cancel, Done<QueueState> done);
  // Takes workflows out that wait. Those that are not there, or run, are left.
  void delete_pending(const std::vector<std::string>& prompt_ids, const core::CancelToken& cancel,
                      Done<void> done);
  void clear_pending(const core::CancelToken& cancel, Done<void> done);
  // Ends what runs, if `prompt_id` (older servers do not look at it; empty: anything).
  void interrupt(const std::string& prompt_id, const core::CancelToken& cancel, Done<void> done);
  // Deletes it if it waits, interrupts it if it runs. `not_found`: neither.
  void withdraw(std::string prompt_id, const core::CancelToken& cancel, Done<void> done);
  void free_memory(bool unload_models, const core::CancelToken& cancel, Done<void> done);

  // Nothing: the server has no such run, or it has not ended.
  void history(std::string prompt_id, const core::CancelToken& cancel,
               Done<std::optional<PromptRecord>> done);
  // The latest runs, at most `max_items` (1 to kMaxHistoryItems), oldest first.
  void history(std::size_t max_items, const core::CancelToken& cancel,
               Done<std::vector<PromptRecord>> done);
  static constexpr std::size_t kMaxHistoryItems = 200;

  // `invalid_argument`: file.check(). `not_found`.
  void view(const OutputFile& file, const core::CancelToken& cancel, Done<FileBytes> done);
  // Gives the name under which a LoadImage node finds it. `invalid_argument`.
  void upload_image(const FileUpload& upload, const core::CancelToken& cancel,
                    Done<OutputFile> done);

  // The path and query of the WebSocket that event_socket.h opens.
  std::string socket_target(std::string_view client_id) const;

 private:
  // The result of one exchange.
  struct Answer {
    int status = 0;
    std::string content_type;
    std::string text;  // the file, or what an answer that is no success says
    boost::json::value json;
    bool success() const { return status >= 200 && status < 300; }
  };
  struct Exchange;
  struct Sending;
  enum class Read : std::uint8_t { json, bytes, members };
  using Answered = absl::AnyInvocable<void(core::Result<Answer>)>;

  // comfy_client_send.cpp: requests, their tries, and what their ends mean.
  http_client::FetchRequest request_of(std::string method, std::string_view target) const;
  http_client::FetchRequest post_of(std::string_view target, std::string json) const;
  void send(http_client::FetchRequest request, Read read, const core::CancelToken& cancel,
            Answered answered, std::function<void(std::string_view, std::string_view)> member = {});
  void attempt(const std::shared_ptr<Sending>& sending);
  bool try_again(const std::shared_ptr<Sending>& sending, const http_client::FetchEnd& end);
  core::Result<Answer> answer_of(Exchange& exchange, const http_client::FetchEnd& end) const;
  core::Error error_of(const http_client::FetchEnd& end) const;
  core::Error error_of_status(int status, std::string_view text) const;
  core::Error no_json(std::string_view what) const;
  void get_object(std::string_view target, const core::CancelToken& cancel,
                  Done<boost::json::object> done);
  void get_names(std::string_view target, const core::CancelToken& cancel,
                 Done<std::vector<std::string>> done);
  void command(std::string_view target, std::string json, const core::CancelToken& cancel,
               Done<void> done);
  void withdraw_round(std::string prompt_id, int rounds, const core::CancelToken& cancel,
                      Done<void> done);
  void keep_schema(const std::string& class_name, const NodeClass& schema);

  const ServerAddress address_;
  const ClientOptions options_;
  http_client::Fetcher& fetcher_;
  core::Entropy& entropy_;
  core::Scheduler& home_;
  struct CachedSchema {
    NodeClass schema;
    core::MonoTime read_at;
  };
  std::map<std::string, CachedSchema, std::less<>> schemas_;
  std::map<std::uint64_t, core::CancelSource> exchanges_;
  std::uint64_t last_exchange_ = 0;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace parley::comfyui
