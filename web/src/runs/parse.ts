// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { asArray, asNumber, asObject, asText, asTime, isObject, type Json } from '@/wire/json';
import { explanationOf } from './explanation';
import { type Frame, kExportKeys, type RunEvent } from './run_event';

export type LineFault = 'json' | 'form'; // no JSON object; an object that is neither event nor reply

export interface LineReading {
  frames: Frame[];
  fault: LineFault | null;
}

const kEnvelope = ['session_id', 'node_id', 'event_id', 'at'];

// Reads one line of a stream: a frame, the single-key export form, or a wrapper of frames (run_stream_event and
// run_end of the WebSocket, a collected run).
export function parseLine(line: string): LineReading {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return { frames: [], fault: 'json' };
  }
  if (!isObject(value)) return { frames: [], fault: 'json' };
  const frames = framesOf(value);
  return { frames, fault: frames.length === 0 ? 'form' : null };
}

// The frames in an object; empty if it is a frame in no form.
export function framesOf(value: Json): Frame[] {
  const inner = value['type'] === 'run_stream_event' && isObject(value['event']) ? value['event'] : value;
  if (Array.isArray(inner['events']) && !('type' in inner)) return collected(inner);
  const frame = readFrame(inner);
  return frame ? [frame] : [];
}

function collected(value: Json): Frame[] {
  const reply = isObject(value['reply']) ? value['reply'] : value;
  const last = typeof reply['reply'] === 'string' ? [reply] : [];
  return [...asArray(value['events']), ...last].flatMap((it) => (isObject(it) ? (readFrame(it) ?? []) : []));
}

export function readFrame(value: Json): Frame | null {
  const event = eventOf(value);
  if (!event) return null;
  const ownNode = event.type === 'got_expand' ? '' : asText(value['node_id']);
  return {
    session: asText(value['session_id']),
    nodeId: ownNode,
    eventId: wholeNumber(value['event_id']),
    at: asTime(value['at']) ?? (event.type === 'checkpoint' ? event.timestamp : null),
    event,
    raw: value,
  };
}

function eventOf(value: Json): RunEvent | null {
  const { type } = value;
  if (typeof type === 'string' && type !== '') {
    if (type === 'reply' || type === 'run_end') return readReply(value);
    return readEvent(type, value) ?? { type: 'unknown', name: type };
  }
  if (typeof value['reply'] === 'string') return readReply(value);
  const keys = Object.keys(value).filter((key) => !kEnvelope.includes(key));
  const key = keys[0];
  if (keys.length !== 1 || key === undefined) return null;
  const name = Object.hasOwn(kExportKeys, key) ? kExportKeys[key] : undefined;
  if (name === undefined) return /^[A-Z]\w*$/.test(key) ? { type: 'unknown', name: key } : null;
  return readExport(key, name, value[key]);
}

function readReply(value: Json): RunEvent {
  return {
    type: 'reply',
    reply: asText(value['reply']),
    reasoning: asText(value['reasoning_content']),
    error: asText(value['error']),
    stopReason: asText(value['stop_reason']),
  };
}

// The export form has node_id instead of id, and some values without an object.
function readExport(key: string, name: string, body: unknown): RunEvent | null {
  if (name === 'values') return { type: 'values', state: body };
  if (name === 'custom') return { type: 'custom', value: body };
  if (key === 'Messages') return readMessages(body);
  const fields = asObject(body);
  const id = asText(fields['id']) || asText(fields['node_id']);
  return readEvent(name, name === 'got_expand' ? { ...fields, node_id: id } : { ...fields, id });
}

// {chunk, metadata}, or a pair [chunk, metadata]; older ones have no kind.
function readMessages(body: unknown): RunEvent {
  const parts = Array.isArray(body) ? { chunk: asArray(body)[0], metadata: asArray(body)[1] } : asObject(body);
  const chunk = parts['chunk'];
  const metadata = asObject(parts['metadata']);
  const content =
    typeof chunk === 'string' ? chunk : asText(asObject(chunk)['content']) || asText(asObject(body)['content']);
  const id = asText(metadata['loom_node']) || asText(metadata['node_id']) || asText(asObject(body)['id']);
  const thought = asText(asObject(chunk)['kind']) === 'Thinking';
  return { type: thought ? 'thought_chunk' : 'message_chunk', content, id };
}

function callOf(value: Json): { callId: string; name: string } {
  return { callId: asText(value['call_id']), name: asText(value['name']) };
}

function texts(value: unknown): string[] {
  return asArray(value).map((it) =>
    typeof it === 'string' ? it : asText(asObject(it)['thought']) || JSON.stringify(it),
  );
}

