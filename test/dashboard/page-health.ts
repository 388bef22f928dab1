import type { Page } from 'playwright-core';

/** What a page holds on to, once everything that it can do without is collected. */
export interface PageHealth {
  /** Of JavaScript. */
  readonly bytes: number;
  readonly nodes: number;
  readonly listeners: number;
}

export async function pageHealth(page: Page): Promise<PageHealth> {
  const tools = await page.context().newCDPSession(page);
  try {
    await tools.send('HeapProfiler.enable');
    // What finalizers let go is collected by the second one.
    for (let round = 0; round < 2; round += 1) await tools.send('HeapProfiler.collectGarbage');
    const { usedSize: bytes } = await tools.send('Runtime.getHeapUsage');
    const { nodes, jsEventListeners: listeners } = await tools.send('Memory.getDOMCounters');
    return { bytes, nodes, listeners };
  } finally {
    await tools.detach();
  }
}
