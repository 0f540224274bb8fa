// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// node demo.js: a primary, its standby, three nodes and a balancer on this computer, to look at and to break. Reads
// commands, a line each; Ctrl-C ends all of it.
import { createInterface } from 'node:readline';
import { Balancer } from './balancer.js';
import { Cluster } from './cluster.js';

const kHelp = `  status         the nodes and their slots
  kill NAME      ends a node as a lost machine does; the others have its workspaces within 7 seconds
  stop NAME      ends it as an operator does: its workspaces move first
  start NAME     starts it again
  fail over      ends the primary of the database; the standby takes its place
  quit           ends all of it (so does Ctrl-C)`;

const say = (text) => console.log(text);

async function timed(act) {
  const begun = performance.now();
  await act();
  return ((performance.now() - begun) / 1000).toFixed(1);
}

class Demo {
  cluster = new Cluster();
  balancer = new Balancer();

  async start() {
    say('==> A primary, its standby, and the nodes a, b and c');
    await this.cluster.start(['a', 'b', 'c']);
    await this.balancer.start(this.cluster.nodes);
    const [first] = this.cluster.nodes;
    say(`==> The console, by the balancer: ${this.balancer.url}/#/inbox?token=${first.token}&keep=1`);
    for (const { name, url } of this.cluster.nodes) say(`    node ${name}: ${url}`);
    say(
      `==> An agent asks: curl -s -H 'Authorization: Bearer ${first.token}' -d '{"prompt":{"text":"Shall I?"},"wait":600}' \\`,
    );
    say(`      -H 'Content-Type: application/json' ${this.balancer.url}/v1/interactions`);
    say(`==> Commands:\n${kHelp}`);
  }

  #node(name) {
    const node = this.cluster.nodes.find((each) => each.name === name);
    if (node === undefined)
      throw new Error(`There is no node "${name}": ${this.cluster.nodes.map((each) => each.name).join(', ')}.`);
    return node;
  }

  async #leave(name, signal) {
    const node = this.#node(name);
    if (!node.isUp) throw new Error(`Node ${name} does not run.`);
    if (this.cluster.nodes.filter(({ isUp }) => isUp).length === 1) throw new Error(`Node ${name} is the last one.`);
    await node.end(signal);
    say(`The others have its workspaces after ${await timed(() => this.cluster.settled())} s.`);
  }

  async #failOver() {
    let written;
    await this.cluster.pair.failOver(() => {
      say('The standby is the primary now. A new standby is made.');
      written = timed(() => this.cluster.writable());
    });
    say(`The nodes wrote to it after ${await written} s.`);
  }

  async obey(line) {
    const [verb, name] = line.trim().split(/\s+/);
    switch (verb) {
      case '':
        return;
      case 'status':
        return say(await this.cluster.command('status'));
      case 'kill':
        return this.#leave(name, 'SIGKILL');
      case 'stop':
        return this.#leave(name, 'SIGTERM');
      case 'start':
        if (this.#node(name).isUp) throw new Error(`Node ${name} runs.`);
        await this.#node(name).start();
        await this.cluster.settled();
        return say(`Node ${name} has its share again.`);
      case 'fail':
        return this.#failOver();
      case 'quit':
        return this.end();
      default:
        return say(kHelp);
    }
  }

  async end() {
    this.balancer.end();
    await this.cluster.end();
    process.exit(0);
  }
}

const demo = new Demo();
process.on('SIGINT', () => demo.end());
process.on('SIGTERM', () => demo.end());
try {
  await demo.start();
} catch (error) {
  console.error(`demo-cluster: ${error.message}`);
  await demo.cluster.end({ keep: true });
  process.exit(1);
}
for await (const line of createInterface({ input: process.stdin })) {
  try {
    await demo.obey(line);
  } catch (error) {
    say(error.message);
  }
}
