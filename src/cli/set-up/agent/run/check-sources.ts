import { realpath, stat } from 'node:fs/promises';
import type { HomeWorkspace } from '../../../../config/gateway-config.ts';
import { isOwnVolume, ownPlaces } from '../../../../config/own-places.ts';
import type { RelayConfig } from '../../../../config/relay-config.ts';
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
): Promise<readonly VolumeWish[]> {
  return await Promise.all(
    volumes.map(async (volume) => {
      if (volume.source.startsWith('/'))
        return { ...volume, source: await checkFolder(volume.source, config) };
      await checkVolume(volume.source, config.docker);
      return volume;
    }),
  );
}

async function checkFolder(folder: string, config: RelayConfig): Promise<string> {
  const what = `--volume ${folder}:`;
  const { agentMounts } = config;
  const [real, isFolder] = await Promise.all([realpath(folder), stat(folder)]).then(
    ([path, found]) => [path, found.isDirectory()] as const,
    (error: unknown) => {
      throw refuse(`${what} ${messageOf(error)}`, 'make the folder first');
    },
  );
  if (!isFolder) throw refuse(`${what} it is no folder`, 'name a folder');
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

/** The engine would make a missing volume, which is root's. */
export async function checkWorkspace(workspace: HomeWorkspace | undefined, engine: string): Promise<void> {
  if (workspace === undefined) return;
  const { kind, source } = workspace;
  const isThere =
    kind === 'volume'
      ? await isPlain(source, engine)
      : await stat(source).then(
          (found) => found.isDirectory(),
          () => false,
        );
  if (isThere) return;
  const make = kind === 'volume' ? `docker volume create ${source}` : `make the folder ${source}`;
  throw refuse(`its workspace ${source} is not on this agent host`, `${make}, for its user`);
}
