import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { identityRefusal } from './identity-refusal.ts';

const user = { uid: 1000, gid: 1000 };

test('the agent’s own user is served, also if its process has gone or cannot be seen', () => {
  expect(identityRefusal({ ...user, pid: process.pid }, user, [user])).toBeUndefined();
  expect(identityRefusal({ ...user, pid: 0 }, user, [user])).toBeUndefined();
  expect(identityRefusal({ ...user, pid: 2 ** 22 + 1 }, user, [user])).toBeUndefined();
});

test('A-11 a process in a user namespace of its own is refused, whatever it claims to be', async () => {
  const child = spawn('unshare', ['-U', 'sh', '-c', 'echo ready; sleep 60']);
  try {
    await once(child.stdout, 'data');
    const peer = { ...user, pid: child.pid ?? 0 };
    expect(identityRefusal(peer, user, [user])).toMatchObject({ code: 'identity-userns' });
    expect(identityRefusal(peer, { uid: 0, gid: 0 }, [user])).toMatchObject({ code: 'identity-userns' });
  } finally {
    child.kill('SIGKILL');
  }
});
