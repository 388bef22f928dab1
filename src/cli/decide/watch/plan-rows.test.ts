import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Approval } from '../../../gen/clawrden/v1/warden.ts';
import { canonicalJson } from '../../../plan.ts';
import { renderArgument } from '../../../text/render-text.ts';
import { approvalFacts, askedBy } from '../show-approval.ts';
import { planRows } from './plan-rows.ts';

// Few pieces, so that two texts often look nearly alike: adjacent or separate, escaped by us or by the agent.
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
// Text that we write ourselves, and text that could move it to the beginning of a row.
const ours = [
  'network      none',
  'plan         7b3c5de19f42',
  'argv         "npm"',
  'aaaa000001  asked by coder, expires in 9 min',
  'let it run, exactly as shown? y: yes, any other key: no',
  'nothing waits',
  '\\x20{3}',
];
const filling = fc
  .tuple(fc.constantFrom(' ', 'x', '\\', '"', '\u202e', 'a '), fc.integer({ min: 1, max: 200 }))
  .map(([filler, length]) => filler.repeat(length));
const painted = fc
  .array(fc.oneof(filling, fc.constantFrom(...ours)), { minLength: 2, maxLength: 4 })
  .map((parts) => parts.join(''));
const text = fc.oneof(
  { arbitrary: fc.constantFrom(...texts), weight: 6 },
  {
    arbitrary: fc.constantFrom(', sha256 ', ', not held: ', 'not inspected: ', 'environment  A=1'),
    weight: 1,
  },
  {
    arbitrary: fc.string({ unit: fc.constantFrom(' ', '  ', '{3}', '\\', 'a', '"'), maxLength: 6 }),
    weight: 2,
  },
  { arbitrary: painted, weight: 1 },
  { arbitrary: fc.string({ unit: 'binary', maxLength: 90 }), weight: 1 },
);
const path = text.map((rest) => `/${rest}`);
const named = text.map((rest) => `A=${rest}`);
const count = fc.nat({ max: 3 });
const operand = fc.oneof(
  fc.record({ path: text, digest: text, file: path }),
  fc.record({ path: text, digest: text, file: path, notHeld: text }),
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
    // References and ids contain no comma.
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
  kept: fc.constantFrom({}, { record: 'head-tail' }, { record: 'full' }),
  policyHash: text,
  operands: fc.option(fc.array(operand, { maxLength: 2 })),
});
type Drawn = typeof plan extends fc.Arbitrary<infer Value> ? Value : never;

function canonicalOf({ how, kept, operands, ...rest }: Drawn): string {
  return canonicalJson({ ...rest, ...how, ...kept, ...(operands && { operands }) });
}

function approvalOf(drawn: Drawn): Approval {
  const asked = {
    rule: 'r',
    reason: 'because',
    createdAt: '2026-11-21T03:21:05Z',
    expiresAt: '',
    planHash: '7b3c5de19f42',
  };
  return Approval.create({ ...asked, agent: drawn.agent, plan: canonicalOf(drawn) });
}

function shown(drawn: Drawn, columns: number): string {
  const approval = approvalOf(drawn);
  return [askedBy(approval), ...planRows(approval, columns).map((row) => row.text)].join('\n');
}

const numRuns = process.env['CLAWRDEN_LONG'] === '1' ? 10_000 : 1000;

/** Two plans that differ in a few fields, or not at all. */
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
    { numRuns: 2 * numRuns },
  );
});

const anyColumns = fc.integer({ min: 40, max: 200 });

test('A-81: whatever is in a plan, its rows are printable ASCII and none is wider than the screen', () => {
  fc.assert(
    fc.property(plan, anyColumns, (drawn, columns) => {
      for (const { text: row } of planRows(approvalOf(drawn), columns)) {
        expect(row).toMatch(/^[\x20-\x7e]+$/);
        expect(row.length).toBeLessThanOrEqual(columns);
      }
    }),
    { numRuns },
  );
});

