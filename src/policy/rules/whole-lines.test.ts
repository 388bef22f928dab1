import { expect, test } from 'vitest';
import { decidedLine } from './decided-line.fixture.ts';

const denies = (line: string, rule: string) =>
  decidedLine(line, `name: no, ${rule}, action: deny`, 'name: all, action: allow');

test.each([
  [
    'A-353',
    'subcommands: [add]',
    ['pnpm i evil', 'pnpm install evil', 'pnpm install --dir x evil'],
    ['pnpm install', 'pnpm i'],
  ],
  ['A-353', 'args: [add, evil, "**"]', ['pnpm i evil'], ['pnpm i', 'pnpm i x']],
  ['A-354', 'args: [config, set, "**"]', ['yarn workspace w config set registry http://evil'], ['yarn list']],
  [
    'A-354',
    'args: [add, "evil*", "**"]',
    ['yarn workspace w add evil', 'yarn global add evil', 'yarn global ADD evil'],
    ['yarn add x'],
  ],
  ['A-354', 'args: [run, deploy, "**"]', ['yarn workspaces run deploy'], ['yarn info x']],
  [
    'A-360',
    'args: [build, ".", "**"]',
    ['docker buildx build .', 'docker buildx b .'],
    ['docker buildx build x'],
  ],
  ['A-360', 'args: [build, ".", "**"]', ['docker buildx build -t x .'], ['docker buildx ls']],
  ['A-360', 'args: [exec, "*", sh, "**"]', ['docker compose exec web sh'], ['docker compose exec web ls']],
] as const)('%s: a deny by %s is not evaded by %j, and lets %j pass', (_case, rule, evading, passing) => {
  for (const line of evading) expect([line, denies(line, rule)]).toEqual([line, 'deny']);
  for (const line of passing) expect([line, denies(line, rule)]).toEqual([line, 'allow']);
});
