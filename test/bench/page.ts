import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { status } from '@grpc/grpc-js';
import type { Browser, Page } from 'playwright-core';
import { WardenServiceService } from '../../src/gen/clawrden/v1/warden.ts';
import { buildPages } from '../dashboard/build-pages.ts';
import { startBrowser, startBrowserBy } from '../dashboard/start-browser.ts';
import { run } from '../lab/command.ts';
import { newMirrored, play } from '../warden/mirrored.ts';
import { type RealGateway, startRealGateway } from '../warden/real-gateway.ts';
import { type Figure, quantiles } from './figure.ts';
import type { Counts } from './latency.ts';

/** How soon the dashboard can be used, and what its pages cost the commands beside them. Needs Chromium. */
export async function pageFigures({ quick }: Counts): Promise<Figure[]> {
  await buildPages();
  await using gateway = await startRealGateway();
  return [
    await withBrowser(startBrowser(), (browser) => firstLoadFigure(gateway, browser, quick ? 3 : 20)),
    await withBrowser(startBrowserBy(apartChromium), (browser) =>
      besidePagesFigure(gateway, browser, quick ? 1 : 4),
    ),
  ];
}

const apartChromium = join(import.meta.dirname, 'apart-chromium');

async function withBrowser(
  starting: Promise<Browser>,
  measure: (browser: Browser) => Promise<Figure>,
): Promise<Figure> {
  const browser = await starting;
  try {
    return await measure(browser);
  } finally {
    await browser.close();
  }
}

const usableMs = 1000;

/** From the click on the link until the whole plan of the oldest question is drawn and the page is idle. */
async function firstLoadFigure(gateway: RealGateway, browser: Browser, count: number): Promise<Figure> {
  const relay = await gateway.relay();
  const left = new AbortController();
  const asked = ['one', 'two', 'three'].map((word) =>
    play(relay, newMirrored(), { tool: 'ask', args: [word] }, gateway.audit, left.signal),
  );
  const times: number[] = [];
  // The first one meets a gateway that has not read its pages yet.
  for (let at = 0; at <= count; at++) {
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.addInitScript(tellUsable);
    await page.goto(await linkOf(gateway));
    const ms = await page.evaluate<number>('globalThis.usable');
    if (at > 0) times.push(ms);
    await context.close();
  }
  left.abort();
  await Promise.all(asked);
  relay.close();
  const name = 'first load of the dashboard by its link, nothing cached: until a question can be answered';
  const { p50, p95, p99 } = quantiles(times);
  return { figure: name, unit: 'ms', p50, p95, p99, target: `p50 ≤ ${usableMs} ms`, met: p50 <= usableMs };
}

/** In the page: the time at which the task after the one that drew the plan began. */
const tellUsable = `globalThis.usable = new Promise((tell) => {
  new MutationObserver((_, self) => {
    if (document.querySelector('.plan') === null) return;
    self.disconnect();
    requestAnimationFrame(() => setTimeout(() => tell(performance.now())));
  }).observe(document, { childList: true, subtree: true });
})`;

const livePages = 20;
const rooms = ['/waiting', '/live', '/history', '/agents', '/audit'];
const addedMs = 1;
const [commandsAtATime, everyMs] = [50, 50];

/** The same commands with 20 live pages of one browser and without, in turns; the browser has a core of its own. */
async function besidePagesFigure(gateway: RealGateway, browser: Browser, rounds: number): Promise<Figure> {
  const cores = availableParallelism();
  for (const pid of [gateway.pid(), process.pid]) await allowCores(pid, `0-${Math.max(0, cores - 2)}`);
  try {
    return await besidePages(gateway, browser, rounds);
  } finally {
    await allowCores(process.pid, `0-${cores - 1}`);
  }
}

async function allowCores(pid: number, cores: string): Promise<void> {
  await run(['taskset', '--all-tasks', '--cpu-list', '--pid', cores, String(pid)]);
}

async function besidePages(gateway: RealGateway, browser: Browser, rounds: number): Promise<Figure> {
  const relay = await gateway.relay();
  const command = async () => {
    const one = newMirrored();
    const began = performance.now();
    await play(relay, one, { tool: 'run' }, gateway.audit);
    if (one.outcome?.code !== 7) throw new Error(JSON.stringify(one));
    return performance.now() - began;
  };
  const measure = async (times: number[]) => {
    for (let at = 0; at < commandsAtATime; at++) {
      times.push(await command());
      await new Promise((resolve) => void setTimeout(resolve, everyMs));
    }
  };
  const [without, beside]: [number[], number[]] = [[], []];
  // What Node still compiles is no part of either.
  await measure([]);
  for (let round = 0; round < rounds; round++) {
    await measure(without);
    const context = await browser.newContext();
    const first = await context.newPage();
    await first.goto(await linkOf(gateway));
    await first.getByRole('heading', { level: 1 }).waitFor();
    for (let at = 1; at < livePages; at++) await openBeside(first, gateway.httpUrl, rooms[at % rooms.length]);
    await measure(beside);
    await context.close();
  }
  relay.close();
  const { p50, p95, p99 } = quantiles(beside);
  const yardstick = { name: 'without a page', p50: quantiles(without).p50 };
  return {
    ...{
      figure: `a mirrored command beside ${livePages} live pages of one browser`,
      unit: 'ms',
      p50,
      p95,
      p99,
    },
    ...{ yardstick, ratio: p50 / yardstick.p50, target: `p50 ≤ without + ${addedMs} ms` },
    met: p50 <= yardstick.p50 + addedMs,
  };
}

async function openBeside(first: Page, url: string, path = ''): Promise<void> {
  const page = await first.context().newPage();
  await page.goto(`${url}${path}`);
  await page.getByRole('heading', { level: 1 }).waitFor();
}

/** A person may have so many codes a minute: the time until the next one is no part of any figure. */
async function linkOf(gateway: RealGateway): Promise<string> {
  const admin = await gateway.admin();
  try {
    for (const deadline = Date.now() + 60_000; ; await sleep(1000)) {
      try {
        const { url, code } = await admin.call(WardenServiceService.createSignInCode, {});
        return `${url}/#code=${code}`;
      } catch (error) {
        if (!isResourceExhausted(error) || Date.now() > deadline) throw error;
      }
    }
  } finally {
    admin.close();
  }
}

function isResourceExhausted(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === status.RESOURCE_EXHAUSTED;
}
