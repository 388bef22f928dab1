import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, test } from 'vitest';
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

describe.skipIf(process.geteuid?.() !== 0)('a relay that is an ordinary user', () => {
  const asUser = ['--reuid=1000', '--regid=1000', '--clear-groups', '--inh-caps=-all'];

  /** What a relay of `relayUid` says of the agent's user in a program that `under` starts. */
  async function refusalOf(relayUid: number, ...under: string[]) {
    const child = spawn('setpriv', [...asUser, ...under, 'sh', '-c', 'echo ready; sleep 60']);
    try {
      await once(child.stdout, 'data');
      process.seteuid?.(relayUid);
      return identityRefusal({ ...user, pid: child.pid ?? 0 }, user, [user])?.code;
    } finally {
      process.seteuid?.(0);
      child.kill('SIGKILL');
    }
  }

  test('A-11 the agent’s user in no user namespace is served by a relay of any user', async () => {
    expect(await refusalOf(1000)).toBeUndefined();
    expect(await refusalOf(4242)).toBeUndefined();
    expect(await refusalOf(0)).toBeUndefined();
  });

  test('A-11 a sandbox of an ordinary user is served by a relay of that same user alone', async () => {
    const own = ['unshare', '--map-current-user'];
    expect(await refusalOf(1000, ...own)).toBeUndefined();
    expect(await refusalOf(4242, ...own)).toBe('identity-userns');
    expect(await refusalOf(0, ...own)).toBe('identity-userns');
  });

  test.each([
    ['its user is mapped to root', '--map-root-user'],
    ['its group is mapped to another', '--map-user=1000', '--map-group=7'],
    ['its user is mapped to another', '--map-user=7', '--map-group=1000'],
    ['nothing is mapped', '--user'],
  ])('A-11 a namespace where %s is refused', async (_what, ...options) => {
    expect(await refusalOf(1000, 'unshare', ...options)).toBe('identity-userns');
  });

  test('A-11 what the relay cannot read of its own user’s process is refused', () => {
    process.seteuid?.(1000);
    try {
      const gone = { ...user, pid: 2 ** 22 + 1 };
      expect(identityRefusal(gone, user, [user])).toMatchObject({ code: 'identity-userns' });
    } finally {
      process.seteuid?.(0);
    }
  });
});
