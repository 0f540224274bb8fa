// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { visibleText } from '@/text/visible_text';

export type NotificationSupport = 'yes' | 'ask' | 'denied' | 'insecure';

export function notificationSupport(): NotificationSupport {
  const api = (window as { Notification?: typeof Notification }).Notification;
  if (!api || !window.isSecureContext) return 'insecure';
  if (api.permission === 'granted') return 'yes';
  return api.permission === 'denied' ? 'denied' : 'ask';
}

export async function askForNotifications(): Promise<NotificationSupport> {
  if (notificationSupport() === 'ask') await Notification.requestPermission();
  return notificationSupport();
}

// Shown only while the page is in the background; a click brings the page to the front.
export function notifyAsked(title: string, body: string, key: string, onClick: () => void): void {
  if (!document.hidden || notificationSupport() !== 'yes') return;
  const notification = new Notification(visibleText(title), {
    body: visibleText(body),
    tag: key,
    icon: '/favicon.svg',
  });
  notification.onclick = () => {
    window.focus();
    notification.close();
    onClick();
  };
}
