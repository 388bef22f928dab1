import { realpathSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, posix } from 'node:path';
import type { AgentPlaces } from '../../../config/told-agents.ts';
import { nativeFile } from '../../../native-file.ts';
import { volumeFolder } from '../../../volume-folder.ts';
import { askEngine } from '../doctor/engine-request.ts';
import { bad, type Finding, messageOf } from '../doctor/finding.ts';
import { checkLinks } from './check-links.ts';
import { checkMounts } from './check-mounts.ts';
import { checkPath } from './check-path.ts';
import { checkRights } from './check-rights.ts';
import { checkWayOut } from './check-way-out.ts';
import { findUser, type PasswdUser } from './find-user.ts';
import { type Inspected, inspected } from './inspected.ts';
import type { JailFacts, JailWanted } from './jail-facts.ts';
import { type Look, lookInto } from './look-into.ts';

export interface JailQuestion {
  /** Where the relay serves the agent. */
  readonly places: AgentPlaces;
  /** The engine of this agent host, `unix:///PATH`. */
  readonly engine: string;
  /** A container of it, which runs. */
  readonly id: string;
  readonly wayOut?: JailWanted['wayOut'];
  /** Programs that should be locked in the image. */
  readonly locked?: readonly string[];
}

/**
 * Everything that is wrong with the jail of an agent's container, each with its fix; nothing if it is closed. Looks from
 * outside, through the engine, and runs nothing. Never rejects.
 */
export async function checkJail(question: JailQuestion): Promise<readonly Finding[]> {
  const { agent, jail } = question.places;
  try {
    const facts = await gatherFacts(question);
    const wanted: JailWanted = {
      agent: agent.name,
      users: agent.users,
      jail,
      socketFolder: dirname(agent.socket),
      engines: [new URL(question.engine).pathname, ...usualEngines],
      shim: await readFile(nativeFile('clawrden-shim')).catch(() => undefined),
      realPath,
      ...(question.wayOut && { wayOut: question.wayOut }),
    };
    return findProblems(facts, wanted);
  } catch (error) {
    return [bad(`agent ${agent.name}`, `its container: ${messageOf(error)}`, 'see what the engine says')];
  }
}

const usualEngines = [
  '/var/run/docker.sock',
  '/run/containerd/containerd.sock',
  '/run/podman/podman.sock',
  '/run/crio/crio.sock',
];

/** The same over what was seen. */
export function findProblems(facts: JailFacts, wanted: JailWanted): readonly Finding[] {
  if (!facts.container.State.Running)
    return [bad(`agent ${wanted.agent}`, 'its container does not run', 'start it')];
  return [
    ...checkRights(facts, wanted),
    ...checkMounts(facts, wanted),
    ...checkLinks(facts, wanted),
    ...checkPath(facts, wanted),
    ...checkWayOut(facts, wanted),
  ];
}

async function gatherFacts({ engine, id, locked = [] }: JailQuestion): Promise<JailFacts> {
  const { status, body } = await askEngine({ engine }, `/containers/${encodeURIComponent(id)}/json`);
  if (status !== 200) throw new Error(`the engine does not show it (${status})`);
  const container = inspected.parse(body);
  const look = lookInto(engine, id);
  const user = findUser(container.Config.User, await look.read('/etc/passwd'));
  const home = homeOf(container, user);
  const socket = await look.stat('/var/run/clawrden/warden.sock');
  return {
    container,
    jail: await look.list('/clawrden/bin'),
    hasSocket: socket?.isSocket === true,
    user: user?.id,
    isUserKnown: user?.isKnown === true,
    startupFiles: await readStartup(look, home),
    hasLocalBin: (await look.stat(posix.join(home, '.local/bin'))) !== undefined,
    unlocked: await findUnlocked(look, container, locked),
    foreignVolumes: await findForeign(engine, container),
  };
}

/** What bash, zsh, dash and busybox read. */
const startupNames = ['.bashrc', '.bash_profile', '.bash_login', '.profile', '.zshenv', '.zshrc'];

async function readStartup(look: Look, home: string): Promise<JailFacts['startupFiles']> {
  const paths = startupNames.map((name) => posix.join(home, name));
  const texts = await Promise.all(paths.map(async (path) => ({ path, text: await look.read(path) })));
  return texts.flatMap(({ path, text }) => (text === undefined ? [] : [{ path, text }]));
}

async function findUnlocked(look: Look, { Config }: Inspected, names: readonly string[]): Promise<string[]> {
  const path = Config.Env.findLast((entry) => entry.startsWith('PATH='))?.slice('PATH='.length) ?? '';
  const folders = path
    .split(':')
    .filter((each) => each.startsWith('/') && !/^\/clawrden\/bin\/?$/.test(each));
  const places = names.flatMap((name) => folders.map((folder) => posix.join(folder, name)));
  const found = await Promise.all(places.map(async (place) => ((await look.stat(place)) ? [place] : [])));
  return found.flat();
}

async function findForeign(engine: string, { Mounts }: Inspected): Promise<string[]> {
  const names = Mounts.flatMap(({ Type, Name }) => (Type === 'volume' && Name !== undefined ? [Name] : []));
  const judged = await Promise.all(
    names.map(async (name) => {
      const { status, body } = await askEngine({ engine }, `/volumes/${encodeURIComponent(name)}`);
      return status === 200 && isPlain(name, body) ? [] : [name];
    }),
  );
  return judged.flat();
}

function isPlain(name: string, body: unknown): boolean {
  try {
    volumeFolder(name, body);
    return true;
  } catch {
    return false;
  }
}

function homeOf({ Config }: Inspected, user: PasswdUser | undefined): string {
  const set = Config.Env.findLast((entry) => entry.startsWith('HOME='))?.slice('HOME='.length);
  return set ?? user?.home ?? '/';
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
