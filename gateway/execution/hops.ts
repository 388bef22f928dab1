import type { Mark } from './trace.ts';

/** One step of a command in the gateway, in milliseconds since it was received. */
export interface Hop {
  readonly name: string;
  readonly from: number;
  readonly to: number;
}

type Times = Readonly<Partial<Record<Mark, number>>>;

/** A mark, the hop that ends with it, and the hop that it begins, as far as that may be cut off. */
const steps: readonly (readonly [mark: Mark, ends: string, begins: string])[] = [
  ['received', '', 'judge'],
  ['judged', 'judge', 'audit'],
  ['decided', 'audit', ''],
  ['inspected', 'inspect', ''],
  ['asked', 'ask', 'approval'],
  ['permitted', 'approval', 'lease'],
  ['leased', 'lease', 'container'],
  ['ready', 'container', 'workspace out'],
  ['settled', 'workspace out', ''],
  ['placed', 'lease', 'start'],
  ['planned', '', 'start'],
  ['started', 'start', 'run'],
  ['ended', 'run', ''],
  ['home', 'workspace home', ''],
];

/** What the steps of a command took that ended at `end`; the last one may have been cut off by it. */
export function hopsOf(times: Times, end: number): readonly Hop[] {
  const hops: Hop[] = [];
  let [from, open] = [0, ''];
  for (const [mark, ends, begins] of steps) {
    const at = times[mark];
    // An earlier mark is of another host, where it could not start.
    if (at === undefined || at < from) continue;
    if (isHop(mark, ends, times)) hops.push({ name: ends, from, to: at });
    // The plan goes to the init at once: the start begins where the place was found.
    if (mark !== 'planned') from = at;
    open = begins;
  }
  if (open !== '' && end > from) hops.push({ name: open, from, to: end });
  return hops;
}

/** Without a question nobody approves; and a place that was found in steps has them already. */
function isHop(mark: Mark, name: string, times: Times): boolean {
  if (mark === 'permitted') return times.asked !== undefined;
  if (mark === 'placed') return times.leased === undefined;
  return name !== '';
}
