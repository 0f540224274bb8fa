// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// Coding agents as readers of a hook's output: each function applies the rules of one agent, as measured with its program, and
// returns what the agent does then:
//   { does: 'asks' }                  it shows its own dialog, also when it drops the output
//   { does: 'runs', input, rules }    the tool runs with this input
//   { does: 'refuses', reason, stops }
//   { does: 'goes on', reason }       it begins another turn
//   { does: 'nothing' }
import assert from 'node:assert/strict';

const kAsks = { does: 'asks' };

// The tools by which an agent asks its person. An allow alone cannot answer them.
const kDialogs = new Set(['AskUserQuestion', 'ExitPlanMode', 'ask_user_question', 'exit_plan_mode']);

function parsed(out) {
  if (out === '') return undefined;
  assert.match(out, /^\{.*\}\n$/, 'one line of JSON');
  return JSON.parse(out);
}

function ofEvent(output, event) {
  const specific = output?.hookSpecificOutput;
  return specific?.hookEventName === event ? specific : undefined;
}

const refused = ({ message, interrupt }) => ({ does: 'refuses', reason: message, stops: interrupt === true });

// At the end of a turn: Claude Code, Codex, Qwen Code and Copilot CLI.
const afterStop = (output) =>
  output?.decision === 'block' && output.reason ? { does: 'goes on', reason: output.reason } : { does: 'nothing' };

function isAnswered(questions, answers) {
  return questions.every(({ question }) => typeof answers?.[question] === 'string' && answers[question] !== '');
}

// Claude Code 2.1.332: an allow for its own dialogs counts only with an input, that of questions with their answers.
function claude(input, out) {
  const output = parsed(out);
  if (input.hook_event_name === 'Stop') return afterStop(output);
  const decision = ofEvent(output, 'PermissionRequest')?.decision;
  if (input.hook_event_name !== 'PermissionRequest') return { does: 'nothing' };
  if (decision?.behavior === 'deny') return refused(decision);
  if (decision?.behavior !== 'allow') return kAsks;
  if (kDialogs.has(input.tool_name) && decision.updatedInput === undefined) return kAsks;
  const runs = decision.updatedInput ?? input.tool_input;
  if (input.tool_name === 'AskUserQuestion' && !isAnswered(input.tool_input.questions, runs.answers)) return kAsks;
  return { does: 'runs', input: runs, rules: decision.updatedPermissions ?? [] };
}

// Codex 0.171.0: members that it does not know make the output a failed hook.
function codex(input, out) {
  const output = parsed(out);
  if (input.hook_event_name === 'Stop') return afterStop(output);
  if (input.hook_event_name === 'PreToolUse') {
    const specific = ofEvent(output, 'PreToolUse');
    if (specific?.permissionDecision !== 'deny' || !specific.permissionDecisionReason) return kAsks;
    return { does: 'refuses', reason: specific.permissionDecisionReason, stops: false };
  }
  const decision = ofEvent(output, 'PermissionRequest')?.decision ?? {};
  if (Object.keys(decision).some((name) => !['behavior', 'message'].includes(name))) return kAsks;
  if (decision.behavior === 'deny') return refused(decision);
  return decision.behavior === 'allow' ? { does: 'runs', input: input.tool_input, rules: [] } : kAsks;
}

// Qwen Code 0.24.4: `hasDecision && (!shouldAllow || !requiresUserInteraction)`.
function qwen(input, out) {
  const output = parsed(out);
  if (input.hook_event_name === 'Stop') return afterStop(output);
  const decision = ofEvent(output, 'PermissionRequest')?.decision;
  if (decision?.behavior === 'deny') return refused(decision);
  if (decision?.behavior !== 'allow' || kDialogs.has(input.tool_name)) return kAsks;
  return { does: 'runs', input: decision.updatedInput ?? input.tool_input, rules: decision.updatedPermissions ?? [] };
}

// OpenCode 1.18.33, behind the plugin of `parley setup`, which posts the output as a reply to the request.
function opencode({ event, properties }, out) {
  const output = parsed(out);
  if (event === 'question.asked') {
    const isWhole =
      output?.answers?.length === properties.questions.length && output.answers.every((one) => one.length > 0);
    return isWhole ? { does: 'runs', input: output.answers, rules: [] } : kAsks;
  }
  if (event !== 'permission.asked') return { does: 'nothing' };
  if (output?.reply === 'reject') return refused(output);
  if (!['once', 'always'].includes(output?.reply)) return kAsks;
  return { does: 'runs', input: properties.metadata, rules: output.reply === 'always' ? properties.always : [] };
}

// Copilot CLI 1.0.102.
function copilot(input, out) {
  const output = parsed(out);
  if (input.stopReason) return afterStop(output);
  if (!input.toolName) return { does: 'nothing' };
  if (output?.behavior === 'deny') return refused(output);
  return output?.behavior === 'allow' ? { does: 'runs', input: input.toolInput, rules: [] } : kAsks;
}

// Gemini CLI 0.61.0: a hook cannot grant.
function gemini(input, out) {
  const output = parsed(out);
  if (input.hook_event_name !== 'AfterAgent') return { does: 'nothing' };
  return output?.decision === 'deny' && output.reason
    ? { does: 'goes on', reason: output.reason }
    : { does: 'nothing' };
}

// Cline CLI 3.0.65.
const cline = (_, out) => (parsed(out)?.cancel ? { does: 'refuses' } : { does: 'nothing' });

const kReaders = { claude, cline, codex, copilot, gemini, opencode, qwen };

// What the agent does with this output of a hook that has ended.
export function effectOf(agent, input, { code, out, err }) {
  assert.deepEqual({ code, err }, { code: 0, err: '' }, 'another status or stderr means "no" to most agents');
  return kReaders[agent](input, out);
}
