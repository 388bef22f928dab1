import tls from 'node:tls';
import { openEgress } from '../../gateway/egress/open-egress.ts';
import { createExecute, type ExecuteParts } from '../../gateway/execute.ts';
import { createFetch, inspectFetch } from '../../gateway/executors/fetch.ts';
import type { Principal } from '../../gateway/ports/principal.ts';
import { guardedConnect } from '../../src/egress/guarded-connect.ts';
import { ownAddresses } from '../../src/egress/own-addresses.ts';
import { resolveName } from '../../src/egress/resolve-name.ts';
import { ClawrdenError } from '../../src/errors.ts';
import type { Outcome } from '../../src/outcome.ts';
import { openChannel, relay, request, smallLimits, startCore } from '../core/start-core.ts';
import { activeOpens } from './active-opens.ts';

/** In the gateway's namespace: the core, with the real way to a page. */
export type FetchOrder = { readonly ca: string } | LineOrder;

export interface LineOrder {
  readonly line: readonly string[];
  /** The agent by itself, and not its shell. */
  readonly byAgent?: boolean;
  readonly leaveAfterMs?: number;
}

export interface FetchResult {
  readonly outcome: Outcome;
  readonly stdout: string;
  readonly stderr: string;
  /** Connections that this namespace has tried since it began. */
  readonly tried: number;
  readonly ms: number;
  readonly rss: number;
  readonly execution: string;
}

const agent: Principal = { kind: 'agent', name: 'coder', role: 'agent', scope: {} };
const tools = `  web_fetch: { strategy: fetch }
  docs_fetch: { strategy: fetch, network: docs }
  quick_fetch: { strategy: fetch, timeout: 3s, record: head-tail }
networks:
  docs: { allow: ["good.example:80", "good.example:8080", "good.example:81", "inside.example:80"] }
`;
const rules = `  - { name: no-evil, tools: [web_fetch], args: ["**", "http://evil.example/*", "**"], action: deny }
  - { name: ask-shop, tools: [web_fetch], args: ["**", "http://shop.example/*", "**"], action: ask }
  - { name: pages, tools: [web_fetch, docs_fetch, quick_fetch], action: allow }
`;

const [folder = ''] = process.argv.slice(2);
const core = await startCore(folder, undefined, { ...smallLimits, requestsPerSecond: 10_000 }, rules, tools);
const ours = ownAddresses(() => ['engine.example'], [resolveName]);
const connect = guardedConnect({ resolve: resolveName, ours });
const { reaching } = openEgress({
  ...{ connect, audit: core.records.audit, routes: () => new Map() },
  secret: () => Promise.reject(new Error('no secrets here')),
  findLearning: () => undefined,
});
const fetching = createFetch({
  ...{ reaching, decideAgain: core.authorizing.decideAgain },
  recordStart: core.recorder.started,
});
const parts: ExecuteParts = {
  ...core,
  executors: { ...core.executors, fetch: fetching },
  inspectors: { ...core.inspectors, fetch: inspectFetch },
};

process.on('message', (order: FetchOrder) => {
  if ('line' in order) return void run(order).then((result) => process.send?.(result));
  tls.setDefaultCACertificates([order.ca]);
  process.send?.({});
});
process.on('disconnect', () => process.exit());
process.send?.('ready');

async function run({
  line: [tool = '', ...args],
  byAgent = false,
  leaveAfterMs,
}: LineOrder): Promise<FetchResult> {
  const channel = openChannel();
  const asked = request(tool);
  const began = performance.now();
  const leave = () => channel.leave(new ClawrdenError('requester-gone', 'it left'));
  const leaving = leaveAfterMs === undefined ? undefined : setTimeout(leave, leaveAfterMs);
  const whole = { ...asked, command: { ...asked.command, args } };
  const outcome = await createExecute(parts)(byAgent ? agent : relay, whole, channel);
  clearTimeout(leaving);
  const output = (type: 'stdout' | 'stderr') =>
    Buffer.concat(channel.said.flatMap((said) => (said.type === type ? [said.bytes] : []))).toString();
  return {
    ...{ outcome, stdout: output('stdout'), stderr: output('stderr'), tried: activeOpens() },
    ms: performance.now() - began,
    rss: process.memoryUsage().rss,
    execution: asked.executionId,
  };
}
