import type { AnswerOf, Routes } from '../../../../../src/http-api/routes.ts';
import { planLines } from '../../../../../src/text/describe-plan.ts';
import { Facts } from '../../parts/facts.tsx';
import { ShortId } from '../../parts/short-id.tsx';
import { AgentText, Rendered } from '../../parts/texts.tsx';
import { exactTime } from '../../parts/times.tsx';

type Execution = AnswerOf<Routes['execution']>;

/** Who asked, what was decided, where it ran, and the plan that was run. */
export function ExecutionFacts({ execution }: { readonly execution: Execution }) {
  const { agent, caller, rule, decision, decisionReason, approver, reason, text, host, container } =
    execution;
  return (
    <section class="card execution-facts" aria-label="Facts">
      <Facts
        rows={[
          ['Agent', agent === '' ? '' : <a href={`/agents/${encodeURIComponent(agent)}`}>{agent}</a>],
          ['Asked by', <AgentText text={caller} bare />],
          ['Decision', decision === '' ? '' : `${decision} by ${rule}`],
          ['Because', decisionReason === '' ? '' : <AgentText text={decisionReason} bare />],
          ['Said yes', approver],
          ['Runs as', execution.strategy],
          ['Host', host],
          ['Container', container === '' ? '' : <AgentText text={container} bare most={24} />],
          ['Why it ended so', reason],
          ['In words', text === '' ? '' : <AgentText text={text} bare />],
          ['Wrote', `${execution.stdoutBytes} bytes, and ${execution.stderrBytes} of errors`],
          ['Id', <ShortId id={execution.id} length={36} />],
        ]}
      />
      <Times execution={execution} />
      <PlanOf canonical={execution.plan} hash={execution.planHash} />
    </section>
  );
}

function Times({
  execution: { receivedAt, decidedAt, startedAt, endedAt },
}: {
  readonly execution: Execution;
}) {
  const rows = [
    ['Received', receivedAt],
    ['Decided', decidedAt],
    ['Started', startedAt],
    ['Ended', endedAt],
  ] as const;
  return (
    <Facts
      rows={rows.map(([name, at]) => [
        name,
        at === undefined ? (
          ''
        ) : (
          <time dateTime={at} title={exactTime(at)}>
            {new Date(at).toLocaleTimeString()}
            {at !== receivedAt && (
              <span class="soft"> after {secondsText(Date.parse(at) - Date.parse(receivedAt))}</span>
            )}
          </time>
        ),
      ])}
    />
  );
}

function secondsText(ms: number): string {
  return ms < 1000 ? `${ms} ms` : `${(ms / 1000).toFixed(1)} s`;
}

function PlanOf({ canonical, hash }: { readonly canonical: string; readonly hash: string }) {
  if (canonical === '') return null;
  return (
    <details class="execution-plan">
      <summary>The plan that was run</summary>
      <p>
        <span class="soft">Hash</span> <ShortId id={hash} length={24} />
      </p>
      <dl>
        {planLines(canonical).map(({ name, text }, at) => (
          <div key={at}>
            <dt>{name}</dt>
            <dd class="agent-text">
              <Rendered text={text} />
            </dd>
          </div>
        ))}
      </dl>
    </details>
  );
}
