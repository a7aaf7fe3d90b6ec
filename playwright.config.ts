import { defineConfig } from '@playwright/test';

/** Journeys in a real Chromium: Debian's, because Playwright's own would come from another place. */
export default defineConfig({
  testDir: 'e2e/journeys',
  testMatch: '**/*.e2e.ts',
  outputDir: 'test-results',
  // Each has a browser and a gateway of its own; one that passes only when repeated has failed.
  workers: 2,
  fullyParallel: false,
  retries: 0,
  forbidOnly: true,
  // A journey takes a fast machine up to 20 s, and a slow one that is busy a minute and more.
  timeout: 240_000,
  expect: { timeout: 20_000 },
  reporter: [['list'], ['./scripts/testing/playwrightReport.mjs']],
  use: {
    headless: true,
    actionTimeout: 20_000,
    ignoreHTTPSErrors: true,
    // A trace costs half as much again as the journey; `--trace retain-on-failure` keeps one of what is to be looked into.
    screenshot: 'only-on-failure',
    launchOptions: {
      executablePath: '/usr/bin/chromium',
      args: [
        // Chromium's sandbox does not work for root.
        '--no-sandbox',
        '--disable-gpu',
        '--no-first-run',
        // The browser speaks to the gateway and to nothing else.
        '--host-resolver-rules=MAP *.test 127.0.0.1',
        '--disable-quic',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
      ],
    },
  },
});
