import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AgentContainer, AgentOptions } from '../lab/agent-container.ts';
import { nodeImage } from '../lab/images/catalogue.ts';
import { openForMs } from './records.ts';

/** The result of one command that ran in the agent's container. */
export interface Ended {
  readonly token: string;
  /** Null if a signal ended it, or if it could not be started. */
  readonly code: number | null;
  readonly signal: string | null;
  readonly ms: number;
  readonly stdout: string;
  readonly stderr: string;
  /** When it was typed and when its end was seen here, in milliseconds since 1970. */
  readonly typedAt: number;
  readonly endedAt: number;
}

export interface Load {
  /** Tokens of the commands that have not ended, with their start times. */
  readonly open: ReadonlyMap<string, number>;
  readonly ended: readonly Ended[];
  /** Starts no more; resolves when every command has ended, and rejects if one has not within three minutes. */
  readonly stop: () => Promise<void>;
}

/** What is typed, and how often. */
export interface LoadKind {
  readonly everyMs: number;
  /** Nothing is typed while so many have not ended: a machine that is busy elsewhere ends fewer, and none waits longer. */
  readonly openAtMost: number;
  readonly next: (turn: number, random: () => number) => { readonly token: string; readonly argv: string[] };
}

const program = '/shim-runner.mts';
/** Of ten commands: 1.5 ghosts a second of 5. */
const ghostTurns: ReadonlySet<number> = new Set([1, 4, 8]);

/** Options for a container in which the load can be made. */
export const loadContainer = {
  image: nodeImage,
  command: ['sleep', 'infinity'],
  extra: ['--volume', `${join(import.meta.dirname, 'shim-runner.ts')}:${program}:ro`],
} satisfies Partial<AgentOptions>;

/** A file in the workspace to which every command first writes its token, so that each line is one start. */
export const startsFile = 'starts';
/** What every command runs, in the workspace too. */
export const scriptFile = 'step.sh';
export const script = `echo "$1" >> ${startsFile}; sleep "$2"; echo "$1"\n`;

/** Five commands a second, in ghosts and in the agent's container. */
export const busy: LoadKind = {
  everyMs: 200,
  openAtMost: 40,
  next: (turn, random) => {
    const ghost = ghostTurns.has(turn % 10);
    const token = `${ghost ? 'g' : 'm'}${turn}`;
    return { token, argv: [ghost ? 'sh' : 'dash', scriptFile, token, duration(random())] };
  },
};

/** Starts commands through the shim, whatever their results. */
export function startLoad(agent: AgentContainer, random: () => number, kind: LoadKind = busy): Load {
  const child = agent.spawn(['node', program]);
  const open = new Map<string, number>();
  const ended: Ended[] = [];
  const stopping = new AbortController();
  child.stdin.on('error', () => {});
  child.stderr.pipe(process.stderr);
  createInterface({ input: child.stdout }).on('line', (line) => {
    const one = JSON.parse(line) as Omit<Ended, 'typedAt' | 'endedAt'>;
    const endedAt = Date.now();
    ended.push({ ...one, typedAt: open.get(one.token) ?? endedAt, endedAt });
    open.delete(one.token);
  });
  const typing = typeAll();
  return {
    open,
    ended,
    stop: async () => {
      stopping.abort();
      await typing;
      for (const deadline = performance.now() + openForMs; open.size > 0; await sleep(100)) {
        if (performance.now() > deadline)
          throw new Error(`never ended within ${openForMs} ms: ${[...open.keys()].join(' ')}`);
      }
      child.stdin.end();
    },
  };

  async function typeAll(): Promise<void> {
    let next = performance.now();
    for (let turn = 0; !stopping.signal.aborted; turn++) {
      while (open.size >= kind.openAtMost && !stopping.signal.aborted) {
        await sleep(50);
        next = performance.now();
      }
      const { token, argv } = kind.next(turn, random);
      open.set(token, Date.now());
      child.stdin.write(`${JSON.stringify({ token, argv })}\n`);
      next += kind.everyMs;
      await sleep(Math.max(0, next - performance.now()), undefined, { signal: stopping.signal }).catch(
        () => {},
      );
    }
  }
}

/** Seconds: half of the commands end at once, the others within a second and a half. */
export function duration(chance: number): string {
  return (chance < 0.5 ? 0 : (chance - 0.5) * 3).toFixed(2);
}
