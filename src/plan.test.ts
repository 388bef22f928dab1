import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canonicalJson, type Plan, planHash } from './plan.ts';

const text = fc.string({ unit: 'binary', maxLength: 8 });
const words = fc.array(text, { maxLength: 3 });

/** If a plan gets a new field, add it here: the hash must cover every field of a plan. */
const fields: { readonly [Name in keyof Plan]-?: fc.Arbitrary<Required<Plan>[Name]> } = {
  agent: text,
  argv: words,
  env: words,
  cwd: text,
  workspace: text,
  uid: fc.nat(),
  gid: fc.nat(),
  umask: fc.nat(0o777),
  strategy: fc.constantFrom('ghost', 'mirror', 'passthrough'),
  image: fc.record({ reference: text, id: text }),
  isolation: fc.constant('session' as const),
  mounts: fc.array(
    fc.record(
      {
        kind: fc.constantFrom('bind' as const, 'volume' as const),
        source: text,
        target: text,
        readOnly: fc.constant(true as const),
      },
      { requiredKeys: ['kind', 'source', 'target'] },
    ),
    { maxLength: 2 },
  ),
  network: text,
  reach: fc.record(
    {
      network: text,
      allow: fc.array(
        fc.record({ to: text, private: fc.constant(true as const) }, { requiredKeys: ['to'] }),
        {
          maxLength: 2,
        },
      ),
      routes: fc.array(
        fc.record(
          {
            ...{ name: text, to: text, methods: words, headers: words, secrets: words },
            private: fc.constant(true as const),
          },
          { requiredKeys: ['name', 'to', 'methods', 'headers', 'secrets'] },
        ),
        { maxLength: 1 },
      ),
      most: fc.record({ up: fc.nat(), down: fc.nat() }, { requiredKeys: [] }),
    },
    { requiredKeys: ['network', 'allow', 'routes'] },
  ),
  secrets: fc.array(fc.record({ as: text, secret: text }), { maxLength: 2 }),
  unmasked: fc.constant(true as const),
  limits: fc.record({
    memoryBytes: fc.nat(),
    cpus: fc.nat(),
    pids: fc.nat(),
    outputBytes: fc.nat(),
    fileBytes: fc.nat(),
  }),
  stdin: fc.constantFrom('pipe', 'none'),
  timeoutMs: fc.nat(),
  idleTimeoutMs: fc.nat(),
  record: fc.constantFrom('head-tail', 'full'),
  liveMs: fc.nat(),
  policyHash: text,
  scripts: fc.array(fc.oneof(fc.record({ path: text }), fc.record({ notInspected: text })), { maxLength: 2 }),
  operands: fc.array(
    fc.oneof(
      fc.record(
        { path: text, digest: text, file: text, notHeld: text },
        { requiredKeys: ['path', 'digest', 'file'] },
      ),
      fc.record({ path: text, notInspected: text }, { requiredKeys: ['notInspected'] }),
    ),
    { maxLength: 2 },
  ),
};

const plans: fc.Arbitrary<Plan> = fc.record(fields);
const hashOf = (plan: unknown) => planHash(canonicalJson(plan));

describe('P9 the hash of a plan', () => {
  test.each(Object.keys(fields) as (keyof Plan)[])('changes with %s', (name) => {
    const values = fc.oneof(fc.constant<unknown>(undefined), fields[name]);
    fc.assert(
      fc.property(plans, values, (plan, value) => {
        fc.pre(JSON.stringify(plan[name]) !== JSON.stringify(value));
        expect(hashOf({ ...plan, [name]: value })).not.toBe(hashOf(plan));
      }),
    );
  });

  test('changes if a field is left out', () => {
    fc.assert(
      fc.property(plans, fc.constantFrom(...Object.keys(fields)), (plan, name) => {
        expect(hashOf(Object.fromEntries(Object.entries(plan).filter(([key]) => key !== name)))).not.toBe(
          hashOf(plan),
        );
      }),
    );
  });

  test('changes with what is inside a field, wherever one word ends and the next begins', () => {
    fc.assert(
      fc.property(plans, words, words, (plan, first, second) => {
        fc.pre(JSON.stringify(first) !== JSON.stringify(second));
        expect(hashOf({ ...plan, argv: first })).not.toBe(hashOf({ ...plan, argv: second }));
        // A value that is missing in one field cannot be hidden by another field.
        expect(hashOf({ ...plan, argv: first, env: second })).not.toBe(
          hashOf({ ...plan, argv: second, env: first }),
        );
      }),
    );
  });

  test('does not change with the order of the fields, nor by being read again', () => {
    const seed = fc.infiniteStream(fc.nat());
    fc.assert(
      fc.property(plans, seed, (plan, order) => {
        expect(hashOf(shuffled(plan, order))).toBe(hashOf(plan));
        expect(canonicalJson(JSON.parse(canonicalJson(plan)))).toBe(canonicalJson(plan));
      }),
    );
  });
});

/** The same object with other key orders, at every depth. */
function shuffled(value: unknown, order: Iterator<number>): unknown {
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map((item) => shuffled(item, order));
  const keyed = Object.entries(value).map(([name, item]) => {
    const rank: number = order.next().value ?? 0;
    return { rank, entry: [name, shuffled(item, order)] as const };
  });
  return Object.fromEntries(keyed.toSorted((a, b) => a.rank - b.rank).map(({ entry }) => entry));
}
