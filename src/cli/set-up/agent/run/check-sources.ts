import { realpath, stat } from 'node:fs/promises';
import type { KnownAgent } from '../../../../config/known-agent.ts';
import { isOwnVolume, ownPlaces } from '../../../../config/own-places.ts';
import type { RelayConfig } from '../../../../config/relay-config.ts';
import type { ToldAgent } from '../../../../config/told-agents.ts';
import { createFindOutOfBounds } from '../../../../config/workspace-bounds.ts';
import { isIn, systemFolderAt } from '../../../../config/workspace-roots.ts';
import { volumeFolder } from '../../../../volume-folder.ts';
import { askEngine } from '../../doctor/engine-request.ts';
import { messageOf } from '../../doctor/finding.ts';
import type { VolumeWish } from './read-places.ts';
import { refuse } from './refuse.ts';

/** Folders as they really are. Throws if one may not be mounted. */
export async function checkVolumes(
  volumes: readonly VolumeWish[],
  config: RelayConfig,
  told: readonly ToldAgent[],
): Promise<readonly VolumeWish[]> {
  const checked = await Promise.all(
    volumes.map(async (volume) => {
      if (isFolder(volume)) return { ...volume, source: await checkFolder(volume.source, config) };
      await checkVolume(volume.source, config.docker);
      return volume;
    }),
  );
  checkApart(checked.filter(isFolder), told);
  return checked;
}

function isFolder({ source }: VolumeWish): boolean {
  return source.startsWith('/');
}

/**
 * What an agent writes must not be on the way to what the engine mounts: it could put a link there, and the engine
 * follows it at the next start.
 */
function checkApart(folders: readonly VolumeWish[], told: readonly ToldAgent[]): void {
  const workspaces = told.flatMap(({ workspace }) => (workspace?.kind === 'bind' ? workspace.source : []));
  for (const [index, { source }] of folders.entries()) {
    const others = [...folders.slice(index + 1).map((other) => other.source), ...workspaces];
    const near = others.find((other) => other !== source && (isIn(source, other) || isIn(other, source)));
    if (near !== undefined)
      throw refuse(`--volume ${source}: it is in, or holds, ${near}, which an agent may write`, 'mount one');
  }
}

async function checkFolder(folder: string, config: RelayConfig): Promise<string> {
  const what = `--volume ${folder}:`;
  const { agentMounts } = config;
  const [real, isDirectory] = await Promise.all([realpath(folder), stat(folder)]).then(
    ([path, found]) => [path, found.isDirectory()] as const,
    (error: unknown) => {
      throw refuse(`${what} ${messageOf(error)}`, 'make the folder first');
    },
  );
  if (!isDirectory) throw refuse(`${what} it is no folder`, 'name a folder');
  const roots = await Promise.all(agentMounts.map((root) => realpath(root).catch(() => root)));
  if (!roots.some((root) => isIn(real, root) && real !== root))
    throw refuse(
      `${what} ${real} is not below agent-mounts of relay.yaml: ${agentMounts.join(', ') || 'there are none'}`,
      'name its parent there, or take a named volume',
    );
  const system = systemFolderAt(real);
  const own = (await ownPlaces(config)).find((place) => isIn(place, real) || isIn(real, place));
  const near = system ?? own;
  if (near !== undefined) throw refuse(`${what} ${real} is, is in or holds ${near}`, 'name another folder');
  return real;
}

async function checkVolume(name: string, engine: string): Promise<void> {
  if (isOwnVolume(name))
    throw refuse(`--volume ${name}: it has a name of Clawrden's own`, 'name another volume');
  await isPlain(name, engine);
}

/** Whether there is such a volume. Throws if it may be any folder or device of this machine. */
async function isPlain(name: string, engine: string): Promise<boolean> {
  const { status, body } = await askEngine({ engine }, `/volumes/${encodeURIComponent(name)}`);
  // The engine makes a volume that is not there.
  if (status === 404) return false;
  if (status !== 200)
    throw refuse(`the engine does not show the volume ${name} (${status})`, 'see clawrden doctor');
  try {
    volumeFolder(name, body);
    return true;
  } catch {
    const why = `volume ${name} has options of its own: it may be any folder or device of this machine`;
    throw refuse(why, 'take a volume without options, or a folder below agent-mounts of relay.yaml');
  }
}

/** As the relay holds it; and the engine would make a missing volume, which is root's. */
export async function checkWorkspace(
  { places, workspace, told }: KnownAgent,
  config: RelayConfig,
  command?: string,
): Promise<void> {
  if (workspace === undefined) return;
  const problem = (await createFindOutOfBounds(config)(told)).get(places.agent.name);
  if (problem !== undefined)
    throw refuse(
      `its workspace: ${problem}`,
      'see workspace-roots of relay.yaml, and agents of gateway.yaml',
      command,
    );
  const { kind, source } = workspace;
  const isThere =
    kind === 'volume'
      ? await isPlain(source, config.docker)
      : await stat(source).then(
          (found) => found.isDirectory(),
          () => false,
        );
  if (isThere) return;
  const make = kind === 'volume' ? `docker volume create ${source}` : `make the folder ${source}`;
  throw refuse(`its workspace ${source} is not on this agent host`, `${make}, for its user`, command);
}
