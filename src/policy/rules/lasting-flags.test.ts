import { expect, test } from 'vitest';
import { parsePolicy } from '../file/parse-policy.ts';
import { decide } from './decide.ts';

const facts = { uid: 1000, gid: 1000, agent: 'coder', cwd: '/app' } as const;

function decided(tool: string, flags: readonly string[], line: string): string {
  const parsed = parsePolicy(
    `version: 1
tools: { ${tool}: { strategy: mirror } }
rules:
  - { name: looks, tools: [${tool}], flags: ${JSON.stringify(flags)}, action: allow }
complete: true
`,
    'p.yaml',
  );
  if ('problems' in parsed) throw new Error(parsed.problems.join('\n'));
  return decide(parsed.policy, { ...facts, tool, args: line.split(' ') }).action;
}

// Each was seen to do with the real tool what the flag alone keeps it from.
test.each([
  ['git', ['-n', '--dry-run'], 'push -n origin main', 'push -n --no-dry-run origin main'],
  ['git', ['-n', '--dry-run'], 'clean --dry-run -f', 'clean --dry-run --no-dry-run -f'],
  ['kubectl', ['--dry-run'], 'apply --dry-run -f x', 'apply --dry-run=client --dry-run=none -f x'],
  ['kubectl', ['--dry-run'], 'apply --dry-run -f x', 'apply --dry-run=none -f x'],
  ['terraform', ['-check'], 'fmt -check', 'fmt -check -check=false'],
  ['docker', ['--read-only'], 'run --read-only x', 'run --read-only --read-only=false x'],
  ['npm', ['--ignore-scripts'], 'ci --ignore-scripts', 'ci --ignore-scripts --no-ignore-scripts'],
  ['git', ['-n'], 'push -n origin main', 'push -n --strange origin main'],
] as const)(
  'A-250: %s with %j: an allow rule takes %j, and not %j, which undoes it',
  (tool, flags, takes, not) => {
    expect(decided(tool, flags, takes)).toBe('allow');
    expect(decided(tool, flags, not)).toBe('deny');
  },
);

test('A-250: an option with a value may stand twice, and has its value attached or apart', () => {
  for (const line of ['get pods -n a', 'get pods --namespace=a', 'get pods -n a -n b'])
    expect(decided('kubectl', ['-n', '--namespace'], line)).toBe('allow');
});

test('A-250: of a tool that is not known any flag may be the value of the word before it', () => {
  expect(decided('rsync', ['--dry-run'], '--log-file --dry-run -a s/ t/')).toBe('deny');
  expect(decided('rsync', ['--dry-run'], '--dry-run -a s/ t/')).toBe('deny');
});
