import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { expect } from 'vitest';
import { connectGateway, type GatewayClient } from '../../src/gateway-client/connect-gateway.ts';
import { enroll } from '../../src/gateway-client/enroll.ts';
import { WardenServiceService } from '../../src/gen/clawrden/v1/warden.ts';
import { type First, type Mirrored, newMirrored, play } from '../warden/mirrored.ts';
import { type RealGateway, type RealGatewayOptions, startRealGateway } from '../warden/real-gateway.ts';
import { buildPages } from './build-pages.ts';
import { startBrowser } from './start-browser.ts';

/** A gateway as its users run it, Debian's Chromium, and a relay whose part the test plays. */
export interface TriedDashboard extends AsyncDisposable {
  readonly gateway: RealGateway;
  readonly admin: GatewayClient;
  /** Of the agents; a second connection of it would end the first. */
  readonly relay: GatewayClient;
  /** A browser of its own, signed in as the admin, or as a person who is made for it. */
  readonly open: (path?: string, options?: OpenOptions) => Promise<Page>;
  /** A browser of its own, in which nobody is signed in. */
  readonly openOut: () => Promise<Page>;
  /** Of all that were opened so far: an open page costs time with every event. */
  readonly closePages: () => Promise<void>;
  /** Another page of the same browser. */
  readonly openBeside: (page: Page, path: string) => Promise<Page>;
  /** For a page that is signed in by it. */
  readonly link: (as?: Person) => Promise<string>;
  /** A command that asks; it waits until it is answered. */
  readonly ask: (first?: Partial<First>) => Promise<Asked>;
  /** Each command that still asks goes away: what one test left is not in the next one's way. */
  readonly leaveAll: () => Promise<void>;
  /** What pages wrote to their consoles as errors, among it each violation of the content security policy. */
  readonly complaints: string[];
}

export interface Person {
  readonly name: string;
  readonly role: 'viewer' | 'approver' | 'operator' | 'admin';
}

export interface OpenOptions extends BrowserContextOptions {
  /** The admin if absent. */
  readonly as?: Person;
}

export interface Asked {
  readonly command: Mirrored;
  readonly ended: Promise<void>;
  /** Its caller goes away. */
  readonly leave: () => void;
}

/** As narrow as the narrowest telephone that is cared for. */
export const narrow = { viewport: { width: 380, height: 780 } } as const;

export async function startDashboard(options: RealGatewayOptions = {}): Promise<TriedDashboard> {
  await buildPages();
  const [gateway, browser] = await Promise.all([startRealGateway(options), startBrowser()]);
  const dir = await mkdtemp(join(tmpdir(), 'clawrden-dashboard-'));
  const [relay, admin] = await Promise.all([gateway.relay(), gateway.admin()]);
  const identities = new Map<string, string>();
  const complaints: string[] = [];
  const asking = new Set<Asked>();
  const identityOf = async (as: Person | undefined) => {
    if (as === undefined) return join(gateway.state, 'admin');
    const known = identities.get(as.name);
    if (known !== undefined) return known;
    const user = { ...as, scope: [], ttl: 0n, replace: false };
    const { code } = await admin.call(WardenServiceService.setUser, user);
    const identityDir = join(dir, as.name);
    await enroll({ address: gateway.enrollAddress, token: code, as: 'caller', identityDir });
    identities.set(as.name, identityDir);
    return identityDir;
  };
  const link = async (as?: Person) => {
    const client = await connectGateway({ address: gateway.address, identityDir: await identityOf(as) });
    const { code } = await client.call(WardenServiceService.createSignInCode, {});
    client.close();
    return `${gateway.httpUrl}/#code=${code}`;
  };
  const watched = (page: Page) => {
    page.setDefaultTimeout(60_000);
    page.on('pageerror', (error) => complaints.push(String(error)));
    page.on('console', (line) => {
      // A request that the gateway refuses is a matter of the page, which tells it.
      if (line.type() === 'error' && !line.text().startsWith('Failed to load resource'))
        complaints.push(line.text());
    });
    return page;
  };
  return {
    ...{ gateway, admin, relay, link, complaints },
    open: async (path = '/waiting', { as, ...more } = {}) => {
      const page = watched(await (await browser.newContext(more)).newPage());
      await page.goto((await link(as)).replace('/#', `${path}#`));
      await page.getByRole('heading', { level: 1 }).waitFor();
      return page;
    },
    openOut: async () => {
      const page = watched(await (await browser.newContext()).newPage());
      await page.goto(gateway.httpUrl);
      await page.getByRole('heading', { level: 1 }).waitFor();
      return page;
    },
    closePages: async () => {
      await Promise.all(browser.contexts().map((context) => context.close()));
    },
    openBeside: async (page, path) => {
      const beside = watched(await page.context().newPage());
      await beside.goto(`${gateway.httpUrl}${path}`);
      await beside.getByRole('heading', { level: 1 }).waitFor();
      return beside;
    },
    ask: async (first = {}) => {
      const command = newMirrored();
      const leaves = new AbortController();
      const ended = play(relay, command, { tool: 'ask', ...first }, gateway.audit, leaves.signal);
      const said = () => command.approvalId || command.outcome?.reason || command.broken;
      await expect.poll(said, { interval: 5 }).toBeTruthy();
      const asked = { command, ended, leave: () => leaves.abort() };
      asking.add(asked);
      void ended.finally(() => asking.delete(asked));
      return asked;
    },
    leaveAll: async () => {
      for (const { leave } of asking) leave();
      await Promise.all([...asking].map(({ ended }) => ended));
    },
    [Symbol.asyncDispose]: async () => {
      await browser.close();
      relay.close();
      admin.close();
      await gateway[Symbol.asyncDispose]();
      await rm(dir, { recursive: true, force: true });
    },
  };
}
