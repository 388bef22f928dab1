import { expect, test } from 'vitest';
import { bwrapLine, type SandboxParts } from './bwrap-line.ts';

const parts: SandboxParts = {
  system: [
    ['bind', '/usr'],
    ['link', 'usr/bin', '/bin'],
  ],
  ...{ jail: '/s/agents/coder/bin', socketFolder: '/s/agents/coder/socket', allowed: ['/opt/tool'] },
  ...{ newSession: false, wayOut: false, command: ['agent', '--flag'] },
  workspace: {
    ...{ source: '/srv/coder', target: '/app', id: '1:2' },
    guards: {
      folders: [{ name: '.git', id: '1:3' }],
      there: [{ name: '.git/config', id: '1:4' }],
      absent: ['.envrc'],
    },
  },
};

/** Whether `of` has these words, one behind the other. */
function has(of: readonly string[], ...words: string[]): boolean {
  return of.some((_, index) => words.every((word, offset) => of[index + offset] === word));
}

test('an ordinary user has a user namespace, and root gives its rights up by becoming the agent’s user', () => {
  const own = bwrapLine(parts);
  expect(own).toContain('--unshare-user');
  expect(own).not.toContain('/usr/bin/setpriv');
  const root = bwrapLine({ ...parts, become: { uid: 1000, gid: 1001 } });
  expect(root).not.toContain('--unshare-user');
  expect(has(root, '--cap-drop', 'ALL')).toBe(true);
  expect(has(root, '--', '/usr/bin/setpriv', '--reuid=1000', '--regid=1001', '--clear-groups')).toBe(true);
  expect(root).toContain('--bounding-set=-all');
});

test('a guarded name is mounted behind its folder, and that behind the workspace', () => {
  const line = bwrapLine(parts);
  const mounts = [
    ['--bind', '/srv/coder', '/app'],
    ['--bind', '/srv/coder/.git', '/app/.git'],
    ['--ro-bind', '/srv/coder/.git/config', '/app/.git/config'],
  ];
  expect(has(line, ...mounts.flat())).toBe(true);
  expect(line.join(' ')).not.toContain('.envrc');
});

test('the command comes behind what must have been mounted', () => {
  const checks = ['1:2', '/app', '1:3', '/app/.git', '1:4', '/app/.git/config', '--', 'agent', '--flag'];
  expect(bwrapLine(parts).slice(-checks.length)).toEqual(checks);
});

test('it is a session of its own if that is wished', () => {
  expect(bwrapLine(parts)).not.toContain('--new-session');
  expect(bwrapLine({ ...parts, newSession: true })).toContain('--new-session');
});
