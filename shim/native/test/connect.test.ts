import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, test } from 'vitest';
import { nativeBuilds } from './native-builds.ts';

const asRoot = process.geteuid?.() === 0;

/** What speaks at 127.0.0.1:3128: it notes the request, gives `answer`, and then does what `then` says. */
const way = (answer: string, then: string) => `
  const s = require('net').createServer({ allowHalfOpen: true }, (c) => c.once('data', (d) => {
    console.error(JSON.stringify(String(d))); s.close(); c.write(${JSON.stringify(answer)}); ${then} }));
  s.listen(3128, '127.0.0.1', () => console.log('there'));`;
const established = 'HTTP/1.1 200 Connection established\r\n\r\n';

interface Said {
  readonly code: number | null;
  readonly stdout: string;
  /** Of both. */
  readonly stderr: string;
}

const running = new Set<number>();
/** What is left of each group. */
afterEach(() => {
  for (const pid of running) {
    try {
      process.kill(-pid, 'SIGKILL');
    } catch {
      // Nothing is.
    }
  }
  running.clear();
});

/** `argv` beside a way out, in a namespace that has nothing else. */
async function run(server: string, argv: readonly string[], input: string | undefined = ''): Promise<Said> {
  const listen = server === '' ? '' : 'exec 8< <("$NODE" -e "$SERVER" </dev/null); read -r _ <&8;';
  const script = `ip link set lo up; ${listen} exec "$@" 8<&-`;
  const child = spawn('unshare', ['-n', 'bash', '--norc', '-c', script, 'bash', ...argv], {
    detached: true,
    env: { ...process.env, NODE: process.execPath, SERVER: server },
  });
  if (child.pid !== undefined) running.add(child.pid);
  // It may end before it reads.
  child.stdin.on('error', () => {});
  if (input !== undefined) child.stdin.end(input);
  const said = Promise.all([text(child.stdout), text(child.stderr)]);
  const [code] = (await once(child, 'exit')) as [number | null];
  const [stdout, stderr] = await said;
  return { code, stdout, stderr };
}

describe.skipIf(!asRoot).each(nativeBuilds)('connect, for ssh ($name)', ({ connect }) => {
  test('asks for a tunnel, and is both ends of it until the server ends', async () => {
    const echo = "c.write('first '); c.on('end', () => c.end('last')); c.on('data', (d) => c.write(d));";
    const { code, stdout, stderr } = await run(
      way(established, echo),
      [connect, 'git.example', '22'],
      'middle ',
    );
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'first middle last' });
    expect(JSON.parse(stderr)).toBe('CONNECT git.example:22 HTTP/1.1\r\nHost: git.example:22\r\n\r\n');
  });

  test('a server that ends first ends it, while its own input stays open', async () => {
    const { code, stdout } = await run(
      way(established, "c.end('over');"),
      [connect, 'git.example', '22'],
      undefined,
    );
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'over' });
  });

  test('an address of IPv6 is one word of the request', async () => {
    const { stderr } = await run(way(established, 'c.end();'), [connect, '2606:4700::1', '22']);
    expect(stderr).toContain('CONNECT [2606:4700::1]:22 HTTP/1.1');
  });

  test('megabytes go both ways at once', async () => {
    const far =
      "c.on('data', (d) => { n += d.length; }).on('end', () => c.end(String(n))); c.write('x'.repeat(5000000));";
    const server = `let n = 0;${way(established, far)}`;
    const bytes = 'y'.repeat(5_000_000);
    const { code, stdout } = await run(server, [connect, 'git.example', '22'], bytes);
    expect({ code, length: stdout.length, end: stdout.slice(-7) }).toEqual({
      ...{ code: 0, length: 5_000_007, end: '5000000' },
    });
  });

  test.each([
    [
      'what is refused',
      'HTTP/1.1 403 clawrden: egress-denied: git.example:22 is not a destination of network n\r\n\r\n',
      'clawrden: egress-denied: git.example:22 is not a destination of network n\n',
    ],
    ['letters that control a terminal', 'HTTP/1.1 502 a\u001b[2Jb\r\n\r\n', 'clawrden: connect: a?[2Jb\n'],
    ['what is no HTTP', 'x'.repeat(5000), 'clawrden: connect: the way out does not speak HTTP\n'],
    ['an end before the answer', 'HTTP/1.1 2', 'clawrden: connect: the way out ended before its answer\n'],
  ])('tells %s in a line, and ends with 1', async (_what, answer, line) => {
    const { code, stdout, stderr } = await run(way(answer, 'c.end();'), [connect, 'git.example', '22']);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain(line);
  });

  test.each([
    ['nothing', []],
    ['another line', ['git.example\r\nX: y', '22']],
    ['a space', ['git.example HTTP/1.1', '22']],
    ['a port that is a word', ['git.example', 'ssh']],
    ['a long port', ['git.example', '000022']],
    ['a long name', ['g'.repeat(254), '22']],
    ['a name with brackets', ['[::1]', '22']],
  ])('A-259: does not ask for %s', async (_what, words) => {
    expect(await run('', [connect, ...words])).toEqual({
      ...{ code: 1, stdout: '', stderr: 'clawrden: connect: usage: connect HOST PORT\n' },
    });
  });

  test('without a network by name it says so', async () => {
    const { code, stderr } = await run('', [connect, 'git.example', '22']);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: 'clawrden: connect: nobody listens on 127.0.0.1:3128: this command has no network by name\n',
    });
  });

  test('--try says which of its addresses take a connection, and listens meanwhile', async () => {
    const words = [
      '127.0.0.1',
      '3128',
      '127.0.0.1',
      '9001',
      '::1',
      '3128',
      '20.0.0.1',
      '80',
      '::ffff:7f00:1',
      '3128',
    ];
    const { code, stdout } = await run('', [connect, '--try', '300', ...words]);
    expect({ code, lines: stdout.split('\n').toSorted() }).toEqual({
      ...{ code: 0, lines: ['', '127.0.0.1 3128', '::ffff:7f00:1 3128'] },
    });
  });

  test.each([
    [],
    ['0'],
    ['60001'],
    ['1x'],
    ['300', '127.0.0.1'],
    ['300', 'a.example', '80'],
    ['300', '127.0.0.1', '65536'],
    ['300', '127.0.0.1', '0'],
    ['300', ...Array.from({ length: 257 }, () => ['127.0.0.1', '80']).flat()],
  ])('--try takes addresses and ports, and no names: %s', async (...words) => {
    const { code, stdout } = await run('', [connect, '--try', ...words]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  });
});
