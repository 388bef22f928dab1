import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { knownTools } from '../arguments/tools/known-tools.ts';
import { parsePolicy } from '../file/parse-policy.ts';
import type { Policy } from '../policy.ts';
import { decide } from './decide.ts';

/** A policy that allows a tool and denies one flag that no tool has by this name. */
function policyOf(tool: string, flag: string): Policy {
  const result = parsePolicy(
    `version: 1
tools: { ${tool}: { strategy: mirror } }
rules:
  - { name: all, tools: [${tool}], action: allow }
  - { name: flag, tools: [${tool}], flags: ["${flag}"], action: deny }
complete: true
`,
    'p.yaml',
  );
  if ('problems' in result) throw new Error(result.problems.join('\n'));
  return result.policy;
}

const flags = ['--privileged', '-v', '--volume', '--push', '--zzz'];

const policies = new Map<string, Policy>();

function actionOf(tool: string, flag: string, args: readonly string[]) {
  const policy = policies.get(`${tool} ${flag}`) ?? policyOf(tool, flag);
  policies.set(`${tool} ${flag}`, policy);
  return decide(policy, { agent: 'a', tool, args, uid: 1000, gid: 1000, cwd: '/app' }).action;
}

/** The sub-commands about whose options nothing is known. */
const untold = knownTools
  .entries()
  .flatMap(([tool, { subcommands }]) =>
    [...(subcommands ?? [])].flatMap(([word, one]) => (one.untold === true ? [{ tool, word }] : [])),
  );

const plain = fc.constantFrom('x', 'exec', 'run', '.', 'a=b', '--', '-');
const option = fc.constantFrom(
  ...[
    '--privileged',
    '--privilege',
    '-v=/:/h',
    '-v/:/h',
    '-v',
    '--volume=/:/h',
    '-dv',
    '--push',
    '-z',
    '--_',
  ],
);

describe('A-74 P7: of a sub-command without a table, no option is understood', () => {
  test('so every deny by a flag holds, wherever the option stands', () => {
    expect(untold.map(({ tool, word }) => `${tool} ${word}`)).toEqual(
      expect.arrayContaining(['docker compose', 'docker buildx', 'git subtree', 'terraform providers']),
    );
    const line = fc.tuple(fc.array(plain, { maxLength: 4 }), option, fc.array(plain, { maxLength: 3 }));
    for (const { tool, word } of untold)
      fc.assert(
        fc.property(fc.constantFrom(...flags), line, (flag, [before, given, after]) => {
          expect(actionOf(tool, flag, [word, ...before, given, ...after])).toBe('deny');
        }),
        { numRuns: process.env['CLAWRDEN_LONG'] === '1' ? 1000 : 20 },
      );
  });

  test.each([
    'docker compose up',
    'docker compose ps web',
    'docker exec web sh --push',
    'docker run alpine x --privileged',
    'git bisect good v1',
    'terraform workspace select x',
  ])('A-34 and %s is not held back', (line) => {
    const [tool = '', ...args] = line.split(' ');
    expect(flags.map((flag) => actionOf(tool, flag, args))).toEqual(flags.map(() => 'allow'));
  });
});
