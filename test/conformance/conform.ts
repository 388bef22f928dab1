import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from '../lab/command.ts';
import type { Bench, Side } from './bench.ts';
import type { Case } from './case.ts';
import { type Difference, differences, type Seen } from './compare.ts';
import type { Driver } from './driver.ts';
import { unlessByDesign } from './replica-exceptions.ts';
import type { Scene } from './scene.ts';
import { shortfalls } from './shortfalls.ts';
import { readTree } from './tree.ts';

// Beside the cases' folders, so that no command sees it.
const inputFolder = '.inputs';

export interface Verdict {
  readonly differences: readonly Difference[];
  readonly native: Seen;
  readonly clawrden: Seen;
}

/** Runs one case on both sides and compares them. */
export async function conform(bench: Bench, one: Case): Promise<Verdict> {
  await prepare(bench, one);
  const [native, clawrden] = await Promise.all([playNatively(bench, one), playThrough(bench, one)]);
  const short = shortfalls(one, native.record).map((why) => ({
    what: 'the case itself',
    native: why,
    clawrden: '',
  }));
  const found = differences(one, native, clawrden);
  const unexpected = bench.mode === 'replica' ? unlessByDesign(one, found) : found;
  return { differences: [...short, ...unexpected], native, clawrden };
}

/** The same folder on both sides, created where tools run natively. */
async function prepare({ native, clawrden }: Bench, one: Case): Promise<void> {
  const [from, to] = [join(native.workspace, one.name), join(clawrden.workspace, one.name)];
  await Promise.all([from, to].map((path) => rm(path, { recursive: true, force: true })));
  await mkdir(from);
  await run(['chown', '1000:1000', from]);
  if (one.setup !== undefined)
    await native.drivers.use((driver) => setUp(driver, native, one, one.setup ?? ''));
  await run(['cp', '-a', from, to]);
  if (one.input === undefined) return;
  await mkdir(join(clawrden.workspace, inputFolder), { recursive: true });
  await writeFile(join(clawrden.workspace, inputFolder, one.name), one.input);
}

async function setUp(driver: Driver, side: Side, one: Case, script: string): Promise<void> {
  const setup: Case = { name: one.name, argv: ['/bin/sh', '-ec', script], ...(one.env && { env: one.env }) };
  const { ending, stderr } = await driver.play(sceneOf(setup, side));
  if (ending !== 'exit 0') throw new Error(`${one.name}: its setup: ${ending}: ${stderr.toString()}`);
}

async function playNatively(bench: Bench, one: Case): Promise<Seen> {
  if (one.fresh !== true) return bench.native.drivers.use((driver) => see(driver, bench.native, one));
  await using driver = await bench.freshNative();
  return await see(driver, bench.native, one);
}

async function playThrough({ clawrden }: Bench, one: Case): Promise<Seen> {
  return clawrden.drivers.use((driver) => see(driver, clawrden, one, `/app/${inputFolder}/${one.name}`));
}

async function see(driver: Driver, side: Side, one: Case, input?: string): Promise<Seen> {
  const record = await driver.play(sceneOf(one, side, input));
  const tree = await readTree(join(side.workspace, one.name), one.ignoredFiles);
  return { record, tree };
}

function sceneOf(one: Case, side: Side, input?: string): Scene {
  const cwd = join(folderOf(one), one.cwd ?? '');
  const added: Case['env'] = { LANG: 'C.UTF-8', TERM: 'xterm', PWD: cwd, ...one.env };
  const entries = Object.entries(added).filter(([, value]) => value !== null);
  const env = [...side.env, ...entries.map(([name, value]) => `${name}=${value}`)];
  return { case: one, cwd, env, ...(input !== undefined && { input }) };
}

function folderOf({ name }: Case): string {
  return `/app/${name}`;
}
