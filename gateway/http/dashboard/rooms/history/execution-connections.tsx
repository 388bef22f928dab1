import type { ReachedPlace } from '../../../../../src/egress/reached-place.ts';
import type { AnswerOf, Routes } from '../../../../../src/http-api/routes.ts';
import { AgentText } from '../../parts/texts.tsx';

type Execution = Pick<AnswerOf<Routes['execution']>, 'connections' | 'connectionCount'>;

/** What it reached by name, and what it was refused. */
export function ExecutionConnections({ execution }: { readonly execution: Execution }) {
  const { connections, connectionCount } = execution;
  if (connectionCount === 0) return null;
  const places = connections === '' ? [] : (JSON.parse(connections) as readonly ReachedPlace[]);
  return (
    <section class="card execution-connections" aria-label="Connections">
      <h2>
        {connectionCount} {connectionCount === 1 ? 'connection' : 'connections'}
      </h2>
      {places.length === 0 ? (
        <p class="soft">Their places are too long to be shown here; the audit has each of them.</p>
      ) : (
        <ul>
          {places.map((place, at) => (
            <Place key={at} place={place} />
          ))}
        </ul>
      )}
    </section>
  );
}

function Place({ place: { to, route, outcome, times, up, down } }: { readonly place: ReachedPlace }) {
  return (
    <li>
      <span>
        {outcome === 'other' ? 'Other places' : <AgentText text={to} most={300} />}
        {route !== '' && (
          <span class="soft">
            {' '}
            by route <AgentText text={route} bare most={63} />
          </span>
        )}
      </span>
      {outcome !== 'other' && <span class={`tag ${toneOf(outcome)}`}>{outcome}</span>}
      <span class="soft">
        {times} {times === 1 ? 'time' : 'times'}, {up} bytes there, {down} from there
      </span>
    </li>
  );
}

function toneOf(outcome: string): string {
  if (outcome === 'closed') return 'good';
  return outcome === 'stopped' ? 'warn' : 'bad';
}
