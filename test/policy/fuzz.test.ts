import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { packageRoot } from '../../src/package-root.ts';
import { knownTools } from '../../src/policy/arguments/tools/known-tools.ts';
import { shells, wrapperData } from '../../src/policy/arguments/tools/wrapper-data.ts';
import { parsePolicy } from '../../src/policy/file/parse-policy.ts';
import type { CommandFacts, Policy } from '../../src/policy/policy.ts';
import { decide } from '../../src/policy/rules/decide.ts';
import { referenceAction } from './reference-matcher.ts';

const numRuns = process.env['CLAWRDEN_LONG'] === '1' ? 3000 : 300;
const shipped = readFileSync(join(packageRoot(), 'policy.yaml'), 'utf8');
const hangMs = 100;

function parse(text: string): Policy & { version: 1 } {
  const result = parsePolicy(text, 'p.yaml');
  if ('problems' in result || result.policy.version !== 1) throw new Error(JSON.stringify(result));
  return result.policy;
}

const facts = (tool: string, args: readonly string[]): CommandFacts => ({
  ...{ agent: 'coder', tool, args, uid: 1000, gid: 1000, cwd: '/app' },
});

/** Processor time of this process, the best of three: a busy machine is not a hang. */
function timed<T>(act: () => T): T {
  for (let left = 2; ; left -= 1) {
    const since = process.cpuUsage();
    const result = act();
    if (process.cpuUsage(since).user < hangMs * 1000) return result;
    if (left === 0) throw new Error(`took more than ${hangMs} ms`);
  }
}

const edit = fc.record({
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  drop: fc.nat(40),
  put: fc.oneof(
    fc.constantFrom(
      '&a ',
      '*a',
      '!!x ',
      '\n',
      '  ',
      '- ',
      '{',
      '}',
      '[',
      ']',
      ': ',
      '"',
      '|',
      '**',
      '---\n',
      '\t',
      '\u2028',
    ),
    fc.string({ maxLength: 8, unit: 'binary' }),
  ),
});

test('P21 the loader neither crashes nor hangs, and what it loads still decides', {
  timeout: 600_000,
}, () => {
  fc.assert(
    fc.property(fc.array(edit, { minLength: 1, maxLength: 5 }), (edits) => {
      const text = edits.reduce((now, { at, drop, put }) => {
        const place = Math.floor(at * now.length);
        return now.slice(0, place) + put + now.slice(place + drop);
      }, shipped);
      const result = timed(() => parsePolicy(text, 'p.yaml'));
      if ('policy' in result) decide(result.policy, facts('git', ['log']));
      else expect(result.problems.length).toBeGreaterThan(0);
    }),
    { numRuns },
  );
});

const names = [...knownTools.keys(), ...wrapperData.keys(), ...shells];
const everything = parse(
  `version: 1\ntools: {${names.map((name) => `${name}: { strategy: mirror }`).join(', ')}, rm: { strategy: mirror }}\n` +
    `rules:\n  - { name: all, action: allow, tools: [${names.join(', ')}] }\ncomplete: true\n`,
);
const word = fc.oneof(
  fc.constantFrom(
    '-c',
    '-S',
    '--',
    '-',
    '--x=y',
    '-abc',
    'sh',
    'env',
    'docker',
    'docker ps',
    'X=y',
    '-n',
    '5',
    'e x',
    '::',
    '',
  ),
  fc.string({ maxLength: 12, unit: 'binary' }),
);

test('P21 the matcher neither crashes nor hangs on any arguments of the tools that it knows', {
  timeout: 600_000,
}, () => {
  fc.assert(
    fc.property(fc.constantFrom(...names), fc.array(word, { maxLength: 12 }), (tool, args) => {
      const decision = timed(() => decide(everything, facts(tool, args)));
      expect(['allow', 'deny']).toContain(decision.action);
    }),
    { numRuns },
  );
});

test('A-32 no wrapper around wrappers ever reaches a tool that no rule allows', { timeout: 600_000 }, () => {
  const layer = fc.constantFrom<readonly string[]>(
    ...[
      ['env'],
      ['env', '-i'],
      ['timeout', '5'],
      ['nice', '-n', '3'],
      ['nohup'],
      ['setsid', '-w'],
      ['stdbuf', '-oL'],
      ['busybox'],
    ],
    ...[['xargs'], ['xargs', '-0'], ['time', '-p'], ['taskset', '1'], ['ionice', '-c', '2']],
  );
  fc.assert(
    fc.property(fc.array(layer, { minLength: 1, maxLength: 6 }), (layers) => {
      const [tool, ...args] = [...layers.flat(), 'rm', 'x'];
      expect(decide(everything, facts(tool, args)).action).toBe('deny');
    }),
    { numRuns },
  );
});

const strictness = { allow: 0, ask: 1, deny: 2 };
const pattern = fc.array(fc.constantFrom('a', 'b', 'a|b', '*', 'a*', '*b*', '**', '-x'), { maxLength: 4 });
const rule = fc.record(
  {
    tools: fc.subarray(['one', 'two'], { minLength: 1 }),
    args: pattern,
    flags: fc.subarray(['-x', '--yes'], { minLength: 1 }),
    uids: fc.subarray([1, 2], { minLength: 1 }),
    agents: fc.subarray(['coder', 'other'], { minLength: 1 }),
    labels: fc.subarray(['team', 'tier']).map((keys) => Object.fromEntries(keys.map((key) => [key, 'a']))),
    cwd: fc.subarray(['/app', '/app/a', '/app/ab'], { minLength: 1 }),
    action: fc.constantFrom('allow', 'ask', 'deny'),
  },
  { requiredKeys: ['action'] },
);

test('P7 nothing is allowed that the slow and obvious matcher would not', { timeout: 600_000 }, () => {
  const given = fc.array(
    fc.constantFrom('a', 'b', 'ab', 'aXb', '-x', '-yx', '--yes', '--ye', '--yes=1', '--', ''),
    { maxLength: 6 },
  );
  const who = fc.record({
    tool: fc.constantFrom('one', 'two'),
    args: given,
    uid: fc.constantFrom(1, 2),
    gid: fc.constant(1),
    agent: fc.constantFrom('coder', 'other'),
    labels: fc.constantFrom<Record<string, string>>(
      {},
      { team: 'a' },
      { team: 'a', tier: 'a' },
      { tier: 'b' },
    ),
    cwd: fc.constantFrom('/app', '/app/a', '/app/a/b', '/app/ab', '/app/abc'),
  });
  fc.assert(
    fc.property(fc.array(rule, { maxLength: 6 }), who, (rules, asked) => {
      const list = rules.map((one, index) => JSON.stringify({ ...one, name: `r${index}` }));
      const policy = parse(
        `version: 1\ntools: { one: { strategy: mirror }, two: { strategy: mirror } }\nrules: [${list.join(', ')}]\ncomplete: true\n`,
      );
      const { action } = timed(() => decide(policy, asked));
      expect(strictness[action]).toBeGreaterThanOrEqual(strictness[referenceAction(policy.rules, asked)]);
    }),
    { numRuns },
  );
});
