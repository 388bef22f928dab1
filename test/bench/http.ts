import { connectGateway } from '../../src/gateway-client/connect-gateway.ts';
import { type Client, connect } from '../../src/http-api/client.ts';
import { startBenchProgram } from './bench-program.ts';
import { eventReadersFigure } from './event-readers.ts';
import { type Figure, quantiles } from './figure.ts';
import type { HttpGatewayTold } from './http-gateway-told.ts';
import type { Counts } from './latency.ts';
import { runOverGrpc } from './run-over-grpc.ts';

/** The HTTP door beside gRPC, in front of the same gateway; and what it costs to tell everybody what changes. */
export async function httpFigures({ quick }: Counts): Promise<Figure[]> {
  return [...(await doorFigures(quick ? 2 : 20)), await eventReadersFigure(quick ? 3 : 20)];
}

const atATime = 100;
const ownMs = 1.5;

async function doorFigures(rounds: number): Promise<Figure[]> {
  const program = await startBenchProgram<HttpGatewayTold>('http-gateway.ts');
  const { address, identity, url, token } = program.told;
  const grpc = await connectGateway({ address, identityDir: identity });
  const http = connect({ url, token });
  const ways = {
    grpc: () => runOverGrpc(grpc, { agent: request.agent, tool: request.tool, cwd: '' }),
    waits: () => waits(http),
    streams: () => streams(http),
  };
  const taken = { grpc: [] as number[], waits: [] as number[], streams: [] as number[] };
  const names = ['grpc', 'waits', 'streams'] as const;
  // The first round is of a gateway that is still compiled. In turns, so that other work of the machine affects all.
  for (let round = 0; round <= rounds; round++)
    for (const name of names) {
      const times = await timed(atATime, ways[name]);
      if (round > 0) taken[name].push(...times);
    }
  grpc.close();
  await program.end();
  return [
    figure('POST /executions that waits, one after another', taken.waits, taken.grpc),
    figure('POST /executions as a stream, one after another', taken.streams, taken.grpc),
  ];
}

function figure(name: string, samples: readonly number[], ofGrpc: readonly number[]): Figure {
  const { p50, p95, p99 } = quantiles(samples);
  const yardstick = { name: 'gRPC Execute', p50: quantiles(ofGrpc).p50 };
  const target = `p50 ≤ gRPC + ${ownMs} ms`;
  const met = p50 <= yardstick.p50 + ownMs;
  return { figure: name, unit: 'ms', p50, p95, p99, yardstick, ratio: p50 / yardstick.p50, target, met };
}

async function timed(count: number, run: () => Promise<void>): Promise<number[]> {
  const times: number[] = [];
  while (times.length < count) {
    const began = performance.now();
    await run();
    times.push(performance.now() - began);
  }
  return times;
}

const request = { agent: 'coder', tool: 'done', args: [] };

async function waits(client: Client): Promise<void> {
  const { outcome } = await client.run(request);
  if (outcome.exitCode !== 7) throw new Error(JSON.stringify(outcome));
}

async function streams(client: Client): Promise<void> {
  for await (const event of client.stream(request))
    if (event.type === 'outcome' && event.outcome.exitCode === 7) return;
  throw new Error('a stream without its outcome');
}
