// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "services/tailnet/tailnet_certificate.h"

#include <gmock/gmock.h>
#include <openssl/x509v3.h>
#include <sys/stat.h>

#include <filesystem>

#include "base/certificate/certificate_maker.h"
#include "base/core/temp_folder.h"
#include "tests/support/core/fake_scheduler.h"

namespace parley::tailnet {
namespace {

using ::testing::HasSubstr;

constexpr const char* kName = "desk.tail1234.ts.net";

struct Made {
  std::string chain;
  std::string key;
};

class TailnetCertificateTest : public ::testing::Test {
 protected:
  Made created(const std::string& name, std::chrono::days life = std::chrono::days(90)) const {
    const certificate::Key key = certificate::new_key();
    const auto certificate =
        certificate::make_certificate({"desk",
                                       clock.wall() - std::chrono::days(100),
                                       clock.wall() + life,
                                       {{NID_subject_alt_name, "DNS:" + name}}},
                                      *key, nullptr, *key);
    return {certificate::pem_of(*certificate), certificate::pem_of(*key)};
  }
  std::string why(const std::string& pem) const {
    const auto read = read_pair(pem, kName, clock.wall());
    EXPECT_FALSE(read.has_value());
    return read ? "" : read.error().why;
  }

  core::FakeClock clock;
};

TEST_F(TailnetCertificateTest, Answer_IsTakenApart) {
  const Made own = created(kName);
  const Made issuer = created("issuer");
  const auto read = read_pair("Warning: words\n" + own.chain + issuer.chain + "\n" + own.key, kName,
                              clock.wall());
  ASSERT_TRUE(read.has_value()) << read.error().why;
  EXPECT_EQ(read->chain, own.chain + issuer.chain);
  EXPECT_EQ(read->key, own.key);
}

TEST_F(TailnetCertificateTest, UnusableAnswers_HaveTheirReason) {
  const Made own = created(kName);
  const Made other = created("desk.example.org");
  const Made old = created(kName, std::chrono::days(-1));
  EXPECT_THAT(why(""), HasSubstr("no certificate"));
  EXPECT_THAT(why("-----BEGIN CERTIFICATE-----"), HasSubstr("no certificate"));
  EXPECT_THAT(why(own.key), HasSubstr("no certificate"));
  EXPECT_THAT(why(own.chain), HasSubstr("no private key"));
  EXPECT_THAT(why(own.chain + own.key + own.key), HasSubstr("more than one key"));
  EXPECT_THAT(why(own.chain + other.key), HasSubstr("does not belong"));
  EXPECT_THAT(why(other.chain + other.key), HasSubstr("another name"));
  EXPECT_THAT(why(old.chain + old.key), HasSubstr("expired"));
  std::string damaged = own.chain;
  damaged[damaged.size() / 2] = '!';  // no character of base64
  EXPECT_THAT(why(damaged + own.key), HasSubstr("damaged"));
}

TEST_F(TailnetCertificateTest, Pair_IsKeptPrivatelyAndWrittenOnce) {
  const core::TempFolder folder;
  const Made own = created(kName);
  const auto pair = read_pair(own.chain + own.key, kName, clock.wall());
  ASSERT_TRUE(pair.has_value());
  EXPECT_EQ(keep_pair(folder.path(), *pair), true);
  EXPECT_EQ(keep_pair(folder.path(), *pair), false);
  for (const char* file : {"tailnet.pem", "tailnet.key"}) {
    struct stat info {};
    ASSERT_EQ(::stat(folder.file(file).c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777U, 0600U) << file;
  }
  std::filesystem::remove(folder.file("tailnet.key"));
  EXPECT_EQ(keep_pair(folder.path(), *pair), true);
}

}  // namespace
}  // namespace parley::tailnet
