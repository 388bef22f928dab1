import { readdir, readFile } from 'node:fs/promises';
import { rss } from '../bench/throughput.ts';

/** What a program holds now. */
export interface Held {
  readonly megabytes: number;
  readonly descriptors: number;
}

interface Sample extends Held {
  readonly minutes: number;
}

/** A program's use of the machine, over its longest run. */
export interface Trend {
  readonly program: string;
  /** Minutes of that run that were checked: all but its first. */
  readonly minutes: number;
  readonly megabytes: number;
  readonly descriptors: number;
  /** Per minute. */
  readonly megabytesSlope: number;
  readonly descriptorsSlope: number;
  /** Whether it was checked for long enough, and grew. */
  readonly grows: boolean;
}

/** In its first minute a program fills its caches and its heap. */
const warmUpMinutes = 1;
const judgedMinutes = 5;
/** Ten kilobytes, or a hundredth of a descriptor, lost with every command. */
const most = { megabytes: 3, descriptors: 3 };
/**
 * What the gateway's bounded log of events takes a minute until it is full, which no life of a soak is long enough for.
 * Measured in one life of 13 minutes with 330 commands a minute: 1.0 MB that garbage collection left, of four events a
 * command, and nothing else that grew with the commands.
 */
export const eventLogFills = 1.3;

export interface Health {
  readonly sample: () => Promise<void>;
  readonly trend: () => Trend;
}

interface HealthOptions {
  readonly look?: (pid: number) => Promise<Held>;
  /** Megabytes a minute by which something bounded of the program may fill. */
  readonly fills?: number;
}

/** Follows one program through its restarts; `look` throws when this life of it is over. */
export function followHealth(
  program: string,
  pid: () => number,
  { look = lookAtProcess, fills = 0 }: HealthOptions = {},
): Health {
  const lives = new Map<number, Sample[]>();
  return {
    sample: async () => {
      const now = pid();
      const held = await look(now).catch(() => undefined);
      if (held === undefined) return;
      lives.set(now, [...(lives.get(now) ?? []), { minutes: performance.now() / 60_000, ...held }]);
    },
    trend: () => trendOf(program, longest([...lives.values()]), fills),
  };
}

/** Throws when the process is gone. */
async function lookAtProcess(pid: number): Promise<Held> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  const descriptors = (await readdir(`/proc/${pid}/fd`)).length;
  const megabytes = (await rss(pid)) / 1e6;
  // Without memory it is ending.
  if (/^State:\s+Z/m.test(status) || Number.isNaN(megabytes)) throw new Error('the process has ended');
  return { megabytes, descriptors };
}

function longest(lives: readonly (readonly Sample[])[]): readonly Sample[] {
  return lives.reduce<readonly Sample[]>((best, life) => (life.length > best.length ? life : best), []);
}

function trendOf(program: string, life: readonly Sample[], fills: number): Trend {
  const begun = life[0]?.minutes ?? 0;
  const settled = life.filter(({ minutes }) => minutes - begun >= warmUpMinutes);
  const last = life.at(-1);
  const minutes = (settled.at(-1)?.minutes ?? 0) - (settled[0]?.minutes ?? 0);
  const least = leastOfMinutes(settled);
  const megabytesSlope = slope(least, 'megabytes');
  const descriptorsSlope = slope(least, 'descriptors');
  const grew = megabytesSlope > most.megabytes + fills || descriptorsSlope > most.descriptors;
  return {
    program,
    minutes,
    megabytes: last?.megabytes ?? 0,
    descriptors: last?.descriptors ?? 0,
    megabytesSlope,
    descriptorsSlope,
    grows: minutes >= judgedMinutes && grew,
  };
}

/** What a program needs for the commands that it just has is no growth: on a busy machine they come in heaps. */
function leastOfMinutes(samples: readonly Sample[]): Sample[] {
  const minutes = Map.groupBy(samples, ({ minutes: at }) => Math.floor(at));
  return [...minutes.values()].map((some) => ({
    minutes: some[0]?.minutes ?? 0,
    megabytes: Math.min(...some.map(({ megabytes }) => megabytes)),
    descriptors: Math.min(...some.map(({ descriptors }) => descriptors)),
  }));
}

/** Least squares, per minute. */
function slope(samples: readonly Sample[], key: 'megabytes' | 'descriptors'): number {
  if (samples.length < 2) return 0;
  const mean = (of: (sample: Sample) => number) =>
    samples.reduce((sum, sample) => sum + of(sample), 0) / samples.length;
  const at = mean(({ minutes }) => minutes);
  const value = mean((sample) => sample[key]);
  const over = mean((sample) => (sample.minutes - at) * (sample[key] - value));
  return over / mean((sample) => (sample.minutes - at) ** 2);
}
