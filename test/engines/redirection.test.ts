import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import type Docker from 'dockerode';
import { pack } from 'tar-stream';
import { expect, test } from 'vitest';
import { attach } from '../../gateway/docker/container/attach.ts';
import { connect } from '../../gateway/docker/engine/connect.ts';
import { toEngineError } from '../../gateway/docker/engine/engine-errors.ts';
import { getJson } from '../../gateway/docker/engine/get-json.ts';
import { localEngine } from '../../shim/relay/execution/local-engine.ts';
import { tellEngine } from '../../src/cli/set-up/agent/run/tell-engine.ts';
import { askEngine, callEngine, openAnswer } from '../../src/cli/set-up/doctor/engine-request.ts';
import { startRedirectingEngine } from './redirecting-engine.ts';

const never = new AbortController().signal;
const statuses = [301, 302, 303, 307, 308];
/** Behind the address of a server that waits for somebody to follow. */
const paths = ['/containers/create', '/?token=x', '/%00'];

async function archive(): Promise<Readable> {
  const packed = pack();
  packed.entry({ name: 'Dockerfile' }, 'FROM scratch');
  packed.finalize();
  return Readable.from([await buffer(packed)]);
}

/** Each way of the library to ask an engine. */
const calls: Record<string, (docker: Docker) => Promise<unknown>> = {
  ping: (docker) => docker.ping(),
  info: (docker) => docker.info(),
  list: (docker) => docker.listContainers({ all: true }),
  json: (docker) => getJson(docker, '/images/x/json', 5000),
  create: (docker) => docker.createContainer({ Image: 'x' }),
  volume: (docker) => docker.createVolume({ Name: 'x' }),
  start: (docker) => docker.getContainer('x').start({}),
  wait: (docker) => docker.getContainer('x').wait(),
  remove: (docker) => docker.getContainer('x').remove({ force: true }),
  'what is there': (docker) => docker.getContainer('x').infoArchive({ path: '/' }),
  'an archive from it': (docker) => docker.getContainer('x').getArchive({ path: '/' }),
  'an archive to it': async (docker) => docker.getContainer('x').putArchive(await archive(), { path: '/' }),
  'an archive in one piece': (docker) => docker.getContainer('x').putArchive(Buffer.alloc(9), { path: '/' }),
  events: (docker) => docker.getEvents(),
  logs: (docker) => docker.getContainer('x').logs({ follow: true, stdout: true }),
  pull: (docker) => docker.pull('x:y'),
  build: async (docker) => docker.buildImage(await archive(), { t: 'x' }),
  import: async (docker) => docker.importImage(await archive(), { repo: 'x', tag: 'y' }),
  'an attached stream': (docker) => attach(docker.getContainer('x'), never),
  'an exec': (docker) => docker.getContainer('x').exec({ Cmd: ['x'] }),
  'an exec with input': (docker) => docker.getExec('x').start({ hijack: true, stdin: true }),
  'an exec without input': (docker) => docker.getExec('x').start({ hijack: true }),
};

test.each(statuses)(
  'A-525: the gateway and the relay follow no redirection of an engine: %i',
  async (status) => {
    await using other = await startRedirectingEngine();
    other.says.status = status;
    const engines = other.hosts.map((host) => connect({ name: 'h', ...host }));
    const local = localEngine(other.hosts[0]?.engine ?? '');
    const failures = new Map<string, unknown>();
    let asked = 0;
    for (const docker of [...engines.map((engine) => engine.docker), local]) {
      for (const [name, call] of Object.entries(calls)) {
        other.says.path = paths[(asked += 1) % paths.length] ?? '';
        failures.set(
          name,
          await call(docker).then(JSON.stringify, (error: unknown) => toEngineError(error, 'h').code),
        );
      }
      expect(Object.fromEntries(failures)).toEqual(
        Object.fromEntries(Object.keys(calls).map((name) => [name, 'host-lost'])),
      );
    }
    expect(other.asked()).toBe(asked);
    await setTimeout(50);
    expect(other.followed()).toEqual([]);
    for (const engine of engines) engine.close();
  },
);

test.each(statuses)('A-525: nor does the CLI: %i', async (status) => {
  await using other = await startRedirectingEngine();
  other.says.status = status;
  let asked = 0;
  for (const host of other.hosts) {
    expect(await askEngine(host, '/info')).toMatchObject({ status });
    expect(await callEngine(host, { path: '/containers/x', method: 'DELETE' })).toMatchObject({ status });
    expect(await callEngine(host, { path: '/build', method: 'POST', body: Buffer.alloc(9) })).toMatchObject({
      status,
    });
    asked += 3;
  }
  const [{ engine } = { engine: '' }] = other.hosts;
  const answer = await openAnswer({ engine }, '/containers/x/archive');
  answer.destroy();
  const told = tellEngine(engine, 'run');
  await told.post('/containers/create', {});
  await (await told.wait('/containers/x/wait')).answer;
  await told.attach('/containers/x/attach').catch(() => undefined);
  expect(other.asked()).toBe(asked + 4);
  await setTimeout(50);
  expect(other.followed()).toEqual([]);
});
