import { expect, test } from 'vitest';
import { parseRelayConfig } from './relay-config.ts';

test('every key arrives, with defaults and absolute paths', () => {
  const text = `
gateway: warden.example:8443
identity: .
agents:
  - { name: coder, socket: run/coder/warden.sock, container: coder, users: ["1000:1000"] }
`;
  expect(parseRelayConfig(text, '/srv/relay/relay.yaml')).toEqual({
    file: '/srv/relay/relay.yaml',
    gateway: 'warden.example:8443',
    identity: '/srv/relay',
    docker: 'unix:///var/run/docker.sock',
    state: '/srv/relay/state',
    workspaceRoots: { volumes: true, folders: ['/srv'] },
    agentMounts: [],
    limits: { requestsPerSecond: 500, bytesPerSecond: 4 * 1024 * 1024 },
    agents: [
      {
        name: 'coder',
        socket: '/srv/relay/run/coder/warden.sock',
        container: 'coder',
        users: [{ uid: 1000, gid: 1000 }],
      },
    ],
  });
});

const agent = (name: string, socket: string, container: string, user = '1000:1000') =>
  `  - { name: ${name}, socket: ${socket}, container: ${container}, users: ["${user}"] }\n`;

test.each([
  ['', 'gateway: is missing'],
  ['gateway: warden\n', 'gateway: must be HOST:PORT'],
  ['gateway: "warden:0"\n', 'gateway: must be HOST:PORT'],
  ['workspace-roots: [/]\n', 'workspace-roots[0]: must be "volumes"'],
  ['workspace-roots: [/etc]\n', "a folder that is not the system's"],
  ['workspace-roots: [/srv, /usr/local]\n', "a folder that is not the system's"],
  ['workspace-roots: [/srv/../etc]\n', 'workspace-roots[0]: must be "volumes"'],
  [
    'agent-mounts: [/etc]\n',
    "agent-mounts[0]: must be the normal absolute path of a folder that is not the system's",
  ],
  ['agent-mounts: [/]\n', 'agent-mounts[0]: must be'],
  ['agent-mounts: [volumes]\n', 'agent-mounts[0]: must be'],
  ['agent-mounts: [/srv/../run]\n', 'agent-mounts[0]: must be'],
  ['workspace-roots: [srv]\n', 'workspace-roots[0]: must be "volumes"'],
  ['docker: "tcp://x:2375"\n', "unix:///PATH of this host's own engine"],
  [`agents:\n${agent('a', '/r/a/s', 'a', '0:0')}`, 'uid 0 is never accepted'],
  [
    `agents:\n${agent('a', '/r/a/s', 'a')}${agent('a', '/r/b/s', 'b')}`,
    'another agent has this name already',
  ],
  [
    `agents:\n${agent('a', '/r/a/s', 'a')}${agent('b', '/r/b/s', 'a')}`,
    'another agent has this container already',
  ],
  [
    `agents:\n${agent('a', '/r/s1', 'a')}${agent('b', '/r/s2', 'b')}`,
    "another agent's socket is in this directory",
  ],
  [
    `agents:\n${agent('a', '/r/s1', 'a')}${agent('b', '/r/x/../s2', 'b')}`,
    "another agent's socket is in this",
  ],
])('%s is refused', (text, problem) => {
  const base = text.includes('gateway') || problem.startsWith('gateway') ? '' : 'gateway: "w:1"\n';
  expect(() => parseRelayConfig(`${base}identity: .\n${text}`, 'r.yaml')).toThrow(problem);
});
