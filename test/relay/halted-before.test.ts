import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ExpectStatic, test } from 'vitest';
import { type ContainerEngine, type EngineContainer, startContainerEngine } from './container-engine.ts';
import { startRelayProgram, startToldHost, type Told, type ToldHost, told } from './told-host.ts';

const soon = { timeout: 30_000, interval: 50 };
/** `listed` is named in relay.yaml, with its container; the others are found by their label. */
const names = ['paused', 'killed', 'free', 'listed'] as const;
type Name = (typeof names)[number];

/** A folder for one relay's files. */
async function newDir(): Promise<AsyncDisposable & { readonly dir: string }> {
  const dir = await mkdtemp(join(tmpdir(), 'clawrden-halted-'));
  return { dir, [Symbol.asyncDispose]: () => rm(dir, { recursive: true }) };
}

let made = 0;
function container(name: Name): EngineContainer {
  made += 1;
  const id = String(made).padStart(64, '0');
  if (name === 'listed') return { id, name: 'named', labels: {}, image: {}, state: 'running' };
  return { id, name: `c-${made}`, labels: { 'clawrden.agent': name }, image: {}, state: 'running' };
}

const active = names.map((name) => told(name));
const halted: readonly Told[] = active.map((one) => ({
  ...one,
  paused: one.name === 'paused' || one.name === 'listed',
  killed: one.name === 'killed',
}));

/** Its containers, in the order of `names`, each made now. */
function startAll(engine: ContainerEngine): void {
  engine.containers.splice(0, Infinity, ...names.map(container));
}

const statesOf = (engine: ContainerEngine) => engine.containers.map(({ state }) => state);
const asHalted = ['paused', 'exited', 'running', 'paused'];

async function startHalted(dir: string, engine: ContainerEngine, expect: ExpectStatic): Promise<ToldHost> {
  const socket = join(dir, 'listed/warden.sock');
  await mkdir(join(dir, 'listed'));
  const listed = { name: 'listed', container: 'named', socket, users: ['1000:1000'] };
  const host = await startToldHost(dir, halted, {}, { docker: engine.url, agents: [listed] });
  await expect.poll(() => statesOf(engine), soon).toEqual(asHalted);
  return host;
}

test.concurrent('P19: a relay that starts while its gateway is away halts whom it was told to halt, and what starts of them, until the gateway tells otherwise', async ({
  expect,
}) => {
  await using place = await newDir();
  await using engine = await startContainerEngine(names.map(container));
  await using host = await startHalted(place.dir, engine, expect);
  await host.program.end('SIGKILL');
  await host.gateway.close(0);
  startAll(engine);
  await using program = await startRelayProgram(place.dir);
  await expect.poll(() => statesOf(engine), soon).toEqual(asHalted);
  startAll(engine);
  await expect.poll(() => statesOf(engine), soon).toEqual(asHalted);
  expect(await readFile(program.log, 'utf8')).toContain('halted as it was before this start');
  host.tell(...active);
  await host.gateway.restart();
  await expect.poll(() => statesOf(engine), soon).toEqual(['running', 'exited', 'running', 'running']);
});

test.concurrent('P19: what the gateway says counts: a relay that starts again halts who is still halted, and touches nobody who was resumed meanwhile', async ({
  expect,
}) => {
  await using place = await newDir();
  await using engine = await startContainerEngine(names.map(container));
  await using host = await startHalted(place.dir, engine, expect);
  await host.program.end('SIGKILL');
  startAll(engine);
  {
    await using program = await startRelayProgram(place.dir);
    await expect.poll(() => statesOf(engine), soon).toEqual(asHalted);
    await program.end('SIGKILL');
  }
  startAll(engine);
  const taken = engine.acts();
  host.tell(...active);
  await using program = await startRelayProgram(place.dir);
  await sleep(1500);
  expect([statesOf(engine), engine.acts()]).toEqual([names.map(() => 'running'), taken]);
  expect(await readFile(program.log, 'utf8')).not.toContain('halted as it was before this start');
});

test.concurrent('P19: a lockdown outlasts the relay, and an engine that is away only puts it off', async ({
  expect,
}) => {
  await using place = await newDir();
  await using engine = await startContainerEngine(names.map(container));
  const lockdown = { state: () => ({ lockdown: true, agents: active }) };
  await using host = await startToldHost(place.dir, [], lockdown, { docker: engine.url });
  const all = ['paused', 'paused', 'paused', 'running'];
  await expect.poll(() => statesOf(engine), soon).toEqual(all);
  await host.program.end('SIGKILL');
  await host.gateway.close(0);
  await engine.stop();
  startAll(engine);
  await using _ = await startRelayProgram(place.dir);
  await engine.start();
  await expect.poll(() => statesOf(engine), soon).toEqual(all);
});
