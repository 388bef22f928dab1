import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { FrameType } from '../../../src/wire/frames.ts';
import type { RelayConnection } from './fake-relay.ts';
import { InitProcess } from './init-process.ts';
import { nativeBuilds } from './native-builds.ts';
import { eventually } from './process-table.ts';
import { ShimBench } from './shim-process.ts';

const window = 262_144;

/** A shell on a terminal that the init makes; `shows` waits for text on it. */
class Screen {
  readonly #shell: InitProcess;

  constructor(bench: ShimBench, init: string, script: string) {
    this.#shell = InitProcess.start(init, {
      terminal: true,
      stdio: ['tty', 'tty', 'same'],
      cols: 81,
      rows: 25,
      cwd: bench.directory,
      argv: ['bash', '--norc', '-c', script],
      env: ['PATH=/usr/bin:/bin', `T=${join(bench.jail, 'tool')}`, `CLAWRDEN_SOCKET=${bench.socket}`],
    });
  }

  get text(): string {
    return this.#shell.inbox.bytes(FrameType.stdout).toString();
  }

  async shows(text: string): Promise<void> {
    await this.#shell.inbox.until(() => this.text.includes(text), `${text} in ${JSON.stringify(this.text)}`);
  }

  async type(text: string): Promise<void> {
    await this.#shell.sendStdin(Buffer.from(text, 'latin1'));
  }

  resize(cols: number, rows: number): void {
    this.#shell.send(FrameType.resize, Buffer.of(0, cols, 0, rows));
  }

  async end(): Promise<string> {
    await this.#shell.end();
    return this.text;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#shell[Symbol.asyncDispose]();
  }
}

