import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Plan } from '../plan.ts';
import { operandsFound } from './plan-operands.ts';

const numRuns = process.env['CLAWRDEN_LONG'] === '1' ? 10_000 : 500;
const path = fc.string({ minLength: 1, maxLength: 12 });
const hex = fc
  .array(fc.constantFrom(...'0123456789abcdef'), { minLength: 64, maxLength: 64 })
  .map((digits) => digits.join(''));

/** Names, and for each a digest of its own. */
const files = fc.uniqueArray(fc.record({ path, digest: hex }), {
  selector: (file) => file.path,
  minLength: 1,
  maxLength: 8,
});

const planOf = (scripts: NonNullable<Plan['scripts']>) => ({ scripts, strategy: 'ghost' }) as Plan;

test('P9: a digest is that of the file it was told for, in whatever order and company it comes', () => {
  const drawn = files.chain((named) =>
    fc.record({
      named: fc.constant(named),
      told: fc.shuffledSubarray(named),
      strangers: fc.array(fc.tuple(path, hex), { maxLength: 3 }),
    }),
  );
  fc.assert(
    fc.property(drawn, ({ named, told, strangers }) => {
      const known = new Set(named.map((file) => file.path));
      const foreign = strangers.filter(([name]) => !known.has(name));
      const lines = [...foreign, ...told.map((file) => [file.path, file.digest] as const)];
      const found = new Map(lines.map(([name, digest]) => [name, `held sha256:${digest} /app/${name}`]));
      const scripts = [{ notInspected: 'why' }, ...named.map((file) => ({ path: file.path }))];
      expect(operandsFound(planOf(scripts), found)).toEqual([
        { notInspected: 'why' },
        ...named.map((file) =>
          told.includes(file)
            ? { path: file.path, digest: file.digest, file: `/app/${file.path}` }
            : { path: file.path, notInspected: 'its init said nothing of it' },
        ),
      ]);
    }),
    { numRuns },
  );
});

test("P9: whatever a relay or an init says, no script of a command in an agent's own container is held", () => {
  const digest = 'a'.repeat(64);
  const why = fc.stringMatching(/^[a-z ]{1,20}$/);
  const line = fc.oneof(
    fc.constant(`held sha256:${digest} /app/x`),
    why.map((text) => `not held: ${text}; sha256:${digest} /app/x`),
    fc.string(),
  );
  fc.assert(
    fc.property(line, fc.constantFrom('mirror', 'passthrough', 'ghost'), (said, strategy) => {
      const plan = { scripts: [{ path: 'x' }], strategy } as unknown as Plan;
      const [found] = operandsFound(plan, new Map([['x', said]]));
      const held = found !== undefined && 'digest' in found && found.notHeld === undefined;
      expect(held).toBe(strategy === 'ghost' && said.startsWith('held sha256:'));
    }),
  );
});
