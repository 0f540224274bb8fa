// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/core/transport_variables.h"

#include <cstdlib>
#include <initializer_list>

namespace parley::core {

void forget_transport_variables() {
  for (const char* name : {"SSLKEYLOGFILE", "OPENSSL_CONF", "OPENSSL_CONF_INCLUDE",
                           "OPENSSL_MODULES", "OPENSSL_ENGINES", "SSL_CERT_FILE", "SSL_CERT_DIR",
                           "CURL_SSL_BACKEND", "HOSTALIASES", "LOCALDOMAIN", "RES_OPTIONS"}) {
    ::unsetenv(name);
  }
}

}  // namespace parley::core
