import fc from 'fast-check';
import { test } from 'vitest';
import type { Approval } from '../../gen/clawrden/v1/warden.ts';
import { canonicalJson } from '../../plan.ts';
import { askedBy } from '../show-approval.ts';
import { planRows } from './plan-rows.ts';

// Few, so that two often look nearly alike: apart or together, escaped by us or by whoever wrote it.
const texts = [
  'a',
  'b',
  'a b',
  'a "b"',
  '"a"',
  '',
  '\u200b',
  '\\u{200b}',
  '\n',
  '\\n',
  '\\',
  '\\\\',
  'none',
  ' at ',
  '  \\ ',
];
const text = fc.oneof(
  { arbitrary: fc.constantFrom(...texts), weight: 6 },
  { arbitrary: fc.constantFrom(', sha256 ', 'not inspected: ', 'environment  A=1'), weight: 1 },
  { arbitrary: fc.string({ unit: 'binary', maxLength: 90 }), weight: 1 },
);
const path = text.map((rest) => `/${rest}`);
const named = text.map((rest) => `A=${rest}`);
const count = fc.nat({ max: 3 });
const operand = fc.oneof(
  fc.record({ path: text, digest: text, file: path }),
  fc.record({ path: text, notInspected: text }),
  fc.record({ notInspected: text }),
);
const limits = fc.record({
  memoryBytes: count,
  cpus: count,
  pids: count,
  outputBytes: count,
  fileBytes: count,
});
const mounts = fc.array(fc.record({ kind: fc.constantFrom('bind', 'volume'), source: text, target: path }), {
  maxLength: 2,
});
const plan = fc.record({
  agent: text,
  argv: fc.array(text, { minLength: 1, maxLength: 4 }),
  env: fc.array(named, { maxLength: 3 }),
  cwd: path,
  workspace: fc.oneof(fc.constant(''), path),
  uid: count,
  gid: count,
  umask: fc.nat({ max: 0o777 }),
  how: fc.oneof(
    fc.record({ strategy: fc.constantFrom('mirror', 'passthrough') }),
    // References and ids have no comma in them.
    fc.record({
      strategy: fc.constant('ghost'),
      image: fc.record({
        reference: fc.constantFrom('a', 'a:b'),
        id: fc.constantFrom('sha256:0', 'sha256:1'),
      }),
    }),
  ),
  mounts,
  network: text,
  limits,
  stdin: fc.constantFrom('pipe', 'none'),
  timeoutMs: count,
  idleTimeoutMs: count,
  kept: fc.constantFrom({}, { record: 'head-tail' }),
  policyHash: text,
  operands: fc.option(fc.array(operand, { maxLength: 2 })),
});
type Drawn = typeof plan extends fc.Arbitrary<infer Value> ? Value : never;

function canonicalOf({ how, kept, operands, ...rest }: Drawn): string {
  return canonicalJson({ ...rest, ...how, ...kept, ...(operands && { operands }) });
}

function shown(drawn: Drawn, columns: number): string {
  const asked = { rule: 'r', reason: '', createdAt: '', expiresAt: '', planHash: '' };
  const approval: Approval = {
    ...asked,
    id: '',
    executionId: '',
    agent: drawn.agent,
    plan: canonicalOf(drawn),
  };
  return [askedBy(approval), ...planRows(approval, columns).map((row) => row.text)].join('\n');
}

/** Two plans that differ in few things, or in none. */
const pairs = fc
  .tuple(
    plan,
    plan,
    fc.subarray(Object.keys(canonicalKeys()) as (keyof Drawn)[], { minLength: 1, maxLength: 2 }),
  )
  .map(
    ([one, two, keys]) =>
      [one, { ...one, ...Object.fromEntries(keys.map((key) => [key, two[key]])) }] as const,
  );

function canonicalKeys(): Record<keyof Drawn, true> {
  return {
    ...{ agent: true, argv: true, env: true, cwd: true, workspace: true, uid: true, gid: true, umask: true },
    ...{ how: true, mounts: true, network: true, limits: true, stdin: true, timeoutMs: true },
    ...{ idleTimeoutMs: true, kept: true, policyHash: true, operands: true },
  };
}

test.each([40, 200])('P11, A-47: two different plans never look alike, in %i columns', (columns) => {
  fc.assert(
    fc.property(pairs, ([one, two]) => {
      fc.pre(canonicalOf(one) !== canonicalOf(two));
      return shown(one, columns) !== shown(two, columns);
    }),
    { numRuns: 10_000 },
  );
});

test('P11, A-47: whatever is in a plan, rows of printable ASCII come out, none wider than the screen', () => {
  fc.assert(
    fc.property(plan, (drawn) =>
      shown(drawn, 60)
        .split('\n')
        .slice(1)
        .every((row) => /^[\x20-\x7e]{0,60}$/.test(row)),
    ),
  );
});
