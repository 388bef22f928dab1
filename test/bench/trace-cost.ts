import { createServer } from 'node:http';
import { type AddressInfo } from 'node:net';
import { connectRelay } from '../grpc/connect-relay.ts';
import { startBenchProgram } from './bench-program.ts';
import { type Figure, quantiles } from './figure.ts';
import type { Counts } from './latency.ts';
import { runMany } from './null-load.ts';

interface Told {
  readonly address: string;
  readonly relay: string;
}

const most = 0.98;

/** What traces cost the null executor: off and on, beside a gateway that has no mark of a trace. In turns, so that the machine's moods hit all alike. */
export async function traceCostFigures({ quick }: Counts): Promise<Figure[]> {
  const [rounds, count] = quick ? [4, 500] : [24, 2_000];
  await using collector = await startSink();
  const kinds = [
    { kind: 'unmarked', program: 'unmarked-gateway.ts', port: 0 },
    { kind: 'off', program: 'null-gateway.ts', port: 0 },
    { kind: 'on', program: 'null-gateway.ts', port: collector.port },
  ] as const;
  const gateways = await Promise.all(
    kinds.map(async ({ kind, program, port }) => {
      const gateway = await startBenchProgram<Told>(program, 0, port);
      const { address, relay } = gateway.told;
      return { kind, gateway, client: await connectRelay({ address, identityDir: relay }) };
    }),
  );
  const rates = { unmarked: [] as number[], off: [] as number[], on: [] as number[] };
  try {
    for (const { client } of gateways) await runMany(client, count);
    for (let round = 0; round < rounds; round++) {
      // Each is first, second and last as often.
      const order = gateways.map((_, at) => gateways[(at + round) % gateways.length]!);
      for (const { kind, client } of order) rates[kind].push((await runMany(client, count)).rate);
    }
  } finally {
    for (const { kind, client, gateway } of gateways) {
      client.close();
      checkMarks(kind, JSON.parse(await gateway.end()) as (number | null)[]);
    }
  }
  if (collector.bodies() === 0) throw new Error('the collector was told of nothing');
  const figure = (kind: 'off' | 'on') => {
    const pairs = rates[kind].map((rate, at) => rate / (rates.unmarked[at] ?? Number.NaN));
    return {
      ...{ figure: `null executor, traces ${kind}`, unit: '1/s', ...quantiles(rates[kind]) },
      yardstick: { name: 'without a mark', p50: quantiles(rates.unmarked).p50 },
      ratio: quantiles(pairs).p50,
    };
  };
  const off = figure('off');
  return [{ ...off, target: `≥ ${most} ×`, met: off.ratio >= most }, figure('on')];
}

/** By when each command was decided, which its marks tell: nothing else shows that the marks are gone. */
function checkMarks(kind: string, decidedMs: readonly (number | null)[]): void {
  const isMarked = decidedMs.some((ms) => ms !== null);
  if (isMarked === (kind === 'unmarked')) throw new Error(`the gateway ${kind}: marked is ${isMarked}`);
}

/** A collector that reads what it is told, and keeps nothing. */
async function startSink() {
  let bodies = 0;
  const server = createServer((request, response) => {
    bodies += 1;
    request.resume().once('end', () => response.end('{}'));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    bodies: () => bodies,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
