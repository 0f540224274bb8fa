// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/core/transport_variables.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace parley::core {
namespace {

TEST(TransportVariables, AreForgotten_OthersStay) {
  for (const char* name : {"SSLKEYLOGFILE", "OPENSSL_CONF", "SSL_CERT_FILE", "PARLEY_OTHER"}) {
    ASSERT_EQ(::setenv(name, "/x", 1), 0);
  }
  forget_transport_variables();
  for (const char* name : {"SSLKEYLOGFILE", "OPENSSL_CONF", "SSL_CERT_FILE"}) {
    EXPECT_EQ(std::getenv(name), nullptr) << name;
  }
  EXPECT_STREQ(std::getenv("PARLEY_OTHER"), "/x");
  ::unsetenv("PARLEY_OTHER");
}

}  // namespace
}  // namespace parley::core
