import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AgentContainer } from '../lab/agent-container.ts';
import type { BenchStack } from './bench-stack.ts';
import { type Figure, quantiles } from './figure.ts';

/** Nobody; by a Docker bridge, past the gateway: what their work costs the machine; through the gateway. */
const crowds = ['none', 'bridge', 'named'] as const;

/** What one agent waits for the first byte of its connections while another opens 10,000, and again 10,000. */
export async function besideCrowd({ stack }: BenchStack, address: string, quick: boolean): Promise<Figure[]> {
  const { coder, neighbour } = stack.agents;
  if (coder === undefined || neighbour === undefined) throw new Error('the stack has no second agent');
  await copyFile(clientFile, join(stack.workspaceOf('neighbour'), 'client.mjs'));
  const taken = { none: [] as number[], bridge: [] as number[], named: [] as number[] };
  for (let round = 0; round < (quick ? 1 : 4); round++)
    for (const crowd of crowds) {
      const child = crowd === 'none' ? undefined : await startCrowd(coder, crowd, address, quick);
      const argv = ['node', 'client.mjs', 'named', 'first', address, '7', quick ? '50' : '200'];
      const { code, stdout, stderr } = await neighbour.exec(argv, { timeout: 300_000 });
      if (code !== 0) throw new Error(`${argv.join(' ')}: exit ${code}: ${stderr}`);
      taken[crowd].push(...stdout.trim().split('\n').map(Number));
      if (child !== undefined) await endCrowd(child);
    }
  const [none, bridge, named] = crowds.map((crowd) => quantiles(taken[crowd]));
  if (none === undefined || bridge === undefined || named === undefined) throw new Error('no samples');
  const figure = "first byte of one agent's connection";
  const yardstick = { name: 'the same crowd over a Docker bridge', p50: bridge.p50 };
  return [
    { figure: `${figure}, nobody beside it`, unit: 'ms', ...none },
    { figure: `${figure}, 10,000 of another over a bridge`, unit: 'ms', ...bridge },
    {
      ...{ figure: `${figure}, 10,000 of another through the gateway`, unit: 'ms', ...named, yardstick },
      ratio: named.p50 / bridge.p50,
    },
  ];
}

const clientFile = join(import.meta.dirname, 'egress-client.mjs');

/** Resolves once all have come for the first time. */
async function startCrowd(agent: AgentContainer, way: string, address: string, quick: boolean) {
  const argv = ['node', 'client.mjs', way, 'crowd', address, '7', quick ? '1000' : '10000'];
  const child = agent.spawn(argv);
  const said = once(child.stdout, 'data', { signal: AbortSignal.timeout(120_000) });
  await Promise.race([said, once(child, 'exit').then(() => Promise.reject(new Error('the crowd ended')))]);
  child.stdout.resume();
  return child;
}

async function endCrowd(child: ChildProcessWithoutNullStreams): Promise<void> {
  const ended = once(child, 'exit', { signal: AbortSignal.timeout(60_000) });
  child.stdin.end();
  await ended;
}
