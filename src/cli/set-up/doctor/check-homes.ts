import type { HomeWorkspace } from '../../../config/gateway-config.ts';
import type { RelayConfig } from '../../../config/relay-config.ts';
import type { ToldAgent } from '../../../config/told-agents.ts';
import { volumeFolder } from '../../../volume-folder.ts';
import { checkContained } from './check-contained.ts';
import { checkFileSystem } from './check-file-system.ts';
import { checkSha } from './check-sha.ts';
import { checkStage } from './check-stage.ts';
import { checkWatches, type WatchNeed } from './check-watches.ts';
import { askEngine } from './engine-request.ts';
import { bad, type Finding, messageOf } from './finding.ts';

interface Home extends HomeWorkspace {
  readonly agent: string;
  readonly user: ToldAgent['users'][0];
}

/** Whether carriers can keep the workspaces that the gateway told of; nothing if it told of none. */
export async function checkHomes(told: readonly ToldAgent[], config: RelayConfig): Promise<Finding[]> {
  const homes = told.flatMap((agent) => homesOf(agent, config));
  if (homes.length === 0) return [];
  const each = await Promise.all(homes.map((home) => checkHome(home, config)));
  return [...each.flat(), ...(await checkWatches(needsOf(homes))), await checkSha()];
}

/** The carrier is the agent's first user, as relay.yaml names it or the gateway told. */
function homesOf({ name, users, workspace }: ToldAgent, { agents }: RelayConfig): Home[] {
  const [user] = agents.find((agent) => agent.name === name)?.users ?? users;
  return workspace === undefined ? [] : [{ ...workspace, agent: name, user }];
}

async function checkHome({ agent, kind, source, user }: Home, { docker }: RelayConfig): Promise<Finding[]> {
  const check = `workspace of ${agent}`;
  try {
    const root = kind === 'bind' ? source : await folderOf(source, docker);
    const own = process.geteuid?.();
    const contained = own !== 0 && own !== user.uid && (await checkContained(check, root, docker));
    // Only root enters the folders above a volume.
    if (contained && kind === 'volume') return [contained];
    const fileSystem = await checkFileSystem(check, root);
    if (fileSystem.level === 'error') return [fileSystem];
    return [fileSystem, ...(contained ? [contained] : await checkStage(check, root, user))];
  } catch (error) {
    return [bad(check, messageOf(error), 'mend workspace in gateway.yaml')];
  }
}

async function folderOf(volume: string, engine: string): Promise<string> {
  const { status, body } = await askEngine({ engine }, `/volumes/${volume}`);
  if (status === 404) throw new Error(`there is no volume ${volume} on this agent host`);
  return volumeFolder(volume, body);
}

/** A carrier that root starts has root's watches, whatever its agent's uid is; another has its agent's. */
function needsOf(homes: readonly Home[]): WatchNeed[] {
  const asRoot = process.getuid?.() === 0;
  const byUser = Map.groupBy(homes, ({ user }) => (asRoot ? 0 : user.uid));
  return [...byUser].map(([uid, own]) => ({ uid, entries: own.map(({ limits }) => limits.entries) }));
}
