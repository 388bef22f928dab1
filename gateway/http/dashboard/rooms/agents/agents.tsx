import { useSignal } from '@preact/signals';
import type { AgentJson } from '../../../../../src/http-api/fleet.ts';
import type { Collection } from '../../data/collection.ts';
import { hasRole, seesAll, useDashboard } from '../../data/dashboard.ts';
import { useCollection } from '../../data/use-collection.ts';
import { useStatus } from '../../data/use-status.ts';
import { RoomPage } from '../../parts/room-page.tsx';
import { Empty, Loading, Trouble } from '../../parts/states.tsx';
import type { Room } from '../room.ts';
import { AgentCard } from './agent-card.tsx';
import { LockdownDialog } from './stop-dialogs.tsx';
import './agents.css';

export const agents: Room = {
  name: 'Agents',
  path: '/agents',
  views: [
    { path: '/agents', show: Agents },
    { path: '/agents/:name', show: OneAgent },
  ],
};

function useAgents(): Collection<AgentJson> {
  const { client } = useDashboard();
  return useCollection<AgentJson>('agents', {
    load: (signal) => client().list('agents', { limit: '1000' }, { signal }),
    keyOf: ({ name }) => name,
    take: (event, rows) => {
      if (event.type === 'agent') return rows.set(event.agent.name, event.agent) === rows;
      return event.type === 'agent-gone' && rows.delete(event.name);
    },
  });
}

/** The stopped ones first: they wait for somebody. */
function inOrder(rows: Iterable<AgentJson>): AgentJson[] {
  const rank = ({ state, online }: AgentJson) => (state === 'active' ? (online ? 2 : 1) : 0);
  return [...rows].toSorted((one, other) => rank(one) - rank(other) || (one.name < other.name ? -1 : 1));
}

function Agents() {
  const { session } = useDashboard();
  const list = useAgents();
  const rows = inOrder(list.rows.value.values());
  const stopped = rows.filter(({ state }) => state !== 'active').length;
  const online = rows.filter((agent) => agent.online).length;
  const note =
    list.state.value === 'ready' &&
    `${online} of ${rows.length} online${stopped > 0 ? `, ${stopped} stopped` : ''}`;
  return (
    <RoomPage title="Agents" note={note || ' '} actions={seesAll(session) && <Lockdown agents={rows} />}>
      <List list={list} rows={rows} />
    </RoomPage>
  );
}

function List({ list, rows }: { readonly list: Collection<AgentJson>; readonly rows: readonly AgentJson[] }) {
  const state = list.state.value;
  if (state instanceof Error) return <Trouble what="The list of agents" error={state} again={list.reload} />;
  if (state === 'loading') return <Loading />;
  if (rows.length === 0)
    return (
      <Empty title="There is no agent for you to see">
        <p>
          Agents are named under <code>agents</code> in gateway.yaml. They appear here as soon as they are,
          also while their relay is away.
        </p>
      </Empty>
    );
  return (
    <ul class="agents" aria-label="Agents">
      {rows.map((agent) => (
        <AgentCard key={agent.name} agent={agent} />
      ))}
    </ul>
  );
}

function OneAgent({ params }: { readonly params: Readonly<Record<string, string>> }) {
  const list = useAgents();
  const name = params['name'] ?? '';
  const agent = list.rows.value.get(name);
  const state = list.state.value;
  return (
    <RoomPage title={`Agent ${agent?.name ?? ''}`} note={<a href="/agents">All agents</a>}>
      {state instanceof Error && <Trouble what="The agent" error={state} again={list.reload} />}
      {state === 'loading' && <Loading rows={1} />}
      {state === 'ready' && agent === undefined && (
        <Empty title="There is no such agent for you to see">
          <p>It is not in gateway.yaml, or not in your scope.</p>
        </Empty>
      )}
      {agent !== undefined && (
        <ul class="agents">
          <AgentCard agent={agent} whole />
        </ul>
      )}
    </RoomPage>
  );
}

function Lockdown({ agents: rows }: { readonly agents: readonly AgentJson[] }) {
  const { session } = useDashboard();
  const status = useStatus();
  const isAsked = useSignal(false);
  if (status === undefined) return null;
  const isOn = status.lockdown;
  return (
    <>
      {isOn && <span class="tag bad agents-lockdown">Lockdown is on</span>}
      {hasRole(session, 'operator') && (
        <button
          type="button"
          class={isOn ? 'button' : 'button danger'}
          onClick={() => {
            isAsked.value = true;
          }}
        >
          {isOn ? 'Lift lockdown…' : 'Lockdown…'}
        </button>
      )}
      {isAsked.value && (
        <LockdownDialog
          isOn={isOn}
          agents={rows}
          onClose={() => {
            isAsked.value = false;
          }}
        />
      )}
    </>
  );
}
