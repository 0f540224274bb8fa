// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// make demo-cluster, as a person uses it: by its output and its commands.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const kScript = fileURLToPath(new URL('../../scripts/demo-cluster', import.meta.url));
const kPauseMs = 50;

class Demo {
  #child = spawn(kScript, { stdio: ['pipe', 'pipe', 'inherit'] });
  #said = '';
  #wake = () => undefined;

  constructor() {
    this.#child.stdout.setEncoding('utf8').on('data', (text) => {
      this.#said += text;
      this.#wake();
    });
    this.#child.once('exit', () => this.#wake());
  }

  // The match of what it says from now on; what came before it is forgotten.
  async hears(wanted) {
    for (;;) {
      const found = wanted.exec(this.#said);
      if (found !== null) {
        this.#said = this.#said.slice(found.index + found[0].length);
        return found;
      }
      assert.equal(this.#child.exitCode, null, `it ended before it said ${wanted}: ${this.#said}`);
      await new Promise((resolve) => (this.#wake = resolve));
    }
  }

  obey(command, wanted) {
    this.#child.stdin.write(`${command}\n`);
    return this.hears(wanted);
  }

  async end() {
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGINT');
    return (await ended)[0];
  }
}

test('a question by the balancer outlives its nodes and the primary of the database', async () => {
  const demo = new Demo();
  const [, url, token] = await demo.hears(/The console, by the balancer: (\S+)\/#\/inbox\?token=([^&\s]+)&/);
  const call = (method, path, body) =>
    fetch(url + path, {
      method,
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
  await demo.hears(/quit /);
  assert.equal((await call('POST', '/v1/interactions', { key: 'k', prompt: { text: 'Shall I?' } })).status, 201);
  await demo.obey('status', /3 nodes live, 1024 of 1024 slots have a home\.\nStandbys of the database: 1 synchronous/);
  await demo.obey('kill a', /The others have its workspaces after/);
  await demo.obey('fail over', /The nodes wrote to it after/);
  await demo.obey('stop b', /The others have its workspaces after/);
  await demo.obey('kill c', /Node c is the last one/);
  await demo.obey('kill d', /There is no node "d": a, b, c/);
  await demo.obey('start a', /Node a has its share again/);
  while (!(await call('GET', '/readyz')).ok) await pause(kPauseMs);
  const answered = await call('POST', '/v1/interactions/k/answer', { text: 'Yes' });
  assert.equal(answered.status, 200, await answered.text());
  assert.equal(await demo.end(), 0);
});