test('A-81: no row that an agent wrote equals or begins like a line of ours, at 40 to 200 columns', () => {
  fc.assert(
    fc.property(plan, anyColumns, (drawn, columns) => {
      const facts = approvalFacts(approvalOf(drawn));
      const rows = onTerminal(shownRows(drawn, columns), columns);
      const begun = rows.filter((row) => !row.startsWith('  \\ '));
      // Exactly one row per fact, each with its own name. Every other row has the mark, so no reader takes it for one
      // of ours.
      expect(begun.map((row) => row.slice(0, 11).trimEnd())).toEqual(facts.map(([name]) => name));
      expect(begun.filter((row) => !/^.{11} {2}[^ ]/.test(row))).toEqual([]);
    }),
    { numRuns },
  );
});

test('A-81: what the rows say is what is in the plan, to the last blank', () => {
  fc.assert(
    fc.property(plan, anyColumns, (drawn, columns) => {
      const lines = unfold(onTerminal(shownRows(drawn, columns), columns));
      expect(valuesOf(lines, 'argv').map(unquote)).toEqual(drawn.argv);
      expect(valuesOf(lines, 'cwd').map(unquote)).toEqual([drawn.cwd]);
      const environment = valuesOf(lines, 'environment');
      const isOwn = drawn.how.strategy === 'passthrough';
      if (drawn.env.length === 0) expect(environment).toEqual([isOwn ? "the agent's own" : 'none']);
      else expect(environment.map(unquote)).toEqual(drawn.env);
      expect(valuesOf(lines, 'network')).toEqual([renderArgument(drawn.network)]);
    }),
    { numRuns },
  );
});

test('A-81: however wide a pager is, nothing in a value is apart as names and values are', () => {
  fc.assert(
    fc.property(plan, anyColumns, (drawn, columns) => {
      for (const line of unfold(shownRows(drawn, columns))) expect(line.slice(13)).not.toMatch(/ {2}|^ | $/);
    }),
    { numRuns },
  );
});

function shownRows(drawn: Drawn, columns: number): string[] {
  return planRows(approvalOf(drawn), columns).map((row) => row.text);
}

/** What a terminal does with lines: it breaks them where a row is full. */
function onTerminal(lines: readonly string[], columns: number): string[] {
  return lines.flatMap((line) =>
    Array.from({ length: Math.max(1, Math.ceil(line.length / columns)) }, (_, row) =>
      line.slice(row * columns, (row + 1) * columns),
    ),
  );
}

/** Joins the rows that continue. */
function unfold(rows: readonly string[]): string[] {
  const lines: string[] = [];
  for (const row of rows) {
    if (!row.startsWith('  \\ ')) lines.push(row);
    else lines.push(`${lines.pop()?.replace(/\\$/, '')}${row.slice(4)}`);
  }
  return lines;
}

/** The values under a name. */
function valuesOf(lines: readonly string[], name: string): string[] {
  const first = lines.findIndex((line) => line.startsWith(name.padEnd(13)));
  const next = lines.findIndex((line, index) => index > first && !line.startsWith(' '.repeat(13)));
  return lines.slice(first, next).map((line) => line.slice(13));
}

const escapes: Readonly<Record<string, string>> = {
  '\\n': '\n',
  '\\r': '\r',
  '\\t': '\t',
  '\\\\': '\\',
  '\\"': '"',
};

function unquote(quoted: string): string {
  expect(quoted).toMatch(/^"(?:[^"\\]|\\.)*"$/);
  return quoted.slice(1, -1).replaceAll(/\\(?:u\{([0-9a-f]+)\}|x20\{(\d+)\}|.)/g, (escape, code, blanks) => {
    if (code !== undefined) return String.fromCodePoint(Number.parseInt(code as string, 16));
    return blanks === undefined ? (escapes[escape] ?? escape) : ' '.repeat(Number(blanks));
  });
}
