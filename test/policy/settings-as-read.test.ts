import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { compileArgs } from '../../src/policy/rules/match-args.ts';
import { holds, oneRule } from './one-rule.ts';
import { findTool } from './scratch.ts';

const isLong = process.env['CLAWRDEN_LONG'] === '1';
const ssh = findTool('ssh');
const git = findTool('git');

const odd = [
  '""',
  '"',
  "''",
  "'",
  ' ',
  '\t',
  '=',
  '\r',
  '\f',
  '\v',
  '\n',
  '\\',
  '#',
  ' #',
  ' #x',
  '\t#"',
  ',',
];
const piece = fc.oneof(
  { weight: 2, arbitrary: fc.constant('') },
  { weight: 1, arbitrary: fc.constantFrom(...odd) },
);

/** Both settings with what an attacker may put before, into, between and behind their words. */
const written = fc
  .record({
    words: fc.constantFrom(
      ['ProxyCommand', 'x'],
      ['proxyCOMMAND', '"x"'],
      ['StrictHostKeyChecking', 'no'],
      ['stricthostkeychecking', 'OFF'],
      ['StrictHostKeyChecking', '"false"'],
    ),
    pieces: fc.array(piece, { minLength: 5, maxLength: 5 }),
    between: fc.constantFrom('=', ' ', '\t', ' = ', '"=', ''),
    cut: fc.nat({ max: 12 }),
  })
  .map(({ words: [name = '', value = ''], pieces: [a, b, c, d, e], between, cut }) => {
    return `${a}${name.slice(0, cut)}${b}${name.slice(cut)}${c}${between}${d}${value}${e}`;
  });

function saidBySsh(text: string): string {
  try {
    return execFileSync(ssh ?? '', ['-F', '/dev/null', '-G', '-o', text, 'h'], {
      encoding: 'utf8',
      stdio: 'pipe',
    });
  } catch {
    return '';
  }
}

const rules = {
  proxy: [
    oneRule('ssh', { flags: ['-oProxyCommand'] }),
    oneRule('ssh', { args: compileArgs(['-o', 'ProxyCommand=*', '**']) }),
  ],
  unchecked: [oneRule('ssh', { args: compileArgs(['-o', 'StrictHostKeyChecking=no', '**']) })],
};

function expectHeld(text: string): boolean {
  const said = saidBySsh(text);
  const held = [
    ...(/^proxycommand x/m.test(said) ? rules.proxy : []),
    ...(/^stricthostkeychecking (false|no|off)$/m.test(said) ? rules.unchecked : []),
  ];
  for (const rule of held)
    for (const line of [
      ['-o', text, 'h'],
      [`-o${text}`, 'h'],
      ['h', '-4o', text],
    ])
      expect([line, holds(rule, 'ssh', line)]).toEqual([line, true]);
  return held.length > 0;
}

test.skipIf(ssh === undefined)(
  'A-129 P7: whatever ssh takes for a setting, a deny of it holds',
  { timeout: 600_000 },
  () => {
    let taken = 0;
    fc.assert(
      fc.property(written, (text) => {
        if (expectHeld(text)) taken += 1;
      }),
      { numRuns: isLong ? 3000 : 150, seed: 129 },
    );
    expect(taken).toBeGreaterThan(isLong ? 100 : 5);
  },
);

test
  .skipIf(ssh === undefined)
  .each([
    '""ProxyCommand x',
    '"" ProxyCommand=x',
    'StrictHostKeyChecking=no #',
    'StrictHostKeyChecking "no" #x',
  ])('A-129: %s', (text) => {
  expect(expectHeld(text)).toBe(true);
});

test.each([
  'StrictHostKeyChecking=yes',
  'ServerAliveInterval 5',
  'ProxyCommand=nc -X 5 %h %p',
  'UserKnownHostsFile = /dev/null',
])('A-129: ssh -o %j is plain, and allowed', (text) => {
  for (const rule of rules.unchecked) expect(holds(rule, 'ssh', ['-o', text, 'h', 'ls'])).toBe(false);
});

