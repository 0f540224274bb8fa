// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { asArray, asNumber, asObject, asText, isObject, type Json, parsedJson } from '@/wire/json';

export interface NodeValue {
  name: string; // of the input; "#2": the third value, if its name is unknown
  place: string; // position, "#2"; '' in the API form
  value: unknown;
}

export interface NodeLink {
  name: string;
  from: string; // id of the node that feeds it
  output: string;
  type: string;
}

export interface WorkflowNode {
  id: string;
  type: string;
  title: string;
  values: readonly NodeValue[];
  links: readonly NodeLink[];
  off: boolean; // muted or bypassed
  place: { x: number; y: number; w: number; h: number } | null; // null in the API form
}

export interface Workflow {
  form: 'ui' | 'api';
  nodes: readonly WorkflowNode[];
}

export const kMaxWorkflowBytes = 8 * 1024 * 1024;

// Names of the values of standard classes, in order; '': not shown. Nodes of other classes often have
// the names themselves.
const kValueNames: Readonly<Record<string, readonly string[]>> = {
  CheckpointLoaderSimple: ['ckpt_name'],
  CLIPTextEncode: ['text'],
  KSampler: ['seed', '', 'steps', 'cfg', 'sampler_name', 'scheduler', 'denoise'],
  KSamplerAdvanced: [
    'add_noise',
    'noise_seed',
    '',
    'steps',
    'cfg',
    'sampler_name',
    'scheduler',
    'start_at_step',
    'end_at_step',
    'return_with_leftover_noise',
  ],
  EmptyLatentImage: ['width', 'height', 'batch_size'],
  SaveImage: ['filename_prefix'],
  LoadImage: ['image', ''],
  LoraLoader: ['lora_name', 'strength_model', 'strength_clip'],
  VAELoader: ['vae_name'],
  UpscaleModelLoader: ['model_name'],
  LatentUpscale: ['upscale_method', 'width', 'height', 'crop'],
  ImageScale: ['upscale_method', 'width', 'height', 'crop'],
};

const idText = (value: unknown): string => (typeof value === 'number' ? String(value) : asText(value));

// Null: the text is no workflow of either form.
export function readWorkflow(text: string): Workflow | null {
  const root = text === '' ? null : parsedJson(text);
  if (!isObject(root)) return null;
  if (Array.isArray(root['nodes'])) return { form: 'ui', nodes: uiNodes(root) };
  const entries = Object.entries(root).filter(([, node]) => asText(asObject(node)['class_type']) !== '');
  if (entries.length === 0) return null;
  return { form: 'api', nodes: entries.map(([id, node]) => apiNode(id, asObject(node))) };
}

// --- UI form ---

interface UiLink {
  from: string;
  slot: number;
  type: string;
}

function uiLinks(root: Json): Map<string, UiLink> {
  const links = new Map<string, UiLink>();
  for (const link of asArray(root['links'])) {
    const [id, from, slot, , , type] = Array.isArray(link)
      ? (link as unknown[])
      : ['id', 'origin_id', 'origin_slot', '', '', 'type'].map((name) => asObject(link)[name]);
    links.set(idText(id), { from: idText(from), slot: asNumber(slot) ?? 0, type: asText(type) });
  }
  return links;
}

function uiNodes(root: Json): WorkflowNode[] {
  const links = uiLinks(root);
  const raw = asArray(root['nodes']).filter(isObject);
  const outputs = new Map(
    raw.map((node) => [idText(node['id']), asArray(node['outputs']).map((it) => asText(asObject(it)['name']))]),
  );
  return raw.map((node) => {
    const type = asText(node['type']);
    const inputs = asArray(node['inputs']).map(asObject);
    const found = inputs.flatMap((input): NodeLink[] => {
      const link = links.get(idText(input['link']));
      if (!link) return [];
      return [
        {
          name: asText(input['name']),
          from: link.from,
          output: outputs.get(link.from)?.[link.slot] ?? String(link.slot),
          type: link.type,
        },
      ];
    });
    const mode = asNumber(node['mode']) ?? 0;
    return {
      id: idText(node['id']),
      type,
      title: asText(node['title']) || type,
      values: uiValues(type, node['widgets_values'], inputs),
      links: found,
      off: mode === 2 || mode === 4,
      place: uiPlace(node),
    };
  });
}

function uiValues(type: string, values: unknown, inputs: readonly Json[]): NodeValue[] {
  if (isObject(values)) return Object.entries(values).map(([name, value]) => ({ name, place: '', value }));
  const list = asArray(values);
  const named = inputs
    .filter((input) => isObject(input['widget']))
    .map((input) => asText(asObject(input['widget'])['name']));
  const names = Object.hasOwn(kValueNames, type) ? kValueNames[type] : named.length === list.length ? named : undefined;
  return list
    .map((value, at) => ({ name: names?.[at] ?? `#${at}`, place: `#${at}`, value }))
    .filter(({ name }) => name !== '');
}

const pair = (value: unknown): [number, number] | null => {
  const [a, b] = [
    asNumber(asArray(value)[0] ?? asObject(value)['0']),
    asNumber(asArray(value)[1] ?? asObject(value)['1']),
  ];
  return a === null || b === null ? null : [a, b];
};

