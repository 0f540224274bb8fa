// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// Sample questions and answers for the mock server.

const kAgents = [
  { agent_name: 'Claude Code', model_name: 'opus', client_name: 'claude-code' },
  { agent_name: 'Codex', model_name: 'gpt', client_name: 'codex' },
  { agent_name: 'OpenCode', model_name: 'local-32b', client_name: 'opencode' },
];
const kProjects = ['/srv/code/orchard', '/srv/code/lighthouse', '/srv/site/docs'];

const kSamples = {
  en: {
    questions: [
      {
        text: 'The migration will **drop** the column `users.legacy_id`. It is used by one report only. Shall I go on?',
        header: 'Migration',
        choices: [
          { label: 'Drop it', description: 'The report is no longer needed' },
          { label: 'Keep it', description: 'Write the migration without the drop' },
          { label: 'Rename it', description: 'To users.old_id, for one release' },
        ],
      },
      {
        text: 'Two tests fail after the update:\n\n```\nFAIL  parser/date.test.ts\nFAIL  parser/range.test.ts\n```\n\nBoth expect the *old* time zone. May I change what they expect?',
        choices: [],
      },
      {
        text: 'Which checks shall run before each commit?',
        header: 'Checks',
        multiple: true,
        choices: [
          { label: 'Lint', description: '2 s' },
          { label: 'Unit tests', description: '40 s' },
          { label: 'Type check', description: '9 s' },
        ],
      },
    ],
    reports: [
      'The export now writes CSV **and** JSON.\n\n- 14 files changed, 312 tests pass\n- `docs/export.md` explains the options\n\nAnything else before I stop?',
      'Start-up is down from 1.9 s to 0.4 s. The remaining time is the font. See [the notes](https://example.org/notes).',
    ],
    answers: ['Keep it', 'Yes, but leave a comment that says why.', 'Lint, Type check', 'Go on', 'No. Fix the parser instead, the tests are right.'],
    names: ['Ada', 'Bo', 'Phone'],
  },
  zh: {
    questions: [
      {
        text: '这次迁移会**删除**列 `users.legacy_id`，只有一个报表还在使用它。要继续吗？',
        header: '迁移',
        choices: [
          { label: '删除', description: '不再需要该报表' },
          { label: '保留', description: '迁移中不做删除' },
          { label: '改名', description: '改为 users.old_id，保留一个版本' },
        ],
      },
      { text: '更新后有两个测试失败：\n\n```\nFAIL  parser/date.test.ts\n```\n\n它们期望的是*旧*时区。可以修改期望值吗？', choices: [] },
      {
        text: '每次提交前要运行哪些检查？',
        header: '检查',
        multiple: true,
        choices: [
          { label: '代码规范', description: '2 秒' },
          { label: '单元测试', description: '40 秒' },
          { label: '类型检查', description: '9 秒' },
        ],
      },
    ],
    reports: ['导出功能现在同时支持 CSV **和** JSON。\n\n- 修改 14 个文件，312 个测试通过\n\n结束前还有什么要补充吗？', '启动时间从 1.9 秒降到 0.4 秒。'],
    answers: ['保留', '可以，但请加注释说明原因。', '代码规范, 类型检查', '继续', '不行，请修正解析器，测试是对的。'],
    names: ['小林', '阿达', '手机'],
  },
};

export function samplePrompt(index, lang, kind = index % 4 === 3 ? 'task_finish' : 'question') {
  const words = kSamples[lang] ?? kSamples.en;
  const sample = words.questions[index % words.questions.length];
  const text = kind === 'question' ? sample.text : words.reports[index % words.reports.length];
  const { choices, header = '', multiple = false } = sample;
  const structured = kind === 'question' && choices.length > 0;
  return {
    kind,
    prompt: {
      text,
      project_directory: kProjects[index % kProjects.length],
      ...kAgents[(index >> 1) % kAgents.length],
      timeout_s: 600,
      questions: structured ? [{ text, header, choices, multiple, custom: true }] : [],
    },
  };
}

export function sampleAnswer(index, kind, lang) {
  const words = kSamples[lang] ?? kSamples.en;
  if (index % 11 === 7) return { state: 'expired', reason: 'Request timed out after 600 seconds' };
  if (index % 13 === 9) return { state: 'cancelled', reason: 'Request was cancelled by client' };
  const text = kind === 'question' ? words.answers[index % words.answers.length] : 'OK';
  return {
    state: 'answered',
    answer: { is_error: false, meta: {}, contents: [{ type: 'text', text }] },
    client_id: 'elsewhere',
    nickname: words.names[index % words.names.length],
  };
}
