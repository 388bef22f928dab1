import { chmod, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { FakeRelay, type RelayConnection } from '../../shim/native/test/fake-relay.ts';
import { FrameType } from '../../src/wire/frames.ts';

/**
 * Answers every shim of a tree: `shim NAME` on its stdout, or, if its first argument is `original`, that it may run the
 * original in place.
 */
export async function answerShims(root: string): Promise<FakeRelay> {
  const isLinked = await stat(join(root, 'run/clawrden')).catch(() => undefined);
  const relay = await FakeRelay.listen(join(root, isLinked ? 'run' : 'var/run', 'clawrden/warden.sock'));
  await chmod(relay.path, 0o777);
  void answerAll(relay);
  return relay;
}

async function answerAll(relay: FakeRelay): Promise<void> {
  for (;;) await answer(await relay.next());
}

async function answer(connection: RelayConnection): Promise<void> {
  const { command, args } = await connection.request();
  if (args[0] === 'original') return connection.write(Uint8Array.of(3));
  connection.write(Uint8Array.of(0));
  connection.send(FrameType.stdout, Buffer.from(`shim ${command}\n`));
  connection.exit(0);
}
