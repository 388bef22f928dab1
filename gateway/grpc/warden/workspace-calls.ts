import { status } from '@grpc/grpc-js';
import {
  type GetWorkspaceResponse,
  KeptFile,
  type ListKeptFilesRequest,
  type ListKeptFilesResponse,
  type ResetReplicaRequest,
  type RestoreKeptFileRequest,
  type TrustWorkspaceRequest,
  type WorkspaceHome,
  type WorkspaceReplica,
} from '../../../src/gen/clawrden/v1/warden.ts';
import { limitOf } from '../../lists/create-lists.ts';
import { newPage } from '../../lists/page.ts';
import { numbersOf, tokenBehind } from '../../lists/page-token.ts';
import type { Seal } from '../../lists/seal.ts';
import { shortText, toTime } from '../../lists/short-texts.ts';
import type { Principal } from '../../ports/principal.ts';
import type {
  HomeView,
  HostProblem,
  KeptFileRow,
  ReplicaView,
  WorkspaceOperations,
  WorkspaceRefusal,
  WorkspaceView,
} from '../../ports/workspace-view.ts';
import { CallRefused } from '../calls/errors.ts';
import { shapeOf } from './warden-lists.ts';

/** What of the WardenService is about workspaces that follow their agents. */
export function workspaceCalls(workspaces: WorkspaceOperations, seal: Seal) {
  return {
    get: async ({ agent }: { readonly agent: string }): Promise<GetWorkspaceResponse> =>
      toView(done(await workspaces.view(agent))),
    kept: (request: ListKeptFilesRequest) => listKept(workspaces, request, seal),
    restore: async ({ agent, id, number, reason }: RestoreKeptFileRequest, by: Principal) => {
      const { replaced } = done(await workspaces.restore(agent, id, number, { by, reason }));
      return { replacedId: replaced };
    },
    trust: async ({ agent, reason }: TrustWorkspaceRequest, by: Principal) => {
      const { entries, left } = done(await workspaces.trust(agent, { by, reason }));
      return { entries: BigInt(entries), left: left.map(toLeft) };
    },
    reset: async ({ agent, ...wish }: ResetReplicaRequest, by: Principal) => {
      const { kept, count } = done(await workspaces.reset(agent, { ...wish, by }));
      return { keptId: kept, keptCount: count };
    },
  };
}

function done<T extends object>(result: T | WorkspaceRefusal): T {
  if (!('refused' in result)) return result;
  const code = result.refused === 'unknown' ? status.NOT_FOUND : status.FAILED_PRECONDITION;
  throw new CallRefused(code, result.text);
}

async function listKept(
  workspaces: WorkspaceOperations,
  request: ListKeptFilesRequest,
  seal: Seal,
): Promise<ListKeptFilesResponse> {
  const { agent, id, pageToken } = request;
  const [set, number] = numbersOf(seal, 'kept', pageToken, 2) ?? [];
  const behind = set === undefined || number === undefined ? {} : { behind: [set, number] as const };
  const limit = limitOf(request);
  const page = newPage({ limit, ...shapeOf<KeptFileRow, KeptFile>(toKeptFile, KeptFile) });
  // One more shows whether there is another page.
  const rows = await workspaces.keptFiles({ agent, id, limit: limit + 1, ...behind });
  for (const row of rows) if (!page.add(row)) break;
  const nextPageToken = tokenBehind(page, seal, 'kept', ({ place }) => place);
  return { files: [...page.messages], nextPageToken };
}

function toKeptFile({
  at,
  id,
  number,
  count,
  host,
  execution,
  why,
  path,
  whose,
  kept,
}: KeptFileRow): KeptFile {
  return { at: toTime(at), id, number, count, host, execution, why, path, whose, kept };
}

function toView({ home, replicas }: WorkspaceView): GetWorkspaceResponse {
  return { home: toHome(home), replicas: replicas.map(toReplica) };
}

const unknownHome: HomeView = {
  ...{ entries: 0, bytes: 0, full: false, scans: false, suspect: false, lost: false, unconfined: false },
  ...{ skippedCount: 0, skipped: [] },
};

function toHome(home: WorkspaceView['home']): WorkspaceHome {
  const known = 'problem' in home ? unknownHome : home;
  const problem = 'problem' in home ? shortText(home.problem) : '';
  const { entries, bytes, skipped, ...same } = known;
  return { ...same, problem, entries: BigInt(entries), bytes: BigInt(bytes), skipped: [...skipped] };
}

function toReplica({
  usedAt,
  entries,
  bytes,
  position,
  behind,
  unsent,
  problem,
  ...same
}: ReplicaView): WorkspaceReplica {
  return {
    ...same,
    ...{ entries: BigInt(entries), bytes: BigInt(bytes), behind: BigInt(behind), unsent: BigInt(unsent) },
    usedAt: toTime(usedAt),
    position: position ?? '',
    problem: shortText(problem),
  };
}

function toLeft({ host, problem }: HostProblem): WorkspaceReplica {
  return toReplica({
    ...{ host, problem, running: false, entries: 0, bytes: 0, commands: 0, behind: 0, unsent: 0 },
  });
}
