// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { asArray, asNumber, asObject, asText, isObject, type Json, parsedJson } from '@/wire/json';

// One message of the server (docs/protocol-chat.md). Members that are missing or invalid are empty.
export interface ChatFrame {
  type: string;
  requestId: string;
  content: string;
  data: Json;
  seq: number; // 0: not an event
  at: number; // Unix ms; 0: unknown
}

// Null: not a frame.
export function readFrame(text: unknown): ChatFrame | null {
  const frame = typeof text === 'string' ? parsedJson(text) : null;
  if (!isObject(frame) || asText(frame['type']) === '') return null;
  return {
    type: asText(frame['type']),
    requestId: asText(frame['requestId']),
    content: asText(frame['content']),
    data: asObject(frame['data']),
    seq: asNumber(frame['seq']) ?? 0,
    at: asNumber(frame['timestamp']) ?? 0,
  };
}

export interface ToolSchema {
  name: string;
  description: string;
  inputSchema: Json;
}

// An attached part of a message.
export type Content =
  | { type: 'text'; text: string }
  | {
      type: 'image' | 'audio' | 'video' | 'pdfFile';
      isUseBase64: true;
      base64Data: string;
      mimeType: string;
      uploadFileName: string;
    };

export interface UserMessage {
  requestId: string;
  content: string;
  agentCode: string;
  toolSchemas: readonly ToolSchema[];
  multimodalContents: readonly Content[];
  workflowContent: string; // '': no workflow is open
  replaces: string; // requestId of the replaced message; '': none
}

export type Scope = 'once' | 'session' | 'always';

export interface ToolCall {
  requestId: string;
  callId: string;
  name: string;
  args: string; // JSON text
  isClient: boolean;
}

// Answer to a waiting call: allowed, denied, or executed by this page.
export type ToolAnswer =
  { is: 'allow'; scope: Scope } | { is: 'deny' } | { is: 'done'; result: string } | { is: 'failed'; error: string };

type Outgoing = Record<string, unknown> & { type: string; requestId: string };

const without = (parts: Json) =>
  Object.fromEntries(
    Object.entries(parts).filter(([, value]) => value !== '' && !(Array.isArray(value) && value.length === 0)),
  );

export function messageFrame(message: UserMessage): Outgoing {
  const { content, requestId, ...rest } = message;
  return { type: 'USER_MESSAGE', requestId, content, data: { type: 'USER_MESSAGE', ...without(rest) } };
}

export function orderFrame(requestId: string, content: string): Outgoing {
  return { type: 'USER_ORDER', requestId, content, data: { type: 'USER_ORDER' } };
}

export function answerFrame(call: ToolCall, answer: ToolAnswer): Outgoing {
  const data: Json = {
    type: 'AGENT_TOOL_CALL_RESPONSE',
    toolCallId: call.callId,
    toolName: call.name,
    toolArgs: call.args,
    isClientTool: call.isClient,
    isMcpTool: false,
    isAllow: answer.is !== 'deny',
  };
  if (answer.is === 'allow') data['scope'] = answer.scope;
  if (answer.is === 'done') Object.assign(data, { success: true, result: answer.result });
  if (answer.is === 'failed') Object.assign(data, { success: false, error: answer.error });
  return { type: 'AGENT_TOOL_CALL_RESPONSE', requestId: call.requestId, data };
}

export function interruptFrame(requestId: string): Outgoing {
  return { type: 'INTERRUPT', requestId, data: { type: 'INTERRUPT' } };
}

export function pingFrame(): Outgoing {
  return { type: 'PING', requestId: 'ping' };
}

export interface NamedPart {
  name: string;
  mimeType: string;
}

export function attachmentsOf(data: Json): NamedPart[] {
  return asArray(data['attachments']).map((it) => ({
    name: asText(asObject(it)['name']),
    mimeType: asText(asObject(it)['mimeType']),
  }));
}
