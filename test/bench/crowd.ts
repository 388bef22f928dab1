import { text } from 'node:stream/consumers';
import type { AgentContainer } from '../lab/agent-container.ts';
import type { BenchStack } from './bench-stack.ts';
import { type Figure, type Quantiles, quantiles } from './figure.ts';
import { clientArgv, clientOf, endInput, putClient, untilSaid } from './in-ghost.ts';

/** Nobody; past the gateway, which shows what the crowd costs the machine; through the gateway. */
const crowds = ['none', 'bridge', 'named'] as const;
type Crowd = (typeof crowds)[number];

/** What one agent waits for the first byte of its connections while another opens them without an end, 250 at once. */
export async function besideCrowd({ stack }: BenchStack, address: string, quick: boolean): Promise<Figure[]> {
  const { coder, neighbour } = stack.agents;
  if (coder === undefined || neighbour === undefined) throw new Error('the stack has no second agent');
  await putClient(stack, 'neighbour');
  const client = clientOf(neighbour, address);
  const taken: Record<Crowd, number[]> = { none: [], bridge: [], named: [] };
  const came: Record<Crowd, number> = { none: 0, bridge: 0, named: 0 };
  for (let round = 0; round < (quick ? 1 : 4); round++)
    for (const crowd of crowds) {
      const end = crowd === 'none' ? async () => 0 : await startCrowd(coder, crowd, address);
      taken[crowd].push(...(await client('named', 'first', 7, quick ? 50 : 400)));
      came[crowd] += await end();
    }
  const named = quantiles(taken.named);
  const { p50 } = quantiles(taken.bridge);
  const yardstick = { name: 'the same beside such a crowd on a Docker bridge', p50 };
  return [
    figureOf('nobody beside it', quantiles(taken.none)),
    figureOf(`${came.bridge} of another over a bridge beside it`, quantiles(taken.bridge)),
    { ...figureOf(`${came.named} of another beside it`, named), yardstick, ratio: named.p50 / p50 },
  ];
}

function figureOf(beside: string, figures: Quantiles): Figure {
  return { figure: `first byte of one agent's connection, ${beside}`, unit: 'ms', ...figures };
}

/** Resolves once a thousand came; what it returns ends the crowd and says how many came in all. */
async function startCrowd(
  agent: AgentContainer,
  way: string,
  address: string,
): Promise<() => Promise<number>> {
  const child = agent.spawn(clientArgv(way, 'crowd', address, 7, 250));
  await untilSaid(child, 'many');
  return async () => {
    const rest = text(child.stdout);
    await endInput(child);
    return Number(await rest);
  };
}