const number = fc
  .record({
    blank: fc.constantFrom('', ' ', '\t', '\n'),
    sign: fc.constantFrom('', '+', '-'),
    digits: fc.constantFrom('0', '00', '000', '0x0', '0X00', '1', '2', '01', '0x1', '0xF', '10', '010'),
    unit: fc.constantFrom('', 'k', 'M', 'g'),
  })
  .map(({ blank, sign, digits, unit }) => `${blank}${sign}${digits}${unit}`);
const switchText = fc.oneof(
  number,
  fc.constantFrom('', 'YES', 'On', 'true', 'FALSE', 'off', 'No', 'maybe', '0 '),
);

function readByGit(value: string): string {
  try {
    return execFileSync(git ?? '', ['-c', `a.b=${value}`, 'config', '--type=bool', 'a.b'], {
      encoding: 'utf8',
      stdio: 'pipe',
    }).trim();
  } catch {
    return '';
  }
}

const bySetting = (word: string) =>
  oneRule('git', { args: compileArgs(['-c', `http.sslVerify=${word}`, '**']) });
const byOperand = (word: string) =>
  oneRule('git', { args: compileArgs(['config', 'http.sslVerify', word, '**']) });

test.skipIf(git === undefined)('A-130 P7: a deny of on or off holds for each value that git reads so', () => {
  let taken = 0;
  const names = fc.constantFrom('http.sslVerify', 'HTTP.SSLverify', 'http.https://h.example/a.sslVerify');
  fc.assert(
    fc.property(switchText, names, (value, name) => {
      const read = readByGit(value);
      if (read === '') return;
      taken += 1;
      const text = `${name}=${value}`;
      expect([text, holds(bySetting(read), 'git', ['-c', text, 'fetch'])]).toEqual([text, true]);
      expect([text, holds(bySetting(read === 'true' ? 'on' : '0'), 'git', [`-c${text}`, 'fetch'])]).toEqual([
        text,
        true,
      ]);
      const other = bySetting(read === 'true' ? 'false' : 'true');
      expect([text, holds(other, 'git', ['-c', text, 'fetch'])]).toEqual([text, false]);
      // It would be an option.
      if (value.startsWith('-')) return;
      const set = ['config', '--global', name, value];
      expect([set, holds(byOperand(read), 'git', set)]).toEqual([set, true]);
    }),
    { numRuns: isLong ? 1000 : 60, seed: 130 },
  );
  expect(taken).toBeGreaterThan(20);
});

test.each([
  ['-c', 'color.ui=false', 'log'],
  ['-c', 'user.name=A "B" # c', 'commit'],
  ['-c', 'http.https://x/.version=HTTP/1.1', 'fetch'],
  ['-c', 'user.name=A: b', 'fetch'],
  ['switch', '-c', 'topic'],
  ['commit', '-c', 'HEAD'],
  ['clone', '-c', 'color.ui=false', 'x'],
])('A-130: git %s %s %s is allowed beside a deny of http.sslVerify=false', (...line) => {
  const rule = oneRule('git', { args: compileArgs(['**', 'http.sslVerify=false', '**']) });
  expect(holds(rule, 'git', line)).toBe(false);
});

test.each([
  ['-c', ' http.sslVerify =no', 'fetch'],
  ['-c', '"http".sslVerify=no', 'fetch'],
  ['clone', '-c', 'http.sslVerify =no', 'x'],
])('A-130: git %s %j %s is not understood, and denied', (...line) => {
  expect(holds(bySetting('false'), 'git', line)).toBe(true);
});

test.each([
  ['build.rustc="ev\\u0069l"', true],
  ["build.'rustc'='evil'", true],
  ['build={rustc="evil"}', true],
  ['build.rustc = "evil"', true],
  ['build.rustc="good"', false],
  ['build.jobs=4', false],
  ['target.x.rustflags=["-C", "a=b"]', false],
])('A-130: cargo --config %j', (text, isHeld) => {
  const rule = oneRule('cargo', { args: compileArgs(['--config', 'build.rustc=evil', '**']) });
  expect(holds(rule, 'cargo', ['--config', text, 'build'])).toBe(isHeld);
});

test('A-130: pip takes an underline for a dash in a name', () => {
  const rule = oneRule('pip', { args: compileArgs(['config', 'set', 'global.index-url', '**']) });
  expect(holds(rule, 'pip', ['config', 'set', 'global.index_url', 'x'])).toBe(true);
});
