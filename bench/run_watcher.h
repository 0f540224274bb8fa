// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace parley::bench {

// A minimal watcher of runs on a blocking socket, over /loom/ws or as NDJSON over HTTP, which reads
// a stream and checks that no event is missing. Ends this program if one is. One thread.
class RunWatcher {
 public:
  // Called with the number of events after each read.
  using Progress = std::function<void(std::uint64_t events)>;

  explicit RunWatcher(int port);
  RunWatcher(const RunWatcher&) = delete;
  RunWatcher& operator=(const RunWatcher&) = delete;
  ~RunWatcher();

  // Each starts one run with this message, reads it to its end, and returns the number of its
  // events.
  std::uint64_t watch_websocket(const std::string& message, const Progress& progress);
  std::uint64_t watch_ndjson(const std::string& message, const Progress& progress);
  // Number of stored events of the last run.
  std::uint64_t count_stored();

 private:
  void fill();
  std::string_view unread() const { return {in_.data() + at_, end_ - at_}; }
  std::string ask(const std::string& request);
  void upgrade();
  std::uint64_t read_ndjson(const std::string& path, const Progress& progress);
  bool take_frames(std::uint64_t& events);
  bool take_chunks(std::uint64_t& events);
  void take_lines(std::uint64_t& events);
  void take_event(std::string_view frame, std::uint64_t& events);

  int port_;
  int fd_;
  bool upgraded_ = false;
  std::vector<char> in_;
  std::size_t at_ = 0;
  std::size_t end_ = 0;
  std::string lines_;             // of a chunked body: the incomplete last line
  std::uint64_t last_event_ = 0;  // its event_id
  std::string last_run_;
};

}  // namespace parley::bench
