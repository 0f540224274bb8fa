// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace parley::core {

// Takes the variables out of this process's environment by which libcurl, OpenSSL and the resolver
// would write TLS secrets to a file, load other code, trust other certificates or find other hosts:
// SSLKEYLOGFILE, OPENSSL_CONF, SSL_CERT_FILE and the like. The settings of a repository can set
// variables for the programs of a coding agent. Called first in programs that agents start with a
// token, before any thread and any TLS. The variables of the dynamic loader are not covered: they
// have acted by then.
void forget_transport_variables();

}  // namespace parley::core
