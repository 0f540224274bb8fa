// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// Codec of the protobuf messages that these tests need, by tag number, as in proto/agentassist.proto.

// A schema: { number: [name, kind] }; kind is 'string', 'int', 'bool', 'bytes', a schema, or one of
// these in an array for a repeated field. Maps of strings are repeated entries.
const entry = { 1: ['key', 'string'], 2: ['value', 'string'] };
const text = { 1: ['type', 'string'], 2: ['text', 'string'] };
const media = { 1: ['type', 'string'], 2: ['data', 'string'], 3: ['mime_type', 'string'] };
const resource = {
  1: ['type', 'string'],
  2: ['uri', 'string'],
  3: ['mime_type', 'string'],
  4: ['data', 'bytes'],
};
const content = {
  1: ['type', 'int'],
  2: ['text', text],
  3: ['image', media],
  4: ['audio', media],
  5: ['embedded_resource', resource],
};
const option = { 1: ['label', 'string'], 2: ['description', 'string'] };
const question = {
  1: ['question', 'string'],
  2: ['header', 'string'],
  3: ['options', [option]],
  4: ['multiple', 'bool'],
  5: ['custom', 'bool'],
};
// McpAskQuestionRequest and McpTaskFinishRequest: tag 2 is the question or the summary.
const inner = {
  1: ['ProjectDirectory', 'string'],
  2: ['Text', 'string'],
  3: ['Timeout', 'int'],
  4: ['AgentName', 'string'],
  5: ['ReasoningModelName', 'string'],
  6: ['McpClientName', 'string'],
  7: ['Questions', [question]],
};
export const request = {
  1: ['ID', 'string'],
  2: ['UserToken', 'string'],
  3: ['Request', inner],
  4: ['Timestamp', 'int'],
};
export const response = {
  1: ['ID', 'string'],
  2: ['IsError', 'bool'],
  3: ['Meta', [entry]],
  4: ['contents', [content]],
};
const pending = {
  1: ['message_type', 'string'],
  2: ['ask', request],
  3: ['report', request],
};
export const frame = {
  1: ['Cmd', 'string'],
  2: ['AskQuestionRequest', request],
  3: ['TaskFinishRequest', request],
  4: ['AskQuestionResponse', response],
  5: ['TaskFinishResponse', response],
  12: ['StrParam', 'string'],
  16: ['GetPendingMessagesResponse', { 1: ['pending_messages', [pending]] }],
  17: ['RequestCancelled', { 1: ['request_id', 'string'], 2: ['reason', 'string'] }],
  18: ['Nickname', 'string'],
  23: ['UserLoginResponse', { 1: ['client_id', 'string'], 2: ['success', 'bool'], 3: ['error_message', 'string'] }],
};

function varint(value) {
  const bytes = [];
  let rest = BigInt(value);
  do {
    const low = Number(rest & 0x7fn);
    rest >>= 7n;
    bytes.push(rest > 0n ? low | 0x80 : low);
  } while (rest > 0n);
  return Buffer.from(bytes);
}

function encodeField(number, kind, value) {
  if (kind === 'int' || kind === 'bool') {
    return value ? Buffer.concat([varint(number << 3), varint(Number(value))]) : Buffer.alloc(0);
  }
  const bytes = typeof kind === 'object' ? encode(kind, value) : Buffer.from(value);
  return Buffer.concat([varint((number << 3) | 2), varint(bytes.length), bytes]);
}

export function encode(schema, message) {
  const parts = [];
  for (const [number, [name, kind]] of Object.entries(schema)) {
    const value = message[name];
    if (value === undefined) continue;
    if (Array.isArray(kind)) {
      for (const each of value) parts.push(encodeField(Number(number), kind[0], each));
    } else {
      parts.push(encodeField(Number(number), kind, value));
    }
  }
  return Buffer.concat(parts);
}

function readVarint(bytes, at) {
  let value = 0n;
  for (let shift = 0n; ; shift += 7n) {
    const byte = bytes[at++];
    if (byte === undefined) throw new Error('a varint is cut off');
    value |= BigInt(byte & 0x7f) << shift;
    if (byte < 0x80) return [Number(value), at];
  }
}

function decodeValue(kind, bytes) {
  if (kind === 'string') return bytes.toString('utf8');
  if (kind === 'bytes') return Buffer.from(bytes);
  return decode(kind, bytes);
}

export function decode(schema, bytes) {
  const message = {};
  let at = 0;
  while (at < bytes.length) {
    let key;
    let value;
    [key, at] = readVarint(bytes, at);
    if ((key & 7) !== 0 && (key & 7) !== 2) throw new Error(`wire type ${key & 7}`);
    [value, at] = readVarint(bytes, at);
    const [name, kind] = schema[key >> 3] ?? [];
    const repeated = Array.isArray(kind);
    if ((key & 7) === 2) {
      const part = bytes.subarray(at, at + value);
      at += value;
      if (name === undefined) continue;
      value = decodeValue(repeated ? kind[0] : kind, part);
    }
    if (name === undefined) continue;
    if (repeated) (message[name] ??= []).push(value);
    else message[name] = kind === 'bool' ? value !== 0 : value;
  }
  return message;
}

export const textContent = (words) => ({ type: 1, text: { type: 'text', text: words } });
