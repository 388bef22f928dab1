import { restoreKept } from '../../src/carrier-client/exchange.ts';
import type { AgentConfig, SyncConfig } from '../../src/config/gateway-config.ts';
import { ClawrdenError } from '../../src/errors.ts';
import { renderBytes } from '../../src/text/render-text.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import type { WorkspaceRecord } from '../audit/audit-record.ts';
import type { Ledger } from '../execution/ledger.ts';
import { principalName } from '../ports/principal.ts';
import type { ReplicaOf } from '../ports/replica.ts';
import type {
  AskedBy,
  KeptFileRow,
  KeptSet,
  ResetWish,
  WorkspaceOperations,
  WorkspaceRefusal,
} from '../ports/workspace-view.ts';
import type { KeptChanges } from '../store/kept-changes.ts';
import type { Homes } from './homes.ts';
import type { InReplicaParts } from './in-replica.ts';
import { keptPaths } from './kept-paths.ts';
import { busy, discardReplica, resetReplica } from './reset-replica.ts';
import { bytesThere } from './slot.ts';
import { stopThere } from './stop-there.ts';
import { bringToTrusted, trustHome } from './trust-home.ts';
import { followed, useNow } from './use-now.ts';
import { viewWorkspace } from './view-workspace.ts';

export interface OperateParts extends InReplicaParts {
  readonly homes: Homes;
  readonly kept: KeptChanges;
  readonly agents: () => ReadonlyMap<string, AgentConfig>;
  readonly audit: Pick<AuditLog, 'append'>;
  readonly ledger: Pick<Ledger, 'executions'>;
  /** Empty if there is none. */
  readonly diskProblem: (host: string) => string;
  /** Ends what waits there for this agent. */
  readonly forget: (agent: string, host: string) => void;
}

/** What people do about the workspaces of agents: recorded before it is done. */
export function operateWorkspaces(parts: OperateParts): WorkspaceOperations {
  const { replicas, agents } = parts;
  const withSync = async <T>(
    agent: string,
    work: (sync: SyncConfig, of: ReplicaOf) => Promise<T | WorkspaceRefusal>,
  ): Promise<T | WorkspaceRefusal> => {
    const is = followed(agents(), agent);
    return 'refused' in is ? is : await work(is.sync, { agent, home: is.home });
  };
  return {
    view: (agent) => withSync(agent, (_sync, of) => viewWorkspace(of, parts)),
    keptFiles: parts.kept.page,
    restore: (agent, set, number, by) =>
      withSync(agent, async () => {
        const file = await parts.kept.find(agent, set, number);
        return file === undefined ? noSuchFile(agent, set, number) : restore(file, by, parts);
      }),
    trust: (agent, by) =>
      withSync(agent, async (sync, of) => {
        await parts.audit.append(recordOf('workspace-trusted', agent, by, {}));
        const trusted = await useNow(parts.homes, agent, (home) => trustHome(home, agent));
        if (!('done' in trusted)) return trusted;
        return { entries: trusted.done, left: await bringToTrusted(of, sync, parts) };
      }),
    reset: (agent, wish) => withSync(agent, (sync, of) => reset(of, wish, sync, parts)),
    leftOut: (host) => parts.turns.leftOut.problem(host) || parts.diskProblem(host),
    tryAgain: (host) => parts.turns.leftOut.forget(host),
    bytesOn: (host) =>
      replicas.slots.reduce((sum, slot) => sum + (slot.host === host ? bytesThere(slot) : 0), 0),
  };
}

function recordOf(
  type: WorkspaceRecord['type'],
  agent: string,
  { by, reason }: AskedBy,
  { host = '', text = '' },
): WorkspaceRecord {
  return { type, agent, host, by: principalName(by), reason, text };
}

function noSuchFile(agent: string, set: string, number: number): WorkspaceRefusal {
  const text = `no file ${number} of a set ${set} of agent ${agent} is kept; list them: clawrden workspace conflicts ${agent}`;
  return { refused: 'unknown', text };
}

async function restore(
  file: KeptFileRow,
  by: AskedBy,
  parts: OperateParts,
): Promise<{ readonly replaced: string } | WorkspaceRefusal> {
  const { agent, path, kept } = file;
  const name = renderBytes(path);
  if (kept === '')
    return {
      refused: 'not-now',
      text: `of ${name} nothing is kept: it was only deleted, or its mode or time changed`,
    };
  await parts.audit.append(recordOf('workspace-restored', agent, by, { text: `${name} from ${file.id}` }));
  const put = await useNow(parts.homes, agent, (home) => restoreKept(home, kept, path));
  if (!('done' in put)) return put;
  const files = keptPaths(put.done.refused);
  const [refused] = put.done.refused;
  if (refused?.why === 'conflict') {
    const text = `a folder has the name ${name} or a file is where its folder was: move that away first`;
    return { refused: 'not-now', text };
  }
  const made: KeptSet = { agent, host: '', execution: '', why: 'replaced', count: files.length, files };
  return { replaced: await parts.kept.add(made) };
}

async function reset(
  of: ReplicaOf,
  wish: ResetWish,
  sync: SyncConfig,
  parts: OperateParts,
): Promise<{ readonly kept: string; readonly count: number } | WorkspaceRefusal> {
  const { agent } = of;
  const { host, force, discard } = wish;
  if (parts.replicas.engine(host) === undefined)
    return { refused: 'unknown', text: `no Docker host ${host}` };
  const slot = parts.replicas.slot(host, of);
  if (slot.commands > 0 && !force) return busy(slot);
  const text = [force ? 'what runs there ends' : '', discard ? 'what only it has is lost' : ''];
  await parts.audit.append(
    recordOf('workspace-reset', agent, wish, { host, text: text.filter(Boolean).join(', ') }),
  );
  if (force) await stopThere(slot, resetBy(wish), parts);
  else if (slot.commands > 0) return busy(slot);
  if (discard) return (await discardReplica(slot, parts)) ?? { kept: '', count: 0 };
  const done = await resetReplica(slot, sync, parts, force);
  if (!('done' in done)) return done;
  const { kept: found, left } = done.done;
  const files = keptPaths(found.files);
  const count = files.length === 0 ? 0 : Math.max(found.count, files.length);
  const kept = await parts.kept.add({ agent, host, execution: '', why: 'late', count, files });
  return left ?? { kept, count };
}

function resetBy({ by, host }: ResetWish): ClawrdenError {
  return new ClawrdenError('canceled', `the workspace on ${host} is reset by ${principalName(by)}`);
}
