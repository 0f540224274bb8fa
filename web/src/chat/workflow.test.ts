// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { diffWorkflows, nodeMarks, plannedChanges, readWorkflow, type Workflow } from './workflow';
import { columnsOf, drawWorkflow, linkKind } from './workflow_scene';

const sampler = (steps: number) => ({
  id: 3,
  type: 'KSampler',
  pos: [300, 40],
  size: { 0: 200, 1: 120 },
  mode: 0,
  widgets_values: [7, 'randomize', steps, 8, 'euler', 'normal', 1],
  inputs: [{ name: 'model', link: 1 }],
});
const loader = {
  id: 4,
  type: 'CheckpointLoaderSimple',
  pos: [0, 40],
  size: [200, 60],
  widgets_values: ['a.safetensors'],
  outputs: [{ name: 'MODEL' }],
};
const ui = (...nodes: unknown[]) => JSON.stringify({ nodes, links: [[1, 4, 0, 3, 0, 'MODEL']] });
const api = JSON.stringify({
  4: { class_type: 'CheckpointLoaderSimple', inputs: { ckpt_name: 'a' } },
  3: { class_type: 'KSampler', inputs: { steps: 20, model: ['4', 0] }, _meta: { title: 'Main' } },
  8: { class_type: 'VAEDecode', inputs: { samples: ['3', 0] } },
});
const read = (text: string) => readWorkflow(text) as Workflow;

describe('workflows', () => {
  it('are read in the editor form: value names, links, places', () => {
    const { form, nodes } = read(ui(loader, sampler(20)));
    expect(form).toBe('ui');
    expect(nodes[1]).toMatchObject({
      id: '3',
      links: [{ name: 'model', from: '4', output: 'MODEL', type: 'MODEL' }],
      place: { x: 300, w: 200 },
    });
    expect(nodes[1]?.values.map(({ name }) => name)).toEqual([
      'seed',
      'steps',
      'cfg',
      'sampler_name',
      'scheduler',
      'denoise',
    ]);
  });

  it('are read in the interface form', () => {
    const { form, nodes } = read(api);
    expect(form).toBe('api');
    expect(nodes.find(({ id }) => id === '3')).toMatchObject({
      title: 'Main',
      values: [{ name: 'steps', place: '', value: 20 }],
      links: [{ name: 'model', from: '4', output: '0' }],
    });
  });

  it('name values by node or, without a name, by place', () => {
    expect(read(ui({ id: 1, type: 'Odd', widgets_values: [1, 2] })).nodes[0]?.values.map(({ name }) => name)).toEqual([
      '#0',
      '#1',
    ]);
    expect(
      read(ui({ id: 1, type: 'Odd', widgets_values: [1], inputs: [{ name: 'n', widget: { name: 'n' } }] })).nodes[0]
        ?.values,
    ).toMatchObject([{ name: 'n', value: 1 }]);
    expect(read(ui({ id: 1, type: 'Odd', widgets_values: { a: 1 } })).nodes[0]?.values).toMatchObject([
      { name: 'a', value: 1 },
    ]);
  });

  it('are the only accepted form', () => {
    for (const text of ['', '{}', '[]', 'x', '{"a":{"inputs":{}}}', 'null', '7']) expect(readWorkflow(text)).toBeNull();
    expect(readWorkflow('{"nodes":[null,7,{}],"links":[null,{}]}')?.nodes).toHaveLength(1);
  });

  it('report changes by node and input', () => {
    expect(diffWorkflows(read(ui(loader, sampler(20))), read(ui(loader, sampler(30))))).toEqual([
      { node: '3', title: 'KSampler', is: 'changed', input: 'steps', before: '20', after: '30' },
    ]);
    const changes = diffWorkflows(read(ui(loader, sampler(20))), read(ui(sampler(20), { id: 9, type: 'SaveImage' })));
    expect(changes.map(({ is, node }) => [node, is])).toEqual([
      ['3', 'changed'],
      ['9', 'added'],
      ['4', 'removed'],
    ]);
    expect([...nodeMarks(changes)]).toEqual([
      ['3', 'changed'],
      ['9', 'added'],
      ['4', 'removed'],
    ]);
    expect(diffWorkflows(read(api), read(api))).toEqual([]);
  });

  it('ignore moved nodes in a comparison', () => {
    expect(diffWorkflows(read(ui(loader)), read(ui({ ...loader, pos: [500, 500] })))).toEqual([]);
  });

  it('preview the change of a call', () => {
    const open = read(ui(loader, sampler(20)));
    expect(plannedChanges('workflow_node_set', { node: '3', input: 'steps', value: 30 }, open)).toMatchObject([
      { node: '3', title: 'KSampler', before: '20', after: '30' },
    ]);
    expect(plannedChanges('workflow_node_set', { node: '3', input: '#2', value: 30 }, open)).toMatchObject([
      { input: 'steps', before: '20' },
    ]);
    expect(
      plannedChanges('workflow_connect', { from: '4', output: 'CLIP', to: '3', input: 'model' }, open),
    ).toMatchObject([{ before: '← 4 · MODEL', after: '← 4 · CLIP' }]);
    expect(
      plannedChanges('workflow_node_add', { type: 'LoraLoader', inputs: { strength_model: 1 } }, open).map(
        ({ is }) => is,
      ),
    ).toEqual(['added', 'changed']);
    expect(plannedChanges('workflow_node_remove', { node: 4 }, open)).toMatchObject([
      { is: 'removed', before: 'CheckpointLoaderSimple' },
    ]);
    expect(plannedChanges('read', {}, open)).toEqual([]);
  });
});

