import type { Case } from './case.ts';
import type { Record } from './record.ts';
import type { Tree } from './tree.ts';

/** What was seen of a command on one side. */
export interface Seen {
  readonly record: Record;
  /** The case's folder afterwards. */
  readonly tree: Tree;
}

export interface Difference {
  readonly what: string;
  readonly native: string;
  readonly clawrden: string;
}

/** Every difference between the two sides; empty if there is no difference. */
export function differences({ mask = [] }: Case, native: Seen, clawrden: Seen): Difference[] {
  const [a, b] = [aspects(native, mask), aspects(clawrden, mask)];
  const names = [...new Set([...a.keys(), ...b.keys()])];
  return names
    .map((what) => ({ what, native: a.get(what) ?? '(nothing)', clawrden: b.get(what) ?? '(nothing)' }))
    .filter((one) => one.native !== one.clawrden);
}

function aspects({ record, tree }: Seen, mask: NonNullable<Case['mask']>): Map<string, string> {
  const hide = (text: string) => mask.reduce((rest, [from, to]) => rest.replace(from, to), text);
  const masked = (bytes: Buffer) => hide(latin1(bytes));
  return new Map([
    ['ending', record.ending],
    ['stdout', masked(record.stdout)],
    ['stderr', masked(record.stderr)],
    ['terminal', masked(record.terminal)],
    ['left in stdin', latin1(record.left)],
    ['events', hide(record.events)],
    ...[...tree].map(([path, file]) => [`file ${path}`, file] as const),
  ]);
}

// One character per byte, so that no two different outputs look alike.
function latin1(bytes: Buffer): string {
  return bytes.toString('latin1');
}
