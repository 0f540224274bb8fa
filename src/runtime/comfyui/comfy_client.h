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
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "base/core/ask.h"
#include "base/core/cancel.h"
#include "base/core/entropy.h"
#include "base/core/result.h"
#include "base/core/scheduler.h"
#include "base/http_client/fetcher.h"
#include "runtime/comfyui/output_file.h"
#include "runtime/comfyui/prompt_answer.h"
#include "runtime/comfyui/prompt_record.h"
#include "runtime/comfyui/server_address.h"

namespace parley::comfyui {

// A body of multipart/form-data (RFC 7578).
class Multipart {
 public:
  // The boundary is 32 random hexadecimal digits.
  explicit Multipart(core::Entropy& entropy);

  void add_field(std::string_view name, std::string_view value);
  // Quotes and line ends in the names are encoded as browsers do.
  void add_file(std::string_view name, std::string_view filename, std::string_view content_type,
                std::string_view bytes);

  std::string content_type() const { return "multipart/form-data; boundary=" + boundary_; }
  std::string finish();

 private:
  void begin_part(std::string_view name);

  std::string boundary_;
  std::string body_;
};

// Limits of a client; docs/comfyui.md gives the reasons.
struct ClientOptions {
  Credentials credentials;  // must have passed check()
  std::string ca_file;      // PEM certificates, trusted exclusively; empty: those of the system
  core::Millis connect_timeout{5'000};
  core::Millis request_timeout{30'000};  // a whole request with a small answer
  // Limit (ComfyUI servers and their tools): time of reading a file of `/view`. Reached: 504.
  core::Millis transfer_timeout{120'000};  // all node classes, files
  core::Millis schema_ttl{60'000};         // an older schema is read again
  // Retries of a GET whose answer did not begin (no connection, or it broke before the head); the
  // first after kFirstRetryPause, with the pause doubled each time.
  int max_retries = 0;
  std::size_t max_schemas = 1'024;  // in the cache
  std::size_t max_json_bytes = 16U << 20U;
  std::size_t max_node_list_bytes = 64U << 20U;
  // Limit (ComfyUI servers and their tools): a file of `/view`. Reached: 503.
  std::size_t max_file_bytes = 32U << 20U;    // of a downloaded file
  std::size_t max_upload_bytes = 32U << 20U;  // of an uploaded file
  std::size_t max_prompt_bytes = 8U << 20U;   // of a queued workflow
};

// A node class in the form of /object_info: input{required,optional,hidden}, input_order, output[],
// ... Shared with the cache, immutable. Parsed by workflow/node_schema.h.
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

// A workflow in API form, {id: {class_type, inputs}}, to be queued.
struct PromptRequest {
  boost::json::object prompt;
  std::string client_id;  // whose WebSocket receives the events; empty: no WebSocket
  std::string prompt_id;  // newer servers accept it, older ones assign their own
  bool front = false;     // before all pending ones
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

// Client of one ComfyUI server over its REST routes. Belongs to the thread of `home`: all calls are
// made there, and `done` is called there once, never inside the call. A cancelled call ends with
// `cancelled` at once; no callback runs after the client is destroyed. Sends no Origin and follows
// no redirect. Errors of every call, besides its own: `unavailable` (no connection, a truncated
// answer, 5xx), `deadline_exceeded`, `resource_exhausted` (the answer exceeds its limit),
// `unauthenticated` (401), `permission_denied` (403), `internal` (an answer that the route should
// not give), `cancelled`.
class ComfyClient {
 public:
  template <typename T>
  using Done = absl::AnyInvocable<void(core::Result<T>)>;

  // All references must outlive the client.
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
  // Errors: `not_found` if the server does not have the class.
  void node_schema(std::string class_name, const core::CancelToken& cancel, Done<NodeClass> done);
  // Lists all classes. Not cached: the answer has megabytes and is parsed as a stream.
  void node_classes(const core::CancelToken& cancel, Done<std::vector<NodeSummary>> done);
  // Drops the cached schemas; call after a change of the server's models or extensions.
  void forget_schemas() { schemas_.clear(); }

  void model_folders(const core::CancelToken& cancel, Done<std::vector<std::string>> done);
  // Errors: `not_found` if the server does not have the folder.
  void models(std::string folder, const core::CancelToken& cancel,
              Done<std::vector<std::string>> done);

  // Errors: `invalid_argument` (larger than max_prompt_bytes; not sent). After `unavailable` and
  // `deadline_exceeded` the workflow may be queued nevertheless: PromptWatch looks it up.
  void queue(PromptRequest request, const core::CancelToken& cancel, Done<PromptAnswer> done);
  void queue_state(const core::CancelToken& cancel, Done<QueueState> done);
  // Removes pending workflows from the queue. Ignores unknown and running ones.
  void delete_pending(const std::vector<std::string>& prompt_ids, const core::CancelToken& cancel,
                      Done<void> done);
  void clear_pending(const core::CancelToken& cancel, Done<void> done);
  // Interrupts the running workflow if it is `prompt_id` (older servers ignore the id; empty: any).
  void interrupt(const std::string& prompt_id, const core::CancelToken& cancel, Done<void> done);
  // Deletes a pending workflow, or interrupts a running one. Errors: `not_found` (neither),
  // `aborted` (the server keeps it in the queue).
  void withdraw(std::string prompt_id, const core::CancelToken& cancel, Done<void> done);
  void free_memory(bool unload_models, const core::CancelToken& cancel, Done<void> done);

  // std::nullopt: the server does not know the run, or it has not ended.
  void history(std::string prompt_id, const core::CancelToken& cancel,
               Done<std::optional<PromptRecord>> done);
  // The latest runs, at most `max_items` (1 to kMaxHistoryItems), oldest first.
  void history(std::size_t max_items, const core::CancelToken& cancel,
               Done<std::vector<PromptRecord>> done);
  static constexpr std::size_t kMaxHistoryItems = 200;

  // Errors: `invalid_argument` (see file.check()), `not_found`.
  void view(const OutputFile& file, const core::CancelToken& cancel, Done<FileBytes> done);
  // Returns the name under which a LoadImage node finds the file. Errors: `invalid_argument`.
  void upload_image(const FileUpload& upload, const core::CancelToken& cancel,
                    Done<OutputFile> done);

  // Path and query for the WebSocket of event_socket.h.
  std::string socket_target(std::string_view client_id) const;

 private:
  // Result of one exchange.
  struct Answer {
    int status = 0;
    std::string content_type;
    std::string text;  // the file, or the text of an unsuccessful answer
    boost::json::value json;
    bool success() const { return status >= 200 && status < 300; }
  };
  struct Exchange;
  struct Sending;
  enum class Read : std::uint8_t { json, bytes, members };
  using Answered = absl::AnyInvocable<void(core::Result<Answer>)>;

  // comfy_client_send.cpp: requests, their attempts, and the mapping of errors.
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

  // `done` with `result` in a later task, unless this client is destroyed before.
  template <typename T>
  void reply_later(Done<T> done, std::type_identity_t<core::Result<T>> result) {
    core::reply(home_, core::while_alive(alive_, std::move(done)), std::move(result));
  }

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
