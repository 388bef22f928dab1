import type { Logger } from 'pino';
import { abortable } from '../../src/abort.ts';
import type { AgentConfig, HostConfig } from '../../src/config/gateway-config.ts';
import { ClawrdenError } from '../../src/errors.ts';
import { renderBytes } from '../../src/text/render-text.ts';
import type { AuditRecord } from '../audit/audit-record.ts';
import type { Incidents } from '../control/incidents.ts';
import type { Ledger } from '../execution/ledger.ts';
import type { Engine } from '../ports/engine.ts';
import type { ReplicaHost } from '../ports/replica.ts';
import type { KeptSet, KeptWhy, WorkspaceOperations } from '../ports/workspace-view.ts';
import type { KeptChanges } from '../store/kept-changes.ts';
import { createCopyAhead } from './copy-ahead.ts';
import { evictReplica } from './evict-replica.ts';
import { followWorkspaces, type Workspaces } from './follow.ts';
import { HomeTurns } from './home-turns.ts';
import { createHomes, type Homes, type HomesOptions } from './homes.ts';
import { keptPaths } from './kept-paths.ts';
import type { LeftOutTold } from './left-out.ts';
import { type OperateParts, operateWorkspaces } from './operate.ts';
import { type OnKeptThere, Replicas } from './replicas.ts';
import { discardReplica, type ResetParts } from './reset-replica.ts';
import { Retirement } from './retire.ts';
import type { Slot } from './slot.ts';
import { stopThere } from './stop-there.ts';
import type { NotApplied } from './visit.ts';
import { DiskWatch, type WatchDisksParts } from './watch-disks.ts';

export interface OpenWorkspacesParts {
  readonly agents: () => ReadonlyMap<string, AgentConfig>;
  readonly hosts: () => ReadonlyMap<string, HostConfig>;
  readonly incidents: Incidents;
  /** Appends to the audit without waiting. */
  readonly record: (entry: AuditRecord) => void;
  /** Where changes are written down that were kept and not applied. */
  readonly kept: KeptChanges;
  readonly log: Logger;
}

/** What workspaces need of the pool. */
export interface WorkspaceHooks {
  /** Hosts that take work now. */
  readonly ready: () => readonly HostConfig[];
  /** Ends what waits there for this agent: the replica that it has goes away. */
  readonly forget: (agent: string, host: string) => void;
  readonly ledger: Pick<Ledger, 'executions'>;
}

/** Workspaces that follow their agents to Docker hosts that do not see them. */
export interface OpenWorkspaces extends Workspaces {
  readonly homes: Homes;
  /** The engine of `host`, with each ghost's workspace as it is there; replicas are made by it once it has joined. */
  readonly onHost: (host: string, engine: Engine & ReplicaHost) => Engine;
  /** The host is lost: what is exchanged with it ends with this error. */
  readonly lost: (host: string, error: ClawrdenError) => void;
  /** The agents have changed: what belongs to others than these ends. */
  readonly holdToAgents: () => void;
  /**
   * From now on workspaces are copied ahead, carriers that nothing uses end, and replicas that no agent needs are
   * removed.
   */
  readonly begin: (hooks: WorkspaceHooks) => void;
  /** What people see and do. */
  readonly operations: (parts: Pick<OperateParts, 'audit' | 'ledger' | 'forget'>) => WorkspaceOperations;
  /** Ends all carriers; the replicas stay. */
  readonly close: () => Promise<void>;
}

const whyNot: Readonly<Record<KeptWhy, string>> = {
  conflict: 'met others at home',
  late: 'came when no command waited for them',
  replaced: 'made room for others',
};

const missedText =
  'a carrier found changes that the kernel had not told it of; they are carried from now on: report it';

/** All doors are shut by then, and what kills a gateway that does not end waits for 45 s. */
const closeWithinMs = 5000;
const cutText =
  'replicas of workspaces did not end in time: their connections are cut, and the next gateway looks at them in whole';

export function openWorkspaces(parts: OpenWorkspacesParts): OpenWorkspaces {
  const { agents, hosts, incidents, kept, log } = parts;
  const tellKept = keptTeller(parts);
  const replicas = new Replicas(keptThereTeller(parts));
  const closing = new AbortController();
  let ahead = (_agent: string): void => {};
  const onMissed = (agent: string, host: string, count: number) =>
    log.warn({ agent, host, count }, missedText);
  const homes = createHomes({
    placeOf: (agent) => placeOf(agents().get(agent)),
    onRefused: (relay, agent, why) => {
      // A relay that does not know yet that no replica follows the workspace names an agent of its own.
      if (agents().get(agent)?.relay !== relay) incidents.tell('identity-agent', `relay:${relay}`, why);
    },
    onReady: (agent) => ahead(agent),
    onMissed: (agent, count) => onMissed(agent, 'home', count),
    onLate: (agent, { count, files }) => {
      const paths = files.map((file) => ({ ...file, whose: 'agent' as const }));
      tellKept({ agent, host: '', execution: '', why: 'late', count, files: paths });
    },
  });
  const onNotApplied = (found: NotApplied) => {
    const files = keptPaths(found.files);
    if (files.length > 0) tellKept({ ...found, files });
  };
  let isLeaving = (_host: string): boolean => false;
  const turns = new HomeTurns({
    ...{ useHome: homes.use, isLeaving: (host) => isLeaving(host) },
    onLeftOut: leftOutTeller(parts),
  });
  const inReplicas = { replicas, turns };
  const workspaces = followWorkspaces({ ...inReplicas, agents, hosts, onNotApplied, onMissed });
  let retirement: Retirement | undefined;
  let disks: DiskWatch | undefined;
  return {
    ...workspaces,
    ...{ homes, lost: (host, error) => replicas.lose(host, error) },
    onHost: (host, engine) => withReplicas(host, engine, replicas, workspaces.placed),
    holdToAgents: () => {
      homes.holdToAgents();
      void retirement?.endIdle();
    },
    begin: ({ ready, forget, ledger }) => {
      const removing = { ...inReplicas, homes, agents, forget, onKept: tellKept };
      const evict = (slot: Slot) => evictReplica(slot, removing);
      isLeaving = (host) => !ready().some(({ name }) => name === host);
      retirement ??= new Retirement({ replicas, agents, forget, evict, log });
      disks ??= watchDisks({ ...removing, ...parts, ledger, evict });
      ahead = createCopyAhead({ workspaces, agents, ready, log }, closing.signal);
    },
    operations: (more) => {
      const diskProblem = (host: string) => disks?.problem(host) ?? '';
      return operateWorkspaces({ ...inReplicas, homes, kept, agents, diskProblem, ...more });
    },
    close: async () => {
      closing.abort(new Error('the gateway stops'));
      const ended = endAll(replicas, [retirement, disks]);
      await abortable(ended, AbortSignal.timeout(closeWithinMs)).catch(() => log.warn(cutText));
    },
  };
}

