import { leadsToArea } from './area-name.ts';
import { createFindLinks } from './find-links.ts';
import type { HomeWorkspace } from './gateway-config.ts';
import { isOwnVolume, type OwnPlaces, ownPlaces } from './own-places.ts';
import type { RelayConfig } from './relay-config.ts';
import type { ToldAgent } from './told-agents.ts';
import { formatWorkspaceRoots, isIn, systemFolderAt } from './workspace-roots.ts';

type Bounds = OwnPlaces & Pick<RelayConfig, 'workspaceRoots'>;

/** The workspaces that this agent host does not give an agent, whatever the gateway says, by agent, with the reason. */
export type FindOutOfBounds = (told: readonly ToldAgent[]) => Promise<ReadonlyMap<string, string>>;

interface ToldWorkspace {
  readonly name: string;
  readonly workspace: HomeWorkspace;
}

const late = 'it cannot be looked at in time';

export function createFindOutOfBounds(bounds: Bounds, findLinks = createFindLinks()): FindOutOfBounds {
  return async (told) => {
    const own = await ownPlaces(bounds);
    const workspaces = told.flatMap(({ name, workspace }) => (workspace ? [{ name, workspace }] : []));
    const inPlace = workspaces.filter(({ workspace }) => misplaced(workspace, bounds, own) === undefined);
    const folders = inPlace.filter(({ workspace }) => workspace.kind === 'bind');
    const links = await findLinks(folders.map(({ workspace }) => workspace.source));
    const linkOf = ({ kind, source }: HomeWorkspace) => (kind === 'bind' ? (links.get(source) ?? late) : '');
    // What cannot be looked at now may be kept soon; what is refused for another reason stands in no way.
    const claimed = inPlace.filter(({ workspace }) => ['', late].includes(linkOf(workspace)));
    const problemOf = ({ name, workspace }: ToldWorkspace): string | undefined =>
      misplaced(workspace, bounds, own) ??
      holdsAnother(name, workspace, claimed) ??
      linkProblem(workspace.source, linkOf(workspace));
    return new Map(
      workspaces.flatMap((each) => {
        const problem = problemOf(each);
        return problem === undefined ? [] : [[each.name, problem]];
      }),
    );
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

function holdsAnother(
  name: string,
  { kind, source }: HomeWorkspace,
  claimed: readonly ToldWorkspace[],
): string | undefined {
  const held = claimed.find(
    ({ name: other, workspace }) =>
      other !== name && workspace.kind === kind && isIn(workspace.source, source),
  );
  return held && `${source} is or holds the workspace of agent ${held.name}`;
}

function linkProblem(source: string, link: string): string | undefined {
  return link === '' ? undefined : `${source} does not name a folder itself: ${link}`;
}