describe('the picture of a workflow', () => {
  it('puts the form without places into columns', () => {
    expect([...columnsOf(read(api).nodes)].sort()).toEqual([
      ['3', 1],
      ['4', 0],
      ['8', 2],
    ]);
    const scene = drawWorkflow(read(api), null, new Map(), []);
    const at = (id: string) => scene.nodes.find((node) => node.id === id)?.x ?? 0;
    expect(at('4')).toBeLessThan(at('3'));
    expect(at('3')).toBeLessThan(at('8'));
    expect(scene.links.map(({ kind }) => kind).sort()).toEqual(['latent', 'model']);
  });

  it('survives a loop and dangling links', () => {
    const loop = read(
      JSON.stringify({
        a: { class_type: 'A', inputs: { x: ['b', 0] } },
        b: { class_type: 'B', inputs: { x: ['a', 0], y: ['gone', 1] } },
      }),
    );
    expect(drawWorkflow(loop, null, new Map(), []).links).toHaveLength(2);
  });

  it('shows 2,000 nodes in a row', () => {
    const row = Object.fromEntries(
      Array.from({ length: 2_000 }, (_, n) => [
        String(n),
        { class_type: 'A', inputs: n === 0 ? {} : { x: [String(n - 1), 0] } },
      ]),
    );
    expect(drawWorkflow(read(JSON.stringify(row)), null, new Map(), []).nodes).toHaveLength(2_000);
  });

  it('keeps removed nodes in place, marked', () => {
    const [before, after] = [read(ui(loader, sampler(20))), read(ui(sampler(30)))];
    const changes = diffWorkflows(before, after);
    const scene = drawWorkflow(after, before, nodeMarks(changes), changes);
    expect(scene.nodes.map(({ id, mark }) => [id, mark])).toEqual([
      ['3', 'changed'],
      ['4', 'removed'],
    ]);
    expect(scene.nodes.every(({ x, y }) => x >= 0 && y >= 0)).toBe(true);
  });

  it('colours a link by its type, else by its input', () => {
    expect([
      linkKind('LATENT', 'x'),
      linkKind('', 'positive'),
      linkKind('', 'constructor'),
      linkKind('ODD', 'model'),
    ]).toEqual(['latent', 'conditioning', 'other', 'other']);
  });
});
