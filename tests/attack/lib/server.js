// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// The real server with a limit on the memory that it may allocate, in a folder of its own.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

// Limit of the address space. An idle server maps about 700 MiB (stacks of threads, arenas,
// libraries) and uses 25 MiB of it. PARLEY_ATTACK_KIB=0 removes the limit, to measure the memory that
// an attack takes.
const kAddressSpaceKiB = Number(process.env.PARLEY_ATTACK_KIB ?? 1_300 * 1024);
const kPatienceMs = 60_000;
const kSampleMs = 20;
const kLogChars = 8_000_000;

function program() {
  const folder = process.env.PARLEY_BIN_DIR;
  if (!folder) throw new Error('PARLEY_BIN_DIR must name the folder of the programs');
  return join(folder, 'parley');
}

export class Server {
  token = 'attack-test-token-0123456789';
  home = mkdtempSync(join(tmpdir(), 'parley-attack-'));
  data = join(this.home, 'data');
  child;
  port = 0;
  #scheme = 'http';
  #log = '';
  #questions = 0;
  #peak = 0;
  #sampling;

  // `readsLog` false: the server's stderr is not read. `settings`: further lines of parley.toml.
  // `variables`: further environment variables of the server.
  static async start({ readsLog = true, settings = '', limitKiB = kAddressSpaceKiB, flags = [], variables = {} } = {}) {
    const server = new Server();
    const folder = join(server.home, '.config', 'parley');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'parley.toml'), settings);
    const args = ['serve', '--listen', '127.0.0.1:0', '--data', server.data, '--token', server.token, ...flags];
    // Few arenas, so that the address space reflects what is allocated.
    const env = { PATH: process.env.PATH, HOME: server.home, LC_ALL: 'C.UTF-8', MALLOC_ARENA_MAX: '2', ...variables };
    const limited = limitKiB === 0 ? 'exec "$@"' : `ulimit -v ${limitKiB} && exec "$@"`;
    server.child = spawn('bash', ['-c', limited, 'bash', program(), ...args], {
      env,
      cwd: server.home,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    if (readsLog)
      server.child.stderr
        .setEncoding('utf8')
        .on('data', (text) => (server.#log = (server.#log + text).slice(-kLogChars)));
    for await (const line of createInterface({ input: server.child.stdout })) {
      const ready = /^ready (https?):\/\/[^:]+:(\d+)$/.exec(line);
      if (ready === null) continue;
      server.#scheme = ready[1];
      server.port = Number(ready[2]);
      server.#sampling = setInterval(() => server.#sample(), kSampleMs);
      server.#sampling.unref();
      return server;
    }
    throw new Error(`the server did not get ready:\n${server.#log.slice(-20_000)}`);
  }

  get url() {
    return `${this.#scheme}://127.0.0.1:${this.port}`;
  }

  get log() {
    return this.#log;
  }

  get alive() {
    return this.child.exitCode === null && this.child.signalCode === null;
  }

  command(...args) {
    const env = { PATH: process.env.PATH, HOME: this.home, LC_ALL: 'C.UTF-8' };
    return execFileSync(program(), [...args, '--data', this.data], { env, encoding: 'utf8' }).trim();
  }

  // Adds a user of the workspace of a stored token; a running server reads it within a second.
  addUser(name, password, token) {
    const args = [
      'user',
      'add',
      `${name}@example.org`,
      '--name',
      name,
      '--token',
      token,
      '--password-stdin',
      '--data',
      this.data,
    ];
    execFileSync(program(), args, {
      env: { PATH: process.env.PATH, HOME: this.home, LC_ALL: 'C.UTF-8' },
      input: password,
    });
  }

  #status(name) {
    try {
      const found = new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(readFileSync(`/proc/${this.child.pid}/status`, 'utf8'));
      return Number(found?.[1] ?? 0);
    } catch {
      return 0; // the process has just ended
    }
  }

  // Samples the peak while the process lives: it cannot be read afterwards.
  #sample() {
    if (this.alive) this.#peak = Math.max(this.#peak, this.#status('VmHWM') / 1024);
  }

  // Peak of the resident memory and, below, its current size, in MiB.
  get peak() {
    this.#sample();
    return this.#peak;
  }
  get resident() {
    return this.#status('VmRSS') / 1024;
  }
  get threads() {
    return this.#status('Threads');
  }
  get descriptors() {
    return readdirSync(`/proc/${this.child.pid}/fd`).length;
  }

  call(method, path, body, token = this.token) {
    return fetch(this.url + path, {
      method,
      headers: {
        Authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      },
      body: body === undefined ? undefined : JSON.stringify(body),
      signal: AbortSignal.timeout(kPatienceMs),
    });
  }

  // A Map from each series of /metrics (name and labels) to its value.
  async metrics() {
    const text = await (await fetch(`${this.url}/metrics`, { signal: AbortSignal.timeout(kPatienceMs) })).text();
    const series = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
    return new Map(
      series.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ') + 1))]),
    );
  }

  // Asserts that another client can ask a question, answer it, and read the answer.
  async serves() {
    assert.ok(this.alive, `the server has ended:\n${this.#log.slice(-20_000)}`);
    const key = `bystander-${++this.#questions}`;
    const asked = await this.call('POST', '/v1/interactions', { key, prompt: { text: `Is ${key} served?` } });
    assert.equal(asked.status, 201, await asked.text());
    const answered = await this.call('POST', `/v1/interactions/${key}/answer`, { text: `yes, ${key}` });
    assert.equal(answered.status, 200, await answered.text());
    const read = await this.call('GET', `/v1/interactions/${key}`);
    assert.ok((await read.text()).includes(`yes, ${key}`));
  }

  // Repeats serves() until `attack` has settled, at least once; resolves with the result of `attack`.
  async servesDuring(attack) {
    let over = false;
    const ended = Promise.resolve(attack).finally(() => (over = true));
    do await this.serves();
    while (!over);
    return ended;
  }

  // Stops the server with SIGTERM, which completes the log. The exit status must be 0.
  async stop() {
    const ended = once(this.child, 'close');
    this.child.kill('SIGTERM');
    assert.deepEqual(await ended, [0, null]);
  }

  async end() {
    clearInterval(this.#sampling);
    if (this.alive) {
      const ended = once(this.child, 'exit');
      this.child.kill('SIGKILL');
      await ended;
    }
    rmSync(this.home, { recursive: true, force: true });
  }
}

// Sum of the growth of all series whose names match.
export function growth(before, after, name) {
  let sum = 0;
  for (const [series, value] of after) if (name.test(series)) sum += value - (before.get(series) ?? 0);
  return sum;
}

// Prints the memory that an attack took.
export function report(what, server, before) {
  console.log(
    `# ${what}: ${before.toFixed(0)} MiB before, ${server.peak.toFixed(0)} MiB at most${server.alive ? '' : ', ended'}`,
  );
}
