import { useSignal } from '@preact/signals';
import type { HostJson } from '../../../../../src/http-api/fleet.ts';
import type { Collection } from '../../data/collection.ts';
import { hasRole, seesAll, useDashboard } from '../../data/dashboard.ts';
import { useCollection } from '../../data/use-collection.ts';
import { Facts } from '../../parts/facts.tsx';
import { HaltDialog } from '../../parts/halt-dialog.tsx';
import { RoomPage } from '../../parts/room-page.tsx';
import { Empty, Loading, Trouble } from '../../parts/states.tsx';
import { AgentText } from '../../parts/texts.tsx';
import type { Room } from '../room.ts';
import './hosts.css';

export const hosts: Room = {
  name: 'Hosts',
  path: '/hosts',
  mayEnter: seesAll,
  views: [
    { path: '/hosts', show: Hosts },
    { path: '/hosts/:name', show: Hosts },
  ],
};

/** All, or the one that the address names. */
function Hosts({ params }: { readonly params: Readonly<Record<string, string>> }) {
  const { client } = useDashboard();
  const list = useCollection<HostJson>('hosts', {
    load: (signal) => client().list('hosts', { limit: '1000' }, { signal }),
    keyOf: ({ name }) => name,
    take: (event, rows) => {
      if (event.type === 'host') return rows.set(event.host.name, event.host) === rows;
      return event.type === 'host-gone' && rows.delete(event.name);
    },
  });
  const wanted = params['name'];
  const all = [...list.rows.value.values()].toSorted((one, other) => (one.name < other.name ? -1 : 1));
  const rows = wanted === undefined ? all : all.filter(({ name }) => name === wanted);
  const ready = all.filter(({ state }) => state === 'ready').length;
  const note =
    wanted === undefined ? (
      list.state.value === 'ready' && all.length > 0 && `${ready} of ${all.length} ready`
    ) : (
      <a href="/hosts">All hosts</a>
    );
  return (
    <RoomPage title={wanted === undefined ? 'Hosts' : `Host ${rows[0]?.name ?? ''}`} note={note || ' '}>
      <List list={list} rows={rows} isOne={wanted !== undefined} />
    </RoomPage>
  );
}

interface ListProps {
  readonly list: Collection<HostJson>;
  readonly rows: readonly HostJson[];
  readonly isOne: boolean;
}

function List({ list, rows, isOne }: ListProps) {
  const state = list.state.value;
  if (state instanceof Error) return <Trouble what="The list of hosts" error={state} again={list.reload} />;
  if (state === 'loading') return <Loading />;
  if (rows.length === 0)
    return (
      <Empty title={isOne ? 'There is no such host' : 'There is no Docker host'}>
        <p>
          Commands that the policy runs in a container need one. Name its engine under <code>hosts</code> in
          gateway.yaml; no restart is needed.
        </p>
      </Empty>
    );
  return (
    <ul class="hosts" aria-label="Hosts">
      {rows.map((host) => (
        <HostCard key={host.name} host={host} />
      ))}
    </ul>
  );
}

const tones = { ready: 'good', draining: 'warn', down: 'bad' } as const;

function HostCard({ host }: { readonly host: HostJson }) {
  const { name, state, engine, slots, running, queued, warm, workspaceBytes, problem, labels } = host;
  return (
    <li class="card hosts-card">
      <div class="hosts-head">
        <h2>
          <a href={`/hosts/${encodeURIComponent(name)}`}>{name}</a>
        </h2>
        <span class={`tag ${tones[state]}`}>{state}</span>
        {host.draining && state === 'down' && <span class="tag warn">draining</span>}
        <Drain host={host} />
      </div>
      {problem !== '' && (
        <p class={state === 'down' ? 'hosts-problem is-bad' : 'hosts-problem'}>
          <AgentText text={problem} bare />
        </p>
      )}
      <div>
        <p class="hosts-slots">
          <span>
            {running} of {slots} slots in use
          </span>
          {queued > 0 && <span class="soft">{queued} more wait for a place</span>}
        </p>
        <meter class="hosts-meter" min={0} max={Math.max(1, slots)} value={running}>
          {running} of {slots}
        </meter>
      </div>
      <Facts
        rows={[
          ['Started ahead', String(warm)],
          ['Workspaces', sizeText(workspaceBytes)],
          ['Engine', <AgentText text={engine} bare />],
        ]}
      />
      {Object.keys(labels).length > 0 && (
        <ul class="hosts-labels" aria-label={`Labels of ${name}`}>
          {Object.entries(labels).map(([key, value]) => (
            <li key={key}>
              <AgentText text={key} bare /> = <AgentText text={value} />
            </li>
          ))}
        </ul>
      )}
    </li>
  );
}

function Drain({ host: { name, draining: isDraining, running } }: { readonly host: HostJson }) {
  const { session, client, notices } = useDashboard();
  const isAsked = useSignal(false);
  if (!hasRole(session, 'operator') || !seesAll(session)) return null;
  const action = isDraining ? 'Give work again' : 'Drain';
  const close = () => {
    isAsked.value = false;
  };
  const confirm = async (reason: string) => {
    const body = { state: isDraining ? ('ready' as const) : ('draining' as const), reason };
    await client().call('setHostState', { params: { name }, body });
    close();
    notices.tell(isDraining ? `${name} gets work again.` : `${name} gets no new work.`, 'good');
  };
  return (
    <>
      <button
        type="button"
        class="button short hosts-drain"
        aria-label={`${action}: ${name}`}
        onClick={() => {
          isAsked.value = true;
        }}
      >
        {action}…
      </button>
      {isAsked.value && (
        <HaltDialog
          title={isDraining ? `Give ${name} work again?` : `Drain ${name}?`}
          action={isDraining ? `Give ${name} work` : `Drain ${name}`}
          now={isDraining ? `${name} gets no new work` : `${name} gets work`}
          onConfirm={confirm}
          onCancel={close}
        >
          <p>
            {isDraining
              ? 'New commands may run there from now on.'
              : 'It gets no new work. Nothing is stopped: what runs there goes on to its end.'}
          </p>
          {!isDraining && (
            <p>{running === 0 ? 'Nothing runs there now.' : `${running} of its slots are in use now.`}</p>
          )}
        </HaltDialog>
      )}
    </>
  );
}

const units = ['B', 'kB', 'MB', 'GB', 'TB'] as const;

function sizeText(bytes: number): string {
  const power = Math.min(units.length - 1, bytes < 1 ? 0 : Math.floor(Math.log10(bytes) / 3));
  const value = bytes / 1000 ** power;
  return `${value >= 10 || power === 0 ? Math.round(value) : value.toFixed(1)} ${units[power]}`;
}
