import type { GatewayClient } from '../../src/gateway-client/connect-gateway.ts';
import { runOverGrpc } from './run-over-grpc.ts';

const command = { agent: 'coder', tool: 'run', cwd: '/app', identity: { uid: 1000, gid: 1000 } };

export const inFlight = 64;

/** Its milliseconds. */
export async function runOne(client: GatewayClient): Promise<number> {
  const began = performance.now();
  await runOverGrpc(client, command);
  return performance.now() - began;
}

/** So many, `inFlight` of them at a time: the milliseconds of each, and how many ended in a second. */
export async function runMany(
  client: GatewayClient,
  count: number,
): Promise<{ readonly latencies: readonly number[]; readonly rate: number }> {
  const latencies: number[] = [];
  let left = count;
  const lane = async () => {
    while (left-- > 0) latencies.push(await runOne(client));
  };
  const began = performance.now();
  await Promise.all(Array.from({ length: inFlight }, lane));
  return { latencies, rate: (latencies.length * 1000) / (performance.now() - began) };
}
