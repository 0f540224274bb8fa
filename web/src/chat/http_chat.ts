// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { asArray, asObject, asText, type Json } from '@/wire/json';
import { ServerError, WrappedServer } from '@/wire/wrapped_server';
import type { Verdict } from './connection';

export interface ChatSession {
  code: string;
  title: string;
  rules: string;
  server: string; // id of its ComfyUI server; '': none
  updatedAt: number; // Unix ms; 0: unknown
}

export interface ComfyServer {
  id: string;
  name: string;
  health: string; // HEALTHY, UNHEALTHY, UNKNOWN
}

// A tool that runs without approval.
export interface AllowedTool {
  tool: string;
  source: string; // builtin, comfyui, mcp:SERVER@DIGEST, client
  session: string; // the chat in which it is allowed; '': all chats
}

export interface ChatAgent {
  code: string;
  name: string;
  description: string;
}

// Unix ms of "2026-11-23 15:04:05" in UTC.
function readDate(value: unknown): number {
  const at = Date.parse(`${asText(value).replace(' ', 'T')}Z`);
  return Number.isNaN(at) ? 0 : at;
}

const idText = (value: unknown): string => (typeof value === 'number' ? String(value) : asText(value));

export function readSession(value: unknown): ChatSession | null {
  const it = asObject(value);
  const code = asText(it['sessionCode']);
  if (code === '') return null;
  const updatedAt = readDate(it['updateTime']) || readDate(it['createTime']);
  return {
    code,
    title: asText(it['title']),
    rules: asText(it['rules']),
    server: idText(it['comfyuiServerId']),
    updatedAt,
  };
}

const kBase = '/api/v1';
const pathOf = (code: string) => `${kBase}/sessions/${encodeURIComponent(code)}`;

// The routes of /api/v1 for chat sessions.
export class HttpChat {
  private readonly server: WrappedServer;

  constructor(token: string, fetchIt?: typeof fetch) {
    this.server = new WrappedServer(token, fetchIt);
  }

  // Newest first.
  async sessions(): Promise<ChatSession[]> {
    const all = asArray(await this.server.ask('GET', `${kBase}/sessions`));
    return all.flatMap((it) => readSession(it) ?? []).sort((a, b) => b.updatedAt - a.updatedAt);
  }

  // Returns the sessionCode.
  async create(title: string, server: string): Promise<string> {
    const body: Json = { title };
    if (server !== '') body['comfyuiServerId'] = server;
    const code = asText(await this.server.ask('POST', `${kBase}/sessions`, body));
    if (code === '') throw new ServerError(502, '');
    return code;
  }

  async change(code: string, change: { title?: string; rules?: string }): Promise<void> {
    await this.server.ask('PUT', pathOf(code), change);
  }

  async remove(code: string): Promise<void> {
    await this.server.ask('DELETE', pathOf(code));
  }

  // The text of a workflow that is kept on the server.
  async workflow(id: string): Promise<string> {
    return asText(await this.server.ask('GET', `${kBase}/workflows/${encodeURIComponent(id)}/content`));
  }

  async check(code: string): Promise<Verdict> {
    try {
      await this.server.ask('GET', pathOf(code));
      return 'fine';
    } catch (error) {
      const status = error instanceof ServerError ? error.status : 0;
      if (status === 401) return 'signedOut';
      return status === 403 || status === 404 || status === 200 ? 'notFound' : 'unknown';
    }
  }

  // Empty if the server has none, or no such route.
  async servers(): Promise<ComfyServer[]> {
    const all = await this.choices(`${kBase}/comfyui-servers/enabled`);
    return all
      .map((it) => ({ id: idText(it['id']), name: asText(it['serverName']), health: asText(it['healthStatus']) }))
      .filter(({ id }) => id !== '');
  }

  async agents(): Promise<ChatAgent[]> {
    const all = await this.choices(`${kBase}/agents/runtime/enabled`);
    return all
      .map((it) => ({
        code: asText(it['agentCode']),
        name: asText(it['agentName']) || asText(it['agentCode']),
        description: asText(it['description']),
      }))
      .filter(({ code }) => code !== '');
  }

  async allowedTools(): Promise<AllowedTool[]> {
    const all = asArray(await this.server.ask('GET', `${kBase}/allowed-tools`)).map(asObject);
    return all
      .map((it) => ({ tool: asText(it['toolName']), source: asText(it['source']), session: asText(it['sessionCode']) }))
      .filter(({ tool }) => tool !== '');
  }

  // Revokes the permission: the next call requires approval again.
  async takeBack({ session, source, tool }: AllowedTool): Promise<void> {
    const where = new URLSearchParams({ source });
    if (session !== '') where.set('sessionCode', session);
    await this.server.ask('DELETE', `${kBase}/allowed-tools/${encodeURIComponent(tool)}?${where.toString()}`);
  }

  // Fetches a file of the server.
  async file(path: string): Promise<Blob> {
    const response = await this.server.send('GET', path);
    if (!response.ok) throw new ServerError(response.status, '');
    return response.blob();
  }

  private async choices(path: string): Promise<Json[]> {
    try {
      return asArray(await this.server.ask('GET', path)).map(asObject);
    } catch {
      return [];
    }
  }
}
