import { run } from '../lab/command.ts';
import type { BenchStack } from './bench-stack.ts';
import { type Figure, quantiles } from './figure.ts';

/** Milliseconds of a command in a session, and of `docker exec` of the same in the same container. */
export interface SessionSamples {
  readonly session: number[];
  readonly sessionExec: number[];
  /** Of the first command after a reset. */
  readonly sessionFresh: number[];
}

const tool = ['printf', 'x'];
const mostOverExec = 1.1;
const freshWithinMs = 1000;

/** In turns, so that other work of the machine affects both. */
export async function measureSession(bench: BenchStack, taken: SessionSamples): Promise<void> {
  await bench.stack.cli(['session', 'reset', 'coder']);
  taken.sessionFresh.push(...(await bench.timeInAgent({ count: 1, argv: tool })));
  const exec = await execInSession(bench);
  for (let turn = 0; turn < 5; turn++) {
    taken.session.push(...(await bench.timeInAgent({ count: 4, argv: tool })));
    taken.sessionExec.push(...(await bench.timeHere({ count: 4, argv: exec })));
  }
}

export function sessionFigures({ session, sessionExec, sessionFresh }: SessionSamples): Figure[] {
  const yardstick = { name: 'docker exec -i there', p50: quantiles(sessionExec).p50 };
  const ratio = quantiles(session).p50 / yardstick.p50;
  const fresh = quantiles(sessionFresh);
  const first = {
    figure: 'the first command after a session was reset',
    unit: 'ms',
    ...fresh,
    target: `≤ ${freshWithinMs} ms (p50)`,
    met: fresh.p50 <= freshWithinMs,
  };
  const one = {
    figure: 'a command in a session',
    unit: 'ms',
    ...quantiles(session),
    yardstick,
    ratio,
    target: `≤ ${mostOverExec} × (median)`,
    met: ratio <= mostOverExec,
  };
  return [one, first];
}

async function execInSession({ lab }: BenchStack): Promise<string[]> {
  for (const { socket } of lab.hosts) {
    const docker = ['docker', '-H', `unix://${socket}`];
    const stdout = await run([...docker, 'ps', '-q', '--filter', 'name=clawrden-session-']);
    const [container] = stdout.split('\n');
    if (container) return [...docker, 'exec', '-i', container, ...tool];
  }
  throw new Error('the agent has no session');
}
