import { useSignal } from '@preact/signals';
import type { ApprovalView } from '../../../../../src/http-api/approvals.ts';
import { commandText } from '../../../../../src/text/command-text.ts';
import { useDashboard } from '../../data/dashboard.ts';
import { ShortId } from '../../parts/short-id.tsx';
import { Loading, Trouble } from '../../parts/states.tsx';
import { AgentText, Rendered } from '../../parts/texts.tsx';
import { Ago, Left } from '../../parts/times.tsx';
import { AnswerBar } from './answer-bar.tsx';
import { Beside } from './beside.tsx';
import type { QuestionProps } from './desk.ts';
import { Earlier } from './earlier.tsx';
import { Fact } from './fact.tsx';
import { mayAnswer } from './may-answer.ts';
import { Needs } from './needs.tsx';
import { PlanView } from './plan-view.tsx';
import { RuleProposal } from './rule-proposal.tsx';
import type { ShownPlan } from './shown-plans.ts';

/** Of the command's line in the head; the plan below has all of it. */
const headAtMost = 240;

/** One question: what would run, why it is asked about, and the answer. */
export function QuestionCard({ desk, question }: QuestionProps) {
  const { session, waiting } = useDashboard();
  const ending = desk.gone.value.get(question.id);
  const isGone = ending !== undefined || !waiting.rows.value.has(question.id);
  const plan = desk.plan(question.id).value;
  return (
    <article class={isGone ? 'card question is-gone' : 'card question'} aria-label="Question" tabIndex={-1}>
      <Head question={question} isGone={isGone} />
      {isGone && (
        <p class="question-gone" role="status">
          <strong>Answered or gone:</strong> {ending ?? 'looking for who answered…'}{' '}
          <a href={`/executions/${question.executionId}`}>What became of it</a>
        </p>
      )}
      <Why question={question} />
      {typeof plan === 'object' && 'lines' in plan && <Unusual plan={plan} />}
      <div class="question-plan-head">
        <h3>What would run</h3>
        <RuleButton question={question} />
      </div>
      <Plan desk={desk} question={question} plan={plan} />
      {typeof plan === 'object' && 'lines' in plan && <Earlier answers={plan.earlier} />}
      <Beside question={question} />
      {!isGone && mayAnswer(session) && <Answering desk={desk} question={question} />}
    </article>
  );
}

function Head({ question, isGone }: { readonly question: ApprovalView; readonly isGone: boolean }) {
  const { agent, id, createdAt, expiresAt } = question;
  const line = commandText(question);
  return (
    <header class="question-head">
      <p class="question-who">
        <strong>
          {agent === '' ? 'An orchestrator' : <a href={`/agents/${encodeURIComponent(agent)}`}>{agent}</a>}
        </strong>{' '}
        <span class="soft">
          asked <Ago at={createdAt} /> · <ShortId id={id} />
        </span>
        {!isGone && (
          <span class="question-left">
            <Left until={expiresAt} /> left
          </span>
        )}
      </p>
      <h2 class="question-command">
        <q class="agent-text" dir="ltr">
          <Rendered text={line.length > headAtMost ? line.slice(0, headAtMost) : line} />
        </q>
        {line.length > headAtMost && <span class="soft"> … the rest is below</span>}
      </h2>
    </header>
  );
}

/** A rule may leave answers to other doors. */
function Answering({ desk, question }: QuestionProps) {
  if (question.answerIn.includes('dashboard')) return <AnswerBar desk={desk} question={question} />;
  return <p class="answer-bar soft">Its rule lets only {question.answerIn.join(' or ')} answer it.</p>;
}

function Why({ question }: { readonly question: ApprovalView }) {
  const { rule, reason } = question;
  return (
    <dl class="question-why">
      <Fact name="Asked because">
        rule <AgentText text={rule} bare />
        {reason !== '' && (
          <>
            : <AgentText text={reason} bare />
          </>
        )}
      </Fact>
      {question.said !== '' && (
        <Fact name="The agent says">
          <AgentText text={question.said} />
        </Fact>
      )}
      <Needs question={question} />
    </dl>
  );
}

function RuleButton({ question }: { readonly question: ApprovalView }) {
  const isOpen = useSignal(false);
  return (
    <>
      <button
        type="button"
        class="button short quiet"
        onClick={() => {
          isOpen.value = true;
        }}
      >
        Propose a rule…
      </button>
      {isOpen.value && (
        <RuleProposal
          question={question}
          onClose={() => {
            isOpen.value = false;
          }}
        />
      )}
    </>
  );
}

/** What a person who is in a hurry must not miss; each is marked in the plan, too. */
function Unusual({ plan }: { readonly plan: Exclude<ShownPlan, 'loading' | Error> }) {
  const counts = new Map<string, number>();
  for (const note of plan.lines.flatMap(({ notes }) => notes)) counts.set(note, (counts.get(note) ?? 0) + 1);
  if (counts.size === 0) return null;
  return (
    <div class="question-unusual">
      <strong>Look at this first</strong>
      <ul>
        {[...counts].map(([note, count]) => (
          <li key={note}>
            {note}
            {count > 1 && ` (${count} times)`}
          </li>
        ))}
      </ul>
    </div>
  );
}

function Plan({ desk, question: { id }, plan }: QuestionProps & { readonly plan: ShownPlan }) {
  if (plan === 'loading') return <Loading rows={3} />;
  if (plan instanceof Error) return <Trouble what="The plan" error={plan} again={() => desk.planAgain(id)} />;
  return <PlanView lines={plan.lines} reading={desk.reading(id)} />;
}
