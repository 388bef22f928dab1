import { type Signal, useSignal } from '@preact/signals';
import { useId } from 'preact/hooks';
import type { AnswerOf, Routes } from '../../../../../src/http-api/routes.ts';
import { renderArgv } from '../../../../../src/text/render-text.ts';
import { useDashboard } from '../../data/dashboard.ts';
import { useCollection } from '../../data/use-collection.ts';
import { Facts } from '../../parts/facts.tsx';
import { problemText } from '../../parts/problem-text.ts';
import { AgentText, Rendered } from '../../parts/texts.tsx';
import { durationOf } from '../../parts/times.tsx';
import { splitWords } from './split-words.ts';

type Explanation = AnswerOf<Routes['explain']>;

interface Asked {
  readonly argv: readonly string[];
  readonly agent: string;
  readonly said: Explanation;
}

interface ExplainProps {
  /** Where a line of the policy is; absent for who does not see it. */
  readonly lineTo: ((line: number) => string) | undefined;
}

/** What would become of a command: nothing runs. */
export function Explain({ lineTo }: ExplainProps) {
  const { client } = useDashboard();
  const line = useSignal('');
  const agent = useSignal('');
  const problem = useSignal('');
  const asked = useSignal<Asked | undefined>(undefined);
  const names = useAgentNames();
  const chosen = agent.value || (names[0] ?? '');
  const ask = async () => {
    const split = splitWords(line.value);
    problem.value = 'problem' in split ? split.problem : '';
    if ('problem' in split) return;
    const [tool = '', ...args] = split.words;
    try {
      const said = await client().call('explain', { body: { agent: chosen, tool, args } });
      asked.value = { argv: split.words, agent: chosen, said };
    } catch (error) {
      problem.value = problemText(error);
    }
  };
  return (
    <section class="card policy-card" aria-labelledby="explain">
      <h2 id="explain">What would become of…</h2>
      <p class="soft">Nothing runs, and nobody is asked.</p>
      <form
        class="policy-ask"
        onSubmit={(event) => {
          event.preventDefault();
          void ask();
        }}
      >
        <Fields agent={agent} line={line} names={names} chosen={chosen} />
        <button type="submit" class="button main">
          Explain
        </button>
      </form>
      <div role="status">
        {problem.value !== '' && <p class="trouble">{problem.value}</p>}
        {problem.value === '' && asked.value !== undefined && <Answer asked={asked.value} lineTo={lineTo} />}
      </div>
    </section>
  );
}

interface FieldsProps {
  readonly agent: Signal<string>;
  readonly line: Signal<string>;
  readonly names: readonly string[];
  readonly chosen: string;
}

function Fields({ agent, line, names, chosen }: FieldsProps) {
  return (
    <>
      <label class="labelled">
        Agent
        <select
          class="field"
          value={chosen}
          onChange={({ currentTarget }) => {
            agent.value = currentTarget.value;
          }}
        >
          {names.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </label>
      <label class="labelled policy-command">
        Command
        <input
          class="field mono"
          spellcheck={false}
          autocapitalize="off"
          placeholder="git push origin main"
          value={line.value}
          onInput={({ currentTarget }) => {
            line.value = currentTarget.value;
          }}
        />
      </label>
    </>
  );
}

const tones = { allow: 'good', ask: 'warn', deny: 'bad' } as const;

function Answer({ asked: { argv, agent, said }, lineTo }: ExplainProps & { readonly asked: Asked }) {
  const { action, rule, line, reason, code, problem, questionSeconds, known, plan } = said;
  const id = useId();
  const where = line > 0 && lineTo !== undefined && (
    <>
      {' '}
      (<a href={lineTo(line)}>line {line}</a>)
    </>
  );
  return (
    <div class="policy-answer">
      <p>
        <span class={`tag ${tones[action]}`}>{action}</span>{' '}
        <q class="agent-text">
          <Rendered text={renderArgv(argv)} />
        </q>{' '}
        <span class="soft">for {agent}</span>
      </p>
      <Facts
        rows={[
          [
            'Rule',
            <>
              <AgentText text={rule} bare />
              {where}
            </>,
          ],
          ['Reason', <AgentText text={reason} bare />],
          ['Code', code],
          ['A question', questionSeconds > 0 && `waits ${waitText(questionSeconds)}, then it is refused`],
          ['Needs', needs(said)],
          ['Arguments', known !== '' && <AgentText text={known} bare />],
          ['No plan just now', problem !== '' && <AgentText text={problem} bare />],
        ].map(([name, value]) => [name as string, value === false ? '' : value])}
      />
      {plan !== '' && (
        <details>
          <summary id={id}>The plan that would be made</summary>
          <p class="policy-plan">
            <AgentText text={plan} bare most={20_000} />
          </p>
        </details>
      )}
    </div>
  );
}

function needs({ approvals = 0, approverRole = 'approver', approverNames = [] }: Explanation): string {
  if (approvals === 0) return '';
  const who = approverNames.length > 0 ? approverNames.join(', ') : `${approverRole} or above`;
  return approvals === 1 ? `one person, ${who}` : `${approvals} different people, ${who}`;
}

function waitText(seconds: number): string {
  const minutes = seconds / 60;
  return Number.isInteger(minutes) && minutes <= 120 ? `${minutes} min` : durationOf(seconds);
}

function useAgentNames(): readonly string[] {
  const { client } = useDashboard();
  const list = useCollection<string>('agent names', {
    load: async function* load(signal) {
      for await (const { name } of client().list('agents', { limit: '1000' }, { signal })) yield name;
    },
    keyOf: (name) => name,
    take: (event, rows) => {
      if (event.type === 'agent') return rows.set(event.agent.name, event.agent.name) === rows;
      return event.type === 'agent-gone' && rows.delete(event.name);
    },
  });
  return [...list.rows.value.keys()].toSorted();
}
