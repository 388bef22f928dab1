import { generateKeyPairSync } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { openAuditLog } from '../../gateway/audit/audit-log.ts';
import type { ConnectionRecord } from '../../gateway/audit/connection-record.ts';
import { type AccountLimits, openAccount } from '../../gateway/egress/account.ts';
import { openEgress } from '../../gateway/egress/open-egress.ts';
import { openSecrets } from '../../gateway/secrets/open-secrets.ts';
import type { Endpoint } from '../../src/egress/endpoint.ts';
import { guardedConnect } from '../../src/egress/guarded-connect.ts';
import { ownAddresses } from '../../src/egress/own-addresses.ts';
import type { Reach } from '../../src/egress/reach.ts';
import { resolveName } from '../../src/egress/resolve-name.ts';
import type { Route } from '../../src/egress/route.ts';
import { memoryInUse } from '../fixtures/memory-in-use.ts';
import { activeOpens } from './active-opens.ts';

/** In the gateway's namespace: the way out, on a socket of the file system, which no namespace cuts off. */
export type DoorOrder = WayOrder | { readonly tell: 'all' | 'memory' } | { readonly stop: true };

interface WayOrder {
  readonly reach: Reach;
  readonly limits?: AccountLimits;
  readonly proxy?: Endpoint;
  readonly idleMs?: number;
  readonly routes?: readonly Route[];
}

export interface DoorFacts {
  readonly records: readonly ConnectionRecord[];
  readonly refused: readonly string[];
  readonly tried: number;
  readonly open: number;
  readonly rss: number;
  readonly metrics: string;
}

const [folder = ''] = process.argv.slice(2);
const auditFile = join(folder, 'audit.jsonl');
const { privateKey } = generateKeyPairSync('ed25519');
const audit = await openAuditLog(auditFile, { key: privateKey });
const ours = ownAddresses(() => ['engine.example'], [resolveName]);
/** A file that a test may write, and a variable. */
const secret = openSecrets(
  () =>
    new Map([
      ['model-key', { file: join(folder, 'model-key') }],
      ['gone', { file: join(folder, 'gone') }],
      ['token', { env: 'DOOR_TOKEN' }],
    ]),
);
process.env['DOOR_TOKEN'] = 'token-of-the-environment';
const refused: string[] = [];
const serving = new Set<Promise<void>>();
let serve: (socket: Socket) => Promise<void> = async (socket) => void socket.destroy();
let serveNeighbour = serve;
let stop = () => {};
let metrics = () => '';
let told = 0;

function listen(name: string, serveOne: (socket: Socket) => Promise<void>, done: () => void): void {
  const server = createServer({ allowHalfOpen: true, pauseOnConnect: false }, (socket) => {
    const served = serveOne(socket).finally(() => serving.delete(served));
    serving.add(served);
  });
  server.listen(join(folder, name), done);
}
/** Of another agent, with what it spends by itself. */
listen(
  'neighbour.sock',
  (socket) => serveNeighbour(socket),
  () =>
    listen(
      'door.sock',
      (socket) => serve(socket),
      () => process.send?.('ready'),
    ),
);

function use({ reach, limits = {}, proxy, idleMs = 300_000, routes = [] }: WayOrder) {
  const connect = guardedConnect({ resolve: resolveName, ours, ...(proxy && { proxy }), withinMs: 20_000 });
  const named = new Map(routes.map((route) => [route.name, route]));
  const egress = openEgress({
    connect,
    audit,
    idleMs,
    routes: () => named,
    secret,
    findLearning: () => undefined,
  });
  const ended = new AbortController();
  const way = {
    ...{ reach, execution: 'e-1', agent: 'coder', account: openAccount(limits), signal: ended.signal },
    refused: (line: string) => void refused.push(line),
    hide: (text: string) => text.replaceAll('hidden-word', '***'),
    ended: () => {},
  };
  serve = (socket) => egress.serve(socket, way);
  const other = { ...way, execution: 'e-2', agent: 'writer', account: openAccount({}) };
  serveNeighbour = (socket) => egress.serve(socket, other);
  stop = () => ended.abort(new Error('paused'));
  metrics = () => JSON.stringify(egress.metrics());
}

/** Records since the last call, once nothing is served any more. */
async function facts(): Promise<DoorFacts> {
  await Promise.all(serving);
  const lines = (await readFile(auditFile, 'utf8').catch(() => '')).split('\n').filter((line) => line !== '');
  const all = lines.map((line) => JSON.parse(line) as ConnectionRecord);
  const records = all.filter(({ type }) => type === 'connection').slice(told);
  told += records.length;
  const { rss } = process.memoryUsage();
  return {
    records,
    refused: refused.splice(0),
    tried: activeOpens(),
    open: serving.size,
    rss,
    metrics: metrics(),
  };
}

function inUse(): number {
  const { heapUsed, arrayBuffers } = memoryInUse();
  return heapUsed + arrayBuffers;
}

process.on('message', (order: DoorOrder) => {
  if ('reach' in order) use(order);
  if ('stop' in order) stop();
  if ('tell' in order && order.tell === 'all') void facts().then((answer) => process.send?.(answer));
  else process.send?.({ inUse: inUse() });
});
process.on('disconnect', () => process.exit());
