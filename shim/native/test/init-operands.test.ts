import { execFileSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import {
  chmodSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { readStrings } from '../../../src/init-client/read-strings.ts';
import { FrameType } from '../../../src/wire/frames.ts';
import { type InitEnd, InitProcess } from './init-process.ts';
import { nativeBuilds } from './native-builds.ts';

const asRoot = process.geteuid?.() === 0;
const asAgent = ['setpriv', '--reuid', '1000', '--regid', '1000', '--clear-groups'];
const top = mkdtempSync(join(tmpdir(), 'clawrden-operands-'));
chmodSync(top, 0o755);
const app = join(top, 'app');
const file = (name: string) => join(app, name);
const sha256 = (bytes: string | Uint8Array) => createHash('sha256').update(bytes).digest('hex');
const is = (bytes: string | Uint8Array, name: string) => `held sha256:${sha256(bytes)} ${file(name)}`;
const loose = (why: string, bytes: string, name: string) =>
  `not held: ${why}; sha256:${sha256(bytes)} ${file(name)}`;

beforeEach(() => {
  rmSync(app, { recursive: true, force: true });
  mkdirSync(app);
  writeFileSync(file('x.sh'), 'echo ran $0\n');
});
afterAll(() => rmSync(top, { recursive: true }));

describe.each(nativeBuilds)('the files that a command runs ($name)', ({ init }) => {
  /** What the init reports for them; it runs nothing. */
  async function look(
    operands: readonly string[],
    wrapper: readonly string[] = [],
  ): Promise<readonly string[]> {
    const plan = { inspect: true, script: `touch ${file('CANARY')}`, cwd: app, workspace: app, operands };
    await using command = InitProcess.start(init, plan, wrapper);
    const { payload } = await command.inbox.first(FrameType.operands);
    expect(await command.exited()).toBe(0);
    expect(command.inbox.frames.map(({ type }) => type)).toEqual([FrameType.ready, FrameType.operands]);
    expect(command.diagnostic).toBe('');
    return readStrings(payload);
  }

  async function run(
    operands: readonly string[],
    expected: readonly string[] = [],
  ): Promise<InitEnd & { readonly found: readonly string[] | undefined }> {
    const plan = { argv: ['sh', ...operands], cwd: app, operands, expected };
    await using command = InitProcess.start(init, plan);
    const end = await command.end();
    const started = command.inbox.frames.find(({ type }) => type === FrameType.started);
    return { ...end, found: started && readStrings(started.payload) };
  }

  test('the digest is SHA-256 at every length around a block, and of large files', async () => {
    const sizes = [0, 1, 54, 55, 56, 57, 63, 64, 65, 118, 119, 120, 127, 128, 129, 16_383, 16_385, 1_000_003];
    for (const size of sizes) {
      const bytes = randomBytes(size);
      writeFileSync(file('b'), bytes);
      expect(await look(['b'])).toEqual([is(bytes, 'b')]);
    }
  });

  test('are told before anything runs, in order, with their links resolved', async () => {
    mkdirSync(file('real'));
    writeFileSync(file('real/y.sh'), 'y');
    symlinkSync('real', file('way'));
    symlinkSync('way/y.sh', file('link.sh'));
    const y = is('y', 'real/y.sh');
    expect(await look(['x.sh', 'link.sh', './way/../x.sh', file('way/y.sh')])).toEqual([
      is('echo ran $0\n', 'x.sh'),
      y,
      is('echo ran $0\n', 'x.sh'),
      y,
    ]);
    expect(await look([])).toEqual([]);
  });

  test('what is no file that can be read is named so, and nothing waits for it', async () => {
    execFileSync('mkfifo', [file('fifo')]);
    mkdirSync(file('folder'));
    symlinkSync('loop', file('loop'));
    symlinkSync('/proc/self/fd/0', file('input'));
    writeFileSync(file('large'), '');
    truncateSync(file('large'), 16 * 1024 * 1024 + 1);
    expect(await look(['none', 'x.sh/y', 'fifo', 'folder', 'loop', 'input', 'large', '/dev/null'])).toEqual([
      'unseen: there is no such file',
      'unseen: there is no such file',
      'unseen: it is no plain file',
      'unseen: it is a directory',
      'unseen: its links cannot be followed',
      'unseen: its links cannot be followed',
      'unseen: it is too large',
      'unseen: it is no plain file',
    ]);
    expect(await look(['/proc/self/environ', '/proc/self/exe', '/dev/stdin', '', 'x'.repeat(5000)])).toEqual([
      'unseen: it is no plain file',
      'unseen: its links cannot be followed',
      'unseen: its links cannot be followed',
      'unseen: there is no such file',
      'unseen: it cannot be looked at',
    ]);
  });

  test('16 MiB are read of all of them together', async () => {
    const half = Buffer.alloc(8 * 1024 * 1024);
    writeFileSync(file('a'), half);
    linkSync(file('a'), file('b'));
    expect(await look(['a', 'b', 'x.sh'])).toEqual([is(half, 'a'), is(half, 'b'), 'unseen: it is too large']);
  });

  test('a name that is no UTF-8 stays untold', async () => {
    const odd = Buffer.concat([Buffer.from(file('odd')), Buffer.of(0xff)]);
    writeFileSync(odd, '');
    symlinkSync(odd, file('link'));
    expect(await look(['link'])).toEqual(['unseen: where it really is has no name in UTF-8']);
  });

  test.skipIf(!asRoot)('are read as the user of the command, never as more', async () => {
    chmodSync(file('x.sh'), 0o600);
    mkdirSync(file('locked'), { mode: 0o700 });
    writeFileSync(file('locked/y'), '');
    expect(await look(['x.sh', 'locked/y'], asAgent)).toEqual([
      'unseen: it may not be read',
      'unseen: it may not be reached',
    ]);
  });

  test('are told with the start if no person saw them before', async () => {
    const found = [loose('nobody was asked about it', 'echo ran $0\n', 'x.sh')];
    expect(await run(['x.sh'])).toMatchObject({ stdout: 'ran x.sh\n', found });
    expect(await run([])).toMatchObject({ code: 0, found: [] });
  });

  test('A-44: run as they were approved, also through a link', async () => {
    symlinkSync('x.sh', file('link.sh'));
    for (const name of ['x.sh', 'link.sh']) {
      expect(await run([name], await look([name]))).toMatchObject({ code: 0, stdout: `ran ${name}\n` });
    }
  });

  const changes: Readonly<Record<string, () => void>> = {
    'other bytes': () => writeFileSync(file('x.sh'), 'echo evil\n'),
    'another file under its name': () => {
      writeFileSync(file('new'), 'echo evil\n');
      renameSync(file('new'), file('x.sh'));
    },
    'a link to other bytes': () => {
      writeFileSync(file('evil.sh'), 'echo evil\n');
      unlinkSync(file('x.sh'));
      symlinkSync('evil.sh', file('x.sh'));
    },
    'a link to the same bytes elsewhere': () => {
      renameSync(file('x.sh'), file('y.sh'));
      symlinkSync('y.sh', file('x.sh'));
    },
    nothing: () => unlinkSync(file('x.sh')),
    'a directory': () => {
      unlinkSync(file('x.sh'));
      mkdirSync(file('x.sh'));
    },
  };

  test.each(Object.keys(changes))('A-44 P9: %s is refused, and nothing runs', async (change) => {
    const seen = await look(['x.sh']);
    changes[change]?.();
    expect(await run(['x.sh'], seen)).toMatchObject({
      refused: 'operand-changed: x.sh is not what was approved',
      found: undefined,
      stdout: '',
    });
  });

  test('A-44: a file that was not there when somebody looked is refused once it is', async () => {
    const seen = await look(['none']);
    writeFileSync(file('none'), 'echo evil\n');
    expect(await run(['none'], seen)).toMatchObject({
      refused: expect.stringMatching(/^operand-changed: none /),
    });
  });

  test('a plan with more of them than fit, or with other expectations than files, is refused', async () => {
    const many = Array.from({ length: 9 }, () => 'x.sh');
    for (const plan of [
      { operands: many },
      { operands: ['x.sh'], expected: ['a', 'b'] },
      { operands: [], expected: ['a'] },
    ]) {
      await using command = InitProcess.start(init, { script: 'true', ...plan });
      expect((await command.end()).refused).toMatch(/^bad-plan: /);
    }
  });

  test('a cwd out of the workspace is refused before anything is looked at', async () => {
    const plan = { inspect: true, script: 'true', cwd: top, workspace: app, operands: ['x.sh'] };
    await using command = InitProcess.start(init, plan);
    expect((await command.end()).refused).toMatch(/^cwd-outside: /);
  });
});
