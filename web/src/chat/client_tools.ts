// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { asObject, asText, parsedJson } from '@/wire/json';
import type { ToolAnswer, ToolSchema } from './frames';
import { kMaxWorkflowBytes, readWorkflow } from './workflow';

const schema = (
  name: string,
  description: string,
  properties: Record<string, unknown>,
  required: readonly string[] = [],
): ToolSchema => ({
  name,
  description,
  inputSchema: { type: 'object', properties, required },
});

// The tools that this page executes itself. None takes a path or has the name of a tool that does: the
// person chooses the files that are read.
export const kClientTools: readonly ToolSchema[] = [
  schema('get_workflow', 'Gives the ComfyUI workflow that the person has open, as JSON text.', {}),
  schema(
    'set_workflow',
    'Replaces the ComfyUI workflow that the person has open.',
    { workflowJson: { type: 'string', description: 'the whole workflow as JSON text, in UI or API form' } },
    ['workflowJson'],
  ),
  schema('pick_file', 'Asks the person to pick a text file of their computer, and gives its content.', {
    reason: { type: 'string', description: 'told to the person' },
  }),
  schema('take_note', 'Keeps a note beside the chat, where the person sees it.', { text: { type: 'string' } }, [
    'text',
  ]),
];

export const isClientTool = (name: string): boolean => kClientTools.some((tool) => tool.name === name);

export const kMaxNoteChars = 4_000;
export const kMaxFileChars = 256 * 1024;

// Actions of the page that the tools use.
export interface ChatDocuments {
  workflow: () => string; // '': none is open
  setWorkflow: (text: string, callId: string) => void;
  note: (text: string) => void;
  pickFile: (reason: string) => Promise<{ name: string; text: string } | null>; // null: the person refused
}

const done = (result: unknown): ToolAnswer => ({ is: 'done', result: JSON.stringify(result) });
const failed = (error: string): ToolAnswer => ({ is: 'failed', error });

export async function runClientTool(
  name: string,
  args: string,
  callId: string,
  documents: ChatDocuments,
): Promise<ToolAnswer> {
  const given = asObject(parsedJson(args));
  switch (name) {
    case 'get_workflow': {
      const content = documents.workflow();
      return content === '' ? failed('No workflow is open.') : done({ success: true, content });
    }
    case 'set_workflow': {
      const text = asText(given['workflowJson']);
      if (text.length > kMaxWorkflowBytes) return failed(`"workflowJson" is larger than ${kMaxWorkflowBytes} bytes.`);
      if (!readWorkflow(text))
        return failed('"workflowJson" is no workflow: expected JSON with "nodes", or nodes by id with "class_type".');
      documents.setWorkflow(text, callId);
      return done({ success: true, message: 'The workflow was replaced.' });
    }
    case 'pick_file': {
      const file = await documents.pickFile(asText(given['reason']));
      if (!file) return failed('The person did not pick a file.');
      if (file.text.length > kMaxFileChars)
        return failed(`The file ${file.name} is larger than ${kMaxFileChars} characters.`);
      return done({ success: true, ...file });
    }
    case 'take_note': {
      const text = asText(given['text']).trim();
      if (text === '') return failed('"text" is missing or empty.');
      if (text.length > kMaxNoteChars) return failed(`"text" is longer than ${kMaxNoteChars} characters.`);
      documents.note(text);
      return done({ success: true });
    }
    default:
      return failed(`This page has no tool "${name}".`);
  }
}
