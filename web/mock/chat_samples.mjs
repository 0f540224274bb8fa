// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// Words and a workflow for the chat of the mock server.

const node = (id, type, pos, size, widgets_values, inputs, outputs) => ({ id, type, pos, size, flags: {}, mode: 0, widgets_values, inputs, outputs });
const into = (name, link) => ({ name, link });
const out = (...names) => names.map((name) => ({ name, type: name }));

export const kWorkflow = {
  last_node_id: 9,
  last_link_id: 9,
  nodes: [
    node(4, 'CheckpointLoaderSimple', [26, 474], [315, 98], ['photo_v6.safetensors'], [], out('MODEL', 'CLIP', 'VAE')),
    node(6, 'CLIPTextEncode', [415, 186], [422, 164], ['a bright kitchen in the morning, oak, plants'], [into('clip', 3)], out('CONDITIONING')),
    node(7, 'CLIPTextEncode', [413, 389], [425, 180], ['text, watermark'], [into('clip', 5)], out('CONDITIONING')),
    node(5, 'EmptyLatentImage', [473, 609], [315, 106], [768, 512, 1], [], out('LATENT')),
    node(3, 'KSampler', [863, 186], [315, 262], [8566257, 'randomize', 20, 7.5, 'euler', 'normal', 1], [into('model', 1), into('positive', 4), into('negative', 6), into('latent_image', 2)], out('LATENT')),
    node(8, 'VAEDecode', [1209, 188], [210, 46], [], [into('samples', 7), into('vae', 8)], out('IMAGE')),
    node(9, 'SaveImage', [1451, 189], [210, 110], ['kitchen'], [into('images', 9)], []),
  ],
  links: [
    [1, 4, 0, 3, 0, 'MODEL'], [2, 5, 0, 3, 3, 'LATENT'], [3, 4, 1, 6, 0, 'CLIP'], [4, 6, 0, 3, 1, 'CONDITIONING'], [5, 4, 1, 7, 0, 'CLIP'],
    [6, 7, 0, 3, 2, 'CONDITIONING'], [7, 3, 0, 8, 0, 'LATENT'], [8, 4, 2, 8, 1, 'VAE'], [9, 8, 0, 9, 0, 'IMAGE'],
  ],
  groups: [],
  version: 0.4,
};

export const kWords = {
  en: {
    titles: ['Brighter kitchen pictures', 'write "hello" to b.txt', 'Daily reports'],
    other: 'Bo',
    asks: ['Why are the kitchen pictures so dark? Look at the workflow, please.', 'Good. Use 30 steps, install what is missing, and make two pictures.', 'Delete the old pictures, then read missing.txt.'],
    answer: 'The workflow has **seven nodes**. Two things make the pictures dark:\n\n1. `cfg` is 7.5, which is high for this checkpoint.\n2. With 20 steps the sampler stops early.\n\n```json\n{ "node": 3, "steps": 20, "cfg": 7.5 }\n```\n\n| input | now | better |\n| --- | --- | --- |\n| steps | 20 | 30 |\n| cfg | 7.5 | 6 |\n\nShall I change them?',
    written: 'Done: `b.txt` says hello.',
    refused: 'All right, I leave that as it is.',
    willWrite: 'I will write the file.',
    stepsSet: 'Node 3 now samples with **30** steps.',
    pictures: 'Here are two pictures. The second one has softer light.',
    plan: ['Look at the nodes', 'Change steps and cfg', 'Make two pictures and compare them'],
    statusTitle: 'Plan',
    status: 'Three steps, about a minute.',
    help: 'Commands:\n\n- `/help` lists the commands.\n- `/clear` forgets all that was said.\n- `/compact` sums up what was said.',
    summary: 'The person wants brighter kitchen pictures. Node 3 has 30 steps now.',
    error: 'The model did not answer in time. Send the message again.',
  },
  zh: {
    titles: ['更明亮的厨房图片', '创建文件 b.txt，内容为 你好', '每日报告'],
    other: '小林',
    asks: ['厨房图片为什么这么暗？请看看工作流。', '好的。用 30 步，安装缺少的包，再生成两张图片。', '删除旧图片，然后读取 missing.txt。'],
    answer: '这个工作流有 **七个节点**。图片偏暗有两个原因：\n\n1. `cfg` 是 7.5，对这个模型来说偏高。\n2. 只有 20 步，采样结束得太早。\n\n```json\n{ "node": 3, "steps": 20, "cfg": 7.5 }\n```\n\n| 输入 | 现在 | 建议 |\n| --- | --- | --- |\n| steps | 20 | 30 |\n| cfg | 7.5 | 6 |\n\n要我改吗？',
    written: '完成：`b.txt` 的内容是你好。',
    refused: '好的，保持原样。',
    willWrite: '我来写这个文件。',
    stepsSet: '节点 3 现在采样 **30** 步。',
    pictures: '这是两张图片，第二张光线更柔和。',
    plan: ['查看节点', '修改 steps 和 cfg', '生成两张图片并比较'],
    statusTitle: '计划',
    status: '三个步骤，大约一分钟。',
    help: '命令：\n\n- `/help` 列出命令。\n- `/clear` 忘掉之前的对话。\n- `/compact` 总结之前的对话。',
    summary: '用户想要更明亮的厨房图片。节点 3 现在是 30 步。',
    error: '模型没有及时回答，请重新发送。',
  },
};