describe.each(nativeBuilds)('the shim at a terminal ($name)', (build) => {
  async function at(
    script: string,
    use: (screen: Screen, relay: RelayConnection) => Promise<void>,
  ): Promise<void> {
    await using bench = new ShimBench(build);
    await using relay = await bench.relay();
    await using screen = new Screen(bench, build.init, script);
    const connection = await relay.next();
    await connection.request();
    await use(screen, connection);
    connection.socket.destroy();
  }
  const mode = 'stty -a | grep -oE -- "-?(icanon|echo|isig|opost)( |;|$)" | tr -d "\\n"; echo';

  test('says so, with its size', async () => {
    await at('exec $T', async (_screen, relay) => {
      const request = await relay.request();
      expect(request.stdio).toEqual(['tty', 'tty', '=1']);
      expect(request.tty).toEqual({ cols: 81, rows: 25 });
    });
    await at('exec $T </dev/null 2>err | cat', async (_screen, relay) => {
      const request = await relay.request();
      expect(request.stdio).toEqual(['null', 'pipe', 'file']);
      expect(request.tty).toBe(undefined);
    });
  });

  test('shows notices, before and after the answer, without control characters', async () => {
    await at('exec $T', async (screen, relay) => {
      relay.write(Uint8Array.of(2));
      relay.send(FrameType.notice, Buffer.from('waiting for\x1b[2J \u009b approval'));
      await screen.shows('clawrden: waiting for?[2J ?? approval\r\n');
      relay.write(Uint8Array.of(0));
      relay.send(FrameType.notice, Buffer.from('pulling'));
      await screen.shows('clawrden: pulling\r\n');
      relay.exit(0);
      await screen.end();
    });
  });

  test('leaves it as it is until the first credit: ^C is a SIGINT', async () => {
    await at('trap : INT; $T; echo code $?', async (screen, relay) => {
      relay.write(Uint8Array.of(2));
      await sleep(50);
      await screen.type('\x03');
      await screen.shows('code 130');
      await eventually(() => relay.inbox.ended, 'the end of the stream');
      expect(relay.inbox.frames.map(({ type }) => type)).toEqual([FrameType.cancel]);
    });
  });

  test('puts it in raw mode then, sends every key, and puts it back', async () => {
    await at(`$T; echo code $?; ${mode}`, async (screen, relay) => {
      relay.write(Uint8Array.of(0));
      relay.credit(window);
      await sleep(100);
      await screen.type('a\x03\x1a\x04\x1c\r\n');
      await relay.inbox.until(() => relay.stdin.length >= 7);
      expect(relay.stdin.toString('latin1')).toBe('a\x03\x1a\x04\x1c\r\n');
      relay.send(FrameType.stdout, Buffer.from('one\ntwo\r\n'));
      await screen.shows('one\ntwo\r\n');
      relay.unread(0);
      relay.exit(4);
      const text = await screen.end();
      expect(text).toContain('code 4\r\n');
      expect(text).toMatch(/opost.*isig.*icanon.*echo/);
      expect(text).not.toMatch(/-(isig|icanon|echo|opost)/);
    });
  });

  test.each([
    ['death by a signal', (relay: RelayConnection) => relay.exit(0, 15), 'code 143'],
    ['a lost relay', (relay: RelayConnection) => relay.socket.destroy(), 'code 125'],
    ['a broken relay', (relay: RelayConnection) => relay.send(99), 'code 125'],
  ])('puts it back after %s', async (_name, end, code) => {
    await at(`$T; echo code $?; ${mode}`, async (screen, relay) => {
      relay.write(Uint8Array.of(0));
      relay.credit(window);
      await sleep(100);
      end(relay);
      const text = await screen.end();
      expect(text).toContain(code);
      expect(text).not.toMatch(/-(isig|icanon|echo|opost)/);
    });
  });

  test('tells a new size', async () => {
    await at('exec $T', async (screen, relay) => {
      relay.write(Uint8Array.of(0));
      await sleep(50);
      screen.resize(100, 40);
      expect((await relay.inbox.first(FrameType.resize)).payload).toEqual(Buffer.of(0, 100, 0, 40));
    });
  });

  test('lines of a terminal go to a tool whose output is a pipe, with ^D for the end', async () => {
    await at('$T | cat; echo done', async (screen, relay) => {
      relay.write(Uint8Array.of(0));
      relay.credit(window);
      await sleep(50);
      await screen.type('one\ntw');
      await relay.inbox.until(() => relay.stdin.length > 0);
      expect(relay.stdin.toString()).toBe('one\n');
      await screen.type('o\n\x04');
      await relay.inbox.until(() => relay.stdinEnded);
      expect(relay.stdin.toString()).toBe('one\ntwo\n');
      relay.exit(0);
      await screen.shows('done');
    });
  });

  test('in the background it reads nothing; brought to the front it does', async () => {
    await at(
      'set -m; $T & read -r line; echo "shell $line"; fg %1 >/dev/null; echo code $?',
      async (screen, relay) => {
        relay.write(Uint8Array.of(0));
        relay.credit(window);
        await sleep(100);
        await screen.type('for the shell\n');
        await screen.shows('shell for the shell');
        await sleep(600);
        expect(relay.stdin.length).toBe(0);
        await screen.type('for the tool');
        await relay.inbox.until(() => relay.stdin.length > 0);
        expect(relay.stdin.toString()).toBe('for the tool');
        relay.exit(3);
        await screen.shows('code 3');
      },
    );
  });

  test('stops as its tool does, gives the terminal back for that time, and takes it again', async () => {
    await at(
      `set -m; $T; echo code $?; ${mode}; sleep 0.2; fg %1 >/dev/null; echo code $?; ${mode}`,
      async (screen, relay) => {
        relay.write(Uint8Array.of(0));
        relay.credit(window);
        await sleep(100);
        relay.send(FrameType.stopped, Uint8Array.of(20));
        await screen.shows('code 148');
        await relay.inbox.first(FrameType.signal);
        expect(relay.inbox.frames.find(({ type }) => type === FrameType.signal)?.payload).toEqual(
          Buffer.of(18),
        );
        await relay.inbox.first(FrameType.resize);
        await screen.type('\x03');
        await relay.inbox.until(() => relay.stdin.length > 0);
        expect(relay.stdin).toEqual(Buffer.of(3));
        relay.exit(7);
        const text = await screen.end();
        expect(text).toContain('code 7');
        expect(text).not.toMatch(/-(isig|icanon|echo|opost)/);
      },
    );
  });

  test('output that ^S holds is no wait for signals', async () => {
    await at('exec $T', async (screen, relay) => {
      relay.write(Uint8Array.of(0));
      await screen.type('\x13');
      await sleep(50);
      for (let sent = 0; sent < 20; sent++) relay.send(FrameType.stdout, Buffer.alloc(10_000, 'x'));
      await sleep(50);
      screen.resize(90, 30);
      await relay.inbox.first(FrameType.resize);
      await screen.type('\x11');
      relay.exit(0);
      expect((await screen.end()).match(/x/g)?.length).toBe(200_000);
    });
  });
});
