import type { Change } from '../ports/events.ts';
import type { WardenApi } from '../ports/warden-api.ts';

/** What tells of no change by itself: it is looked at, and compared with what it was. */
export type Views = Pick<WardenApi, 'agents' | 'hosts' | 'status' | 'policy'>;

/** What changed since the last call; the first call is only compared with. */
export function createViewChanges(views: Views): () => Change[] {
  let before: ReadonlyMap<string, Seen> | undefined;
  return () => {
    const now = lookAt(views);
    const known = before;
    before = now;
    if (known === undefined) return [];
    const came = [...now].flatMap(([key, { text, change }]) =>
      known.get(key)?.text === text ? [] : [change],
    );
    const gone = [...known].flatMap(([key, { change }]) => (now.has(key) ? [] : goneOf(change)));
    return [...came, ...gone];
  };
}

interface Seen {
  readonly change: Change;
  readonly text: string;
}

function lookAt(views: Views): Map<string, Seen> {
  const { hash, problem } = views.policy();
  const changes: Change[] = [
    ...views.agents().map((row) => ({ type: 'agent', row }) as const),
    ...views.hosts().map((row) => ({ type: 'host', row }) as const),
    { type: 'status', row: views.status() },
    { type: 'policy', row: { hash, problem } },
  ];
  return new Map(changes.map((change) => [keyOf(change), { change, text: JSON.stringify(change.row) }]));
}

function keyOf({ type, row }: Change): string {
  return 'name' in row ? `${type} ${row.name}` : type;
}

function goneOf({ type, row }: Change): Change[] {
  if (type === 'agent') return [{ type: 'agent-gone', row: { name: row.name } }];
  return type === 'host' ? [{ type: 'host-gone', row: { name: row.name } }] : [];
}
