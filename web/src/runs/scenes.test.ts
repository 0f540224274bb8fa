// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { folded, foldedFixture, frameOf, seeded } from './fixtures/fixture';
import { boxOf, fitLines, fittingScene, neighbour, overlaps, type Scene, textWidth, wholeScale } from './scene';
import { GotDag } from './got_dag';
import { askingTasks, dagScene, flowScene, kRootKey, treeScene } from './scenes';
import { TotTree } from './tot_tree';

const noObject = () => '';

function expectApart({ nodes }: Scene): void {
  nodes.forEach((node, at) => {
    for (const other of nodes.slice(at + 1))
      expect(overlaps(boxOf(node), boxOf(other)), `${node.key} over ${other.key}`).toBe(false);
  });
}

describe('pictures', () => {
  it('shows the steps in a column, each call once in its place', () => {
    const scene = flowScene(foldedFixture('react').items, noObject);
    expect(scene.nodes.filter(({ chip }) => !chip).map(({ title }) => title)).toEqual([
      'think',
      'act',
      'observe',
      'think',
      'act',
      'observe',
      'think',
    ]);
    expect(scene.nodes.filter(({ chip }) => chip).map(({ title }) => title)).toEqual(['read', 'read', 'edit', 'bash']);
    const second = scene.nodes.filter(({ chip }) => !chip)[1];
    expect(scene.edges.filter(({ key }) => key.startsWith(`${second?.key ?? ''}>`))).toHaveLength(3);
    expectApart(scene);
  });

  it('shows the tree with scores, choices, left branches and the way back', () => {
    const { tot } = foldedFixture('tot');
    const scene = treeScene(tot, 'task', () => '');
    const marks = (mark: string) => scene.nodes.filter((node) => node.mark === mark).length;
    expect(scene.nodes[0]?.key).toBe(kRootKey);
    expect([marks('chosen'), marks('abandoned'), marks('passed')]).toEqual([4, 2, 5]);
    expect(scene.nodes.find(({ title }) => title.startsWith('First-fit'))?.badge).toBe('0.83');
    expect(scene.edges.filter(({ is }) => is === 'back')).toHaveLength(1);
    const rows = new Map(scene.nodes.map(({ key, y }) => [key, y]));
    const root = rows.get(kRootKey) ?? 0;
    const step = (rows.get('t0') ?? 0) - root;
    for (const { depth, key } of tot.thoughts)
      expect(rows.get(`t${key}`), 'a row for each depth').toBe(root + depth * step);
    expect(
      treeScene(
        tot,
        'task',
        () => '',
        () => 'plain',
      ).nodes[1]?.title,
    ).toBe('plain');
    expectApart(scene);
  });

  it('shows the plan with additions, each task below its dependencies', () => {
    const { got } = foldedFixture('agot');
    const scene = dagScene(got, (id) => `item-${id}`);
    const y = (id: string) => scene.nodes.find(({ key }) => key === id)?.y ?? 0;
    for (const [from, to] of got.edges) expect(y(from)).toBeLessThan(y(to));
    expect(scene.nodes.filter(({ added }) => added).map(({ key }) => key)).toEqual(['staff_sub_1', 'staff_sub_2']);
    expect(scene.nodes[0]).toMatchObject({ item: 'item-gather', note: 'gather', mark: 'done' });
    expectApart(scene);
  });

  it('shows the open question in the plan', () => {
    const call = { call_id: 'c', name: 'bash' };
    const frames = [
      { type: 'got_plan', node_count: 2, edge_count: 0, node_ids: ['a', 'b'] },
      { type: 'got_node_start', id: 'a' },
      { type: 'got_node_start', id: 'b' },
      { type: 'node_enter', id: 'act', node_id: 'run-act-1' },
      { type: 'custom', value: { got_task: { task: 'b', node_id: 'run-act-1' } }, node_id: 'run-act-1' },
      { type: 'tool_approval', ...call, arguments: {}, node_id: 'run-act-1' },
    ];
    const marks = (more: Record<string, unknown>[]) => {
      const { got, items } = folded([...frames, ...more].map((frame) => frameOf(frame)));
      return dagScene(got, () => '', false, askingTasks(items)).nodes.map(({ key, mark }) => `${key} ${mark}`);
    };
    expect(marks([])).toEqual(['a running', 'b asking']);
    expect(marks([{ type: 'tool_start', ...call }])).toEqual(['a running', 'b running']);
  });

  it('shows tree and plan across, with followers to the right', () => {
    const { tot } = foldedFixture('tot');
    const tree = treeScene(tot, 'task', () => '', undefined, true);
    const column = new Map(tree.nodes.map(({ key, x }) => [key, x]));
    const step = (column.get('t0') ?? 0) - (column.get(kRootKey) ?? 0);
    for (const { depth, key } of tot.thoughts)
      expect(column.get(`t${key}`)).toBe((column.get(kRootKey) ?? 0) + depth * step);
    expectApart(tree);
    const { got } = foldedFixture('agot');
    const plan = dagScene(got, () => '', true);
    const right = (id: string) => plan.nodes.find(({ key }) => key === id)?.x ?? 0;
    for (const [from, to] of got.edges) expect(right(from)).toBeLessThan(right(to));
    expectApart(plan);
    for (const scene of [tree, plan])
      for (const { h, w, x, y } of scene.nodes)
        expect(x >= 0 && y >= 0 && x + w <= scene.width && y + h <= scene.height).toBe(true);
  });

  // Size of the picture's pane in a window of 1440 by 900.
  const kPane = { width: 552, height: 700 };
  const planOf = (tasks: number) => {
    const got = new GotDag();
    const middle = Array.from({ length: tasks }, (_, at) => `shop_${at}`);
    got.plan(['gather', ...middle, 'merge']);
    got.edges = middle.flatMap(
      (id) =>
        [
          ['gather', id],
          [id, 'merge'],
        ] as const,
    );
    return (across: boolean) => dagScene(got, () => '', across);
  };

  it('are whole and readable with any number of parallel tasks', () => {
    for (let tasks = 1; tasks <= 12; tasks += 1) {
      const scene = fittingScene(planOf(tasks), kPane, false);
      expect(wholeScale(scene, kPane), `${tasks} tasks`).toBeGreaterThan(0.64);
      expect(scene.across).toBe(tasks > 3);
    }
    const { tot } = foldedFixture('tot');
    const draw = (across: boolean) => treeScene(tot, 'task', () => '', undefined, across);
    expect(wholeScale(fittingScene(draw, kPane, false), kPane)).toBeGreaterThan(0.64);
  });

  it('keep their direction unless the other is clearly larger', () => {
    const square = (across: boolean): Scene => ({
      nodes: [],
      edges: [],
      width: across ? 1000 : 1100,
      height: 600,
      across,
    });
    expect(fittingScene(square, kPane, false).across).toBe(false);
    expect(fittingScene(square, kPane, true).across).toBe(true);
    const chain = new GotDag();
    const ids = ['a', 'b', 'c', 'd', 'e', 'f'];
    chain.plan(ids);
    chain.edges = ids.slice(1).map((id, at) => [ids[at] ?? '', id] as const);
    expect(
      fittingScene((across) => dagScene(chain, () => '', across), kPane, true).across,
      'a chain is much larger downwards',
    ).toBe(false);
  });

  it('separates any tree', () => {
    const random = seeded(2);
    for (let round = 0; round < 30; round += 1) {
      const tree = new TotTree();
      for (let step = 0; step < 12; step += 1) {
        const count = 1 + Math.floor(random() * 4);
        tree.expand(
          Array.from({ length: count }, (_, at) => `idea ${step}.${at}`),
          step,
        );
        tree.evaluate(Math.floor(random() * count), Array.from({ length: count }, random), step);
        if (random() < 0.3) tree.backtrack('worse', Math.floor(random() * tree.path.length), step);
      }
      const scene = treeScene(tree, 'task', () => '');
      expectApart(scene);
      expect(scene.nodes).toHaveLength(tree.thoughts.length + 1);
    }
  });
});

