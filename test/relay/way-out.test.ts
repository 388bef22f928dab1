import { spawn } from 'node:child_process';
import { chmod, copyFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { dirname, join } from 'node:path';
import type { Duplex } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { nativeBuilds } from '../../shim/native/test/native-builds.ts';
import { carryWayOut } from '../../shim/relay/way-out/way-out-lane.ts';
import { crumbPace } from '../../src/crumb-budgets.ts';
import { carryConnections } from '../../src/init-client/carry-connections.ts';
import { startRelay, type TestRelay, user } from './start-relay.ts';

const binary = nativeBuilds[0]?.shim ?? '';
const until = 'until exec 3<>/dev/tcp/127.0.0.1/3128; do sleep 0.05; done 2>/dev/null';
const never = new AbortController().signal;

/** The program as its relay starts it, with `script` beside it, where there is no network. */
async function program(relay: TestRelay, script: string) {
  const folder = dirname(relay.socket);
  for (const each of [folder, dirname(folder), dirname(dirname(folder))]) await chmod(each, 0o755);
  const shim = join(dirname(dirname(folder)), '.shim');
  await copyFile(binary, shim);
  const as = `setpriv --reuid=${user.uid} --regid=${user.gid} --clear-groups`;
  const whole = `ip link set lo up; exec ${as} bash --norc -c '"$0" & ${script}' ${shim}`;
  return spawn('unshare', ['-n', 'bash', '-c', whole], {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { PATH: process.env['PATH'], CLAWRDEN_SOCKET: relay.socket },
  });
}

describe.skipIf(process.geteuid?.() !== 0)('the way out, between its program and the gateway', () => {
  test('carries connections from the agent to the gateway, and back, until either ends', async () => {
    const serve = (client: Duplex) => void client.once('data', (said) => client.write(`got ${said}`));
    const offered: string[] = [];
    await using relay = await startRelay({
      offerWayOut: (name, agent, lane) => {
        offered.push(`${name} ${agent}`);
        carryConnections(lane, serve, crumbPace(), never).catch(() => {});
        return undefined;
      },
    });
    using door = relay.doors.expect('coder');
    const stop = new AbortController();
    const child = await program(relay, `${until}; echo hello >&3; head -n 1 <&3; wait`);
    const said = text(child.stdout);
    child.stdout.once('data', () => stop.abort(new Error('enough')));
    const over = carryWayOut('coder', await door.socket, relay.link.wayOut(), stop.signal);
    expect(await over).toBe('enough');
    expect(await said).toBe('got hello\n');
    expect(offered).toEqual(['host-7 coder']);
  });

  test('A-233: a program that nobody has started there gets nothing', async () => {
    await using relay = await startRelay({ peer: user });
    const ask = connect(relay.socket);
    const request = Buffer.from(JSON.stringify({ v: 1, 'way-out': true, identity: user }));
    const length = Buffer.alloc(4);
    length.writeUInt32BE(request.length);
    ask.write(Buffer.concat([length, request]));
    expect(Buffer.from(await text(ask), 'latin1')).toEqual(Buffer.of(1));
  });
});