const kTitle = 30; // height of LiteGraph's title, above the position of a node

function uiPlace(node: Json): WorkflowNode['place'] {
  const at = pair(node['pos']);
  if (!at) return null;
  const [w, h] = pair(node['size']) ?? [210, 80];
  const folded = asObject(node['flags'])['collapsed'] === true;
  return { x: at[0], y: at[1] - kTitle, w: Math.max(120, w), h: (folded ? 0 : Math.max(20, h)) + kTitle };
}

// --- API form ---

function apiNode(id: string, node: Json): WorkflowNode {
  const type = asText(node['class_type']);
  const links: NodeLink[] = [];
  const values: NodeValue[] = [];
  for (const [name, value] of Object.entries(asObject(node['inputs']))) {
    const isLink =
      Array.isArray(value) && value.length === 2 && idText(value[0]) !== '' && typeof value[1] === 'number';
    if (isLink) links.push({ name, from: idText(value[0]), output: String(value[1]), type: '' });
    else values.push({ name, place: '', value });
  }
  return { id, type, title: asText(asObject(node['_meta'])['title']) || type, values, links, off: false, place: null };
}

// --- differences ---

export interface NodeChange {
  node: string;
  title: string;
  is: 'added' | 'removed' | 'changed';
  input: string; // '': the node itself
  before: string; // '': no value
  after: string;
}

export const kMaxChanges = 200;

export const valueText = (value: unknown): string =>
  typeof value === 'string' ? value : (JSON.stringify(value) ?? '');

function facts(node: WorkflowNode): Map<string, string> {
  const all = new Map<string, string>();
  if (node.title !== node.type) all.set('title', node.title);
  for (const { name, value } of node.values) all.set(name, valueText(value));
  for (const { from, name, output } of node.links) all.set(name, `← ${from} · ${output}`);
  if (node.off) all.set('mode', 'off');
  return all;
}

// Differences between two workflows. Positions and sizes are not compared.
export function diffWorkflows(before: Workflow | null, after: Workflow | null): NodeChange[] {
  const changes: NodeChange[] = [];
  const old = new Map((before?.nodes ?? []).map((node) => [node.id, node]));
  for (const node of after?.nodes ?? []) {
    const was = old.get(node.id);
    old.delete(node.id);
    if (was?.type !== node.type) {
      changes.push({ node: node.id, title: node.title, is: 'added', input: '', before: '', after: node.type });
      continue;
    }
    const [from, to] = [facts(was), facts(node)];
    for (const name of new Set([...from.keys(), ...to.keys()])) {
      const [a = '', b = ''] = [from.get(name), to.get(name)];
      if (a !== b) changes.push({ node: node.id, title: node.title, is: 'changed', input: name, before: a, after: b });
    }
  }
  for (const node of old.values())
    changes.push({ node: node.id, title: node.title, is: 'removed', input: '', before: node.type, after: '' });
  return changes.slice(0, kMaxChanges);
}

// Changes that a call of a workflow tool would make, from its arguments and the open workflow.
export function plannedChanges(name: string, args: Json, open: Workflow | null): NodeChange[] {
  const find = (id: string) => open?.nodes.find((node) => node.id === id) ?? null;
  const title = (id: string) => find(id)?.title ?? '';
  const id = idText(args['node']);
  switch (name) {
    case 'workflow_node_set': {
      const input = asText(args['input']);
      const before = find(id)?.values.find((it) => it.name === input || (it.place !== '' && it.place === input));
      return [
        {
          node: id,
          title: title(id),
          is: 'changed',
          input: before?.name ?? input,
          before: before ? valueText(before.value) : '',
          after: valueText(args['value']),
        },
      ];
    }
    case 'workflow_connect': {
      const to = idText(args['to']);
      const input = asText(args['input']);
      const before = find(to)?.links.find((it) => it.name === input);
      return [
        {
          node: to,
          title: title(to),
          is: 'changed',
          input,
          before: before ? `← ${before.from} · ${before.output}` : '',
          after: `← ${idText(args['from'])} · ${idText(args['output'])}`,
        },
      ];
    }
    case 'workflow_node_add': {
      const type = asText(args['type']);
      const inputs = Object.entries(asObject(args['inputs'])).map(([input, value]): NodeChange => ({
        node: '',
        title: type,
        is: 'changed',
        input,
        before: '',
        after: valueText(value),
      }));
      return [
        { node: '', title: asText(args['title']) || type, is: 'added', input: '', before: '', after: type },
        ...inputs,
      ];
    }
    case 'workflow_node_remove':
      return [{ node: id, title: title(id), is: 'removed', input: '', before: find(id)?.type ?? '', after: '' }];
    default:
      return [];
  }
}

// The kind of change of each changed node.
export function nodeMarks(changes: readonly NodeChange[]): Map<string, NodeChange['is']> {
  const marks = new Map<string, NodeChange['is']>();
  for (const { is, node } of changes) if (!marks.has(node)) marks.set(node, is);
  return marks;
}
