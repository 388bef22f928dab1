import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { newExecutionId } from '../../src/execution-id.ts';
import { connectGateway, type GatewayClient } from '../../src/gateway-client/connect-gateway.ts';
import { type Figure, quantiles, single } from './figure.ts';
import type { Counts } from './latency.ts';
import { rss } from './throughput.ts';

interface NullGateway {
  readonly process: ChildProcess;
  readonly address: string;
  readonly relay: string;
}

/** The gateway without engines: executions a second, and what an open relay stream costs. */
export async function controlPlaneFigures({ quick }: Counts): Promise<Figure[]> {
  return [
    await onNullGateway((gateway) => nullRate(gateway, quick ? 2_000 : 20_000)),
    await onNullGateway((gateway) => idleRelays(gateway, quick ? 200 : 2_000)),
  ];
}

/** A process of its own for each: the one figure's garbage is not the other's memory. */
async function onNullGateway(measure: (gateway: NullGateway) => Promise<Figure>): Promise<Figure> {
  const gateway = await startNullGateway();
  try {
    return await measure(gateway);
  } finally {
    gateway.process.stdin?.end();
    await once(gateway.process, 'exit');
  }
}

async function startNullGateway(): Promise<NullGateway> {
  const program = spawn(process.execPath, [join(import.meta.dirname, 'null-gateway.ts')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const [line] = (await once(createInterface({ input: program.stdout }), 'line')) as [string];
  const { address, relay } = JSON.parse(line) as { address: string; relay: string };
  return { process: program, address, relay };
}

const inFlight = 64;
const target = 2_000;

async function nullRate({ address, relay }: NullGateway, count: number): Promise<Figure> {
  const client = await connectGateway({ address, identityDir: relay });
  const latencies: number[] = [];
  let left = count;
  const lane = async () => {
    while (left-- > 0) latencies.push(await runOne(client));
  };
  await Promise.all(Array.from({ length: inFlight }, () => runOne(client)));
  const began = performance.now();
  await Promise.all(Array.from({ length: inFlight }, lane));
  const rate = (latencies.length * 1000) / (performance.now() - began);
  client.close();
  const { p50, p99 } = quantiles(latencies);
  const figure = `null executor, ${inFlight} in flight (${p50.toFixed(1)} / ${p99.toFixed(1)} ms p50 / p99), load generator included`;
  return { figure, unit: '1/s', ...single(rate), target: `≥ ${target}/s`, met: rate >= target };
}

async function runOne(client: GatewayClient): Promise<number> {
  const began = performance.now();
  const stream = client.execute();
  const ended = Promise.withResolvers<void>();
  stream.on('data', ({ message }) => {
    if (message?.$case !== 'outcome') return;
    if (message.value.code === 7) ended.resolve();
    else ended.reject(new Error(`${message.value.reason}: ${message.value.text}`));
  });
  stream.on('error', ended.reject);
  stream.write({ message: { $case: 'start', value: startMessage() } });
  await ended.promise;
  stream.end();
  return performance.now() - began;
}

function startMessage() {
  const stdio = ['null', 'pipe', 'pipe'];
  const command = {
    tool: 'run',
    args: [],
    cwd: '/app',
    env: [],
    umask: 18,
    stdio,
    ignored: [],
    terminal: undefined,
    version: 1,
  };
  const identity = { uid: 1000, gid: 1000 };
  return {
    executionId: newExecutionId(),
    agent: 'coder',
    command,
    identity,
    refusal: undefined,
    hostLabels: {},
  };
}

async function idleRelays({ process: program, address, relay }: NullGateway, count: number): Promise<Figure> {
  const clients: GatewayClient[] = [];
  const atOnce = 20;
  for (let i = 0; i < count; i += atOnce) {
    const some = await Promise.all(Array.from({ length: atOnce }, () => openIdle(address, relay)));
    clients.push(...some);
  }
  const megabytes = (await rss(program.pid ?? 0)) / 1e6;
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
