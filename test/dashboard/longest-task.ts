import type { Page } from 'playwright-core';

interface TraceEvent {
  readonly ph: string;
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  /** Microseconds of the processor, whatever else runs on the machine. */
  readonly tdur?: number;
  readonly args?: { readonly name?: string };
}

/** The longest task of a page while `work` goes on, in milliseconds of the processor: for so long it answered nobody. */
export async function longestTask(page: Page, work: () => Promise<void>): Promise<number> {
  const browser = page.context().browser();
  if (browser === null) throw new Error('the page has no browser');
  await browser.startTracing(page, { categories: ['toplevel'] });
  await work();
  const trace = JSON.parse((await browser.stopTracing()).toString()) as { traceEvents: TraceEvent[] };
  const isMain = ({ name, args }: TraceEvent) => name === 'thread_name' && args?.name === 'CrRendererMain';
  const threads = new Set(trace.traceEvents.filter(isMain).map(({ pid, tid }) => `${pid} ${tid}`));
  const longest = trace.traceEvents
    .filter(({ name, pid, tid }) => name.endsWith('RunTask') && threads.has(`${pid} ${tid}`))
    .reduce((most, { tdur = 0 }) => Math.max(most, tdur / 1000), 0);
  if (longest === 0) throw new Error('the browser tells of no task');
  return longest;
}
