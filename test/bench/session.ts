import { run } from '../lab/command.ts';
import type { BenchStack } from './bench-stack.ts';
import { type Figure, quantiles } from './figure.ts';

/** Milliseconds of a command in a session, and of `docker exec` of the same in the same container. */
export interface SessionSamples {
  readonly session: number[];
  readonly sessionExec: number[];
}

const tool = ['printf', 'x'];
const mostOverExec = 1.1;

/** In turns, so that other work of the machine affects both. */
export async function measureSession(bench: BenchStack, taken: SessionSamples): Promise<void> {
  await bench.timeInAgent({ count: 1, argv: tool });
  const exec = await execInSession(bench);
  for (let turn = 0; turn < 5; turn++) {
    taken.session.push(...(await bench.timeInAgent({ count: 4, argv: tool })));
    taken.sessionExec.push(...(await bench.timeHere({ count: 4, argv: exec })));
  }
}

export function sessionFigure({ session, sessionExec }: SessionSamples): Figure {
  const yardstick = { name: 'docker exec -i there', p50: quantiles(sessionExec).p50 };
  const ratio = quantiles(session).p50 / yardstick.p50;
  return {
    figure: 'a command in a session',
    unit: 'ms',
    ...quantiles(session),
    yardstick,
    ratio,
    target: `≤ ${mostOverExec} × (median)`,
    met: ratio <= mostOverExec,
  };
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
