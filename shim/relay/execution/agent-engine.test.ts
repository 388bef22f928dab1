import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openAgentEngine } from './agent-engine.ts';

const id = `cafe0123456789${'a'.repeat(50)}`;

/** An engine with one container, which it finds as Docker does: by its name, or by the beginning of its id. */
async function startEngine(name: string, ends = true, refuses = '') {
  const dir = mkdtempSync(join(tmpdir(), 'clawrden-engine-'));
  const done: string[] = [];
  const listed = () => {
    // As Docker says it, also of one that it let run for a kill.
    const State = done.lastIndexOf('pause') > done.lastIndexOf('unpause') ? 'paused' : 'running';
    return done.includes('kill') && ends
      ? []
      : [{ Id: id, Names: [`/${name}`], ImageID: 'i', Labels: {}, State }];
  };
  const server = createServer(({ method, url = '' }, response) => {
    if (url.startsWith('/containers/json')) {
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(listed()));
      return;
    }
    const [, wanted = '', act = ''] = /^\/containers\/([^/]+)\/(\w+)/.exec(url) ?? [];
    const isFound = wanted === name || (wanted !== '' && id.startsWith(wanted));
    if (isFound && method === 'POST') done.push(act);
    if (act === 'kill' && !ends) return;
    if (act === refuses) return void response.writeHead(409).end('{}');
    response.writeHead(isFound ? (method === 'POST' ? 204 : 200) : 404, {
      'content-type': 'application/json',
    });
    const body = { Id: id, Name: `/${name}`, State: { Running: true, Paused: false } };
    response.end(
      method === 'POST' && isFound ? undefined : JSON.stringify(isFound ? body : { message: 'no' }),
    );
  });
  await new Promise<void>((resolve) => server.listen(join(dir, 'docker.sock'), resolve));
  return {
    done,
    engine: openAgentEngine(`unix://${dir}/docker.sock`),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      rmSync(dir, { recursive: true });
    },
  };
}

test.each(['c', 'cafe', 'cafe01'])(
  'P19: an agent named %s, as an id of another container begins: nothing is done to that one',
  async (name) => {
    await using host = await startEngine('database');
    await host.engine.set({ agent: 'a', container: { name } }, 'killed');
    await host.engine.set({ agent: 'a', container: { name } }, 'paused');
    expect(await host.engine.look({ name })).toEqual({
      running: false,
      problem: `there is no container ${name} on this agent host`,
    });
    const user = { uid: 1000, gid: 1000 };
    await expect(host.engine.startInit({ name }, user, AbortSignal.timeout(5_000))).rejects.toThrow(
      `there is no container ${name}`,
    );
    expect(host.done).toEqual([]);
  },
);

test.each([
  ['cafe', 'cafe'],
  ['coder', 'coder'],
  ['database', id.slice(0, 12)],
  ['database', id],
])('container %s is found as %s', async (name, wanted) => {
  await using host = await startEngine(name);
  await host.engine.set({ agent: 'a', container: { name: wanted } }, 'killed');
  expect(await host.engine.look({ name: wanted })).toEqual({ running: true, problem: '' });
  expect(host.done).toEqual(['kill']);
});

test('A-617 P19: a container that does not end is paused, is told as not killed, and is not let run by the next kill', async () => {
  await using host = await startEngine('coder', false);
  const kill = async () => await host.engine.set({ agent: 'a', container: { name: 'coder' } }, 'killed');
  const told = 'container coder does not end and is paused: nothing in it runs; remove it';
  await expect(kill()).rejects.toThrow(told);
  expect(host.done).toEqual(['kill', 'pause']);
  for (let more = 0; more < 3; more += 1) await expect(kill()).rejects.toThrow(told);
  expect(host.done).toEqual(['kill', 'pause']);
  await host.engine.set({ agent: 'a', container: { name: 'coder' } }, 'running');
  expect(host.done.at(-1)).toBe('unpause');
});

test('A-634 P19: a container that was paused and does not end when it is killed is paused again', async () => {
  await using host = await startEngine('coder', false);
  const set = async (state: 'paused' | 'killed') =>
    await host.engine.set({ agent: 'a', container: { name: 'coder' } }, state);
  await set('paused');
  await expect(set('killed')).rejects.toThrow('does not end and is paused');
  expect(host.done).toEqual(['pause', 'unpause', 'kill', 'pause']);
});

test('A-634 P19: a container that only its engine takes for paused is killed', async () => {
  await using host = await startEngine('coder', true, 'unpause');
  const set = async (state: 'paused' | 'killed') =>
    await host.engine.set({ agent: 'a', container: { name: 'coder' } }, state);
  await set('paused');
  await set('killed');
  expect(host.done).toEqual(['pause', 'unpause', 'kill']);
});

test('A-617 A-634 P19: one that did not end, and ran meanwhile, is killed anew although it is paused', async () => {
  await using host = await startEngine('coder', false);
  const set = async (state: 'killed' | 'paused' | 'running') =>
    await host.engine.set({ agent: 'a', container: { name: 'coder' } }, state);
  const told = 'does not end and is paused';
  await expect(set('killed')).rejects.toThrow(told);
  await set('running');
  await set('paused');
  await expect(set('killed')).rejects.toThrow(told);
  expect(host.done).toEqual(['kill', 'pause', 'unpause', 'pause', 'unpause', 'kill', 'pause']);
});
