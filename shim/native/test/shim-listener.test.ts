import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { nativeBuilds } from './native-builds.ts';
import { ShimBench, type ShimEnd } from './shim-process.ts';

const asRoot = process.geteuid?.() === 0;
const listen = `require('node:net').createServer((socket) => socket.on('data', () => {
  process.stdout.write('got'); socket.end(Buffer.of(0, 3, 0, 0, 0, 2, 0, 0)); }))
  .listen(process.argv[1], () => process.stdout.write('ready'))`;

/** A listener that lets every command run and end, in its own process as the given user. */
class Listener {
  said = '';
  readonly #child: ChildProcess;

  constructor(child: ChildProcess) {
    this.#child = child;
    child.stdout?.on('data', (chunk: Buffer) => {
      this.said += chunk.toString();
    });
  }

  static async start(uid: number, path: string): Promise<Listener> {
    const options = ['--reuid', `${uid}`, '--regid', `${uid}`, '--clear-groups'];
    const listener = new Listener(spawn('setpriv', [...options, process.execPath, '-e', listen, path]));
    const { stdout } = listener.#child;
    if (stdout !== null) await once(stdout, 'data');
    return listener;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill('SIGKILL');
    await once(this.#child, 'exit');
  }
}

describe.skipIf(!asRoot).each(nativeBuilds)('who listens at the socket ($name)', (build) => {
  /** A command of user 1000; `uid` listens in a folder of `owner` that others may write. */
  async function run(uid: number, owner: number): Promise<ShimEnd & { readonly said: string }> {
    await using bench = new ShimBench(build);
    chmodSync(bench.directory, 0o755);
    const folder = join(bench.directory, 'socket');
    mkdirSync(folder);
    chmodSync(folder, 0o777);
    chownSync(folder, owner, owner);
    const socket = join(folder, 'warden.sock');
    await using listener = await Listener.start(uid, socket);
    if (uid !== 1000) chmodSync(socket, 0o666);
    const user = ['setpriv', '--reuid', '1000', '--regid', '1000', '--clear-groups'];
    const shim = bench.run([...user, join(bench.jail, 'tool')], { env: { CLAWRDEN_SOCKET: socket } });
    const end = await shim.end();
    return { ...end, said: listener.said };
  }

  test('A-91: is root, or the owner of the folder', async () => {
    for (const [uid, owner] of [
      [0, 0],
      [0, 998],
      [998, 998],
      [65534, 65534],
    ] as const)
      expect(await run(uid, owner)).toMatchObject({ code: 0, stderr: '', said: 'readygot' });
  });

  test('A-91: is sent nothing if it is another user', async () => {
    for (const [uid, owner] of [
      [998, 0],
      [1000, 998],
      [998, 1000],
      [65534, 0],
    ] as const) {
      const who = `is user ${uid}, neither root nor user ${owner}, who owns its folder; nothing was sent to it`;
      const end = await run(uid, owner);
      expect(end).toMatchObject({ code: 125, stdout: '', said: 'ready' });
      expect(end.stderr).toMatch(/^clawrden: relay-unreachable: who listens at \/[^ ]+\/warden\.sock is /);
      expect(end.stderr).toContain(who);
    }
  });
});
