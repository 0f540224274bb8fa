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

// Requests that begin runs in one dialect, and the meaning of the server's frames.
struct CrowdDialect {
  std::vector<std::string> paths;     // of the WebSocket, one for each watcher
  std::vector<std::string> requests;  // the message that begins a run, one for each watcher
  // Ends this program on an unexpected frame.
  std::function<FrameKind(std::string_view frame)> kind;
};

// Figures of a crowd while all its runs were active.
struct CrowdSample {
  std::vector<double> latencies_ms;  // from the model's send of a piece to the watcher's read, for
                                     // each piece
  double cpu_us = 0;                 // of the server, per piece
  double pieces_per_frame = 0;
  double resident_bytes = 0;  // of the server, the peak
  double pieces_per_second = 0;
};

// Many runs at once, each with its own watcher on a WebSocket; one thread drives them all. The text
// of the model has the send time of each piece. Ends this program if a run does not begin, does not
// end with its reply, or loses a piece.
class Crowd {
 public:
  Crowd(const PinnedServer& server, CrowdDialect dialect);
  Crowd(const Crowd&) = delete;
  Crowd& operator=(const Crowd&) = delete;
  ~Crowd();

  // Starts the runs evenly over `time`, so that they are at different steps, measures for the same
  // time from the moment when all are active, and waits for all to end, each with `pieces` pieces.
  CrowdSample measure(Seconds time, std::size_t pieces);
  // Starts the runs over `time`. When all are active, sends these messages to the first watchers,
  // one after the other; each ends its run. Returns the time from each message to that end, in ms.
  // The other runs continue.
  std::vector<double> interrupt(Seconds time, const std::vector<std::string>& messages);
  // Starts all runs over `time` and waits for all to end; their connections stay open.
  void talk(Seconds time);

 private:
  struct Watcher {
    int fd = -1;
    bool open = false;  // the handshake is complete
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
  std::size_t begun_ = 0;  // runs of which a piece has arrived
  std::size_t ended_ = 0;
  bool measuring_ = false;
  std::size_t frames_ = 0;  // with pieces, while measuring
  CrowdSample sample_;
};

}  // namespace parley::bench
