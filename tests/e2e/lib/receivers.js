// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// Stand-ins for the other ends of notifications: an HTTP receiver (ntfy, webhook), a mail server, a browser with its
// push service. Each listens on a free port of 127.0.0.1.
import assert from 'node:assert/strict';
import { createDecipheriv, createECDH, createPublicKey, hkdfSync, randomBytes, verify } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { createServer as createTcpServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer as createTlsServer, TLSSocket } from 'node:tls';
import { writeCertificate } from './certificate.js';
import { until } from './person.js';

const listen = (server) => new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));

// Records requests and answers them with 200, or with the next of `answers`: {status, headers}.
export class Receiver {
  requests = [];
  answers = [];
  #server = createServer((request, response) => {
    const chunks = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      this.requests.push({
        method: request.method,
        path: request.url,
        headers: request.headers,
        body: Buffer.concat(chunks),
      });
      const { status = 200, headers = {} } = this.answers.shift() ?? {};
      response.writeHead(status, headers).end();
    });
  });

  static async start() {
    const receiver = new this();
    await listen(receiver.#server);
    return receiver;
  }

  get url() {
    return `http://127.0.0.1:${this.#server.address().port}`;
  }

  // The request with this number, once it has come.
  async request(index = 0) {
    await until(async () => this.requests.length > index, `request ${index}`);
    return this.requests[index];
  }

  async json(index = 0) {
    return JSON.parse((await this.request(index)).body.toString('utf8'));
  }

  end() {
    this.#server.closeAllConnections();
    return new Promise((resolve) => this.#server.close(resolve));
  }
}

// A mail server that takes every message. `hangs`: it greets nobody. `tls`: "smtps", "starttls" or none; with it a user and
// a password are required.
export class MailServer {
  messages = []; // {from, to, text, login}
  connections = 0;
  #sockets = new Set();
  #server;
  #tls;
  #pair;

  static async start({ hangs = false, tls = '' } = {}) {
    const mail = new MailServer();
    mail.#tls = tls;
    if (tls !== '') mail.#pair = certificate();
    const serve = (socket) => mail.#serve(socket, hangs);
    mail.#server = tls === 'smtps' ? createTlsServer(mail.#pair, serve) : createTcpServer(serve);
    await listen(mail.#server);
    return mail;
  }

  get url() {
    return `${this.#tls === 'smtps' ? 'smtps' : 'smtp'}://127.0.0.1:${this.#server.address().port}`;
  }

  // The file with the server's certificate, which a client has to trust.
  get caFile() {
    return this.#pair.file;
  }

  async message(index = 0) {
    await until(async () => this.messages.length > index, `mail ${index}`);
    return this.messages[index];
  }

  end() {
    for (const socket of this.#sockets) socket.destroy();
    if (this.#pair) rmSync(this.#pair.folder, { recursive: true });
    return new Promise((resolve) => this.#server.close(resolve));
  }

  #serve(socket, hangs) {
    this.connections += 1;
    this.#sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => this.#sockets.delete(socket));
    if (hangs) return;
    socket.write('220 stand-in\r\n');
    this.#converse(socket, this.#tls === 'smtps');
  }

  // The lines of one client; after STARTTLS those of the encrypted stream.
  #converse(socket, encrypted) {
    let buffered = '';
    let login = '';
    let asked = false; // for user and password
    let mail = { from: '', to: [], text: '' };
    let inText = false;
    const say = (line) => socket.write(`${line}\r\n`);
    const secure = () => {
      say('220 go on');
      socket.removeAllListeners('data');
      const inner = new TLSSocket(socket, { isServer: true, ...this.#pair });
      inner.on('error', () => {});
      this.#converse(inner, true);
    };
    const take = (line) => {
      if (/^EHLO/i.test(line)) {
        say('250-stand-in');
        return say(this.#tls === 'starttls' && !encrypted ? '250 STARTTLS' : '250 AUTH PLAIN');
      }
      if (/^STARTTLS/i.test(line)) return secure();
      if (/^AUTH PLAIN$/i.test(line)) {
        asked = true;
        return say('334 ');
      }
      if (asked) {
        asked = false;
        login = Buffer.from(line, 'base64').toString('utf8').split('\0').slice(1).join(':');
        return say(login === 'ann:right' ? '235 welcome' : '535 no');
      }
      const address = /<(.*)>/.exec(line)?.[1] ?? '';
      if (/^MAIL/i.test(line)) mail = { from: address, to: [], text: '', login };
      if (/^RCPT/i.test(line)) mail.to.push(address);
      if (/^QUIT/i.test(line)) return socket.end('221 bye\r\n');
      inText = /^DATA/i.test(line);
      return say(inText ? '354 go on' : '250 fine');
    };
    socket.setEncoding('utf8').on('data', (text) => {
      buffered += text;
      for (let end = buffered.indexOf('\r\n'); end >= 0; end = buffered.indexOf('\r\n')) {
        const line = buffered.slice(0, end);
        buffered = buffered.slice(end + 2);
        if (!inText) {
          take(line);
        } else if (line === '.') {
          inText = false;
          this.messages.push(mail);
          say('250 taken');
        } else {
          mail.text += `${line}\r\n`;
        }
      }
    });
  }
}

// A certificate of its own for 127.0.0.1, in files of a folder that the caller removes.
export function certificate() {
  const folder = mkdtempSync(join(tmpdir(), 'parley-e2e-mail-'));
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  writeCertificate({ key, cert, name: '127.0.0.1', altName: 'IP:127.0.0.1' });
  return { key: readFileSync(key), cert: readFileSync(cert), file: cert, folder };
}

// The decoded parts of a mail, by their type.
export function partsOf(text) {
  const parts = {};
  for (const part of text.split(/--[0-9a-f]{32}(?:--)?\r\n/).slice(1)) {
    const [head, body] = part.split('\r\n\r\n', 2);
    const type = /Content-Type: ([\w/]+)/.exec(head)?.[1];
    if (type) parts[type] = Buffer.from(body, 'base64').toString('utf8');
  }
  return parts;
}

// The text of a subject in encoded words (RFC 2047).
export const subjectOf = (text) =>
  (/^Subject: ((?:.+\r\n )*.+)\r\n/m.exec(text)?.[1] ?? '')
    .replace(/\r\n /g, '')
    .replace(/=\?utf-8\?B\?([^?]*)\?=/g, (_, word) => Buffer.from(word, 'base64').toString('utf8'));

const base64url = (bytes) => Buffer.from(bytes).toString('base64url');

// A browser's subscription and its push service.
export class PushBrowser extends Receiver {
  #keys = createECDH('prime256v1');
  #auth = randomBytes(16);
  #public = this.#keys.generateKeys();

  subscription(path = '/push/1', name = 'Stand-in') {
    return {
      endpoint: `${this.url}${path}`,
      keys: { p256dh: base64url(this.#public), auth: base64url(this.#auth) },
      name,
    };
  }

  // The payload of the message with this number, decrypted (RFC 8291). The sender's token (RFC 8292) is checked.
  async payload(index, vapidKey) {
    const request = await this.request(index);
    assert.equal(request.headers['content-encoding'], 'aes128gcm');
    this.#checkToken(request.headers.authorization, vapidKey);
    const { body } = request;
    const salt = body.subarray(0, 16);
    const length = body[20];
    const sender = body.subarray(21, 21 + length);
    const shared = this.#keys.computeSecret(sender);
    const info = Buffer.concat([Buffer.from('WebPush: info\0'), this.#public, sender]);
    const secret = Buffer.from(hkdfSync('sha256', shared, this.#auth, info, 32));
    const derive = (label, bytes) =>
      Buffer.from(hkdfSync('sha256', secret, salt, Buffer.from(`Content-Encoding: ${label}\0`), bytes));
    const sealed = body.subarray(21 + length);
    const cipher = createDecipheriv('aes-128-gcm', derive('aes128gcm', 16), derive('nonce', 12));
    cipher.setAuthTag(sealed.subarray(-16));
    const text = Buffer.concat([cipher.update(sealed.subarray(0, -16)), cipher.final()]);
    assert.equal(text.at(-1), 2, 'the delimiter of the last record');
    return JSON.parse(text.subarray(0, -1).toString('utf8'));
  }

  #checkToken(authorization, vapidKey) {
    const [, token, key] = /^vapid t=([^,]+), k=(.+)$/.exec(authorization);
    assert.equal(key, vapidKey);
    const [head, claims, signature] = token.split('.');
    const raw = Buffer.from(key, 'base64url');
    const publicKey = createPublicKey({
      format: 'jwk',
      key: { kty: 'EC', crv: 'P-256', x: base64url(raw.subarray(1, 33)), y: base64url(raw.subarray(33)) },
    });
    const given = Buffer.from(signature, 'base64url');
    assert.ok(verify('sha256', Buffer.from(`${head}.${claims}`), { key: publicKey, dsaEncoding: 'ieee-p1363' }, given));
    const { aud, exp } = JSON.parse(Buffer.from(claims, 'base64url').toString('utf8'));
    assert.equal(aud, this.url);
    assert.ok(exp > Date.now() / 1000 && exp < Date.now() / 1000 + 86_400);
  }
}
