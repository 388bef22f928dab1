import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { knownTools } from '../arguments/tools/known-tools.ts';
import { parsePolicy } from '../file/parse-policy.ts';
import { decide } from './decide.ts';

const numRuns = process.env['CLAWRDEN_LONG'] === '1' ? 5000 : 100;

/** The policy allows every line of the tool, except those that the one rule is about. */
function policyOf(tool: string, rule: string, taught = '', all = 'action: allow') {
  const named = `tools: [${tool}, env, nice, timeout, sh]`;
  const result = parsePolicy(
    `version: 1
tools: { ${tool}: { strategy: mirror${taught} }, env: { strategy: mirror }, nice: { strategy: mirror }, timeout: { strategy: mirror }, sh: { strategy: mirror } }
rules:
  - { name: all, ${named}, ${all} }
  - { name: strict, tools: [${tool}], ${rule} }
complete: true
`,
    'p.yaml',
  );
  if ('problems' in result) throw new Error(result.problems.join('\n'));
  return result.policy;
}

function decided(policy: ReturnType<typeof policyOf>, line: readonly string[]) {
  const [tool = '', ...args] = line;
  return decide(policy, { agent: 'coder', tool, args, uid: 1000, gid: 1000, cwd: '/app' });
}

/** Every option that a tool takes wherever it stands. */
const anywhere = [...knownTools.entries()].flatMap(([tool, { interpreter, options }]) =>
  (interpreter?.anywhere ?? []).flatMap((start) =>
    [...new Set([start, ...[...options.keys()].filter((name) => name.startsWith(start))])].map((name) => ({
      tool,
      name,
    })),
  ),
);

const wrapper = fc.constantFrom<string[]>([], ['env'], ['nice', '-n', '5'], ['timeout', '5', 'env']);
const word = fc.constantFrom('a', 'x.json', '-', '--', '--verbose', '-x', 'a=b');
const words = fc.array(word, { maxLength: 4 });

describe('A-74 P7: a strict rule about an option that is read behind the operands', () => {
  test.each(anywhere)('$tool $name holds wherever it stands', ({ tool, name }) => {
    const policies = ['deny', 'ask'].map((action) => policyOf(tool, `flags: [${name}], action: ${action}`));
    const spelling = fc.constantFrom(
      [name],
      [name, 'x.env'],
      [`${name}=x.env`],
      [`${name}=`],
      [name.replaceAll(/(?<=\w)-/g, '_')],
    );
    const line = fc
      .tuple(wrapper, fc.subarray(['--no-warnings']), fc.subarray(['--']), words, spelling, words)
      .map(([outer, options, end, before, given, after]) => [
        ...[...outer, tool, ...options, ...end, 'main', ...before, ...given, ...after],
      ]);
    fc.assert(
      fc.property(line, (argv) => {
        expect(policies.map((policy) => decided(policy, argv).action)).toEqual(['deny', 'ask']);
      }),
      { numRuns },
    );
    for (const policy of policies)
      expect(decided(policy, ['sh', '-c', `${tool} main ${name}=x.env`]).rule).toBe('strict');
  });

  test('node has all that were seen', () => {
    expect(anywhere.map(({ tool, name }) => `${tool} ${name}`)).toEqual(
      expect.arrayContaining([
        'node --env-file',
        'node --env-file-if-exists',
        'node --experimental-config-file',
        'node --experimental-default-config-file',
      ]),
    );
  });

  test('a word that only begins like one is not understood', () => {
    const { rule, reason } = decided(policyOf('node', 'flags: [--inspect], action: deny'), [
      ...['node', 'main', '--env-files=x'],
    ]);
    expect({ rule, reason }).toEqual({ rule: 'strict', reason: expect.stringContaining('--env-files=x') });
  });

  test('of a tool that a policy teaches', () => {
    const taught = `, arguments: { source: x, style: gnu, harmless: "-v --conf=", interpreter: { instead: [], anywhere: [--conf] } }`;
    const policy = policyOf('mine', 'flags: [--conf], action: deny', taught);
    expect(decided(policy, ['mine', 'main', '--', '--conf=x']).rule).toBe('strict');
    expect(decided(policy, ['mine', 'main', '--', '-v']).rule).toBe('all');
  });

  test.each([
    ['--env-file', 'node main --env'],
    ['--env-file', 'node main --env-file-if-exists=x'],
    ['--env-file', 'node main env-file'],
    ['--inspect', 'node main --inspect'],
    ['--inspect', 'node main --env-file=x.env'],
    ['--require', 'node main -r x'],
  ])('A-34 a deny of %s does not hold for %s', (flag, line) => {
    expect(decided(policyOf('node', `flags: [${flag}], action: deny`), line.split(' ')).rule).toBe('all');
  });

  test('an allow is about options before the operands only', () => {
    const only = 'args: [never], action: allow';
    const policy = policyOf('node', 'flags: [--env-file], action: allow', '', only);
    expect(decided(policy, ['node', '--env-file=x.env', 'main']).action).toBe('allow');
    expect(decided(policy, ['node', 'main', '--env-file=x.env']).action).toBe('deny');
  });
});
