import { chownSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CarrierProcess, carrierBuilds } from '../../shim/native/test/carrier-process.ts';
import { stateFiles } from '../../src/pki/state-files.ts';
import { areaOf, difference, volumeOn } from '../e2e/followed-home.ts';
import type { Lab } from '../lab/lab.ts';
import type { LabHost } from '../lab/lab-host.ts';
import type { Stack } from '../stack/start-stack.ts';
import { wrongEnds } from './commands.ts';
import { duration, type Ended, type LoadKind } from './load.ts';

/** The agent whose workspace no Docker host sees: replicas follow it. */
export const roamer = 'roamer';

/** What the agent writes before each command, a file of its own for each. */
const asked = 'asked';
/** What commands write: each a file of its own, and one of a few that it replaces. */
const [own, replaced] = ['own', 'replaced'];
const askedFiles = 200;
const replacedFiles = 40;
/** Every so many commands one writes a file of several blocks. */
const largeEvery = 8;
const lines = { small: 20, large: 400_000 };

export const roamFile = 'roam.sh';
/** Written under another name and renamed: whatever is at home under its right name has to be whole. */
export const roamScript = `[ "$(cat ${asked}/$1)" = "$1" ] || { echo "${asked}/$1 is not here" >&2; exit 9; }
mkdir -p ${own} ${replaced}; sleep "$2"
echo "$1" > ${own}/.$1; mv ${own}/.$1 ${own}/$1
yes "$1" | head -n "$3" > ${replaced}/.$1; mv ${replaced}/.$1 ${replaced}/$4
echo "$1"
`;

/** A command a second at most, on any host. */
export function roamingLoad(home: string): LoadKind {
  mkdirSync(join(home, asked));
  chownSync(join(home, asked), 1000, 1000);
  return {
    everyMs: 1000,
    openAtMost: 10,
    next: (turn, random) => {
      const token = `r${turn}`;
      writeFileSync(join(home, asked, token), token);
      rmSync(join(home, asked, `r${turn - askedFiles}`), { force: true });
      return { token, argv: argvOf(token, turn, duration(random())) };
    },
  };
}

function argvOf(token: string, turn: number, seconds: string): string[] {
  return ['sh', roamFile, token, seconds, String(linesOf(token)), String(turn % replacedFiles)];
}

function linesOf(token: string): number {
  return Number(token.slice(1)) % largeEvery === 0 ? lines.large : lines.small;
}

/** Wrong ends; files at home that are not what commands wrote; those of commands that ended well and are not there. */
export function wrongRoams(ended: readonly Ended[], home: string): string[] {
  const began = ended.filter(({ stdout }) => stdout !== '').map(({ token }) => token);
  const done = ended.filter(({ code }) => code === 0).map(({ token }) => token);
  const there = new Set(filesOf(home, own));
  const torn = [
    ...[...there].filter((token) => readFileSync(join(home, own, token), 'utf8') !== `${token}\n`),
    ...filesOf(home, replaced).filter((name) => !isWhole(readFileSync(join(home, replaced, name), 'utf8'))),
  ];
  return [
    ...wrongEnds(ended, began),
    ...torn.map((name) => `${name}: the file at home is torn`),
    ...done
      .filter((token) => !there.has(token))
      .map((token) => `${token}: it said 0, and its file is not at home`),
  ];
}

/** Those whose tool was stopped have their first names still. */
function filesOf(home: string, folder: string): string[] {
  const path = join(home, folder);
  return existsSync(path) ? readdirSync(path).filter((name) => !name.startsWith('.')) : [];
}

/** Whether it is all of what one command wrote, and nothing of another. */
function isWhole(text: string): boolean {
  const token = text.slice(0, text.indexOf('\n'));
  return /^r\d+$/.test(token) && text === `${token}\n`.repeat(linesOf(token));
}

/** Folders in which a carrier makes its stage when an exchange begins: of home, and of the host's replica if there is one. */
export async function stagesOn(host: LabHost, stack: Stack): Promise<string[]> {
  const volume = await volumeOn(host, roamer, await idOf(stack)).catch(() => '');
  return [areaOf(stack.workspaceOf(roamer)), volume].filter((folder) => existsSync(folder));
}

async function idOf(stack: Stack): Promise<string> {
  return (await readFile(join(stack.dir, 'warden', stateFiles.gatewayId), 'utf8')).trim();
}

/** Hosts on which the replica is not what home is after one more command there. */
export async function unequalReplicas(lab: Lab, stack: Stack): Promise<string[]> {
  const gatewayId = await idOf(stack);
  const home = stack.workspaceOf(roamer);
  const unequal: string[] = [];
  for (const [index, host] of lab.hosts.entries()) {
    const others = stack.hosts.filter((name) => name !== host.name);
    for (const name of others) await stack.cli(['drain', name]);
    const token = `r${1_000_001 + index}`;
    writeFileSync(join(home, asked, token), token);
    const { code, stderr } = await stack.cli(['exec', '--agent', roamer, '--', ...argvOf(token, 1, '0')]);
    const volume = await volumeOn(host, roamer, gatewayId);
    const rest = difference(home, volume);
    const ids = [await treeOf(home), await treeOf(join(volume, 'base'))];
    if (code !== 0 || rest !== '' || ids[0] !== ids[1])
      unequal.push(
        `the replica on ${host.name}: exit ${code} ${stderr}${rest}, tree ids ${ids.join(' and ')}`,
      );
    for (const name of others) await stack.cli(['undrain', name]);
  }
  return unequal;
}

/** By a carrier that has never seen the tree, so that no index of one that was killed has a word in it. */
async function treeOf(root: string): Promise<string> {
  const area = `${root}.tree-id`;
  try {
    await using carrier = await CarrierProcess.start(carrierBuilds[0].carrier, { root, area });
    return carrier.first.tree;
  } finally {
    rmSync(area, { recursive: true, force: true });
  }
}
