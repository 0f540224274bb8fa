// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
//
// Workflows after random edits by Parley: LiteGraph must load them with every link, and the prompt that
// the front end would queue must equal Parley's conversion.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import test from 'node:test';

import { loadGraph, promptOf, registerClasses } from './lib/graph.js';

const kSeeds = 60;
const bin = process.env.PARLEY_BIN_DIR ?? path.resolve('../../build/test/bin');
const data = path.resolve('../../src/runtime/comfyui/workflow/testdata');
const objectInfo = JSON.parse(readFileSync(path.join(data, 'object_info.json'), 'utf8'));
registerClasses(objectInfo, [
  'CheckpointLoaderSimple',
  'CLIPTextEncode',
  'EmptyLatentImage',
  'KSampler',
  'VAEDecode',
  'SaveImage',
  'PreviewImage',
  'LoadImage',
  'LoraLoader',
]);

function edited(file) {
  const out = execFileSync(
    path.join(bin, 'workflow-editor'),
    [path.join(data, 'object_info.json'), file, String(kSeeds)],
    { encoding: 'utf8', maxBuffer: 64 << 20 },
  );
  const lines = out.trimEnd().split('\n');
  return Array.from({ length: lines.length / 2 }, (_, i) => ({
    workflow: JSON.parse(lines[2 * i]),
    api: JSON.parse(lines[2 * i + 1]),
  }));
}

// The ends of every link, sorted.
function linksOf(graph) {
  return [...graph.links.values()]
    .map((link) => `${link.origin_id}.${link.origin_slot}->${link.target_id}.${link.target_slot}`)
    .sort();
}

// The sample with subgraphs, without features that this version of the library lacks: values of inner
// widgets at the instance, and an input of a subgraph that is also its output.
function plainSubgraphs() {
  const workflow = JSON.parse(readFileSync(path.join(data, 'subgraph.ui.json'), 'utf8'));
  for (const node of workflow.nodes.filter((one) => one.properties.proxyWidgets)) {
    delete node.properties.proxyWidgets;
    delete node.widgets_values;
  }
  const inner = workflow.definitions.subgraphs.find((one) => one.name === 'Sample');
  inner.nodes.find((one) => one.id === 2).widgets_values = ['bad'];
  const at = (id) => workflow.nodes.find((one) => one.id === id);
  workflow.links[6] = [7, 10, 0, 13, 0, 'MODEL'];
  at(12).outputs[1].links = [];
  at(10).outputs[0].links.push(7);
  return workflow;
}

function linksIn(workflow) {
  return workflow.links
    .map((link) =>
      Array.isArray(link)
        ? `${link[1]}.${link[2]}->${link[3]}.${link[4]}`
        : `${link.origin_id}.${link.origin_slot}->${link.target_id}.${link.target_slot}`,
    )
    .sort();
}

for (const name of ['text_to_image.ui.json', 'detours.ui.json']) {
  test(`${name}: LiteGraph reads the edited workflow and queues the same`, () => {
    const all = edited(path.join(data, name));
    assert.equal(all.length, kSeeds);
    for (const [seed, { workflow, api }] of all.entries()) {
      const graph = loadGraph(workflow);
      assert.equal(graph.nodes.length, workflow.nodes.length, `seed ${seed}`);
      assert.deepEqual(linksOf(graph), linksIn(workflow), `seed ${seed}`);
      for (const node of graph.nodes) {
        assert.ok(!node.has_errors, `seed ${seed}: node ${node.id} (${node.type})`);
        node.inputs.forEach((input, slot) => {
          if (input.link == null) return;
          const link = graph.getLink(input.link);
          assert.equal(String(link?.target_id), String(node.id), `seed ${seed}`);
          assert.equal(link.target_slot, slot, `seed ${seed}`);
        });
      }
      for (const node of Object.values(api)) delete node._meta;
      assert.deepEqual(api, promptOf(graph), `seed ${seed}`);
    }
  });
}

test('subgraphs are expanded like in the front end', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'workflow-'));
  try {
    const file = path.join(folder, 'subgraph.json');
    writeFileSync(file, JSON.stringify(plainSubgraphs()));
    const { workflow, api } = edited(file)[0];
    for (const node of Object.values(api)) delete node._meta;
    assert.ok('12:1:1' in api);
    assert.deepEqual(api, promptOf(loadGraph(workflow)));
  } finally {
    rmSync(folder, { recursive: true });
  }
});
