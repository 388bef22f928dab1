import { type Browser, chromium } from 'playwright-core';

/** Debian's Chromium, without a window; `more` of its arguments. */
export function startBrowser(...more: readonly string[]): Promise<Browser> {
  return startBrowserBy('/usr/bin/chromium', ...more);
}

/** By a program that starts Chromium with the arguments it gets. */
export function startBrowserBy(executablePath: string, ...more: readonly string[]): Promise<Browser> {
  return chromium.launch({
    executablePath,
    args: ['--no-sandbox', '--disable-gpu', '--no-proxy-server', '--disable-background-networking', ...more],
    timeout: 120_000,
  });
}
