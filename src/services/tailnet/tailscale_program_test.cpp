// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "services/tailnet/tailscale_program.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <fstream>

#include "base/core/temp_folder.h"

namespace parley::tailnet {
namespace {

using ::testing::HasSubstr;

// A stand-in for the program, a script of sh.
class TailscaleProgramTest : public ::testing::Test {
 protected:
  void write(const std::string& script) const {
    const std::string file = folder.file("tailscale");
    std::ofstream(file) << "#!/bin/sh\n" << script << "\n";
    ASSERT_EQ(::chmod(file.c_str(), 0700), 0);
  }
  TailscaleProgram program() const {
    return TailscaleProgram({"PATH=" + folder.path() + ":/usr/bin:/bin", "PARLEY_TOKEN=secret"},
                            limits);
  }
  Fault fault() const {
    const auto said = program().status();
    EXPECT_FALSE(said.has_value());
    return said ? Fault() : said.error();
  }

  core::TempFolder folder;
  ProgramLimits limits;
};

TEST_F(TailscaleProgramTest, Answer_IsItsOutput) {
  write("echo \"$*\"");
  EXPECT_EQ(program().status(), "status --json --peers=false\n");
  EXPECT_EQ(program().certificate("desk.ts.net; id"),
            "cert --cert-file=- --key-file=- desk.ts.net; id\n");
}

TEST_F(TailscaleProgramTest, Environment_HoldsNoSecret) {
  write("echo \"[$PARLEY_TOKEN]\"");
  EXPECT_EQ(program().status(), "[]\n");
}

TEST_F(TailscaleProgramTest, Absent_SaysHowToInstall) {
  EXPECT_THAT(TailscaleProgram({"PATH=" + folder.path()}).status().error().next,
              HasSubstr("https://tailscale.com/download"));
}

TEST_F(TailscaleProgramTest, Hanging_IsStoppedWithItsChildren) {
  write("trap '' TERM\nsleep 1000 &\nsleep 1000");
  limits.status_time = core::Millis(100);
  EXPECT_THAT(fault().what, HasSubstr("does not answer"));
}

TEST_F(TailscaleProgramTest, Cancelled_EndsWithoutItsTimeLimit) {
  write("exec sleep 1000");
  TailscaleProgram asked = program();
  asked.cancel();
  EXPECT_THAT(asked.status().error().what, HasSubstr("was stopped"));
}

TEST_F(TailscaleProgramTest, EndlessOutput_IsStopped) {
  write("exec yes");
  limits.output = 10'000;
  EXPECT_THAT(fault().what, HasSubstr("answers too much"));
}

TEST_F(TailscaleProgramTest, Failure_RepeatsItsWordsVisibly) {
  write("printf 'no\\033[31m way\\n' >&2; exit 3");
  const Fault said = fault();
  EXPECT_EQ(said.why, "It says: no<U+001B>[31m way");
  EXPECT_THAT(said.next, HasSubstr("tailscale status --json --peers=false"));
  write("exit 3");
  EXPECT_EQ(fault().why, "It gave no reason.");
  write("kill -9 $$");
  EXPECT_THAT(fault().what, HasSubstr("fails"));
}

TEST_F(TailscaleProgramTest, KnownFailures_HaveTheirAdvice) {
  write(
      "echo 'failed to connect to local tailscaled; it does not appear to be running' >&2; exit 1");
  EXPECT_THAT(fault().next, HasSubstr("systemctl enable --now tailscaled"));
  write("echo 'Access denied: cert access denied' >&2; exit 1");
  EXPECT_THAT(fault().next, HasSubstr("TS_PERMIT_CERT_UID="));
  write("echo '500: your Tailscale account does not support getting TLS certs' >&2; exit 1");
  EXPECT_THAT(fault().next, HasSubstr("Switch HTTPS on"));
}

}  // namespace
}  // namespace parley::tailnet
