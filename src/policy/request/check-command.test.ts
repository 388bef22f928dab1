import { expect, test } from 'vitest';
import type { Command } from '../../command.ts';
import { noStdin } from '../../command.ts';
import { checkCommand } from './check-command.ts';

const command: Command = {
  tool: 'ls',
  args: ['-la'],
  cwd: '/app',
  env: ['LANG=C', 'EMPTY=', 'A=b=c'],
  umask: 0o022,
  stdio: noStdin,
  ignored: [],
  version: 1,
};

test('an ordinary command passes', () => {
  expect(checkCommand(command)).toBeUndefined();
  expect(checkCommand({ ...command, args: Array(10_000).fill('x'.repeat(90)) })).toBeUndefined();
  expect(checkCommand({ ...command, env: [...Array(1000).keys()].map((n) => `V${n}=x`) })).toBeUndefined();
});

const big = 'x'.repeat(200_000);

test.each<[string, Partial<Command>, string]>([
  ['A-08 a NUL in an argument', { args: ['a\0b'] }, 'request-invalid'],
  ['A-08 a NUL in the tool', { tool: 'a\0b' }, 'request-invalid'],
  ['A-08 a NUL in the environment', { env: ['A=\0'] }, 'request-invalid'],
  ['A-15 a NUL in the cwd', { cwd: '/app\0' }, 'request-invalid'],
  ['A-08 a variable without =', { env: ['NOEQUALS'] }, 'request-invalid'],
  ['A-08 a variable without a name', { env: ['=x'] }, 'request-invalid'],
  ['A-23 a line break in a name', { env: ['LD_PRELOAD\n=x'] }, 'request-invalid'],
  ['half of a surrogate pair', { args: ['\ud800'] }, 'request-invalid'],
  ['A-24 5 000 variables', { env: [...Array(5000).keys()].map((n) => `V${n}=x`) }, 'too-large'],
  ['A-24 a variable of 200 kB', { env: [`A=${big}`] }, 'too-large'],
  [
    'A-24 variables of 2 MB together',
    { env: [...Array(20).keys()].map((n) => `V${n}=${big.slice(1e5)}`) },
    'too-large',
  ],
  ['an argument of 200 kB', { args: [big] }, 'too-large'],
  ['arguments of over 1 MiB together', { args: Array(11).fill('x'.repeat(100_000)) }, 'too-large'],
  ['100 000 arguments', { args: Array(100_000).fill('') }, 'too-large'],
  ['a long cwd', { cwd: `/${'x'.repeat(5000)}` }, 'too-large'],
  ['bytes count, not characters', { args: Array(11).fill('ä'.repeat(50_000)) }, 'too-large'],
  ['a umask out of range', { umask: 0o1000 }, 'request-invalid'],
  ['a umask that is no number', { umask: Number.NaN }, 'request-invalid'],
  ['a signal out of range', { ignored: [65] }, 'request-invalid'],
  ['a terminal out of range', { terminal: { cols: 70_000, rows: 1 } }, 'request-invalid'],
])('%s is refused', (_name, part, code) => {
  const error = checkCommand({ ...command, ...part });
  expect(error?.code).toBe(code);
  expect(error?.message.length).toBeLessThan(200);
});

test('a line break in a value is no reason to refuse: the value is scrubbed', () => {
  expect(checkCommand({ ...command, env: ['A=b\nc=d'] })).toBeUndefined();
});
