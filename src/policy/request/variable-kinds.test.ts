import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { scrubEnvironment } from './scrub-environment.ts';
import { isOfItsKind } from './variable-kinds.ts';

const passes = (entry: string) => scrubEnvironment([entry], ['*']).length === 1;

test.each([
  ['LANG', 'C', 'POSIX', 'C.UTF-8', 'de_DE.UTF-8@euro', 'en_US.ISO-8859-1', 'sr_RS@latin', ''],
  ['LC_ALL', 'C', 'pt_BR.UTF-8'],
  ['LANGUAGE', 'de', 'de_AT:de:en'],
  ['TERM', 'xterm-256color', 'dumb', 'screen.xterm-256color', 'tmux', 'vt100', 'rxvt-unicode'],
  [
    'TZ',
    'UTC',
    'Europe/Berlin',
    'America/Argentina/Buenos_Aires',
    'Etc/GMT+3',
    'CET-1CEST,M3.5.0,M10.5.0',
    '<+03>-3',
    'EST5EDT,M3.2.0/2,M11.1.0/2',
    '<-03>3<-02>,M3.5.0/-2,M10.5.0/-1:30',
    'NZST-12NZDT,M9.5.0,M4.1.0/3',
  ],
  ['COLUMNS', '80', '0'],
  ['CI', 'true', '1', '', 'github-actions'],
  ['NODE_ENV', 'production', 'test'],
])('A-83 P12: %s has its usual values', (name, ...values) => {
  expect(values.filter((value) => !passes(`${name}=${value}`))).toEqual([]);
});

test.each([
  ['LANG', '/app/x', '../x', 'a/b', 'C.', '.', '..', 'de_DE.UTF-8/x', 'C;x', '$(x)', 'a b', 'x'.repeat(200)],
  ['LC_MESSAGES', '/app/x', '..'],
  ['LANGUAGE', 'de:/app/x', 'de::en', '../../app'],
  ['TERM', '/app/x', '../x', 'x/y', '.', '..', 'a b', '-x', '.x'],
  [
    'TZ',
    '/app/x',
    ':/app/x',
    ':x',
    '../x',
    'a/../../x',
    'Europe/../x',
    'a//b',
    '.',
    './x',
    'a b',
    'EST5EDT,M3.2.0/2,../x',
    'EST5EDT,M3.2.0/2/x,M11.1.0/2',
    'EST5EDT/..,M3.2.0/2,M11.1.0/2',
    'Europe/',
    ':',
  ],
  ['COLUMNS', '-1', '80x', '0x50', '1e3', 'x[$(y)]'],
  ['LINES', '+5', '$((1))'],
  ['CI', '/app/x', '--x', 'a b', '$(x)', '../x'],
  ['NODE_ENV', '../../app/x', 'a/b', '.', '-x'],
  ['USER', '../x', '$(x)', '-x'],
])('A-83 P12: %s has no other', (name, ...values) => {
  expect(values.filter((value) => passes(`${name}=${value}`))).toEqual([]);
});

describe('A-83: whatever the value is', () => {
  const part = fc.constantFrom(
    '/',
    '..',
    '.',
    ':',
    '-',
    '$(x)',
    ' ',
    ';',
    'UTC',
    'de_DE',
    'xterm',
    '80',
    '<',
    '\\',
    '%',
    '~',
  );
  const value = fc.array(part, { minLength: 1, maxLength: 5 }).map((parts) => parts.join(''));
  const runs = { numRuns: process.env['CLAWRDEN_LONG'] === '1' ? 50_000 : 3000 };

  test('no path, no option and no mark of a shell is of any kind', () => {
    const name = fc.constantFrom(
      'LANG',
      'LC_ALL',
      'LANGUAGE',
      'TERM',
      'TZ',
      'COLUMNS',
      'LINES',
      'CI',
      'NODE_ENV',
      'USER',
    );
    fc.assert(
      fc.property(name, value, (one, text) => {
        if (!isOfItsKind(one, text)) return;
        expect(text.split('/').every((name_) => name_ !== '' && name_ !== '.' && name_ !== '..')).toBe(true);
        expect(/^[-:/.]|[$;\\%~ ]/.test(text)).toBe(false);
      }),
      runs,
    );
  });

  test('a name without a kind takes what it always took', () => {
    fc.assert(
      fc.property(value, (text) => isOfItsKind('GREETING', text)),
      runs,
    );
  });
});
