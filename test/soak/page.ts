import type { Page } from 'playwright-core';
import { buildPages } from '../dashboard/build-pages.ts';
import { pageHealth } from '../dashboard/page-health.ts';
import { startBrowser } from '../dashboard/start-browser.ts';
import { hasChromium } from '../http/chromium.ts';
import type { Stack } from '../stack/start-stack.ts';
import { followHealth, type Health, type Held } from './health.ts';

/** A page of the dashboard beside the load. */
export interface SoakPage extends AsyncDisposable {
  /** Of the page since its last sign-in: a gateway that was killed knows no session any more. */
  readonly health: Health;
  /** What it threw. */
  readonly complaints: readonly string[];
}

/** Undefined if there is no Chromium. */
export async function openSoakPage(stack: Stack): Promise<SoakPage | undefined> {
  if (!hasChromium) return undefined;
  await buildPages();
  const browser = await startBrowser();
  const page = await browser.newPage();
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(String(error)));
  let signIns = 0;
  const look = async (): Promise<Held> => {
    if (signIns === 0 || (await isOut(page))) {
      await signIn(stack, page);
      signIns += 1;
    }
    const { bytes, nodes } = await pageHealth(page);
    // A page has no descriptors; a thousand nodes that stay are one.
    return { megabytes: bytes / 1e6, descriptors: Math.round(nodes / 1000) };
  };
  return {
    health: followHealth('page', () => signIns, { look }),
    complaints,
    [Symbol.asyncDispose]: () => browser.close(),
  };
}

async function isOut(page: Page): Promise<boolean> {
  return (await page.getByRole('heading', { name: 'Sign in' }).count()) > 0;
}

/** Rejects while there is no gateway: the next look tries again. */
async function signIn(stack: Stack, page: Page): Promise<void> {
  const { stdout } = await stack.cli(['dashboard', '--no-open', '--json']);
  const { link } = JSON.parse(stdout) as { readonly link: string };
  // Another document, so that nothing of the one before stays.
  await page.goto('about:blank');
  await page.goto(link.replace('/#', '/live#'), { timeout: 20_000 });
  await page.getByRole('heading', { level: 1, name: 'Live' }).waitFor({ timeout: 20_000 });
}
