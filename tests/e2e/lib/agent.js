// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// A coding agent: a real MCP client that runs the real agentassistant-mcp.
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { mcpProgram } from './server.js';

export class Agent {
  #client;

  static async start(server, token = server.token, name = 'e2e-agent') {
    const agent = new Agent();
    agent.#client = new Client({ name, version: '1.0.0' });
    await agent.#client.connect(
      new StdioClientTransport({
        command: mcpProgram(),
        args: ['--host', '127.0.0.1', '--port', String(server.port), '--token', token],
        env: server.env,
        cwd: server.home,
        stderr: 'ignore',
      }),
    );
    return agent;
  }

  // Resolves with the text of the answer. Rejects when the tool reports an error.
  async ask(question, more = {}) {
    return this.#call('ask_question', { project_directory: '/src/shop', question, timeout: 120, ...more });
  }

  // The same; resolves with all contents of the answer.
  async askFor(question, more = {}) {
    return this.#contents('ask_question', { project_directory: '/src/shop', question, timeout: 120, ...more });
  }

  async finish(summary, more = {}) {
    return this.#call('task_finish', { project_directory: '/src/shop', summary, timeout: 120, ...more });
  }

  async #call(name, args) {
    return (await this.#contents(name, args)).map((each) => each.text).join('\n');
  }

  async #contents(name, args) {
    const result = await this.#client.callTool({ name, arguments: args }, undefined, { timeout: 150_000 });
    if (result.isError) throw new Error(`${name}: ${result.content.map((each) => each.text).join('\n')}`);
    return result.content;
  }

  async end() {
    await this.#client.close();
  }
}
