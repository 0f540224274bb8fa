// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { randomId } from '@/text/random_id';

export interface DemoWords {
  agent: string;
  project: string;
  header: string;
  question: string;
  options: { label: string; description: string }[];
}

export interface DemoAnswer {
  isError: boolean;
  text: string;
}

export const kDemoTimeoutS = 300;

export function demoRequest(id: string, words: DemoWords): unknown {
  return {
    ID: id,
    Request: {
      ProjectDirectory: words.project,
      Question: words.question,
      Timeout: kDemoTimeoutS,
      AgentName: words.agent,
      Questions: [
        {
          question: words.question,
          header: words.header,
          options: words.options,
          multiple: false,
          custom: true,
        },
      ],
    },
  };
}

interface RpcAnswer {
  IsError?: boolean;
  Meta?: Record<string, string>;
  contents?: { text?: { text?: string } }[];
}

// Asks as an agent does, by the RPC, and resolves with the answer that the agent receives. Rejects if the
// server cannot be reached or refuses.
export async function askDemo(token: string, words: DemoWords, onAsked: (id: string) => void): Promise<DemoAnswer> {
  const id = randomId();
  onAsked(id);
  const response = await fetch('/agentassistproto.SrvAgentAssist/AskQuestion', {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${token}`,
      'Content-Type': 'application/json',
      'Connect-Protocol-Version': '1',
    },
    body: JSON.stringify(demoRequest(id, words)),
  });
  const body = (await response.json()) as RpcAnswer & { message?: string };
  if (!response.ok) throw new Error(body.message ?? `HTTP ${response.status}`);
  const text = (body.contents ?? []).map((content) => content.text?.text ?? '').join('\n');
  return { isError: body.IsError === true, text: text || (body.Meta?.['message'] ?? '') };
}
