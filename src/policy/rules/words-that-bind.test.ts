import { expect, test } from 'vitest';
import { parsePolicy } from '../file/parse-policy.ts';
import { decide } from './decide.ts';

const text = (tool: string, denied: string) => `version: 1
tools: { ${tool}: { strategy: mirror } }
rules:
  - { name: all, tools: [${tool}], action: allow }
  - { name: no, tools: [${tool}], ${denied}, action: deny }
complete: true
`;

function actionOf(denied: string, [tool = '', ...args]: readonly string[]): string {
  const result = parsePolicy(text(tool, denied), 'p.yaml');
  if ('problems' in result) throw new Error(result.problems.join('\n'));
  return decide(result.policy, { agent: 'a', tool, args, uid: 1, gid: 1, cwd: '/app' }).action;
}

test.each([
  ['flags: [-e]', 'node -pe x'],
  ['flags: [--eval]', 'node -pe x'],
  ['flags: [-c]', 'python3 -Ic x'],
  ['flags: [-e]', 'perl -lwe x'],
  ['flags: [--eval]', 'make -E x'],
  ['flags: [-f]', 'make -sf x'],
  ['subcommands: [publish]', 'yarn --emoji list publish'],
  ['subcommands: [publish]', 'yarn --prod list publish'],
  ['subcommands: [publish]', 'cargo t'],
  ['subcommands: [publish]', 'cargo +nightly publish'],
  ['subcommands: [run]', 'pnpm build'],
  ['subcommands: [api]', 'gh -R x api'],
  ['flags: [-toolexec]', 'go build --toolexec x'],
])('A-74 a deny by %s is not evaded by %s', (denied, line) => {
  expect(actionOf(denied, line.split(' '))).toBe('deny');
});

test.each([
  ['flags: [-e]', 'node x.js -e'],
  ['flags: [-f]', 'make -s all'],
  ['subcommands: [publish]', 'yarn list --json'],
  ['subcommands: [publish]', 'cargo test --release'],
  ['subcommands: [run]', 'go test ./...'],
  ['subcommands: [run]', 'gh pr list -L 3'],
])('and %s does not hold %s back', (denied, line) => {
  expect(actionOf(denied, line.split(' '))).toBe('allow');
});
