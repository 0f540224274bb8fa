// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// A stand-in for the program `tailscale`: a script that answers as files of its folder say. The addresses of its tailnet
// are loopback, so that the server can listen on them.
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { writeCertificate } from './certificate.js';
import { Server } from './server.js';

export const kTailnetName = 'desk.tail1234.ts.net';
export const kTailnetAddress = '127.0.0.2';

const kScript = '#!/bin/sh\ncd "$(dirname "$0")/stand" || exit 9\necho "$*" >> calls\nexec sh "./$1" "$@"\n';

export class Tailscale {
  #folder;
  #bin;

  // `home`: a folder of the test.
  constructor(home) {
    this.#bin = join(home, 'bin');
    this.#folder = join(this.#bin, 'stand');
    mkdirSync(this.#folder, { recursive: true });
    writeFileSync(join(this.#bin, 'tailscale'), kScript);
    chmodSync(join(this.#bin, 'tailscale'), 0o700);
    this.answer('status', 'cat status.json');
    this.answer('cert', 'cat cert.pem key.pem');
    this.state({});
    this.issue();
  }

  get path() {
    return `${this.#bin}:/usr/bin:/bin`;
  }

  // The calls so far, a line each.
  get calls() {
    return readFileSync(join(this.#folder, 'calls'), 'utf8').trim().split('\n');
  }

  // The script of a command, for sh.
  answer(command, script) {
    writeFileSync(join(this.#folder, command), `${script}\n`);
  }

  // The answer of `tailscale status --json`, with some members replaced.
  state(more) {
    const self = { HostName: 'desk', DNSName: `${kTailnetName}.`, TailscaleIPs: [kTailnetAddress], ...more.Self };
    const status = {
      Version: '1.66.4',
      TUN: true,
      BackendState: 'Running',
      CertDomains: [kTailnetName],
      Peer: null,
      ...more,
      Self: self,
    };
    writeFileSync(join(this.#folder, 'status.json'), JSON.stringify(status));
  }

  // A new certificate for `name`, which is its own authority; returns it.
  issue(name = kTailnetName) {
    const at = (file) => join(this.#folder, file);
    writeCertificate({ key: at('key.pem'), cert: at('cert.pem'), name, altName: `DNS:${name}` });
    return this.certificate;
  }

  get certificate() {
    return readFileSync(join(this.#folder, 'cert.pem'), 'utf8');
  }
}

// A server whose PATH has the stand-in.
export class TailnetServer extends Server {
  tailscale = new Tailscale(this.home);
  more = ['--tailscale', '--welcome'];

  get env() {
    return { ...super.env, PATH: this.tailscale.path };
  }

  get away() {
    return `https://${kTailnetName}:${this.port}`;
  }

  // Resolves with {status, body, headers} of a request over the tailnet, by TLS with the certificate of its name.
  over(path, { headers = {}, ca = this.tailscale.certificate, method = 'GET', body } = {}) {
    return new Promise((resolve, reject) => {
      const asked = request({
        host: kTailnetAddress,
        port: this.port,
        path,
        method,
        ca,
        servername: kTailnetName,
        agent: false,
        headers: { Host: `${kTailnetName}:${this.port}`, ...headers },
      });
      asked.on('response', (answer) => {
        let text = '';
        answer.setEncoding('utf8').on('data', (part) => (text += part));
        answer.on('end', () => resolve({ status: answer.statusCode, body: text, headers: answer.headers }));
      });
      asked.on('upgrade', (answer, socket) => {
        socket.destroy();
        resolve({ status: answer.statusCode, body: '', headers: answer.headers });
      });
      asked.on('error', reject).end(body);
    });
  }

  // The certificate that a new connection meets.
  async met() {
    const socket = connect({
      host: kTailnetAddress,
      port: this.port,
      servername: kTailnetName,
      rejectUnauthorized: false,
    });
    await once(socket, 'secureConnect');
    const { raw } = socket.getPeerCertificate();
    socket.destroy();
    return new X509Certificate(raw).fingerprint256;
  }
}
