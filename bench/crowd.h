// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "pinned_server.h"

namespace parley::bench {

enum class FrameKind : std::uint8_t { piece, end, other };

// A client's way to begin a run in one dialect, and the meaning of the server's frames.
struct CrowdDialect {
  std::vector<std::string> paths;     // of the WebSocket, one for each watcher
  std::vector<std::string> requests;  // the message that begins a run, one for each watcher
  // Ends this program for a frame that must not come.
  std::function<FrameKind(std::string_view frame)> kind;
};

// What a crowd saw while all its runs went on.
struct CrowdSample {
  std::vector<double> latencies_ms;  // from a model's byte to the watcher's read, each piece
  double cpu_us = 0;                 // of the server, for one piece
  double pieces_per_frame = 0;
  double resident_bytes = 0;  // of the server, the most at any time
  double pieces_per_second = 0;
};

// Many runs at once, each with a watcher of its own on a WebSocket; one thread drives them all. The
// text of their model has the time when each piece was sent. Ends this program if a run does not
// begin, does not end with its reply, or loses a piece.
class Crowd {
 public:
  Crowd(const PinnedServer& server, CrowdDialect dialect);
  Crowd(const Crowd&) = delete;
  Crowd& operator=(const Crowd&) = delete;
  ~Crowd();

  // Starts the runs evenly over `time`, so that they are not all at the same step, measures for as
  // long from when all go on, and waits for all to end, each with `pieces` of them.
  CrowdSample measure(Seconds time, std::size_t pieces);
  // Starts the runs over `time`. When all go on, sends the first watchers these messages, each of
  // which ends its run, one after the other; the time from each to that end, in ms. The others go
  // on.
  std::vector<double> interrupt(Seconds time, const std::vector<std::string>& messages);
  // Starts all runs over `time` and waits for all to end; their connections stay.
  void talk(Seconds time);

 private:
  struct Watcher {
    int fd = -1;
    bool open = false;  // the handshake is over
    bool ended = false;
    std::size_t pieces = 0;
    std::string in;
  };

  void connect_all();
  void start_all(Seconds time);
  void poll_once();
  void read_some(Watcher& watcher);
  void take_frames(Watcher& watcher, std::int64_t now_ns);
  void take_stamps(Watcher& watcher, std::string_view frame, std::int64_t now_ns);

  const PinnedServer& server_;
  CrowdDialect dialect_;
  int epoll_;
  std::vector<Watcher> watchers_;
  std::size_t begun_ = 0;  // runs of which a piece has come
  std::size_t ended_ = 0;
  bool measuring_ = false;
  std::size_t frames_ = 0;  // with pieces, while it measures
  CrowdSample sample_;
};

}  // namespace parley::bench
