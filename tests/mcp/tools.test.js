// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// Parley's MCP client (mcp_probe) against a server made with the official SDK, on both transports.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, describe, test } from 'node:test';
import { Home, probeProgram, run, untilOut } from './lib/programs.js';

const serverFile = join(import.meta.dirname, 'lib/tool-server.js');

class Probe {
  #waiting = [];

  constructor(home, servers) {
    const config = join(home.path, 'mcp.json');
    writeFileSync(config, JSON.stringify({ mcpServers: servers }));
    this.state = run(probeProgram(), [config, home.path], home);
    createInterface({ input: this.state.child.stdout }).on('line', (line) => this.#waiting.shift()(JSON.parse(line)));
  }

  ask(order) {
    const answer = new Promise((resolve) => this.#waiting.push(resolve));
    this.state.child.stdin.write(`${JSON.stringify(order)}\n`);
    return answer;
  }

  call(name, more = {}) {
    return this.ask({ call: name, arguments: {}, ...more });
  }

  async end() {
    this.state.child.stdin.end();
    return this.state.exited;
  }
}

for (const transport of ['stdio', 'http']) {
  describe(`a server of the SDK over ${transport}`, () => {
    let home;
    let probe;
    let server;

    const startServer = async () => {
      server = run(process.execPath, [serverFile, 'http'], home);
      await untilOut(server, '\n');
      return `http://127.0.0.1:${server.out.trim()}/mcp`;
    };

    before(async () => {
      home = new Home();
      const config =
        transport === 'stdio'
          ? { command: process.execPath, args: [serverFile, 'stdio'] }
          : { url: await startServer() };
      probe = new Probe(home, { sdk: config });
    });
    after(async () => {
      const { code } = await probe.end();
      home.remove();
      assert.equal(code, 0);
    });

    test('tools are listed with their approvals', async () => {
      const { tools, faults } = await probe.ask({ list: true });
      assert.deepEqual(faults, []);
      assert.deepEqual(
        tools.map((tool) => tool.name),
        ['cancelled', 'pid', 'refuse', 'die', 'steps', 'wait', 'grow'],
      );
      assert.equal(tools[0].approval, 'auto');
      assert.equal(tools[1].approval, 'ask');
      assert.equal(tools[0].source, 'mcp:sdk');
      assert.equal(tools[0].schema.type, 'object');
    });

    test('a call is answered with progress', async () => {
      const answer = await probe.call('steps');
      assert.equal(answer.content, 'done');
      assert.equal(answer.is_error, false);
      assert.equal(answer.output, 'step (1 of 3)\nstep (2 of 3)\nstep (3 of 3)\n');
    });

    test('a failure of the tool is an error in its words', async () => {
      const answer = await probe.call('refuse');
      assert.equal(answer.is_error, true);
      assert.match(answer.content, /refused/);
    });

    test('a cancelled call ends at once, and the server is told', async () => {
      const answer = await probe.call('wait', { cancel_at_output: true });
      assert.equal(answer.is_error, true);
      let told = '0';
      for (let i = 0; i < 100 && told !== '1'; ++i) told = (await probe.call('cancelled')).content;
      assert.equal(told, '1');
    });

    test('a tool added by the server is available in the next run', async () => {
      await probe.call('grow');
      let names = [];
      for (let i = 0; i < 100 && !names.includes('grown'); ++i) {
        names = (await probe.ask({ list: true })).tools.map((tool) => tool.name);
      }
      assert.ok(names.includes('grown'), names.join());
    });

    test('a server dying in a call is named; a program is restarted', async () => {
      const first = (await probe.call('pid')).content;
      const answer = await probe.call('die');
      assert.equal(answer.is_error, true);
      assert.match(answer.content, /^MCP server sdk: /);
      if (transport === 'http') return;
      const again = await probe.call('pid');
      assert.equal(again.is_error, false);
      assert.notEqual(again.content, first);
    });
  });
}