describe('the tree of thoughts', () => {
  it('tries another candidate after a backtrack known only from the state', () => {
    const tree = new TotTree();
    tree.expand(['a', 'b'], 1);
    tree.evaluate(0, [0.9, 0.8], 2);
    tree.backtrack('failed', 0, 3);
    tree.update({ tot: { chosen_index: 1 } }, 4);
    expect(tree.path).toEqual([1]);
    tree.expand(['c'], 5);
    expect(tree.thoughts[2]).toMatchObject({ parent: 1, depth: 2 });
  });

  it('survives a missing choice and depth', () => {
    const tree = new TotTree();
    tree.backtrack('x', 4, 0);
    tree.evaluate(7, [1], 1);
    tree.expand(['a'], 2);
    tree.evaluate(9, [0.5], 3);
    expect(tree.path).toEqual([]);
    expect(tree.thoughts[0]).toMatchObject({ score: 0.5, state: 'passed' });
  });
});

describe('navigation in a picture', () => {
  const scene = flowScene(foldedFixture('react').items, noObject);
  const node = (at: number) =>
    scene.nodes.filter(({ chip }) => !chip)[at] ?? (scene.nodes[0] as Scene['nodes'][number]);

  it('finds the next item ahead, and nothing beyond the edge', () => {
    expect(neighbour(scene.nodes, node(0), 'down')?.key).toBe(node(1).key);
    expect(neighbour(scene.nodes, node(1), 'right')?.chip).toBe(true);
    expect(neighbour(scene.nodes, node(0), 'up')).toBeNull();
  });
});

describe('text in a box', () => {
  it('never exceeds the box, and marks the cut', () => {
    const random = seeded(6);
    const words = [
      'a',
      'Compare',
      'the',
      'ledger',
      '比较',
      '周日营业',
      'supercalifragilisticexpialidocious',
      '—',
      '1284.12',
      '🙂',
    ];
    for (let round = 0; round < 500; round += 1) {
      const text = Array.from(
        { length: 1 + Math.floor(random() * 14) },
        () => words[Math.floor(random() * words.length)],
      ).join(' ');
      const lines = fitLines(text, 10, 3);
      expect(lines.length).toBeLessThanOrEqual(3);
      for (const line of lines) expect(textWidth(line)).toBeLessThanOrEqual(10.1);
      const whole = lines.join('').replace(/\s/g, '') === text.replace(/\s/g, '');
      expect(whole || (lines.at(-1) ?? '').endsWith('…')).toBe(true);
    }
  });

  it('breaks between words, and between letters of Chinese', () => {
    expect(fitLines('Work out a rota', 6, 2)).toEqual(['Work out a', 'rota']);
    expect(fitLines('比较三种周日营业的办法', 6, 2)).toEqual(['比较三种周日', '营业的办法']);
    expect(fitLines('', 6, 2)).toEqual([]);
  });
});

describe('fitLines', () => {
  it('leaves room for written-out hidden characters', () => {
    const [line] = fitLines('echo \u202e\u2066fdp.exe', 20, 1);
    expect(line).toContain('<U+202E>');
    expect(textWidth(line ?? '')).toBeLessThanOrEqual(20);
  });
});
