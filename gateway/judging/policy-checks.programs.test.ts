import fc from 'fast-check';
import { expect, test } from 'vitest';
import { reportOnText } from '../../src/policy/review/policy-report.ts';
import { shortTexts } from '../lists/short-texts.ts';
import { createPolicyChecks } from './policy-checks.ts';

const signal = new AbortController().signal;
const check = createPolicyChecks(false, 60_000);
const numRuns = process.env['CLAWRDEN_LONG'] ? 40 : 3;

function policyOf(rules: readonly string[]): string {
  const head = 'version: 1\ntools:\n  npm: { strategy: ghost, image: "node:24" }\nrules:\n';
  return `${head}${rules.map((rule) => `  - { ${rule} }\n`).join('')}complete: true\n`;
}

/** Each rule is compared with all others. */
const hostile = policyOf(
  Array.from(
    { length: 700 },
    (_, at) => `name: r${at}, tools: [npm], args: ["a*${at}*b", "**"], action: ${at % 2 ? 'allow' : 'ask'}`,
  ),
);

const rule = fc
  .tuple(fc.constantFrom('allow', 'ask', 'deny'), fc.constantFrom('npm', 'sh', 'git'), fc.nat(5))
  .map(([action, tool, at]) => `name: r${at}, tools: [${tool}], action: ${action}`);
const text = fc.oneof(fc.array(rule, { maxLength: 6 }).map(policyOf), fc.string({ unit: 'binary' }));

test('a text is told by the thread as `policy check` tells it', async () => {
  await fc.assert(
    fc.asyncProperty(text, fc.boolean(), async (given, force) => {
      const { problems, errors, warnings, ...same } = reportOnText(given, 'policy.yaml', force, false);
      const lists = {
        problems: shortTexts(problems),
        errors: shortTexts(errors),
        warnings: shortTexts(warnings),
      };
      expect(await check({ text: given, force }, 'person:ann', signal)).toEqual({ ...same, ...lists });
    }),
    { numRuns },
  );
});

test('A-118 P20: a text that takes long takes nothing of the thread that judges commands', async () => {
  const before = process.threadCpuUsage().user;
  reportOnText(hostile, 'policy.yaml', false, false);
  const itself = process.threadCpuUsage().user - before;
  let longest = 0;
  let last = process.threadCpuUsage().user;
  const ticks = setInterval(() => {
    const now = process.threadCpuUsage().user;
    [longest, last] = [Math.max(longest, now - last), now];
  }, 5);
  const report = await check({ text: hostile, force: false }, 'person:ann', signal);
  clearInterval(ticks);
  expect(report.warnings.length).toBe(101);
  expect([itself > 100_000, longest < itself / 4]).toEqual([true, true]);
});

test('P20: one principal has one text checked at a time, and another is not kept waiting by it', async () => {
  const wish = { text: hostile, force: false };
  const first = check(wish, 'person:ann', signal);
  await expect(check(wish, 'person:ann', signal)).rejects.toMatchObject({ code: 'rate-limit', waitMs: 2000 });
  const other = check({ text: '', force: false }, 'person:bob', signal);
  expect(await other).toMatchObject({ ok: false, problems: ['policy.yaml:1: the file is empty'] });
  expect(await first).toMatchObject({ version: 1 });
  expect(await check({ text: '', force: false }, 'person:ann', signal)).toMatchObject({ ok: false });
});

test('P20: a check ends with its caller and at its deadline, and its place is free then', async () => {
  const soon = createPolicyChecks(false, 1);
  const wish = { text: hostile, force: false };
  await expect(soon(wish, 'person:ann', signal)).rejects.toMatchObject({ code: 'too-large' });
  const checks = createPolicyChecks(false, 60_000);
  for (const name of ['person:ann', 'person:bob', 'person:ann', 'person:eve']) {
    const caller = new AbortController();
    const reason = new Error('gone');
    setTimeout(() => caller.abort(reason), 20);
    await expect(checks(wish, name, caller.signal)).rejects.toBe(reason);
  }
  expect(await checks({ text: '', force: false }, 'person:ann', signal)).toMatchObject({ ok: false });
  const three = createPolicyChecks(false, 50);
  const codes = ['person:ann', 'person:bob', 'person:eve'].map((name) =>
    three(wish, name, signal).catch(({ code }: { code: string }) => code),
  );
  expect(await Promise.all(codes)).toEqual(['too-large', 'too-large', 'rate-limit']);
});
