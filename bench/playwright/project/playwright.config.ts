import { defineConfig } from '@playwright/test';

export default defineConfig({
  testDir: '.',
  workers: 1,
  expect: { timeout: 700 },
  use: {
    viewport: { width: 320, height: 240 },
    trace: { mode: 'on', snapshots: false, sources: false, attachments: false },
    video: { mode: 'on', size: { width: 320, height: 240 } },
    launchOptions: { executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium' },
  },
});
