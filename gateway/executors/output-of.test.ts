import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { Output } from '../../src/wire/execution-io.ts';
import type { Execution } from '../execution/execution.ts';
import { createHiding, createMasking } from '../secrets/mask-stream.ts';
import { outputOf } from './output-of.ts';

const secret = 'correct-horse-battery';

/** What its caller got, piece by piece, and what is kept. */
function toolWith(values: readonly string[], unmasked = false, isKept = false) {
  const [told, kept]: [string[], string[]] = [[], []];
  const execution = {
    send: (item: { type: string; bytes?: Uint8Array | number }) => {
      told.push(
        item.bytes instanceof Uint8Array ? `${item.type} ${String(Buffer.from(item.bytes))}` : item.type,
      );
      return undefined;
    },
    output: { add: (_fd: number, bytes: Uint8Array) => void kept.push(String(Buffer.from(bytes))) },
    isKept,
  } as unknown as Pick<Execution, 'send' | 'output' | 'isKept'>;
  const secrets = {
    forInit: { env: [], files: [] },
    mask: createMasking(values),
    hide: createHiding(values),
  };
  const output = outputOf(execution, secrets, unmasked);
  const say = (type: 'stdout' | 'stderr', text: string) =>
    void output.send({ type, bytes: Buffer.from(text) });
  return { told, kept, output, say };
}

const unread: Output = { type: 'unread', bytes: 0 };

test('A-288 a tool that ends by itself loses no byte, and what it wrote comes before what it left unread', () => {
  const { told, output, say } = toolWith([secret]);
  say('stdout', 'correct-h');
  void output.send(unread);
  output.end(true);
  expect(told).toEqual(['stdout correct-h', 'unread']);
});

test('A-288 one that was cut off shows whole lines, and a mask for one that has no end, whatever stands there', () => {
  for (const rest of ['correct-h', 'anything']) {
    const { told, output, say } = toolWith([secret]);
    say('stdout', `a line\n${rest}`);
    output.end(false);
    expect(told).toEqual(['stdout a line\n***']);
  }
});

test('A-288 it is cut off if nobody says how it ended', () => {
  const { told, output, say } = toolWith([secret]);
  say('stderr', 'a line\nand');
  output[Symbol.dispose]();
  output[Symbol.dispose]();
  expect(told).toEqual(['stderr a line\n***']);
});

test('A-444 unmasked: a caller that keeps what it gets has it masked, another one has it as it is', () => {
  for (const isKept of [true, false]) {
    const { told, kept, output, say } = toolWith([secret], true, isKept);
    say('stdout', `it is ${secret}\n`);
    output.end(true);
    expect(told).toEqual([isKept ? 'stdout it is ***\n' : `stdout it is ${secret}\n`]);
    expect(kept).toEqual(['it is ***\n']);
  }
});

test('lines of both streams keep their order', () => {
  const { told, output, say } = toolWith([secret]);
  say('stdout', 'one\n');
  say('stderr', `two ${secret}\n`);
  say('stdout', 'three\n');
  output.end(true);
  expect(told).toEqual(['stdout one\n', 'stderr two ***\n', 'stdout three\n']);
});

test('a silent tool shows its lines soon, and a question a second later', async () => {
  const { told, output, say } = toolWith([secret]);
  using _ = output;
  say('stdout', 'working\nPassword: ');
  expect(told).toEqual([]);
  await expect.poll(() => told, { timeout: 900 }).toEqual(['stdout working\n']);
  await expect.poll(() => told).toEqual(['stdout working\n', 'stdout Password: ']);
});

test('A-288 a tool that was stopped within a secret shows nothing of it', async () => {
  const { told, output, say } = toolWith([secret]);
  say('stdout', 'correct-horse-');
  void output.send({ type: 'stopped', signal: 20 });
  await sleep(1200);
  expect(told).toEqual(['stopped']);
  say('stdout', 'battery\n');
  output.end(true);
  expect(told).toEqual(['stopped', 'stdout ***\n']);
});

test('what is unmasked comes at once, and is kept masked', () => {
  const { told, kept, output, say } = toolWith([secret], true);
  say('stdout', `${secret}\n`);
  expect(told).toEqual([`stdout ${secret}\n`]);
  output.end(true);
  expect(kept).toEqual(['***\n']);
});
