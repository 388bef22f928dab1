import type { Logger } from 'pino';
import type { AgentConfig, HostConfig } from '../../src/config/gateway-config.ts';
import type { AuditRecord } from '../audit/audit-record.ts';
import type { Incidents } from '../control/incidents.ts';
import type { Engine } from '../ports/engine.ts';
import type { ReplicaHost } from '../ports/replica.ts';
import { copyAhead } from './copy-ahead.ts';
import { followWorkspaces, type NotApplied, type Workspaces } from './follow.ts';
import { createHomes, type Homes } from './homes.ts';
import { Replicas } from './replicas.ts';
import { closeOthers, Retirement } from './retire.ts';

export interface OpenWorkspacesParts {
  readonly agents: () => ReadonlyMap<string, AgentConfig>;
  readonly hosts: () => ReadonlyMap<string, HostConfig>;
  readonly incidents: Incidents;
  /** Appends to the audit without waiting. */
  readonly record: (entry: AuditRecord) => void;
  readonly log: Logger;
}

/** What workspaces need of the pool. */
export interface WorkspaceHooks {
  /** Hosts that take work now. */
  readonly ready: () => readonly HostConfig[];
  /** Ends ghosts that wait for this agent: a replica that they have goes away. */
  readonly forget: (agent: string) => void;
}

/** Workspaces that follow their agents to Docker hosts that do not see them. */
export interface OpenWorkspaces extends Workspaces {
  readonly homes: Homes;
  /** The engine of `host`, with each ghost's workspace as it is there. */
  readonly onHost: (host: string, engine: Engine & ReplicaHost) => Engine;
  /** The agents have changed: what belongs to others than these ends. */
  readonly holdToAgents: (before: readonly AgentConfig[]) => void;
  /**
   * From now on workspaces are copied ahead, carriers that nothing uses end, and replicas that no agent needs are
   * removed.
   */
  readonly begin: (hooks: WorkspaceHooks) => void;
  /** Ends all carriers; the replicas stay. */
  readonly close: () => Promise<void>;
}

const whyNot: Readonly<Record<NotApplied['why'], string>> = {
  conflict: 'met others at home',
  late: 'came after their command',
};

export function openWorkspaces(parts: OpenWorkspacesParts): OpenWorkspaces {
  const { agents, hosts, incidents, record, log } = parts;
  const replicas = new Replicas();
  const closing = new AbortController();
  let ahead = (_agent: string): void => {};
  const homes = createHomes({
    relayOf: (agent) => {
      const known = agents().get(agent);
      return known?.workspace?.sync === undefined ? undefined : known.relay;
    },
    onRefused: (relay, agent, why) => {
      // A relay that does not know yet that no replica follows the workspace names an agent of its own.
      if (agents().get(agent)?.relay !== relay) incidents.tell('identity-agent', `relay:${relay}`, why);
    },
    onReady: (agent) => ahead(agent),
  });
  const onNotApplied = (found: NotApplied) => {
    const { agent, host, execution, count } = found;
    const text = `agent ${agent}: ${count} changes on ${host} ${whyNot[found.why]}; they are kept, not applied`;
    log.warn({ agent, host, execution, count }, text);
    record({ type: 'incident', incident: `workspace-${found.why}`, caller: '', text });
  };
  const workspaces = followWorkspaces({ replicas, useHome: homes.use, agents, hosts, onNotApplied });
  let retirement: Retirement | undefined;
  return {
    ...workspaces,
    homes,
    onHost: (host, engine) => {
      replicas.attach(host, engine);
      return {
        ...engine,
        startGhost: async (shape, purpose, signal) =>
          engine.startGhost(await workspaces.placed(host, shape, signal), purpose, signal),
      };
    },
    holdToAgents: (before) => {
      homes.holdToAgents();
      closeOthers(replicas, before, agents());
    },
    begin: ({ ready, forget }) => {
      retirement ??= new Retirement({ replicas, agents, forget, log });
      ahead = (agent) => void copyAhead(agent, { workspaces, agents, ready, log }, closing.signal);
    },
    close: async () => {
      closing.abort(new Error('the gateway stops'));
      await retirement?.stop();
      await Promise.all(replicas.slots.map((slot) => replicas.close(slot)));
    },
  };
}
