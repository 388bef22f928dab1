import { realpath } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { HomeWorkspace } from '../../../src/config/gateway-config.ts';
import type { RelayConfig } from '../../../src/config/relay-config.ts';
import type { ToldAgent } from '../../../src/config/told-agents.ts';
import { formatWorkspaceRoots, isIn, systemFolderAt } from '../../../src/config/workspace-roots.ts';
import { leadsToArea } from '../workspace/home-place.ts';
import { createFindLinks } from './find-links.ts';
import { notKept } from './take-told.ts';

type Bounds = Pick<RelayConfig, 'agents' | 'docker' | 'file' | 'identity' | 'state' | 'workspaceRoots'>;

/** The workspaces that this relay does not keep, whatever the gateway says, by agent, with the reason. */
export type FindOutOfBounds = (told: readonly ToldAgent[]) => Promise<ReadonlyMap<string, string>>;

export function createFindOutOfBounds(bounds: Bounds, findLinks = createFindLinks()): FindOutOfBounds {
  return async (told) => {
    const own = await ownPlaces(bounds);
    const problemOf = ({ name, workspace }: ToldAgent): string | undefined =>
      workspace && (holdsAnother(name, workspace, told) ?? misplaced(workspace, bounds, own));
    const problems = new Map(told.map((agent) => [agent.name, problemOf(agent)]));
    const bound = told.filter(
      ({ name, workspace }) => workspace?.kind === 'bind' && problems.get(name) === undefined,
    );
    const links = await findLinks(bound.map(({ workspace }) => workspace?.source ?? ''));
    for (const { name, workspace } of bound) problems.set(name, linkProblem(workspace?.source ?? '', links));
    return new Map([...problems].flatMap(([name, problem]) => (problem ? [[name, notKept(problem)]] : [])));
  };
}

function misplaced(
  { kind, source }: HomeWorkspace,
  { workspaceRoots }: Bounds,
  own: readonly string[],
): string | undefined {
  const { volumes, folders } = workspaceRoots;
  const outside = `is not in workspace-roots of relay.yaml: ${formatWorkspaceRoots(workspaceRoots)}`;
  if (kind === 'volume') {
    if (!volumes) return `volume ${source} ${outside}`;
    return isOwnVolume(source) ? `volume ${source} has a name of Clawrden's own` : undefined;
  }
  if (leadsToArea(source)) return `${source} has a name of Clawrden's own`;
  const system = systemFolderAt(source);
  if (system !== undefined) return `${source} is, is in or holds ${system}, a folder of the system's`;
  if (!folders.some((root) => isIn(source, root))) return `${source} ${outside}`;
  const near = own.find((place) => isIn(place, source) || isIn(source, place));
  return near === undefined ? undefined : `${source} is, is in or holds ${near}, which is the relay's own`;
}

/** Volumes that a gateway makes on an engine; programs that run as root are in some of them. */
function isOwnVolume(name: string): boolean {
  return /^clawrden-(init|ws)-/.test(name);
}

function holdsAnother(
  name: string,
  { kind, source }: HomeWorkspace,
  told: readonly ToldAgent[],
): string | undefined {
  const held = told.find(
    ({ name: other, workspace }) =>
      other !== name && workspace?.kind === kind && isIn(workspace.source, source),
  );
  return held && `${source} is or holds the workspace of agent ${held.name}`;
}

function linkProblem(source: string, links: ReadonlyMap<string, string>): string | undefined {
  const link = links.get(source) ?? 'it cannot be looked at in time';
  return link === '' ? undefined : `${source} does not name a folder itself: ${link}`;
}

/** As they are written, and where they lead. */
async function ownPlaces({ agents, docker, file, identity, state }: Bounds): Promise<readonly string[]> {
  const sockets = agents.map(({ socket }) => dirname(socket));
  const written = [state, identity, file, new URL(docker).pathname, ...sockets];
  const led = await Promise.all(written.map((path) => realpath(path).catch(() => path)));
  return [...new Set([...written, ...led])];
}
