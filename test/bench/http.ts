import { connectGateway } from '../../src/gateway-client/connect-gateway.ts';
import { type Client, connect } from '../../src/http-api/client.ts';
import { clients, type McpClient } from '../mcp/clients.ts';
import { startBenchProgram } from './bench-program.ts';
import { eventReadersFigure } from './event-readers.ts';
import { type Figure, quantiles } from './figure.ts';
import type { HttpGatewayTold } from './http-gateway-told.ts';
import type { Counts } from './latency.ts';
import { runOverGrpc } from './run-over-grpc.ts';

/** The HTTP door and MCP beside gRPC, in front of the same gateway; and what it costs to tell everybody what changes. */
export async function httpFigures({ quick }: Counts): Promise<Figure[]> {
  return [...(await doorFigures(quick ? 2 : 20)), await eventReadersFigure(quick ? 3 : 20)];
}

const atATime = 100;
const ownMs = 1.5;

async function doorFigures(rounds: number): Promise<Figure[]> {
  const program = await startBenchProgram<HttpGatewayTold>('http-gateway.ts');
  const { address, identity, url, token, agentToken } = program.told;
  const grpc = await connectGateway({ address, identityDir: identity });
  const http = connect({ url, token });
  const [[, connectMcp]] = clients;
  const mcp = await connectMcp(url, agentToken);
  const ways = {
    grpc: () => runOverGrpc(grpc, { agent: request.agent, tool: request.tool, cwd: '' }),
    waits: () => waits(http),
    streams: () => streams(http),
    mcp: () => calls(mcp),
  };
  const taken = { grpc: [] as number[], waits: [] as number[], streams: [] as number[], mcp: [] as number[] };
  const names = ['grpc', 'waits', 'streams', 'mcp'] as const;
  // The first round is of a gateway that is still compiled. In turns, so that other work of the machine affects all.
  for (let round = 0; round <= rounds; round++)
    for (const name of names) {
      const times = await timed(atATime, ways[name]);
      if (round > 0) taken[name].push(...times);
    }
  await mcp[Symbol.asyncDispose]();
  grpc.close();
  await program.end();
  return [
    figure('POST /executions that waits, one after another', taken.waits, taken.grpc),
    figure('POST /executions as a stream, one after another', taken.streams, taken.grpc),
    beside('execute by MCP, one after another', taken.mcp, taken.grpc),
  ];
}

function figure(name: string, samples: readonly number[], ofGrpc: readonly number[]): Figure {
  const row = beside(name, samples, ofGrpc);
  return { ...row, target: `p50 ≤ gRPC + ${ownMs} ms`, met: row.p50 <= row.yardstick.p50 + ownMs };
}

function beside(name: string, samples: readonly number[], ofGrpc: readonly number[]) {
  const taken = quantiles(samples);
  const yardstick = { name: 'gRPC Execute', p50: quantiles(ofGrpc).p50 };
  return { figure: name, unit: 'ms', ...taken, yardstick, ratio: taken.p50 / yardstick.p50 };
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

async function calls(mcp: McpClient): Promise<void> {
  const { texts } = await mcp.call('execute', { program: request.tool, args: request.args });
  if (!texts[0]?.includes('exit code: 7')) throw new Error(texts[0]);
}
