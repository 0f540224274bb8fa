// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
//
// cluster_bench.mjs MODE BIN OUT   three nodes on a primary with its standby: a question that is asked and answered on
// another node than its home, beside the same on its home; and the memory of idle pages on other nodes than their home.
// MODE: full, quick.
import { readFileSync, writeFileSync } from 'node:fs';
import http from 'node:http';

const [mode, bin, out] = process.argv.slice(2);
process.env.PARLEY_BIN_DIR = bin;
const { Cluster } = await import('../tests/cluster/cluster.js');
const { Page } = await import('../tests/cluster/page.js');
const cluster = new Cluster();
const [kRounds, kPages, kBlocks] = mode === 'full' ? [200, 4_000, 10] : [20, 320, 2];
const kTokens = mode === 'full' ? 64 : 4; // a page is told of the others of its token
const kOpening = 16; // pages at a time
const kMostOwners = 64; // among so many, one has its home on each node

// One client with two connections that stay open.
class Client {
  #agent = new http.Agent({ keepAlive: true, maxSockets: 2 });

  constructor(node, token) {
    this.node = node;
    this.token = token;
  }

  call(method, path, body) {
    return new Promise((resolve, reject) => {
      const headers = { Authorization: `Bearer ${this.token}`, 'Content-Type': 'application/json' };
      const request = http.request(this.node.url + path, { method, agent: this.#agent, headers }, (answer) => {
        let text = '';
        answer.setEncoding('utf8').on('data', (piece) => (text += piece));
        answer.on('end', () => resolve({ status: answer.statusCode, text }));
      });
      request.on('error', reject).end(body === undefined ? undefined : JSON.stringify(body));
    });
  }

  // Milliseconds from the question to its answer, which is given as soon as the question is stored.
  async ask(key) {
    const begun = performance.now();
    const asked = await this.call('POST', '/v1/interactions', { key, prompt: { text: 'Shall I?' } });
    const answered = await this.call('POST', `/v1/interactions/${key}/answer`, { text: 'yes' });
    if (asked.status !== 201 || answered.status !== 200) throw new Error(`${asked.text} ${answered.text}`);
    return performance.now() - begun;
  }
}

let made = 0;

// A token whose home is `node`.
async function tokenAt(node) {
  for (let i = 0; i < kMostOwners; ++i) {
    const { token } = await cluster.newToken(`t${++made}`, ['ask', 'answer', 'read']);
    const forwarded = async () => (await node.gauges())('parley_cluster_requests_forwarded');
    const before = await forwarded();
    await new Client(node, token).call('GET', '/v1/interactions');
    if ((await forwarded()) === before) return token;
  }
  throw new Error(`no owner has its home on node ${node.name}`);
}

const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1];
const resident = ({ pid }) => Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) * 1024;

async function questions(near, home, token) {
  const clients = [new Client(near, token), new Client(home, token)];
  const blocks = [[], []];
  for (let block = 0; block < kBlocks; ++block) {
    for (const [i, client] of clients.entries()) {
      const times = [];
      for (let n = 0; n < kRounds; ++n) times.push(await client.ask(`q-${block}-${i}-${n}`));
      blocks[i].push(median(times));
    }
  }
  return blocks;
}

// Opens so many pages of these tokens, spread over the nodes. Resolves with the bytes that each page takes on all
// `using` nodes together.
async function pages(count, nodes, using, tokens) {
  const used = () => using.reduce((all, node) => all + resident(node), 0);
  const open = async (number) => {
    let next = 0;
    const opening = async () => {
      for (let n = next++; n < number; n = next++) await Page.idle(nodes[n % nodes.length], tokens[n % tokens.length]);
    };
    await Promise.all(Array.from({ length: kOpening }, opening));
  };
  await open(count / 10); // the allocator's first pools
  const before = used();
  await open(count);
  return Math.max(1, (used() - before) / count); // an allocator may have had it already
}

const row = (name, unit, peer, ours, theirs) => {
  const ratios = ours.map((value, i) => value / theirs[i]);
  return {
    name,
    unit,
    value: median(ours),
    peer,
    peer_value: median(theirs),
    ratio: median(ratios),
    ratio_min: Math.min(...ratios),
    ratio_max: Math.max(...ratios),
  };
};

try {
  await cluster.start(['a', 'b', 'c']);
  const [near, home, third] = cluster.nodes;
  const tokens = [];
  while (tokens.length < kTokens) tokens.push(await tokenAt(home));
  const [forwarded, local] = await questions(near, home, tokens[0]);
  const through = await pages(kPages, [near, third], cluster.nodes, tokens);
  const direct = await pages(kPages / 10, [home], [home], tokens);
  const rows = [
    row('question and answer on another node than their home, p50', 'ms', 'on their home', forwarded, local),
    row('memory of an idle page on another node than its home, on both', 'B', 'on its home', [through], [direct]),
  ];
  writeFileSync(out, JSON.stringify(rows));
  console.error(`forwarded ${median(forwarded).toFixed(2)} ms, local ${median(local).toFixed(2)} ms`);
  console.error(`idle page: ${Math.round(through)} bytes on two nodes, ${Math.round(direct)} on its home alone`);
} finally {
  await cluster.end();
}
process.exit(0);
