import { createHash, randomBytes } from 'node:crypto';
import { chown, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasLab, sharedLab } from '../lab/shared-lab.ts';
import { type Stack, startStack } from '../stack/start-stack.ts';
import { lifePolicy, shells } from './life.ts';
import { type Typed, type, typed } from './typed.ts';

const blob = randomBytes(10 * 1024 * 1024);

describe.skipIf(!hasLab())('the bytes of a command', () => {
  let stack: Stack;
  const agent = () => stack.agents.streamer!;
  /** A script for the agent's own shell, in which `ghostly` and `mirrored` run through Clawrden. */
  const script = (text: string): Promise<Typed> => typed(agent(), ['/bin/sh', '-c', text]);

  beforeAll(async () => {
    stack = await startStack(sharedLab(), {
      name: 'streams',
      policy: lifePolicy(),
      agents: { streamer: {} },
    });
    const file = join(stack.workspaceOf('streamer'), 'blob');
    await writeFile(file, blob);
    await chown(file, 1000, 1000);
  });
  afterAll(() => stack?.stop());

  describe.each(shells)('$strategy', ({ shell }) => {
    test('10 MiB of any bytes on stdout, and on stderr', async () => {
      const both = 'cat /app/blob & cat /app/blob >&2; wait';
      const { code, stdout, errors } = await typed(agent(), [shell, both]);
      expect([code, digest(stdout), digest(errors)]).toEqual([0, digest(blob), digest(blob)]);
    });

    test('record: head-tail keeps both ends of each stream, and changes nothing of what comes back', async () => {
      const { stdout, errors } = await typed(agent(), [shell, ': kept; cat /app/blob; cat /app/blob >&2']);
      expect([digest(stdout), digest(errors)]).toEqual([digest(blob), digest(blob)]);
      const { stdout: newest } = await stack.cli(['history', '--limit', '1', '--json']);
      const [{ id }] = JSON.parse(newest) as [{ id: string }];
      const { stdout: shown } = await stack.cli(['show', id, '--output', '--json']);
      const head = blob.subarray(0, 32_768).toString('base64');
      const tail = blob.subarray(-32_768).toString('base64');
      const kept = { head, dropped: blob.length - 65_536, tail };
      expect(JSON.parse(shown)).toEqual({ id, stdout: kept, stderr: kept });
    });

    test('2>&1 keeps the order', async () => {
      const lines = Array.from({ length: 500 }, (_, index) => `out ${index}\nerr ${index}\n`).join('');
      const loop = 'i=0; while [ $i -lt 500 ]; do echo out $i; echo err $i >&2; i=$((i+1)); done';
      const { stdout, stderr } = await script(`${shell} '${loop}' 2>&1`);
      expect(stdout.toString()).toBe(lines);
      expect(stderr).toBe('');
    });

    test('stdin from a pipe, a file, a socket and /dev/null, each to its end', async () => {
      const [pipe, file, nothing] = await Promise.all([
        script(`cat /app/blob | ${shell} cat`),
        script(`${shell} cat < /app/blob`),
        script(`${shell} 'cat; echo end' < /dev/null`),
      ]);
      expect([digest(pipe.stdout), digest(file.stdout)]).toEqual([digest(blob), digest(blob)]);
      expect(nothing.stdout.toString()).toBe('end\n');
      const typing = await type(agent(), [shell, 'cat; echo end'], { stdin: 'pipe' });
      typing.stdin?.end('some\n');
      expect((await typing.ended).stdout.toString()).toBe('some\nend\n');
    });

    test('stdin that the tool leaves is there for the next', async () => {
      const first = `${shell} 'dd bs=1 count=5 2> /dev/null; echo -n :'`;
      const some = await script(`printf 0123456789 | (${first}; cat)`);
      expect(some.stdout.toString()).toBe('01234:56789');
      const file = await script(`(${first}; cat) < /app/blob`);
      const expected = Buffer.concat([blob.subarray(0, 5), Buffer.from(':'), blob.subarray(5)]);
      expect(digest(file.stdout)).toBe(digest(expected));
      const much = await script(`cat /app/blob | (${first}; cat)`);
      expect(digest(much.stdout)).toBe(digest(expected));
    });

    test('a tool that reads nothing takes nothing', async () => {
      const { stdout } = await script(
        `printf 0123456789 | (${shell} true; ${shell} ': no' 2> /dev/null; cat)`,
      );
      expect(stdout.toString()).toBe('0123456789');
    });
  });
});

function digest(bytes: Uint8Array): string {
  return `${bytes.length} ${createHash('sha256').update(bytes).digest('hex')}`;
}
