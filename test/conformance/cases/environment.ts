import type { Case, StrategyName } from '../case.ts';

// After a passthrough the tool has the caller's own PATH, with the jail, where no tool runs outside of the workspace.
const withoutJail: readonly StrategyName[] = ['ghost', 'mirror'];
const sorted = ['sh', '-c', 'env | sort'] as const;

export const environmentCases: readonly Case[] = [
  {
    name: 'environment-all-of-it',
    argv: sorted,
    strategies: withoutJail,
    env: { CASE_ONE: '1', CI: 'true', NODE_ENV: 'test' },
  },
  {
    name: 'environment-empty-value',
    argv: ['sh', '-c', 'echo "${CASE_EMPTY-unset}" "${CASE_NONE-unset}"'],
    env: { CASE_EMPTY: '' },
  },
  {
    name: 'environment-odd-values',
    argv: ['printenv', 'CASE_ODD'],
    env: { CASE_ODD: ' a=b "c" $d \\ ü 🎉 ' },
  },
  {
    name: 'environment-long-value',
    argv: ['sh', '-c', 'echo ${#CASE_LONG}'],
    env: { CASE_LONG: 'z'.repeat(100_000) },
  },
  { name: 'environment-missing-name', argv: ['printenv', 'CASE_NONE'] },
  { name: 'environment-TZ', argv: ['date', '-d', '@86400', '+%F %T %Z %z'], env: { TZ: 'EST5EDT' } },
  { name: 'environment-TZ-UTC', argv: ['date', '-d', '@1700000000'], env: { TZ: 'UTC', LANG: 'C' } },
  {
    name: 'environment-LANG-C',
    argv: ['ls', '--quoting-style=locale', '-1'],
    setup: 'touch b A ä',
    env: { LANG: 'C' },
  },
  { name: 'environment-LANG-UTF-8', argv: ['ls', '-1'], setup: 'touch b A ä', env: { LANG: 'C.UTF-8' } },
  {
    name: 'environment-LC_ALL',
    argv: ['sort'],
    stdin: { bytes: 'b\nA\nä\na\n' },
    env: { LC_ALL: 'C', LANG: 'C.UTF-8' },
  },
  {
    name: 'environment-LC_ALL-UTF-8',
    argv: ['awk', '{ print length($0) }'],
    stdin: { bytes: 'äöü\n' },
    env: { LC_ALL: 'C.UTF-8' },
  },
  {
    name: 'environment-no-LANG',
    argv: ['sh', '-c', 'printenv LANG || echo none; locale | head -1'],
    env: { LANG: null },
  },
  { name: 'environment-TERM', argv: ['tput', '-T', 'xterm', 'cols'], env: { TERM: 'dumb' } },
  { name: 'environment-no-PWD', argv: ['sh', '-c', 'pwd; printenv PWD'], env: { PWD: null } },
  { name: 'environment-wrong-PWD', argv: ['pwd'], env: { PWD: '/' } },
  {
    name: 'environment-PATH-of-the-tool',
    argv: ['sh', '-c', 'echo $PATH; command -v ls cat node'],
    strategies: withoutJail,
  },
  {
    name: 'environment-HOME',
    strategies: withoutJail,
    argv: ['sh', '-c', 'cd; pwd; test -w . && echo writable; ls -ld . | cut -c1-10'],
  },
  { name: 'environment-HOME-tilde', argv: ['node', '-p', 'os.homedir()'] },
  {
    name: 'environment-NODE_ENV',
    argv: ['node', '-p', 'process.env.NODE_ENV'],
    env: { NODE_ENV: 'production' },
  },
];
