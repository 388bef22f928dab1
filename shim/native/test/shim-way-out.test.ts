import { once } from 'node:events';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { FrameType } from '../../../src/wire/frames.ts';
import type { RelayConnection } from './fake-relay.ts';
import { nativeBuilds } from './native-builds.ts';
import { ShimBench, type ShimRun } from './shim-process.ts';

const asRoot = process.geteuid?.() === 0;

/** In a namespace as an agent's container without network has it, with `script` beside the way out. */
function start(bench: ShimBench, script: string, env: NodeJS.ProcessEnv = {}): ShimRun {
  const whole = `ip link set lo up; ${script.replaceAll('WAY', join(bench.jail, '.shim'))}`;
  return bench.run(['unshare', '-n', 'bash', '--norc', '-c', whole], { env });
}

const until = 'until exec 3<>/dev/tcp/127.0.0.1/3128; do sleep 0.05; done 2>/dev/null';

function carried({ inbox }: RelayConnection): string {
  const ours = inbox.frames.filter(({ type }) => type === FrameType.carried);
  return Buffer.concat(ours.map(({ payload }) => payload.subarray(1))).toString();
}

describe.skipIf(!asRoot).each(nativeBuilds)("an agent's way out ($name)", (build) => {
  test('asks the relay as any other request, and carries what programs say', async () => {
    await using bench = new ShimBench(build, ['.shim']);
    await using relay = await bench.relay();
    const run = start(bench, `WAY & ${until}; echo question >&3; cat <&3; exec 3<&-; wait`);
    const connection = await relay.next();
    const identity = { uid: process.geteuid?.(), gid: process.getegid?.() };
    expect(await connection.answer(0)).toEqual({ v: 1, 'way-out': true, identity });
    const { inbox } = connection;
    // Of its own user.
    expect((await inbox.first(FrameType.opened)).payload).toEqual(Buffer.of(0, 1));
    await inbox.until(() => carried(connection) === 'question\n', 'the question');
    connection.send(FrameType.carried, Buffer.concat([Buffer.of(0), Buffer.from('answer\n')]));
    connection.send(FrameType.finished, Buffer.of(0));
    await inbox.first(FrameType.gone);
    connection.send(FrameType.gone, Buffer.of(0));
    connection.socket.end();
    const { stdout, stderr } = await run.end();
    expect({ stdout, stderr }).toEqual({
      stdout: 'answer\n',
      stderr: 'clawrden: relay-lost: the relay ended the connection\n',
    });
  });

  const client =
    'const s=require("net").connect(3128,process.argv[1]);s.on("connect",()=>setTimeout(()=>s.destroy(),500))';
  test.each([
    ['its own user', '', '127.0.0.1', 1],
    ['its own user by IPv6', '', '::ffff:127.0.0.1', 1],
    ['another user', 'setpriv --reuid 4321 --regid 4321 --clear-groups', '127.0.0.1', 0],
    ['another user by IPv6', 'setpriv --reuid 4321 --regid 4321 --clear-groups', '::ffff:127.0.0.1', 0],
  ])('A-242: says whether a client is of %s', async (_who, as, address, isOurs) => {
    await using bench = new ShimBench(build, ['.shim']);
    await using relay = await bench.relay();
    const node = `${as} "$NODE" -e '${client}' ${address}`;
    // Many sockets stand before it in the list.
    const many = `for i in $(seq 80); do exec {fd}<>/dev/tcp/127.0.0.1/4000; done`;
    const listen = `"$NODE" -e 'require("net").createServer().listen(4000)' & until exec 4<>/dev/tcp/127.0.0.1/4000; do sleep 0.05; done 2>/dev/null`;
    const line = `${listen}; ${many}; WAY & sleep 0.5; ${node}; kill %1`;
    const run = start(bench, line, { NODE: process.execPath });
    const connection = await relay.next();
    await connection.answer(0);
    expect((await connection.inbox.first(FrameType.opened)).payload).toEqual(Buffer.of(0, isOurs));
    connection.socket.destroy();
    await run.end();
  });

  test('says that the place is taken, and asks nobody', async () => {
    await using bench = new ShimBench(build, ['.shim']);
    await using relay = await bench.relay();
    const taken = `exec "$NODE" -e "require('net').createServer().listen(3128, '127.0.0.1', () => console.log('there'))"`;
    const run = start(bench, `(${taken}) & sleep 1; WAY; echo $?; kill %1`, { NODE: process.execPath });
    const { stdout, stderr } = await run.end();
    expect({ stdout, stderr }).toEqual({
      stdout: 'there\n125\n',
      stderr: 'clawrden: way-out-busy: another program listens on 127.0.0.1:3128\n',
    });
    expect(relay.unclaimed).toBe(0);
  });

  test('waits for one that ends', async () => {
    await using bench = new ShimBench(build, ['.shim']);
    await using relay = await bench.relay();
    start(bench, 'WAY & sleep 0.5; WAY');
    const first = await relay.next();
    await first.answer(0);
    setTimeout(() => first.socket.destroy(), 1000);
    expect(await (await relay.next()).answer(0)).toMatchObject({ 'way-out': true });
  });

  test.each([
    ['a relay that keeps none', (relay: RelayConnection) => relay.write(Buffer.of(1))],
    [
      'a relay that speaks of no connection',
      (relay: RelayConnection) => relay.send(FrameType.gone, Buffer.of(0)),
    ],
    [
      'a frame that has no place here',
      (relay: RelayConnection) => relay.send(FrameType.stdout, Buffer.of(0)),
    ],
  ])('A-230 P24: ends with %s, and takes no connection any more', async (_what, say) => {
    await using bench = new ShimBench(build, ['.shim']);
    await using relay = await bench.relay();
    const run = start(bench, 'WAY; (exec 3<>/dev/tcp/127.0.0.1/3128) 2>/dev/null || echo closed');
    const connection = await relay.next();
    await connection.request();
    if (!_what.includes('keeps none')) connection.write(Buffer.of(0));
    say(connection);
    const ended = once(connection.socket, 'end');
    const { stdout, stderr } = await run.end();
    await ended;
    expect(stdout).toBe('closed\n');
    expect(stderr).toMatch(/^clawrden: relay-(lost|unreachable): .*\n$/);
  });
});
