import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { run } from '../lab/command.ts';
import { checkout } from '../lab/names.ts';
import { decodeRecord, type Record } from './record.ts';
import { encodeScene, type Scene } from './scene.ts';

/** A running driver: one scene at a time. */
export interface Driver extends AsyncDisposable {
  readonly play: (scene: Scene) => Promise<Record>;
}

/** Builds the driver and returns its path. A container must mount it at `driverInContainer`. */
export async function buildDriver(): Promise<string> {
  await run(['make', '-s', '-C', join(import.meta.dirname, 'driver')], { timeout: 120_000 });
  return join(checkout, 'build/conformance/driver');
}

export const driverInContainer = '/conformance-driver';

/** Speaks to a driver over the stdio of the Docker client that runs it. */
export function attachDriver(child: ChildProcessWithoutNullStreams, remove: () => Promise<unknown>): Driver {
  const errors: Buffer[] = [];
  child.stderr.on('data', (chunk: Buffer) => errors.push(chunk));
  child.stdin.on('error', () => {}); // said by the records that do not come
  const exit = once(child, 'exit');
  const said = async () => `${(await exit).join(' ')} ${Buffer.concat(errors).toString().trim()}`;
  const records = readRecords(child);
  return {
    play: async (scene) => {
      const message = encodeScene(scene);
      const head = Buffer.alloc(4);
      head.writeUInt32BE(message.length);
      child.stdin.write(Buffer.concat([head, message]));
      const next = await records.next();
      if (next.done === true) throw new Error(`${scene.case.name}: its driver ended: ${await said()}`);
      return next.value;
    },
    [Symbol.asyncDispose]: async () => {
      child.stdin.end();
      child.kill('SIGTERM');
      await remove();
    },
  };
}

async function* readRecords(child: ChildProcessWithoutNullStreams): AsyncGenerator<Record, void> {
  let held = Buffer.alloc(0);
  for await (const chunk of child.stdout) {
    held = Buffer.concat([held, chunk as Buffer]);
    for (let size = sizeAt(held); size !== undefined && held.length >= size + 4; size = sizeAt(held)) {
      yield decodeRecord(held.subarray(4, size + 4));
      held = held.subarray(size + 4);
    }
  }
}

function sizeAt(held: Buffer): number | undefined {
  return held.length >= 4 ? held.readUInt32BE(0) : undefined;
}
