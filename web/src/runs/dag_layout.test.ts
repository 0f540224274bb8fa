// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { layoutDag, spread } from './dag_layout';
import { seeded } from './fixtures/fixture';
import type { Edge } from './got_dag';

const kSpacing = { node: 100, lane: 20 };
const names = (count: number) => Array.from({ length: count }, (_, at) => `n${at}`);

function randomEdges(count: number, random: () => number, share: number, cycles: boolean): Edge[] {
  const edges: Edge[] = [];
  for (let a = 0; a < count; a += 1) {
    for (let b = 0; b < count; b += 1) {
      if (a !== b && (cycles || a < b) && random() < share) edges.push([`n${a}`, `n${b}`]);
    }
  }
  return edges;
}

describe('the layout of a plan', () => {
  it('puts a diamond in three layers, its ends in the middle', () => {
    const layout = layoutDag(
      ['a', 'b', 'c', 'd'],
      [
        ['a', 'b'],
        ['a', 'c'],
        ['b', 'd'],
        ['c', 'd'],
      ],
      kSpacing,
    );
    const at = new Map(layout.nodes.map((node) => [node.id, node]));
    expect(layout.nodes.map(({ layer }) => layer)).toEqual([0, 1, 1, 2]);
    expect(at.get('a')?.x).toBeCloseTo(((at.get('b')?.x ?? 0) + (at.get('c')?.x ?? 0)) / 2);
    expect(at.get('d')?.x).toBeCloseTo(at.get('a')?.x ?? 0);
    expect(layout.width).toBe(200);
  });

  it('uncrosses avoidable crossings', () => {
    const layout = layoutDag(
      ['a', 'b', 'x', 'y'],
      [
        ['a', 'y'],
        ['b', 'x'],
      ],
      kSpacing,
    );
    const x = (id: string) => layout.nodes.find((node) => node.id === id)?.x ?? 0;
    expect(Math.sign(x('a') - x('b'))).toBe(Math.sign(x('y') - x('x')));
  });

  it('draws every edge downward without overlapping nodes', () => {
    const random = seeded(3);
    for (let round = 0; round < 60; round += 1) {
      const ids = names(1 + Math.floor(random() * 24));
      const layout = layoutDag(ids, randomEdges(ids.length, random, 0.15, false), kSpacing);
      const at = new Map(layout.nodes.map((node) => [node.id, node]));
      for (const { back, from, to, xs } of layout.edges) {
        expect(back).toBe(false);
        const layers = (at.get(to)?.layer ?? 0) - (at.get(from)?.layer ?? 0);
        expect(layers).toBeGreaterThan(0);
        expect(xs).toHaveLength(layers + 1);
      }
      for (let layer = 0; layer < layout.layers; layer += 1) {
        const places = layout.nodes
          .filter((node) => node.layer === layer)
          .map(({ x }) => x)
          .sort((a, b) => a - b);
        places.forEach((x, index) => {
          expect(x - (places[index - 1] ?? -Infinity)).toBeGreaterThanOrEqual(kSpacing.node - 1e-6);
        });
      }
      expect(Math.min(...layout.nodes.map(({ x }) => x))).toBeGreaterThanOrEqual(kSpacing.node / 2 - 1e-6);
    }
  });

  it('survives cycles, loops, doubles and unknown names', () => {
    const random = seeded(8);
    for (let round = 0; round < 40; round += 1) {
      const ids = names(2 + Math.floor(random() * 12));
      const edges: Edge[] = [
        ...randomEdges(ids.length, random, 0.3, true),
        ['n0', 'n0'],
        ['n0', 'n1'],
        ['n0', 'n1'],
        ['n0', 'gone'],
      ];
      const layout = layoutDag(ids, edges, kSpacing);
      expect(layout.nodes.map(({ id }) => id)).toEqual(ids);
      expect(layout.nodes.every(({ x }) => Number.isFinite(x))).toBe(true);
      expect(layout.edges.some(({ to }) => to === 'gone')).toBe(false);
    }
  });

  it('is empty for an empty plan', () => {
    expect(layoutDag([], [], kSpacing)).toEqual({ nodes: [], edges: [], layers: 0, width: 0 });
  });
});

describe('spreading', () => {
  it('moves only crowded places, evenly', () => {
    expect(spread([0, 200], [100, 100])).toEqual([0, 200]);
    expect(spread([50, 50], [100, 100])).toEqual([0, 100]);
    expect(spread([0, 0, 0], [100, 20, 100])).toEqual([-60, 0, 60]);
  });
});
