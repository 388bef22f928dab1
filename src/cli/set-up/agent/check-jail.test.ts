import { expect, test } from 'vitest';
import { findProblems } from './check-jail.ts';
import { findUser } from './find-user.ts';
import { inspected } from './inspected.ts';
import type { JailEntry, JailFacts, JailWanted } from './jail-facts.ts';

const folder = '/var/lib/clawrden/state/agents/coder';
const shim = Buffer.from('the shim');

const wanted: JailWanted = {
  agent: 'coder',
  users: [{ uid: 1000, gid: 1000 }],
  jail: `${folder}/bin`,
  socketFolder: `${folder}/socket`,
  engines: ['/var/run/docker.sock'],
  shim,
  realPath: (path) => path.replace(/^\/var\/run\//, '/run/'),
};

const link = (name: string, target = '.shim'): JailEntry => ({
  ...{ name, target, type: 'link', mode: 0o777, bytes: Buffer.alloc(0) },
});
const program = (name: string, bytes = shim): JailEntry => ({
  ...{ name, bytes, type: 'file', mode: 0o755, target: '' },
});

const hostConfig = {
  ...{ NetworkMode: 'none', Privileged: false, CapAdd: null, CapDrop: ['ALL'] },
  ...{ SecurityOpt: ['no-new-privileges'], GroupAdd: null, PidMode: '', IpcMode: 'private', UTSMode: '' },
  ...{ Devices: [], DeviceRequests: null, DeviceCgroupRules: null, CgroupnsMode: 'private' },
};
const bind = (Source: string, Destination: string, RW = false) => ({ Type: 'bind', Source, Destination, RW });
const mounts = [
  bind(wanted.jail, '/clawrden/bin'),
  bind(wanted.socketFolder, '/var/run/clawrden'),
  bind('/srv/coder', '/app', true),
];
const path = 'PATH=/clawrden/bin:/usr/local/bin:/usr/bin:/bin';

interface Changes {
  readonly config?: object;
  readonly host?: object;
  readonly mounts?: readonly object[];
  readonly networks?: object;
  readonly facts?: Partial<JailFacts>;
}

function problems({ config, host, mounts: other, networks, facts }: Changes = {}): string[] {
  const container = inspected.parse({
    Name: '/coder',
    State: { Running: true },
    Config: { User: '1000:1000', Env: [path], ...config },
    HostConfig: { ...hostConfig, ...host },
    Mounts: other ?? mounts,
    NetworkSettings: { Networks: networks ?? { none: {} } },
  });
  const seen: JailFacts = {
    container,
    jail: [program('.shim'), program('.init', Buffer.from('init')), link('npm'), link('git')],
    ...{ hasSocket: true, startupFiles: [], hasLocalBin: false, unlocked: [], foreignVolumes: [] },
    user: findUser(container.Config.User, 'root:x:0:0::/root:/bin/sh\ntoor:x:0:0::/:/bin/sh\n')?.id,
    isUserKnown: true,
    ...facts,
  };
  const found = findProblems(seen, wanted);
  expect(found.filter(({ fix, level }) => fix === '' || level === 'ok')).toEqual([]);
  return found.map(({ level, text }) => `${level}: ${text}`);
}

test('a container as agent run makes it has no finding', () => {
  expect(problems()).toEqual([]);
});

test.each<[string, Changes]>([
  ['error: it runs as root', { config: { User: '' } }],
  ['error: it runs as root', { config: { User: '0:1000' } }],
  ['error: it runs as root', { config: { User: 'root' } }],
  ['error: it runs as root, under the name toor', { config: { User: 'toor' } }],
  ['error: it runs as 1001:1000, which is no user of agent coder', { config: { User: '1001:1000' } }],
  ['error: it runs as 1000:0, which is no user of agent coder', { config: { User: '1000' } }],
  ['warning: its user is node, and its image does not say which that is', { config: { User: 'node' } }],
  ['error: it has a network (host)', { host: { NetworkMode: 'host' }, networks: { host: {} } }],
  ['error: it has a network (bridge)', { host: { NetworkMode: 'none' }, networks: { bridge: {} } }],
  ['error: it has a network (container:x)', { host: { NetworkMode: 'container:x' }, networks: {} }],
  ['error: it is privileged', { host: { Privileged: true } }],
  ['error: it has added capabilities (SYS_ADMIN, NET_RAW)', { host: { CapAdd: ['SYS_ADMIN', 'NET_RAW'] } }],
  ['warning: a program of its user root would have capabilities', { host: { CapDrop: ['NET_RAW'] } }],
  ['error: a setuid program in it runs as another user', { host: { SecurityOpt: null } }],
  ['warning: it has other groups (docker)', { host: { GroupAdd: ['docker'] } }],
  [
    'error: it has the security option seccomp=unconfined',
    { host: { SecurityOpt: ['no-new-privileges:true', 'seccomp=unconfined'] } },
  ],
  ['error: it shares processes (host)', { host: { PidMode: 'host' } }],
  ['error: it shares processes (container:x)', { host: { PidMode: 'container:x' } }],
  ['warning: it sees the cgroups of this machine', { host: { CgroupnsMode: 'host' } }],
  ['error: it shares shared memory (host)', { host: { IpcMode: 'host' } }],
  ['error: it has devices of this machine', { host: { Devices: [{ PathOnHost: '/dev/sda' }] } }],
  ['error: it has devices of this machine', { host: { DeviceRequests: [{ Count: -1 }] } }],
])('%s', (text, changes) => {
  expect(problems(changes)).toEqual([text]);
});

const [jail, socket, app] = mounts as [object, object, object];

test.each<[string, readonly object[]]>([
  ['error: nothing is mounted at /clawrden/bin', [socket, app]],
  ['error: nothing is mounted at /var/run/clawrden', [jail, app]],
  ['error: /clawrden/bin can be written', [{ ...jail, RW: true }, socket]],
  ['error: /var/run/clawrden can be written', [jail, { ...socket, RW: true }]],
  [
    'error: /var/run/clawrden/warden.sock is mounted by itself: a file that the relay makes anew is not seen there',
    [jail, bind(`${wanted.socketFolder}/warden.sock`, '/var/run/clawrden/warden.sock')],
  ],
  [`error: /clawrden/bin is /tmp/bin, not ${wanted.jail}`, [bind('/tmp/bin', '/clawrden/bin'), socket]],
  [
    'error: it has a Docker socket: /x is or holds /var/run/docker.sock',
    [...mounts, bind('/var/run/docker.sock', '/x')],
  ],
  [
    'error: it has a Docker socket: /host-run is or holds /var/run/docker.sock',
    [...mounts, bind('/run', '/host-run')],
  ],
  ['error: it has a Docker socket: /h is or holds /var/run/docker.sock', [...mounts, bind('/', '/h')]],
  [
    'error: it has a Docker socket: /x is or holds /opt/docker.sock',
    [...mounts, bind('/opt/docker.sock', '/x')],
  ],
  ['error: something is mounted at /clawrden, which is ours', [...mounts, bind('/srv/x', '/clawrden')]],
  [
    'error: something is mounted at /clawrden/bin/npm, which is ours',
    [...mounts, bind('/srv/x', '/clawrden/bin/npm')],
  ],
  ['error: something is mounted at /var/run, which is ours', [...mounts, bind('/srv/x', '/var/run')]],
])('of mounts: %s', (text, other) => {
  expect(problems({ mounts: other })).toEqual([text]);
});

test('the socket may be mounted where images have the real /var/run', () => {
  expect(problems({ mounts: [jail, { ...socket, Destination: '/run/clawrden' }] })).toEqual([]);
});

test.each<[string, Partial<JailFacts>]>([
  ['error: there is no folder /clawrden/bin in it', { jail: undefined }],
  ['warning: its image has no user 1000 in /etc/passwd', { isUserKnown: false }],
  ['error: there is no socket /var/run/clawrden/warden.sock in it', { hasSocket: false }],
  ['error: /clawrden/bin/.shim is missing or no program', { jail: [link('npm')] }],
  [
    'error: no link to the shim in /clawrden/bin: npm, git',
    { jail: [program('.shim'), program('npm'), link('git', '/usr/bin/git'), link('ls')] },
  ],
  [
    'warning: its shim is not the one of this installation',
    { jail: [program('.shim', Buffer.from('another')), link('npm')] },
  ],
  ['warning: /clawrden/bin has no tool', { jail: [program('.shim'), program('.init')] }],
  ['error: not locked: /usr/bin/npm can be run past the jail', { unlocked: ['/usr/bin/npm'] }],
  [
    'warning: volume v has options of its own: it may be any folder or device of this machine',
    { foreignVolumes: ['v'] },
  ],
])('of what is in it: %s', (text, facts) => {
  expect(problems({ facts })).toEqual([text]);
});

test('names what stands before the jail on PATH', () => {
  const on = (...entries: string[]) => problems({ config: { Env: entries } });
  expect(on('PATH=/usr/bin:/bin')).toEqual(['error: /clawrden/bin is not on PATH']);
  const folders = [
    ...['/root/.nvm/versions/node/v24/bin', '/home/a/.local/share/mise/shims', '/home/a/.pyenv/shims'],
    ...['/home/a/.local/bin', '/srv/.venv/bin', '/opt/other/bin', '/opt/tools'],
  ];
  expect(on(`PATH=${folders.join(':')}:/clawrden/bin:/usr/bin`, 'VIRTUAL_ENV=/opt/other')).toEqual([
    'error: PATH has /root/.nvm/versions/node/v24/bin (nvm), /home/a/.local/share/mise/shims (mise), ' +
      '/home/a/.pyenv/shims (pyenv), /home/a/.local/bin (~/.local/bin), /srv/.venv/bin (a virtual environment), ' +
      '/opt/other/bin (a virtual environment), /opt/tools before /clawrden/bin: tools there are not judged',
  ]);
});

test('names what a file that shells read puts before the jail, and takes a mended one', () => {
  const bashrc = (text: string, hasLocalBin = false) =>
    problems({ facts: { startupFiles: [{ path: '/home/a/.bashrc', text }], hasLocalBin } });
  const nvm = '[ -s "$NVM_DIR/nvm.sh" ] && . "$NVM_DIR/nvm.sh"\n';
  const found = (name: string) => [
    `warning: /home/a/.bashrc puts ${name} before /clawrden/bin: tools there are not judged`,
  ];
  expect(bashrc(nvm)).toEqual(found('nvm'));
  expect(bashrc('eval "$(mise activate bash)"\neval "$(pyenv init -)"')).toEqual(found('mise, pyenv'));
  expect(bashrc('. /srv/v/bin/activate')).toEqual(found('a virtual environment'));
  expect(bashrc(`# ${nvm}`)).toEqual([]);
  expect(bashrc(`${nvm}export PATH=/clawrden/bin:$PATH\n`)).toEqual([]);
  expect(bashrc(`export PATH=/clawrden/bin:$PATH\n${nvm}`)).toEqual(found('nvm'));
  // As Debian's ~/.profile has it, whether the folder is there or not.
  const profile = 'if [ -d "$HOME/.local/bin" ] ; then PATH="$HOME/.local/bin:$PATH"; fi';
  expect(bashrc(profile)).toEqual([]);
  expect(bashrc(profile, true)).toEqual(found('~/.local/bin'));
});

test('finds the ids of a user as an engine does', () => {
  const passwd = 'root:x:0:0:root:/root:/bin/sh\nnode:x:1000:1001::/home/node:/bin/sh\n';
  expect(findUser('node', passwd)).toEqual({
    id: { uid: 1000, gid: 1001 },
    home: '/home/node',
    isKnown: true,
  });
  expect(findUser('node:5', passwd)?.id).toEqual({ uid: 1000, gid: 5 });
  expect(findUser('1000', passwd)?.id).toEqual({ uid: 1000, gid: 1001 });
  expect(findUser('1234', passwd)).toEqual({ id: { uid: 1234, gid: 0 }, home: '/', isKnown: false });
  expect(findUser('nobody', passwd)).toBeUndefined();
  expect(findUser('node:staff', passwd)).toBeUndefined();
  expect(findUser('node', undefined)).toBeUndefined();
});
