// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { create, fromBinary, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import {
  type AskQuestionRequest,
  type PendingMessage,
  type TaskFinishRequest,
  type WebsocketMessage,
  WebsocketMessageSchema,
} from '@/gen/agentassist_pb';
import type { AnswerContent, Item, Prompt } from '@/inbox/item';
import { toWire } from './content';

export const kDefaultTimeoutS = 600;

export function encodeFrame(init: MessageInitShape<typeof WebsocketMessageSchema>): Uint8Array {
  return toBinary(WebsocketMessageSchema, create(WebsocketMessageSchema, init));
}

// Null: not a frame.
export function decodeFrame(bytes: Uint8Array): WebsocketMessage | null {
  try {
    return fromBinary(WebsocketMessageSchema, bytes);
  } catch {
    return null;
  }
}

export function loginFrame(token: string, nickname: string): Uint8Array {
  return encodeFrame({ Cmd: 'UserLogin', StrParam: token, Nickname: nickname });
}

export function pendingFrame(token: string): Uint8Array {
  return encodeFrame({ Cmd: 'GetPendingMessages', GetPendingMessagesRequest: { userToken: token } });
}

export function onlineUsersFrame(token: string): Uint8Array {
  return encodeFrame({ Cmd: 'GetOnlineUsers', GetOnlineUsersRequest: { userToken: token } });
}

export function chatFrame(receiverClientId: string, content: string): Uint8Array {
  return encodeFrame({ Cmd: 'SendChatMessage', SendChatMessageRequest: { receiverClientId, content } });
}

// Tells the other pages that this one answers an open question.
export function answeringFrame(key: string): Uint8Array {
  return encodeFrame({ Cmd: 'Answering', StrParam: key });
}

// The reply to a question or to a task-finish notice, with the request echoed as the contract requires.
export function replyFrame(
  item: Item,
  contents: readonly AnswerContent[],
  meta: Readonly<Record<string, string>> = {},
): Uint8Array {
  const { prompt } = item;
  const response = { ID: item.key, IsError: false, Meta: meta, contents: contents.map(toWire) };
  const request = { ProjectDirectory: prompt.project, Timeout: prompt.timeoutS };
  if (item.kind === 'task_finish') {
    return encodeFrame({
      Cmd: 'TaskFinishReply',
      TaskFinishRequest: { ID: item.key, Request: { ...request, Summary: prompt.text } },
      TaskFinishResponse: response,
    });
  }
  return encodeFrame({
    Cmd: 'AskQuestionReply',
    AskQuestionRequest: { ID: item.key, Request: { ...request, Question: prompt.text } },
    AskQuestionResponse: response,
  });
}

function itemOf(key: string, kind: Item['kind'], prompt: Prompt, openedAt: number): Item {
  const deadline = openedAt + prompt.timeoutS * 1000;
  return { key, kind, prompt, openedAt, deadline, state: 'pending', outcome: null };
}

export function itemOfQuestion(request: AskQuestionRequest, now: number): Item | null {
  const asked = request.Request;
  if (request.ID === '' || !asked) return null;
  const prompt: Prompt = {
    text: asked.Question,
    project: asked.ProjectDirectory,
    agent: asked.AgentName,
    model: asked.ReasoningModelName,
    client: asked.McpClientName,
    timeoutS: asked.Timeout > 0 ? asked.Timeout : kDefaultTimeoutS,
    questions: asked.Questions.map((question) => ({
      text: question.question,
      header: question.header,
      choices: question.options.map(({ label, description }) => ({ label, description })),
      multiple: question.multiple,
      custom: question.custom,
    })),
  };
  if (prompt.text === '') prompt.text = prompt.questions[0]?.text ?? '';
  return itemOf(request.ID, 'question', prompt, Number(request.Timestamp) || now);
}

export function itemOfTaskFinish(request: TaskFinishRequest, now: number): Item | null {
  const asked = request.Request;
  if (request.ID === '' || !asked) return null;
  const prompt: Prompt = {
    text: asked.Summary,
    project: asked.ProjectDirectory,
    agent: asked.AgentName,
    model: asked.ReasoningModelName,
    client: asked.McpClientName,
    timeoutS: asked.Timeout > 0 ? asked.Timeout : kDefaultTimeoutS,
    questions: [],
  };
  return itemOf(request.ID, 'task_finish', prompt, Number(request.Timestamp) || now);
}

export function itemOfPending(pending: PendingMessage, now: number): Item | null {
  const createdAt = Number(pending.createdAt) || now;
  const item =
    pending.messageType === 'AskQuestion'
      ? pending.askQuestionRequest && itemOfQuestion(pending.askQuestionRequest, createdAt)
      : pending.taskFinishRequest && itemOfTaskFinish(pending.taskFinishRequest, createdAt);
  if (!item) return null;
  const timeoutS = pending.timeout > 0 ? pending.timeout : item.prompt.timeoutS;
  return { ...item, openedAt: createdAt, deadline: createdAt + timeoutS * 1000 };
}

const kRepliedBy = /\bclient (\S+)$/;

// The client id at the end of a reply notification's StrParam.
export function replierOf(strParam: string): string {
  return kRepliedBy.exec(strParam.trim())?.[1] ?? '';
}
