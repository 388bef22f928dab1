import { request } from 'node:http';
import { createInterface } from 'node:readline';
import type { Lab } from '../lab/lab.ts';
import type { HostNames } from '../lab/names.ts';

interface Event {
  readonly Action: string;
  readonly Actor: { readonly ID: string; readonly Attributes: Readonly<Record<string, string>> };
}

/** An engine's event about a container; only the fields that tests use have a type. */
export interface Inspected {
  readonly Id: string;
  readonly Name: string;
  readonly Image: string;
  readonly Config: {
    readonly User: string;
    readonly Image: string;
    readonly Env: readonly string[] | null;
  } & {
    readonly Labels: Readonly<Record<string, string>>;
  };
  readonly HostConfig: Readonly<Record<string, unknown>>;
  readonly State: { readonly Running: boolean };
  readonly Mounts: readonly Readonly<Record<string, unknown>>[];
}

const containerEvents = `/events?filters=${encodeURIComponent('{"type":["container"]}')}`;

/** What ran on any engine since then (epoch milliseconds): ghosts made or claimed, commands mirrored. */
export async function startsSince(lab: Lab, since: number): Promise<string[]> {
  const engines = [...lab.hosts, lab.agentHost];
  const all = await Promise.all(engines.map((host) => eventsBetween(host, since, Date.now())));
  return all
    .flat()
    .filter(isStart)
    .map(({ Action, Actor }) => `${Action} ${Actor.Attributes['name'] ?? ''}`);
}

/** A ghost that waits in a pool runs nothing; the claim renames it. */
function isStart({ Action, Actor }: Event): boolean {
  if (Action.startsWith('exec_create')) return Action.includes('/.init');
  return Action === 'rename' || (Action === 'create' && !Actor.Attributes['clawrden.pool']);
}

async function eventsBetween(host: HostNames, since: number, until: number): Promise<Event[]> {
  const path = `${containerEvents}&since=${seconds(since)}&until=${seconds(until)}`;
  const events: Event[] = [];
  await readLines(host, path, (line) => events.push(JSON.parse(line) as Event));
  return events;
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(6);
}

/** Every container that is started on the build hosts, as its engine described it when it was made. */
export interface GhostWatch {
  /** Rejects if a container was gone before it could be inspected. */
  readonly inspected: () => Promise<Inspected[]>;
  readonly stop: () => void;
}

export function watchGhosts(lab: Lab): GhostWatch {
  const stopping = new AbortController();
  const looks = new Map<string, Promise<Inspected | Error>>();
  const started: Promise<Inspected | Error>[] = [];
  const unseen = Promise.resolve(new Error('a container was started that was made before the watch'));
  for (const host of lab.hosts) {
    const onLine = (line: string) => {
      const { Action, Actor } = JSON.parse(line) as Event;
      const { ID } = Actor;
      if (Action === 'create')
        looks.set(
          ID,
          inspect(host, ID).catch((error: Error) => error),
        );
      if (Action === 'start') started.push(looks.get(ID) ?? unseen);
    };
    readLines(host, containerEvents, onLine, stopping.signal).catch(() => {});
  }
  return {
    inspected: async () => (await Promise.all(started)).map(found),
    stop: () => stopping.abort(),
  };
}

function found(look: Inspected | Error): Inspected {
  if (look instanceof Error) throw look;
  return look;
}

async function inspect(host: HostNames, id: string): Promise<Inspected> {
  let text = '';
  await readLines(host, `/containers/${id}/json`, (line) => (text += line));
  const container = JSON.parse(text) as Inspected;
  if (container.Id !== id) throw new Error(`${host.name} has no container ${id} any more: ${text}`);
  return container;
}

function readLines(
  { socket }: HostNames,
  path: string,
  onLine: (line: string) => void,
  signal?: AbortSignal,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const call = request({ socketPath: socket, path, ...(signal && { signal }) }, (response) => {
      createInterface({ input: response }).on('line', onLine).on('error', reject).on('close', resolve);
    });
    call.on('error', reject).end();
  });
}