const kReaders: Readonly<Record<string, (value: Json) => RunEvent>> = {
  run_start: (it) => ({
    type: 'run_start',
    runId: asText(it['run_id']),
    message: messageText(it['message']),
    agent: asText(it['agent']),
  }),
  node_enter: (it) => ({ type: 'node_enter', id: asText(it['id']) }),
  node_exit: (it) => ({ type: 'node_exit', id: asText(it['id']), error: errorOf(it['result']) }),
  message_chunk: (it) => ({ type: 'message_chunk', content: asText(it['content']), id: asText(it['id']) }),
  thought_chunk: (it) => ({ type: 'thought_chunk', content: asText(it['content']), id: asText(it['id']) }),
  usage: readUsage,
  values: (it) => ({ type: 'values', state: it['state'] ?? null }),
  updates: (it) => ({ type: 'updates', id: asText(it['id']), state: it['state'] ?? null }),
  custom: (it) => ({ type: 'custom', value: it['value'] ?? null }),
  checkpoint: (it) => ({
    type: 'checkpoint',
    checkpointId: asText(it['checkpoint_id']),
    timestamp: asNumber(it['timestamp']) ?? asTime(it['timestamp']),
    step: asNumber(it['step']) ?? 0,
    state: it['state'] ?? null,
    next: asText(it['next']),
  }),
  tot_expand: (it) => ({ type: 'tot_expand', candidates: texts(it['candidates']) }),
  tot_evaluate: (it) => ({
    type: 'tot_evaluate',
    chosen: asNumber(it['chosen']) ?? 0,
    scores: asArray(it['scores']).map((score) => asNumber(score) ?? 0),
  }),
  tot_backtrack: (it) => ({
    type: 'tot_backtrack',
    reason: asText(it['reason']),
    toDepth: asNumber(it['to_depth']) ?? 0,
  }),
  got_plan: (it) => ({
    type: 'got_plan',
    nodeCount: asNumber(it['node_count']) ?? 0,
    edgeCount: asNumber(it['edge_count']) ?? 0,
    nodeIds: asArray(it['node_ids'])
      .map(asText)
      .filter((id) => id !== ''),
  }),
  got_node_start: (it) => ({ type: 'got_node_start', id: asText(it['id']) }),
  got_node_complete: (it) => ({
    type: 'got_node_complete',
    id: asText(it['id']),
    summary: asText(it['result_summary']),
  }),
  got_node_failed: (it) => ({ type: 'got_node_failed', id: asText(it['id']), error: asText(it['error']) }),
  got_expand: (it) => ({
    type: 'got_expand',
    id: asText(it['node_id']),
    nodesAdded: asNumber(it['nodes_added']) ?? 0,
    edgesAdded: asNumber(it['edges_added']) ?? 0,
  }),
  tool_call_chunk: (it) => ({ type: 'tool_call_chunk', ...callOf(it), delta: asText(it['arguments_delta']) }),
  tool_call: (it) => ({ type: 'tool_call', ...callOf(it), arguments: it['arguments'] ?? null }),
  tool_start: (it) => ({ type: 'tool_start', ...callOf(it) }),
  tool_output: (it) => ({ type: 'tool_output', ...callOf(it), content: asText(it['content']) }),
  tool_end: (it) => ({
    type: 'tool_end',
    ...callOf(it),
    result: asText(it['result']),
    isError: it['is_error'] === true,
    raw: typeof it['raw_result'] === 'string' ? it['raw_result'] : null,
  }),
  tool_approval: (it) => ({
    type: 'tool_approval',
    ...callOf(it),
    arguments: it['arguments'] ?? null,
    explanation: explanationOf(it),
  }),
};

function readEvent(type: string, value: Json): RunEvent | null {
  const read = Object.hasOwn(kReaders, type) ? kReaders[type] : undefined;
  return read ? read(value) : null;
}

function readUsage(value: Json): RunEvent {
  const prompt = asNumber(value['prompt_tokens']) ?? 0;
  const completion = asNumber(value['completion_tokens']) ?? 0;
  return { type: 'usage', prompt, completion, total: asNumber(value['total_tokens']) ?? prompt + completion };
}

// The text of a message, or of its text parts.
export function messageText(value: unknown): string {
  if (typeof value === 'string') return value;
  return asArray(value)
    .map((part) => asText(asObject(part)['text']))
    .filter((text) => text !== '')
    .join('\n');
}

function errorOf(result: unknown): string | null {
  if (!isObject(result) || !('Err' in result)) return null;
  const error = result['Err'];
  return typeof error === 'string' ? error : JSON.stringify(error);
}

function wholeNumber(value: unknown): number | null {
  const number = asNumber(value);
  return number !== null && Number.isInteger(number) && number >= 0 ? number : null;
}
