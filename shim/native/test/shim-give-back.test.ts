import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { nativeBuilds } from './native-builds.ts';
import { withShim } from './shim-process.ts';
import { lines, quiet, readOn, sha, window } from './stdin-helpers.ts';

describe.each(nativeBuilds)('what the shim gives back ($name)', (build) => {
  const started = (script: string, use: Parameters<typeof withShim>[2], input?: string | Uint8Array) =>
    withShim(build, script, use, { input, files: { lines, empty: '' } });

  /** The program after the shim in `script` gets the input that the tool left. */
  const inputs = {
    'a file': '{ $T; cat; } < lines',
    'a pipe': 'cat lines | { $T; cat; }',
    'a full pipe': '{ cat lines; } | { sleep 0.1; $T; cat; }',
    'a pipe of small writes': 'dd if=lines bs=100 status=none | { $T; cat; }',
    'a socket': '$T; cat',
  };

  describe.each(Object.entries(inputs))('from %s', (name, script) => {
    const input = name === 'a socket' ? lines : undefined;

    test('nothing without credit, and all of it is left', async () => {
      await started(
        script,
        async (run, relay) => {
          await sleep(30);
          expect(relay.inbox.frames).toEqual([]);
          relay.exit(0);
          expect(sha((await run.end()).stdout)).toBe(sha(lines));
        },
        input,
      );
    });

    test.each([0, 1, 7, 30_000, 65_536])('gives back all but the %i bytes that were read', async (read) => {
      await started(
        script,
        async (run, relay) => {
          relay.credit(window);
          await relay.inbox.until(() => relay.stdin.length > 60_000);
          await quiet(relay);
          relay.unread(relay.stdin.length - read);
          relay.exit(0);
          expect(sha((await run.end()).stdout)).toBe(sha(lines.slice(read)));
        },
        input,
      );
    });

    test('goes by the credits if they are exact, whatever is still on the way', async () => {
      await started(
        script,
        async (run, relay) => {
          relay.credit(window);
          await relay.inbox.until(() => relay.stdin.length > 60_000);
          relay.credit(12_345);
          relay.credit(0);
          relay.unread(3);
          relay.exit(0);
          expect(sha((await run.end()).stdout)).toBe(sha(lines.slice(12_345)));
        },
        input,
      );
    });

    test('sends every byte and the end as the tool reads on', async () => {
      await started(
        script,
        async (run, relay) => {
          await readOn(relay);
          expect(sha(relay.stdin)).toBe(sha(lines));
          relay.unread(0);
          relay.exit(0);
          expect((await run.end()).stdout).toBe('');
        },
        input,
      );
    });

    test('never more than its credit', async () => {
      await started(
        script,
        async (run, relay) => {
          relay.credit(1000);
          await relay.inbox.until(() => relay.stdin.length >= 1000);
          await sleep(30);
          expect(relay.stdin.toString()).toBe(lines.slice(0, 1000));
          relay.credit(1);
          await relay.inbox.until(() => relay.stdin.length === 1001);
          relay.unread(1001);
          relay.exit(0);
          expect(sha((await run.end()).stdout)).toBe(sha(lines));
        },
        input,
      );
    });

    test('gives back what is not known to be read when the relay is lost', async () => {
      await started(
        script,
        async (run, relay) => {
          relay.credit(window);
          relay.credit(100);
          await relay.inbox.until(() => relay.stdin.length > 60_000);
          relay.socket.end();
          expect(sha((await run.end()).stdout)).toBe(sha(lines.slice(100)));
        },
        input,
      );
    });
  });
});
