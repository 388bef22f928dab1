import type { Logger } from 'pino';
import type { AgentConfig, HostConfig } from '../../src/config/gateway-config.ts';
import type { AuditRecord } from '../audit/audit-record.ts';
import type { Engine } from '../ports/engine.ts';
import type { ReplicaHost } from '../ports/replica.ts';
import { followWorkspaces, type NotApplied, type Workspaces } from './follow.ts';
import { createHomes, type Homes } from './homes.ts';
import { Replicas } from './replicas.ts';
import { closeOthers, Retirement, type RetireTimes } from './retire.ts';

export interface OpenWorkspacesParts {
  readonly agents: () => ReadonlyMap<string, AgentConfig>;
  readonly hosts: () => ReadonlyMap<string, HostConfig>;
  /** Appends to the audit without waiting. */
  readonly record: (entry: AuditRecord) => void;
  readonly log: Logger;
}

/** Workspaces that follow their agents to Docker hosts that do not see them. */
export interface OpenWorkspaces extends Workspaces {
  readonly homes: Homes;
  /** The engine of `host`, with each ghost's workspace as it is there. */
  readonly onHost: (host: string, engine: Engine & ReplicaHost) => Engine;
  /** The agents have changed: what belongs to others than these ends. */
  readonly holdToAgents: (before: readonly AgentConfig[]) => void;
  /**
   * From now on carriers that nothing uses end, and replicas that no agent needs are removed; `forget` ends what waits
   * in one.
   */
  readonly retire: (forget: (agent: string) => void, times?: Partial<RetireTimes>) => void;
  /** Ends all carriers; the replicas stay. */
  readonly close: () => Promise<void>;
}

const whyNot: Readonly<Record<NotApplied['why'], string>> = {
  conflict: 'met others at home',
  late: 'came after their command',
};

export function openWorkspaces(parts: OpenWorkspacesParts): OpenWorkspaces {
  const { agents, hosts, record, log } = parts;
  const replicas = new Replicas();
  const homes = createHomes({
    relayOf: (agent) => {
      const known = agents().get(agent);
      return known?.workspace?.sync === undefined ? undefined : known.relay;
    },
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
    retire: (forget, times) => {
      retirement ??= new Retirement({ replicas, agents, forget, log, times });
    },
    close: async () => {
      await retirement?.stop();
      await Promise.all(replicas.slots.map((slot) => replicas.close(slot)));
    },
  };
}
