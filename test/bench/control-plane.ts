import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { connectGateway, type GatewayClient } from '../../src/gateway-client/connect-gateway.ts';
import { connectRelay } from '../grpc/connect-relay.ts';
import { type BenchProgram, startBenchProgram } from './bench-program.ts';
import { type Figure, quantiles, single } from './figure.ts';
import type { Counts } from './latency.ts';
import { inFlight, runMany, runOne } from './null-load.ts';
import { rss } from './throughput.ts';

interface NullTold {
  readonly address: string;
  readonly relay: string;
  /** Identities of other relays. */
  readonly idle: readonly string[];
}

type NullGateway = BenchProgram<NullTold>;

/** The gateway without engines: executions a second, and what an open relay stream costs. */
export async function controlPlaneFigures({ quick }: Counts): Promise<Figure[]> {
  return [
    await onNullGateway((gateway) => nullRate(gateway, quick ? 2_000 : 20_000)),
    await decisionFigure(quick ? 3 : 20),
    await onNullGateway(idleRelays, quick ? 200 : 2_000),
  ];
}

/** A separate process for each figure, so that the garbage of one does not count as memory of the other. */
async function onNullGateway(measure: (gateway: NullGateway) => Promise<Figure>, idle = 0): Promise<Figure> {
  const gateway = await startNullGateway(idle);
  try {
    return await measure(gateway);
  } finally {
    await gateway.end();
  }
}

function startNullGateway(idle = 0): Promise<NullGateway> {
  return startBenchProgram<NullTold>('null-gateway.ts', idle);
}

const target = 2_000;

async function nullRate({ told: { address, relay } }: NullGateway, count: number): Promise<Figure> {
  const client = await connectRelay({ address, identityDir: relay });
  await Promise.all(Array.from({ length: inFlight }, () => runOne(client)));
  const { latencies, rate } = await runMany(client, count);
  client.close();
  const { p50, p99 } = quantiles(latencies);
  const figure = `null executor, ${inFlight} in flight (${p50.toFixed(1)} / ${p99.toFixed(1)} ms p50 / p99), load generator included`;
  return { figure, unit: '1/s', ...single(rate), target: `≥ ${target}/s`, met: rate >= target };
}

const pacedRate = 200;
const decisionTargetMs = 1;

/** Commands that come at a fixed pace, whatever happens to earlier ones; the gateway itself measures. */
async function decisionFigure(seconds: number): Promise<Figure> {
  const gateway = await startNullGateway();
  const client = await connectRelay({ address: gateway.told.address, identityDir: gateway.told.relay });
  const warmUp = pacedRate;
  await paced(warmUp, () => runOne(client));
  await paced(pacedRate * seconds, () => runOne(client));
  client.close();
  const decidedMs = JSON.parse(await gateway.end()) as number[];
  const { p50, p95, p99 } = quantiles(decidedMs.slice(warmUp));
  const figure = `decision and audit, ${pacedRate} commands a second: from arrival until it is on the disk`;
  const met = p50 < decisionTargetMs;
  return { figure, unit: 'ms', p50, p95, p99, target: `p50 < ${decisionTargetMs} ms`, met };
}

/** Starts so many at `pacedRate`; resolves when all have ended. */
async function paced(count: number, begin: () => Promise<unknown>): Promise<void> {
  const began = performance.now();
  const all: Promise<unknown>[] = [];
  while (all.length < count) {
    const due = Math.ceil(((performance.now() - began) * pacedRate) / 1000);
    while (all.length < Math.min(due, count)) all.push(begin());
    await sleep(1);
  }
  await Promise.all(all);
}

async function idleRelays({ pid, told: { address, idle } }: NullGateway): Promise<Figure> {
  const count = idle.length;
  const clients: GatewayClient[] = [];
  const atOnce = 20;
  for (let i = 0; i < count; i += atOnce) {
    const some = await Promise.all(idle.slice(i, i + atOnce).map((relay) => openIdle(address, relay)));
    clients.push(...some);
  }
  const megabytes = (await rss(pid)) / 1e6;
  for (const client of clients) client.close();
  const figure = `${count} idle relays, each with its connection and open stream: memory of the gateway`;
  return {
    figure,
    unit: 'MB',
    ...single(megabytes),
    target: '≤ 450 MB for 2 000',
    met: count >= 2_000 && megabytes <= 450,
  };
}

async function openIdle(address: string, identityDir: string): Promise<GatewayClient> {
  const client = await connectGateway({ address, identityDir });
  const stream = client.synchronize();
  stream.on('error', () => {});
  await once(stream, 'data');
  return client;
}
