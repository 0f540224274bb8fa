// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0

// The page that explains how a device trusts the server's own certificate authority.
export const trustEn = {
  title: 'Trust this server',
  intro:
    'This server made its certificate itself, so browsers do not know it yet. After three steps the warning is gone, and notifications and the microphone work.',
  device: 'Device',
  platform: { android: 'Android', ios: 'iPhone and iPad', computer: 'Computer' },
  nothing: 'Nothing to do',
  nothingOwn:
    'This server has a certificate of its owner. If a browser still warns, ask the person who runs the server.',
  nothingOff: 'This server speaks http, without a certificate. Start it with --tls auto for an encrypted connection.',
  download: {
    title: 'Download the certificate',
    get: { android: 'Download the certificate', ios: 'Download the profile', computer: 'Download the certificate' },
    android: 'The file ca.crt lands in your downloads. If the browser asks, keep it.',
    ios: 'Open this page in Safari, and allow the download of the configuration profile.',
    computer: 'The file ca.crt lands in your downloads.',
  },
  install: {
    title: 'Install it',
    android: {
      open: 'Open Settings → Security and privacy → More security settings → Encryption and credentials → Install a certificate → CA certificate.',
      choose: 'Confirm with “Install anyway” and choose the downloaded file.',
      hint: 'The names differ between makers: search the settings for “CA certificate”.',
    },
    ios: {
      open: 'Open Settings. At the top, tap “Profile Downloaded”; or go to General → VPN & Device Management.',
      choose: 'Choose the Parley profile and tap “Install” twice.',
      hint: 'iOS shows it as not verified; the fingerprint tells that it is that of your server.',
    },
    computer: {
      windows:
        'Windows: open the file → Install Certificate → Current User → Place all certificates in the following store → “Trusted Root Certification Authorities”.',
      mac: 'macOS: open the file in Keychain Access, then set “When using this certificate” to “Always Trust”.',
      linux:
        'Linux, with Chrome or Chromium: Settings → Privacy and security → Security → Manage certificates → Authorities → Import, for websites.',
      firefox:
        'Firefox has a list of its own on each system: Settings → Privacy & Security → View Certificates → Authorities → Import.',
    },
  },
  enable: {
    title: { android: 'Reload and check', ios: 'Switch it on and reload', computer: 'Reload and check' },
    android: 'Reload this page. If the address bar shows no warning, the phone trusts this server.',
    ios: 'Go to Settings → General → About → Certificate Trust Settings, and switch on full trust for Parley. Then reload this page.',
    computer:
      'Close all windows of the browser, open this page again, and check that the address bar shows no warning.',
    reload: 'Reload this page',
  },
  fingerprint: 'Fingerprint (SHA-256)',
  compare: 'Compare it with the one that the device shows for the certificate: they must be equal.',
  compareLater:
    'Sign in to see the fingerprint of the certificate here, or read it on the page of a device that is signed in.',
  validUntil: 'Valid until {date}',
  console: 'Open the console',
  back: 'Devices and tokens',
};
