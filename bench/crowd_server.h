// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/core/temp_folder.h"
#include "child_process.h"

namespace parley::bench {

// The command line of a benchmark of many runs:
// NAME [--mode full|quick|smoke] [--runs N] --bin DIR --peers DIR --out FILE
struct CrowdOptions {
  bool quick = false;  // in `smoke` too
  bool smoke = false;  // a few runs for a second: shows that the benchmark works
  std::string bin;
  std::string peers;
  std::string out;
  std::size_t runs = 0;
};

// Ends this program with exit code 2 on an invalid command line.
CrowdOptions read_crowd_options(int argc, char** argv, std::size_t runs);

// The script of a model, the same for all runs: replies of pieces, each piece with its send time;
// each reply but the last ends with a call of `ls`.
struct CrowdScript {
  std::size_t replies = 1;
  std::size_t pieces = 1;  // of each reply
  int delay_ms = 100;      // between two pieces
  std::string text() const;
};

// The scripted model, in its own process.
class CrowdModel {
 public:
  CrowdModel(const std::string& bin, const std::string& script_file);
  const std::string& url() const { return url_; }

 private:
  ChildProcess process_;
  std::string url_;
};

// Folders and settings of the servers that a crowd uses.
class CrowdFolder {
 public:
  CrowdFolder();
  // Writes the script and returns the path of its file.
  std::string write_script(const CrowdScript& script);
  // The command of `parley serve` on an empty data directory, with this model.
  std::vector<std::string> parley(const std::string& bin, const CrowdModel& model);
  // The folder to which a peer writes.
  std::string peer_folder() const { return folder_.file("peer"); }
  // The command of a Node server of bench/peers.
  std::vector<std::string> peer(const std::string& script, const CrowdModel& model);

 private:
  core::TempFolder folder_{"parley-crowd"};
};

// Raises the limit of descriptors: each watcher needs a socket here, and each run two in the
// server.
void raise_descriptor_limit();

}  // namespace parley::bench
