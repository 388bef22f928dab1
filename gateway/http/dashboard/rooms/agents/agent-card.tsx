import { useSignal } from '@preact/signals';
import type { AgentJson } from '../../../../../src/http-api/fleet.ts';
import { hasRole, useDashboard } from '../../data/dashboard.ts';
import { Facts } from '../../parts/facts.tsx';
import { AgentText } from '../../parts/texts.tsx';
import { Ago } from '../../parts/times.tsx';
import { type Change, StateDialog } from './stop-dialogs.tsx';

interface AgentCardProps {
  readonly agent: AgentJson;
  /** With all of its tools. */
  readonly whole?: boolean;
}

const tones = { active: 'good', refused: 'warn', paused: 'warn', killed: 'bad' } as const;
const words = { active: '', refused: 'New work is refused', paused: 'Paused', killed: 'Killed' } as const;
const toolsShown = 8;

export function AgentCard({ agent, whole = false }: AgentCardProps) {
  const { name, state, online, problem, relay } = agent;
  return (
    <li class="card agents-card">
      <div class="agents-head">
        <h2>
          <a href={`/agents/${encodeURIComponent(name)}`}>{name}</a>
        </h2>
        <span class={`tag ${tones[state]}`}>{state}</span>
        <span class={online ? 'tag' : 'tag warn'}>{online ? 'online' : 'offline'}</span>
      </div>
      <Changes agent={agent} />
      <div class="agents-body">
        {state !== 'active' && <Stopped agent={agent} />}
        {problem !== '' && (
          <p class="agents-problem">
            <AgentText text={problem} bare />
          </p>
        )}
        <Facts
          rows={[
            [
              'Open commands',
              agent.running === 0 ? '0' : <a href={`/history?agent=${name}`}>{agent.running}</a>,
            ],
            ['Waiting', agent.pending === 0 ? '0' : <a href="/waiting">{agent.pending}</a>],
            ['Grants', String(agent.grants)],
            ['Relay', relay],
            ['Container', agent.containerRunning ? 'running' : 'not seen'],
          ]}
        />
        <Tools agent={agent} whole={whole} />
      </div>
    </li>
  );
}

function Stopped({ agent: { state, stoppedBy = '', stoppedReason = '', stoppedSince } }: AgentCardProps) {
  return (
    <p>
      {words[state]}
      {stoppedBy !== '' && (
        <>
          {' by '}
          <AgentText text={stoppedBy} bare />
        </>
      )}
      {stoppedSince !== undefined && (
        <>
          {' · '}
          <Ago at={stoppedSince} />
        </>
      )}
      {stoppedReason !== '' && (
        <>
          : <AgentText text={stoppedReason} />
        </>
      )}
    </p>
  );
}

function Tools({ agent: { tools, name, online }, whole = false }: AgentCardProps) {
  if (tools.length === 0)
    return (
      <p class="soft small">
        {online ? 'No tool is linked for it now.' : 'Its tools are known once its relay is there.'}
      </p>
    );
  const shown = whole ? tools : tools.slice(0, toolsShown);
  return (
    <ul class="agents-tools" aria-label={`Tools of ${name}`}>
      {shown.map((tool) => (
        <li key={tool} class="agents-tool">
          <AgentText text={tool} bare />
        </li>
      ))}
      {shown.length < tools.length && (
        <li class="agents-more">
          <a href={`/agents/${encodeURIComponent(name)}`}>
            {tools.length - shown.length} more<span class="heard-only"> tools of {name}</span>
          </a>
        </li>
      )}
    </ul>
  );
}

function Changes({ agent }: AgentCardProps) {
  const { session } = useDashboard();
  const asked = useSignal<Change | undefined>(undefined);
  if (!hasRole(session, 'operator')) return null;
  const button = (change: Change, label: string) => (
    <button
      type="button"
      class={change === 'killed' ? 'button short danger' : 'button short'}
      aria-label={`${label} ${agent.name}`}
      onClick={() => {
        asked.value = change;
      }}
    >
      {label}…
    </button>
  );
  return (
    <div class="agents-changes">
      {agent.state !== 'active' && button('active', 'Resume')}
      {(agent.state === 'active' || agent.state === 'refused') && button('paused', 'Pause')}
      {agent.state !== 'killed' && button('killed', 'Kill')}
      {asked.value !== undefined && (
        <StateDialog
          agent={agent}
          change={asked.value}
          onClose={() => {
            asked.value = undefined;
          }}
        />
      )}
    </div>
  );
}
