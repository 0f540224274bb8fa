// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// Certificates that are their own authority.
import { execFileSync } from 'node:child_process';

// Writes a new key and a certificate for `name` into two files. `altName`: "DNS:…" or "IP:…"; none without it.
export function writeCertificate({ key, cert, name, altName }) {
  const subject =
    altName === undefined ? ['-subj', `/CN=${name}`] : ['-subj', `/CN=${name}`, '-addext', `subjectAltName=${altName}`];
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  const args = ['req', '-x509', ...curve, '-days', '2', ...subject, '-keyout', key, '-out', cert];
  execFileSync('openssl', args, { stdio: 'ignore' });
}
