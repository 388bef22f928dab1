import { resolve } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { scriptOperands } from './script-operands.ts';
import { knownTools } from './tools/known-tools.ts';
import { plainTools } from './tools/plain-tools.ts';
import { wrapperData } from './tools/wrapper-data.ts';

/** A file as its path; what cannot be inspected as `?`. */
const shown = (line: string | readonly string[]) =>
  scriptOperands(typeof line === 'string' ? line.split(' ') : line).map((operand) =>
    'path' in operand ? operand.path : '?',
  );

describe('A-44 P9: the files that a command runs besides its tool', () => {
  test.each<[string | readonly string[], ...string[]]>([
    ['sh x.sh', 'x.sh'],
    ['sh x.sh -c y.sh', 'x.sh'],
    ['sh -- x.sh', 'x.sh'],
    ['sh -- -x.sh', '-x.sh'],
    ['bash -x x.sh', 'x.sh'],
    ['bash -euo pipefail x.sh a b', 'x.sh'],
    ['bash --norc ./x.sh', './x.sh'],
    ['sh /etc/../app/x.sh', '/etc/../app/x.sh'],
    ['node x.js', 'x.js'],
    ['node --enable-source-maps x.js --inspect', 'x.js'],
    ['node --stack-size 2000 x.js', 'x.js'],
    ['node ../a/./x.js', '../a/./x.js'],
    ['node --max-old-space-size=4096 x.js', 'x.js'],
    ['node -- x.js', 'x.js'],
    ['node x.js --env', 'x.js'],
    ['node x.js a --env-file=.env', '?'],
    ['nice node x.js --env_file_if_exists .env', '?'],
    ['node x.js -- --experimental-default-config-file', '?'],
    ['node -r ./pre.js x.js', './pre.js', 'x.js'],
    ['node --require=/app/pre.js x.js', '/app/pre.js', 'x.js'],
    ['node .', '.'],
    ['nodejs x.js', 'x.js'],
    ['python3 x.py', 'x.py'],
    ['python3.12 -u -W error x.py -m y', 'x.py'],
    ['python -Im2to3', '?'],
    ['perl -w x.pl', 'x.pl'],
    ['python3 -Werror::DeprecationWarning -Xutf8 x.py', 'x.py'],
    ['perl -I lib x.pl', '?', 'x.pl'],
    ['perl -Ilib x.pl', '?', 'x.pl'],
    ['ruby -r ./lib x.rb', '?', 'x.rb'],
    ['ruby -r ./a/../lib.rb x.rb', '?', 'x.rb'],
    ['ruby -Ilib -W0 x.rb', '?', 'x.rb'],
    ['node -C dev x.js', '?', 'x.js'],
    ['node --env-file=.env x.js', '?'],
    ['node -r ./a/../b.js x.js', '?', 'x.js'],
    ['node --import ./a%20b.js x.js', '?'],
    ['node --import ./a.js?x ./x.js', '?'],
    ['ruby -w x.rb', 'x.rb'],
    ['ruby -r ./lib.rb x.rb', './lib.rb', 'x.rb'],
    ['env A=b sh x.sh', '?'],
    ['env -v sh x.sh', 'x.sh'],
    ['timeout 5 nice -n 3 node x.js', 'x.js'],
    ['nohup ./x', './x', '?'],
    ['nohup /usr/bin/python3 x.py', '/usr/bin/python3', '?'],
    ['busybox sh x.sh', 'x.sh'],
    [['sh', '-c', 'node x.js'], 'x.js'],
    [['sh', '-c', '. ./x.sh'], './x.sh'],
    ['xargs sh x.sh', 'x.sh', '?'],
    ['terraform fmt -check'],
    ['terraform output -json', '?'],
  ])('%j', (line, ...operands) => {
    expect(shown(line)).toEqual(operands);
  });

  test.each<{ argv: readonly string[] }>([
    { argv: ['sh', '-c', '. x.sh'] },
    { argv: ['sh', '-c', '. ./x.sh; true'] },
    { argv: ['sh', '-c', 'true; sh x.sh'] },
    { argv: ['sh'] },
    { argv: ['sh', '-'] },
    { argv: ['bash', '-', 'x.sh'] },
    { argv: ['bash', '+x', 'x.sh'] },
    { argv: ['bash', '--rcfile', 'x.sh', 'y.sh'] },
    { argv: ['sh', '-s', 'x.sh'] },
    { argv: ['node'] },
    { argv: ['node', '-'] },
    { argv: ['node', '-e', 'x', 'x.js'] },
    { argv: ['node', '-pe', 'x'] },
    { argv: ['node', '--unheard-of', 'x.js'] },
    { argv: ['node', 'inspect', 'x.js'] },
    { argv: ['python3', '-m', 'http.server'] },
    { argv: ['python3', '-c', 'import x', 'x.py'] },
    { argv: ['python3', '-'] },
    { argv: ['python3', '-i', 'x.py'] },
    { argv: ['node', '--inspect', 'x.js'] },
    { argv: ['perl', '-e', 'x'] },
    { argv: ['perl', '-ne', 'x', 'x.txt'] },
    { argv: ['perl', '-x', 'x.pl'] },
    { argv: ['ruby', '-e', 'x'] },
    { argv: ['ruby', '-C', 'lib', 'x.rb'] },
    { argv: ['python3', '-X', 'pycache_prefix=./x', 'x.py'] },
    { argv: ['python3', '-Werror::x.y', 'x.py'] },
    { argv: ['python3', '-Wdefault', 'x.py'] },
    { argv: ['perl', '-n', 'x.pl', './x |'] },
    { argv: ['ruby', '-W:x', 'x.rb'] },
    { argv: ['node', './a/../x.js'] },
    { argv: ['node', '--input-type=module', 'x.js'] },
    { argv: ['env', '-i', 'sh', 'x.sh'] },
    { argv: ['env', '-u', 'PATH', 'sh', 'x.sh'] },
    { argv: ['sh', '-o', 'stdin', 'x.sh'] },
    { argv: ['bash', '-ok', 'x.sh'] },
    { argv: ['bash', '-O', 'extglob', 'x.sh'] },
    { argv: ['npm', 'ci'] },
    { argv: ['npm', 'install', '--save-dev', 'x'] },
    { argv: ['npm', 'run', 'x'] },
    { argv: ['npm', 'test'] },
    { argv: ['git', 'status'] },
    { argv: ['git', 'push'] },
    { argv: ['pip', 'install', 'x'] },
    { argv: ['docker', 'run', 'x'] },
    { argv: ['ssh', 'host', './x.sh'] },
    { argv: ['split', '--filter=./x.sh', 'y'] },
    { argv: ['install', '--strip-program=./x.sh', '-s', 'y', 'z'] },
    { argv: ['timeout', '5', 'unheard-of', 'x'] },
    { argv: ['deno', 'run', 'x.ts'] },
    { argv: ['make'] },
    { argv: ['awk', '-f', 'x.awk', 'y'] },
    { argv: ['sed', '--fil=x.sed'] },
    { argv: ['find', '.', '-exec', './x.sh', ';'] },
    { argv: ['tar', '-I', './x.sh', '-cf', 'x.tar', 'y'] },
    { argv: ['git', '-c', 'alias.x=!./x.sh', 'x'] },
    { argv: ['npm', 'test', '--script-shell=./x.sh'] },
    { argv: ['ssh', '-oProxyCommand=./x.sh', 'host'] },
    { argv: ['awk', 'BEGIN { system("./x.sh") }'] },
    { argv: ['env', 'find', '.', '-exec', './x.sh', ';'] },
    { argv: ['sudo', 'sh', 'x.sh'] },
    { argv: ['xargs', 'node'] },
    { argv: ['env', 'env', 'env', 'env', 'env', 'env', 'sh', 'x.sh'] },
  ])('nobody can look at what $argv runs, and it says so', ({ argv }) => {
    const found = shown(argv);
    expect(found).not.toHaveLength(0);
    expect(new Set(found)).toEqual(new Set(['?']));
  });

  test.each([
    'ls',
    'npm ls --all',
    'env',
    'cp -r a b',
    'docker ps -a',
    'kubectl get pods',
    'pip list',
    'find . -name -exec',
    'node --version',
    'python3 -V',
    'ruby -v',
    'cat x.sh',
    'env ls',
    'awk 1 x',
    'sed -n p x.sh',
    'timeout 5 ls x.sh',
  ])('%s runs no file', (line) => {
    expect(shown(line)).toEqual([]);
  });

  test('A-75: a tool that no table knows is said to be unknown, by its name if that is plain', () => {
    expect(scriptOperands(['unheard-of', 'x'])).toEqual([
      { notInspected: 'what unheard-of loads or runs: Clawrden does not know it' },
    ]);
    expect(scriptOperands(['env', 'a\u001b[2J', 'x'])).toEqual([
      { notInspected: 'what a file loads or runs: Clawrden does not know it' },
    ]);
  });

  test('A-75: nothing at all is said only of tools and words that the data knows', () => {
    const word = fc.oneof(fc.string({ maxLength: 6 }), fc.constantFrom('-x', '--y=z', 'ls', './x', '-'));
    const known = new Set([...plainTools, ...knownTools.keys(), ...wrapperData.keys()]);
    fc.assert(
      fc.property(word, fc.array(word, { maxLength: 4 }), (tool, args) => {
        fc.pre(!known.has(tool));
        expect(scriptOperands([tool, ...args]).some((operand) => 'notInspected' in operand)).toBe(true);
      }),
    );
  });

  test('names are told apart from files if a tool looks them up', () => {
    expect(shown('node -r dotenv/config x.js')).toEqual(['?', 'x.js']);
    expect(shown('perl -MStrict x.pl')).toEqual(['?', 'x.pl']);
  });

  test('no more than an init takes, and how many are left out', () => {
    const loads = Array.from({ length: 20 }, (_, index) => ['-r', `./${index}.js`]).flat();
    const found = scriptOperands(['node', ...loads, 'x.js']);
    expect(found.slice(0, 7)).toEqual(Array.from({ length: 7 }, (_, index) => ({ path: `./${index}.js` })));
    expect(found.slice(7)).toEqual([{ notInspected: '14 more' }]);
  });

  test('whatever the arguments are: an answer, every file an argument or a word of one', () => {
    const word = fc.oneof(
      fc.constantFrom(
        'sh',
        'env',
        'node',
        'python3',
        'perl',
        '-c',
        '-e',
        '--',
        '-',
        'x.sh',
        '-r',
        './y',
        '5',
      ),
      fc.string({ maxLength: 4 }),
    );
    fc.assert(
      fc.property(fc.array(word, { maxLength: 8 }), (argv) => {
        const words = new Set(
          argv.flatMap((arg) => [arg, ...arg.split(' '), arg.slice(arg.indexOf('=') + 1)]),
        );
        for (const operand of scriptOperands(argv)) {
          if ('path' in operand) expect([...words].some((one) => one.endsWith(operand.path))).toBe(true);
          else expect(operand.notInspected).not.toBe('');
        }
      }),
    );
  });

  test('A-75 P9: a file that node takes for a URL is named only if the URL leads to that very file', () => {
    const odd = fc.constantFrom(
      '\t',
      '\n',
      '\r',
      ' ',
      '\x1f',
      '%20',
      '?',
      '#',
      '\\',
      ':',
      '//',
      'é',
      '.',
      'x',
      'y',
    );
    const path = fc.array(odd, { maxLength: 6 }).map((parts) => `./a${parts.join('')}.mjs${parts[0] ?? ''}`);
    const given = fc.tuple(fc.constantFrom('/app/', '/', '//host/'), path).map(([at, rest]) => at + rest);
    fc.assert(
      fc.property(fc.oneof(path, given), (value) => {
        const [loaded] = scriptOperands(['node', '--import', value, 'x.js']);
        if (loaded === undefined || !('path' in loaded)) return;
        const url = new URL(value, 'file:///app/main.js');
        expect([url.host, resolve(decodeURIComponent(url.pathname))]).toEqual(['', resolve('/app', value)]);
      }),
      { numRuns: 2000 },
    );
    expect(scriptOperands(['node', '--import', './x.mjs', 'x.js'])).toEqual([
      { path: './x.mjs' },
      { path: 'x.js' },
    ]);
  });
});
