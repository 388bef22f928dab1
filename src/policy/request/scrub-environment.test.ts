import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isDangerousVariable } from './dangerous-variables.ts';
import { scrubEnvironment } from './scrub-environment.ts';

const allowed = ['LANG', 'LC_*', 'TERM', 'TZ', 'NODE_ENV', 'CI'];
const dangerous = [
  ...[
    'LD_PRELOAD',
    'LD_LIBRARY_PATH',
    'NODE_OPTIONS',
    'npm_config_script_shell',
    'PYTHONPATH',
    'PERL5OPT',
    'RUBYOPT',
  ],
  ...['BASH_ENV', 'ENV', 'GIT_SSH_COMMAND', 'GIT_EXTERNAL_DIFF', 'EDITOR', 'PAGER', 'JAVA_TOOL_OPTIONS'],
  ...[
    'PROMPT_COMMAND',
    'SHELLOPTS',
    'PS4',
    'DOCKER_HOST',
    'KUBECONFIG',
    'HTTP_PROXY',
    'https_proxy',
    'PATH',
    'HOME',
  ],
  ...['OPENSSL_CONF', 'XDG_CONFIG_HOME', 'NODE_V8_COVERAGE', 'TAPE'],
];

test.each([...dangerous, 'BASH_FUNC_ls%%', 'ld_preload'])(
  'A-21 A-22 %s never passes, whatever is allowed',
  (name) => {
    const entry = `${name}=/app/CANARY_21`;
    expect(scrubEnvironment([entry], allowed)).toEqual([]);
    expect(scrubEnvironment([entry], [name, '*', 'L*', 'N*'])).toEqual([]);
  },
);

test.each([
  ['a space behind the name', ['LD_PRELOAD =x'], []],
  ['a line break behind the name', ['LD_PRELOAD\n=x'], []],
  ['another case of an allowed name', ['node_env=x'], []],
  ['a line break in the value', ['NODE_ENV=a\nLD_PRELOAD=/app/x.so'], []],
  ['an escape in the value', ['TERM=\u001b[2J'], []],
  ['a C1 control in the value', ['TERM=\u009b2J'], []],
  ['a NUL in the value', ['TERM=a\0b'], []],
  ['one name twice', ['NODE_ENV=a', 'NODE_ENV=b'], []],
  ['one name three times', ['NODE_ENV=a', 'NODE_ENV=b', 'NODE_ENV=c'], []],
  ['one name twice, once with a bad value', ['NODE_ENV=a\n', 'NODE_ENV=b'], []],
  ['no name', ['=x'], []],
  ['no =', ['CI'], []],
  ['a name with letters of another script', ['LANG\u0430=x'], []],
  ['a language that is a file', ['LANG=/app/x', 'LC_ALL=../x', 'LC_CTYPE=a/b'], []],
  ['a terminal that is a file', ['TERM=/app/x'], []],
  ['a time zone that is a file', ['TZ=/app/x'], []],
  ['a time zone that leads to a file', ['TZ=a/../../../app/x'], []],
  ['a time zone that is a file behind a colon', ['TZ=:/app/x'], []],
  ['a name that begins with a digit', ['LC_*', '1LANG=x'], []],
])('A-23 %s is left out', (_name, env, expected) => {
  expect(scrubEnvironment(env, [...allowed, 'LD_*'])).toEqual(expected);
});

test('A-25 only allowed names pass, sorted', () => {
  const env = [
    'TZ=UTC',
    'SECRET=1',
    'LC_ALL=C',
    'CI=',
    'CLAWRDEN_SOCKET=/x',
    'LANG=C.UTF-8',
    'LC_=1',
    'LANGUAGE=de',
  ];
  expect(scrubEnvironment(env, allowed)).toEqual(['CI=', 'LANG=C.UTF-8', 'LC_=1', 'LC_ALL=C', 'TZ=UTC']);
  expect(scrubEnvironment(env, [])).toEqual([]);
  expect(scrubEnvironment(['TZ=Europe/Berlin', 'LANG=de_DE.UTF-8@euro'], allowed)).toHaveLength(2);
});

test('P12 what comes out is sorted, unique, allowed and harmless, whatever went in', () => {
  const name = fc.oneof(fc.constantFrom(...allowed, ...dangerous, 'LC_X'), fc.string({ maxLength: 6 }));
  const entry = fc.tuple(name, fc.string({ maxLength: 6 })).map((pair) => pair.join('='));
  fc.assert(
    fc.property(fc.array(entry, { maxLength: 12 }), (env) => {
      const names = scrubEnvironment(env, [...allowed, ...dangerous]).map((kept) => kept.split('=')[0] ?? '');
      expect(names).toEqual([...new Set(names)].sort());
      expect(names.every((kept) => /^[A-Za-z_]\w*$/.test(kept) && !isDangerousVariable(kept))).toBe(true);
      const once = scrubEnvironment(env, [...allowed, ...dangerous]);
      expect(scrubEnvironment(once, [...allowed, ...dangerous])).toEqual(once);
      expect(scrubEnvironment(env, allowed).every((kept) => env.includes(kept))).toBe(true);
    }),
    { numRuns: 2000 },
  );
});
