// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <string>

#include "base/core/file_descriptor.h"

namespace parley::tests {

// A folder with a file system in memory of its own, seen by this process and the programs that it
// starts. Ordinary users get it in a user namespace; the process must have one thread then.
class SmallDisk {
 public:
  SmallDisk(std::string folder, const std::string& size) : folder_(std::move(folder)) {
    mounted_ =
        has_own_mounts() && ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
        ::mount("tmpfs", folder_.c_str(), "tmpfs", 0, ("mode=0700,size=" + size).c_str()) == 0;
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;
  ~SmallDisk() {
    if (mounted_) ::umount2(folder_.c_str(), MNT_DETACH);
  }

  // False: this user may not mount here.
  bool mounted() const { return mounted_; }

  // Takes all free space.
  void fill() const {
    const core::FileDescriptor file(::open(filler().c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
    std::array<char, 4'096> block{};
    while (::write(file.get(), block.data(), block.size()) > 0) {
    }
  }
  void free_again() const { ::unlink(filler().c_str()); }

 private:
  std::string filler() const { return folder_ + "/filler"; }

  static bool has_own_mounts() {
    if (::unshare(CLONE_NEWNS) == 0) return true;
    const std::string user = std::to_string(::getuid());
    const std::string group = std::to_string(::getgid());
    if (::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return false;
    std::ofstream("/proc/self/setgroups") << "deny";
    std::ofstream("/proc/self/uid_map") << user + " " + user + " 1";
    std::ofstream("/proc/self/gid_map") << group + " " + group + " 1";
    return true;
  }

  const std::string folder_;
  bool mounted_ = false;
};

}  // namespace parley::tests
