// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import type { trustEn } from './trust_en';

export const trustZh: typeof trustEn = {
  title: '信任此服务器',
  intro: '此服务器的证书由其自行签发，浏览器尚不认识。完成以下三步后，警告会消失，通知和麦克风也可使用。',
  device: '设备类型',
  platform: { android: 'Android', ios: 'iPhone 和 iPad', computer: '电脑' },
  nothing: '无需操作',
  nothingOwn: '此服务器使用其所有者提供的证书。如果浏览器仍有警告，请联系运行服务器的人。',
  nothingOff: '此服务器使用 http，没有证书。如需加密连接，请用 --tls auto 启动。',
  download: {
    title: '下载证书',
    get: { android: '下载证书', ios: '下载描述文件', computer: '下载证书' },
    android: '文件 ca.crt 会保存到下载目录。如果浏览器询问，请选择保留。',
    ios: '请在 Safari 中打开此页，并允许下载配置描述文件。',
    computer: '文件 ca.crt 会保存到下载目录。',
  },
  install: {
    title: '安装证书',
    android: {
      open: '打开“设置”→“安全与隐私”→“更多安全设置”→“加密与凭据”→“安装证书”→“CA 证书”。',
      choose: '选择“仍然安装”，然后选中下载的文件。',
      hint: '不同厂商的名称可能不同：可在设置中搜索“CA 证书”。',
    },
    ios: {
      open: '打开“设置”，点按顶部的“已下载描述文件”；或前往“通用”→“VPN 与设备管理”。',
      choose: '选择 Parley 描述文件，点按两次“安装”。',
      hint: 'iOS 会显示“未验证”；请用指纹确认它属于你的服务器。',
    },
    computer: {
      windows: 'Windows：打开文件 →“安装证书”→“当前用户”→“将所有的证书都放入下列存储”→“受信任的根证书颁发机构”。',
      mac: 'macOS：在“钥匙串访问”中打开文件，将“使用此证书时”设为“始终信任”。',
      linux: 'Linux 上的 Chrome 或 Chromium：“设置”→“隐私和安全”→“安全”→“管理证书”→“授权机构”→“导入”，用于网站。',
      firefox: 'Firefox 在各系统上都有自己的列表：“设置”→“隐私与安全”→“查看证书”→“证书颁发机构”→“导入”。',
    },
  },
  enable: {
    title: { android: '重新加载并检查', ios: '启用并重新加载', computer: '重新加载并检查' },
    android: '重新加载此页。如果地址栏没有警告，手机已信任此服务器。',
    ios: '前往“设置”→“通用”→“关于本机”→“证书信任设置”，对 Parley 启用完全信任，然后重新加载此页。',
    computer: '关闭浏览器的所有窗口，再次打开此页，确认地址栏没有警告。',
    reload: '重新加载此页',
  },
  fingerprint: '指纹（SHA-256）',
  compare: '请与设备显示的证书指纹比较：两者必须一致。',
  compareLater: '登录后可在此查看证书指纹，也可在已登录设备的此页面上查看。',
  validUntil: '有效期至 {date}',
  console: '打开控制台',
  back: '设备与令牌',
};
