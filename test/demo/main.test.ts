import { join } from 'node:path';
import { expect, test } from 'vitest';
import { attempt } from '../lab/command.ts';

const ordinary =
  process.getuid?.() === 0 ? ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups'] : [];
const demo = [process.execPath, join(import.meta.dirname, 'main.ts')];

test.each([
  [
    'without an engine',
    ['DOCKER_HOST=unix:///nonexistent'],
    /^clawrden: demo: (?:no Docker engine answers at \/nonexistent|there is no docker command); [^\n]+\n$/,
  ],
  [
    'without docker',
    ['DOCKER_HOST=unix:///nonexistent', 'PATH=/nonexistent'],
    /^clawrden: demo: there is no docker command; [^\n]+\n$/,
  ],
  [
    'with an engine elsewhere',
    ['DOCKER_HOST=tcp://x:1'],
    /^clawrden: demo: DOCKER_HOST is tcp:\/\/x:1; [^\n]+\n$/,
  ],
])('the demo as an ordinary user %s says in one line what to do', async (_how, env, line) => {
  expect(await attempt([...ordinary, '/usr/bin/env', ...env, ...demo])).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(line),
  });
});
