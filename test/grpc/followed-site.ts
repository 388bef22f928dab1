import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import type { AuditRecord } from '../../gateway/audit/audit-record.ts';
import type { Engine } from '../../gateway/ports/engine.ts';
import type { Replica, ReplicaHost, ReplicaOf } from '../../gateway/ports/replica.ts';
import { openDatabase } from '../../gateway/store/database.ts';
import { createKeptChanges } from '../../gateway/store/kept-changes.ts';
import { type OpenWorkspaces, openWorkspaces } from '../../gateway/workspaces/open-workspaces.ts';
import type { Visit } from '../../gateway/workspaces/visit.ts';
import {
  CarrierProcess,
  carrierBuilds,
  makePlace,
  type Place,
} from '../../shim/native/test/carrier-process.ts';
import type { AgentConfig } from '../../src/config/gateway-config.ts';
import { carryFrom } from './carry-from.ts';
import { relay, startTestGateway, type TestGateway } from './gateway.ts';

const [{ carrier: binary }] = carrierBuilds;
const limits = { entries: 200_000, bytes: 10 * 1024 ** 3, file: 4 * 1024 ** 3, depth: 255 };

/** A Docker host without Docker: each replica is a folder with a real carrier on it. */
export class FolderHost implements AsyncDisposable {
  readonly place = makePlace();
  readonly #running = new Map<string, CarrierProcess>();
  readonly #opened: ReplicaOf[] = [];
  /** A container mounts the replica. */
  mounted = false;
  fault: Error | undefined;

  folder(agent: string): string {
    return join(this.place.root, agent);
  }

  root(agent: string): string {
    return join(this.folder(agent), 'base');
  }

  get engine(): ReplicaHost {
    return {
      openReplica: async ({ agent, home }) => {
        const replica = await this.#open(agent);
        if (this.#opened.every((each) => each.home !== home)) this.#opened.push({ agent, home });
        return replica;
      },
      replicas: async () => {
        if (this.fault !== undefined) throw this.fault;
        return this.#opened.filter(({ agent }) => existsSync(this.folder(agent)));
      },
      removeReplica: async ({ agent }) => {
        if (this.mounted) throw new Error('the volume is in use');
        rmSync(this.folder(agent), { recursive: true, force: true });
        return true;
      },
    };
  }

  async #open(agent: string): Promise<Replica> {
    if (this.fault !== undefined) throw this.fault;
    const folder = this.folder(agent);
    mkdirSync(folder, { recursive: true });
    const place = { root: join(folder, 'base'), area: join(folder, 'area') };
    const carrier = await CarrierProcess.start(binary, place, { role: 'replica' });
    this.#running.set(agent, carrier);
    return {
      containerId: 'c',
      session: carrier.session,
      alive: () => carrier.child.exitCode === null && carrier.child.signalCode === null,
      found: carrier.first,
      folder: place.root,
      end: async () => {
        carrier.session.end();
        await carrier.exited();
      },
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const carrier of this.#running.values()) await carrier[Symbol.asyncDispose]();
    this.place[Symbol.dispose]();
  }
}

export interface FollowedSite extends AsyncDisposable {
  readonly gateway: TestGateway;
  readonly workspaces: OpenWorkspaces;
  readonly home: Place;
  readonly hosts: Readonly<Record<'docker-1' | 'docker-2', FolderHost>>;
  readonly records: AuditRecord[];
  readonly forgotten: string[];
  readonly stopped: string[];
  /** Opens the lane of `coder` with a new carrier at home. */
  readonly offer: () => Promise<AsyncDisposable>;
  /** A command on this host: what `write` does there comes home, or is kept. */
  readonly command: (
    host: string,
    id: string,
    write: (root: string) => void,
    meanwhile?: () => void,
  ) => Promise<void>;
  /** A command that has begun. */
  readonly visit: (host: string, id: string) => Promise<Visit>;
}

/** A gateway over TLS that follows the workspace of `coder` to two hosts; a relay with a real carrier at home. */
export async function startFollowedSite(
  conflicts: 'keep-agent' | 'keep-tool' = 'keep-agent',
): Promise<FollowedSite> {
  const home = makePlace();
  const hosts = { 'docker-1': new FolderHost(), 'docker-2': new FolderHost() };
  const database = await openDatabase(':memory:', 'crash');
  const [records, forgotten, stopped]: [AuditRecord[], string[], string[]] = [[], [], []];
  const sync = { seenBy: {}, hostBytes: 2 ** 40, carried: { excludes: [], conflicts, limits } };
  const followed = {
    name: 'coder',
    relay: relay.name,
    hosts: {},
    workspace: { kind: 'bind', source: home.root, sync },
  };
  const unfollowed = { name: 'writer', relay: relay.name, hosts: {} };
  const agents = new Map(
    [followed, unfollowed].map((agent) => [agent.name, agent as unknown as AgentConfig]),
  );
  const workspaces = openWorkspaces({
    agents: () => agents,
    hosts: () => new Map(),
    incidents: { tell: () => {} },
    record: (entry) => records.push(entry),
    kept: createKeptChanges(database),
    log: pino({ level: 'silent' }),
  });
  for (const [name, host] of Object.entries(hosts))
    workspaces.onHost(name, host.engine as Engine & ReplicaHost).joined?.();
  const operations = workspaces.operations({
    audit: { append: async (entry) => void records.push(entry) },
    ledger: { executions: () => (stopped.push('asked'), []) },
    forget: (agent) => forgotten.push(agent),
  });
  const gateway = await startTestGateway({
    offerHome: workspaces.homes.offer,
    offerWayOut: () => 'no agent has a way out here',
    warden: { workspaces: operations },
    people: { admin: 'admin', olga: 'operator', vera: 'viewer' },
  });
  const client = await gateway.connect(relay);
  const never = new AbortController().signal;
  const visit = async (host: string, id: string) => {
    const made = workspaces.visit({ name: host, labels: {} }, 'coder', id);
    if (made === undefined) throw new Error('not followed');
    await made.settle(never).catch((error: unknown) => {
      made.end();
      throw error;
    });
    return made;
  };
  return {
    ...{ gateway, workspaces, home, hosts, records, forgotten, stopped, visit },
    offer: async () => carryFrom(client, home),
    command: async (host, id, write, meanwhile = () => {}) => {
      const made = await visit(host, id);
      write(hosts[host as keyof typeof hosts].root('coder'));
      meanwhile();
      await made.bringHome(never);
      made.end();
    },
    [Symbol.asyncDispose]: async () => {
      await workspaces.close();
      await gateway[Symbol.asyncDispose]();
      for (const host of Object.values(hosts)) await host[Symbol.asyncDispose]();
      home[Symbol.dispose]();
      await database.destroy();
    },
  };
}
