import { expect, test } from 'vitest';
import { parseSshUrl } from './ssh-destination.ts';

const socket = '/var/run/docker.sock';

test.each([
  ['ssh://build-1', { host: 'build-1', socket }],
  ['ssh://root@build-1.example', { user: 'root', host: 'build-1.example', socket }],
  ['ssh://deploy@[fd00::1]:2222/', { user: 'deploy', host: 'fd00::1', port: 2222, socket }],
  ['ssh://10.0.0.1/run/user/1/docker.sock', { host: '10.0.0.1', socket: '/run/user/1/docker.sock' }],
])('%s', (url, destination) => {
  expect(parseSshUrl(url)).toEqual(destination);
});

test.each([
  'ssh://',
  'ssh://-oProxyCommand=x',
  'ssh://-l@build-1',
  'ssh://root@-build',
  'ssh://root:secret@build-1',
  'ssh://build-1:0',
  'ssh://build-1:65536',
  'ssh://build 1',
  'ssh://build-1/a:b',
  'ssh://build-1/a//b',
  'ssh://build-1?x',
  `ssh://${'a'.repeat(300)}`,
  'tcp://build-1',
])('%s is refused', (url) => {
  expect(parseSshUrl(url)).toBeUndefined();
});
