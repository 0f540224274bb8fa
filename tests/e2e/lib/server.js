// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// The real server, in a folder of its own, that can be killed and started again on the same port.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';

const kTokenPauseMs = 250; // few wrong tokens: the server counts them
const kMaxEndMs = 60_000; // of a server that was told to end

function binary(name) {
  const folder = process.env.PARLEY_BIN_DIR;
  if (!folder) throw new Error('PARLEY_BIN_DIR must name the folder of the programs');
  return join(folder, name);
}

export const mcpProgram = () => binary('agentassistant-mcp');

export class Server {
  token = 'the-first-token-of-e2e';
  host = '127.0.0.1';
  more = []; // further flags of `parley serve`
  home = mkdtempSync(join(tmpdir(), 'parley-e2e-'));
  data = join(this.home, 'data');
  #port = 0;
  #child;
  #log = '';

  get url() {
    return `http://127.0.0.1:${this.#port}`;
  }

  get port() {
    return this.#port;
  }

  // Its output on stderr so far.
  get log() {
    return this.#log;
  }

  // Environment of the programs under test, without the settings of the user who runs the tests.
  get env() {
    return { PATH: process.env.PATH, HOME: this.home, LC_ALL: 'C.UTF-8' };
  }

  // Creates a token with all rights; before start() or while the server runs.
  // A server that runs reads the new token within a second.
  async createToken(name) {
    const args = ['token', 'create', '--name', name, '--rights', 'all', '--data', this.data];
    const token = execFileSync(binary('parley'), args, { env: this.env, encoding: 'utf8' }).trim();
    const headers = { Authorization: `Bearer ${token}` };
    while (this.#child !== undefined && !(await fetch(`${this.url}/v1/me`, { headers })).ok) await pause(kTokenPauseMs);
    return token;
  }

  // Creates a user with a password; before start() or while the server runs.
  // A server that runs reads the new user within a second.
  async createUser(name, password) {
    const args = ['user', 'add', `${name}@example.org`, '--name', name, '--data', this.data, '--password-stdin'];
    execFileSync(binary('parley'), args, {
      env: this.env,
      input: `${password}\n`,
      stdio: ['pipe', 'ignore', 'inherit'],
    });
    if (this.#child === undefined) return;
    const headers = { Authorization: `Bearer ${this.token}` };
    const known = async () =>
      (await (await fetch(`${this.url}/api/v1/users`, { headers })).text()).includes(`"${name}"`);
    while (!(await known())) await pause(kTokenPauseMs);
  }

  async start() {
    const args = [
      'serve',
      '--listen',
      `${this.host}:${this.#port}`,
      '--data',
      this.data,
      '--token',
      this.token,
      ...this.more,
    ];
    this.#child = spawn(binary('parley'), args, { env: this.env, stdio: ['ignore', 'pipe', 'pipe'] });
    this.#child.stderr.setEncoding('utf8').on('data', (text) => (this.#log += text));
    this.#child.once('exit', (code, signal) => (this.#log += `\n(ended: ${code ?? signal})\n`));
    for await (const line of createInterface({ input: this.#child.stdout })) {
      const ready = /^ready http:\/\/[^:]+:(\d+)$/.exec(line);
      if (ready === null) continue;
      this.#port = Number(ready[1]);
      return this;
    }
    throw new Error(`the server did not get ready:\n${this.#log}`);
  }

  // Stops the process without ending it: it takes no more bytes, and its sockets stay open.
  stall() {
    this.#child.kill('SIGSTOP');
  }

  // Lets the server read its certificates again.
  hangUp() {
    this.#child.kill('SIGHUP');
  }

  async kill() {
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await ended;
  }

  // Writes the configuration; takes effect at the next start().
  configure(toml) {
    const folder = join(this.home, '.config', 'parley');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'parley.toml'), toml);
  }

  revokeToken(name) {
    execFileSync(binary('parley'), ['token', 'revoke', name, '--data', this.data], { env: this.env });
  }

  // Stops the server with SIGTERM and removes its files. The exit status must be 0.
  async end() {
    if (this.#child !== undefined && this.#child.exitCode === null && this.#child.signalCode === null) {
      const ended = once(this.#child, 'exit');
      this.#child.kill('SIGTERM');
      const late = setTimeout(() => this.#child.kill('SIGABRT'), kMaxEndMs);
      const [code, signal] = await ended;
      clearTimeout(late);
      if (code !== 0) throw new Error(`the server ended with ${code ?? signal}:\n${this.#log}`);
    }
    rmSync(this.home, { recursive: true, force: true });
  }

  // Asks a question and answers it.
  async settle(question, answer) {
    const key = encodeURIComponent(question);
    const asked = await this.#post('/v1/interactions', { key: question, prompt: { text: question } });
    const answered = await this.#post(`/v1/interactions/${key}/answer`, { text: answer });
    if (!asked.ok || !answered.ok) throw new Error(`settle: ${asked.status}, ${answered.status}`);
  }

  #post(path, body) {
    return fetch(`${this.url}${path}`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${this.token}`, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
  }

  // The texts of the questions that wait for an answer.
  async pending(token = this.token) {
    const response = await fetch(`${this.url}/v1/interactions?state=pending`, {
      headers: { Authorization: `Bearer ${token}` },
    });
    if (!response.ok) throw new Error(`pending: ${response.status} ${await response.text()}`);
    const { interactions } = await response.json();
    return interactions.map((each) => each.prompt.text);
  }
}