/** Replicas on the host are the engine's from when it joins until it is closed. */
function withReplicas(
  host: string,
  engine: Engine & ReplicaHost,
  replicas: Replicas,
  placed: Workspaces['placed'],
): Engine {
  return {
    ...engine,
    joined: () => replicas.attach(host, engine),
    placed: (shape, signal) => {
      if (shape.mounts.length > 0 && replicas.engine(host) !== engine)
        throw new ClawrdenError('no-host', `Docker host ${host} has another engine now`);
      return placed(host, shape, signal);
    },
    close: () => {
      replicas.detach(host, engine);
      engine.close();
    },
  };
}

function watchDisks(
  parts: OpenWorkspacesParts & ResetParts & Pick<WorkspaceHooks, 'ledger'> & Pick<WatchDisksParts, 'evict'>,
): DiskWatch {
  return new DiskWatch({
    ...parts,
    leftOut: parts.turns.leftOut,
    stop: (slot, why) => stopThere(slot, why, parts),
    discard: (slot) => discardReplica(slot, parts),
    onDiscarded: discardedTeller(parts),
  });
}

/** Each carrier writes what it knows and ends; one that is still looked at, or removed, has to be done first. */
async function endAll(
  replicas: Replicas,
  looking: readonly (Pick<Retirement, 'stop'> | undefined)[],
): Promise<void> {
  await Promise.all(looking.map(async (each) => each?.stop()));
  await Promise.all(replicas.slots.map((slot) => replicas.close(slot)));
}

/** `undefined` if replicas do not follow its workspace. */
function placeOf(known: AgentConfig | undefined): ReturnType<HomesOptions['placeOf']> {
  return known?.workspace?.sync && { relay: known.relay, ...known.workspace };
}

/** Tells people of a host that is left out. */
function leftOutTeller({
  record,
  log,
}: Pick<OpenWorkspacesParts, 'record' | 'log'>): (told: LeftOutTold) => void {
  return ({ agent, host, what, text: why }) => {
    const text = `agent ${agent}: ${why}`;
    log.warn({ agent, host }, text);
    record({ type: 'incident', incident: `workspace-${what}`, caller: '', text });
  };
}

/** Tells people of what is lost. */
function discardedTeller({
  record,
  log,
}: Pick<OpenWorkspacesParts, 'record' | 'log'>): (slot: Slot, why: string) => void {
  return ({ agent, host }, why) => {
    const text = `agent ${agent}: what only its workspace on ${host} had is lost: the disk there was nearly full (${why})`;
    log.warn({ agent, host }, text);
    record({ type: 'incident', incident: 'workspace-discarded', caller: '', text });
  };
}

/** Tells people of changes that were kept, and writes them down. */
function keptTeller({
  record,
  kept,
  log,
}: Pick<OpenWorkspacesParts, 'record' | 'kept' | 'log'>): (set: KeptSet) => void {
  return (set) => {
    const { agent, host, execution, count, why, files } = set;
    const where = host === '' ? '' : ` on ${host}`;
    const text = `agent ${agent}: ${count} changes${where} ${whyNot[why]}; ${keptOf(count, files.length)}`;
    log.warn({ agent, host, execution, count }, text);
    record({ type: 'incident', incident: `workspace-${why}`, caller: '', text });
    // The files are at home in any case.
    kept
      .add(set)
      .catch((error: unknown) => log.error({ agent, why: String(error) }, 'a list of kept files is lost'));
  };
}

/** What a carrier had no room for is counted, and has no name; nor have more than it names. */
function keptOf(count: number, named: number): string {
  if (named === 0) return 'what could not be kept is lost';
  return named < count ? `those with a name (${named}) are kept, not applied` : 'they are kept, not applied';
}

const mostNamed = 5;
const longestName = 200;

/** Tells people of what a replica keeps that nobody brings home. */
function keptThereTeller({ record, log }: Pick<OpenWorkspacesParts, 'record' | 'log'>): OnKeptThere {
  return ({ agent, host }, { count, files }) => {
    const names = files
      .slice(0, mostNamed)
      .map(({ path, kept }) => `${renderBytes(path.subarray(0, longestName))}${kept && ` as ${kept}`}`);
    const where =
      names.length === 0
        ? 'what could not be kept is lost'
        : `they are in kept/ of the replica only: ${names.join(', ')}`;
    const what = 'were made to what home replaced there at that moment';
    const text = `agent ${agent}: ${count} changes on ${host} ${what}; ${where}`;
    log.warn({ agent, host, count }, text);
    record({ type: 'incident', incident: 'workspace-late', caller: '', text });
  };
}
