import type { ReachedPlace } from '../../egress/reached-place.ts';
import type { Execution } from '../../gen/clawrden/v1/warden.ts';
import type { Operand, Plan } from '../../plan.ts';
import { quoteText, renderArgument } from '../../text/render-text.ts';
import { type Fact, printFacts } from '../print/output.ts';
import { operandFacts, planFacts } from '../print/plan-facts.ts';
import { between, localTime } from '../print/times.ts';
import { decisionCell, resultCell } from './describe-execution.ts';

export function printExecution(execution: Execution): void {
  printFacts(executionFacts(execution));
}

/** Everything known about one execution. */
export function executionFacts(execution: Execution): Fact[] {
  const facts: Fact[] = [
    ['id', execution.id],
    ['agent', named(execution.agent) || 'none'],
    ['caller', named(execution.caller)],
    ['decision', decisionCell(execution)],
    ['because', quoted(execution.decisionReason)],
    ['approval', named(execution.approvalId)],
    ['approver', named(execution.approver)],
    ['result', resultCell(execution)],
    ['text', quoted(execution.text)],
    ['host', named(execution.host)],
    ['container', named(execution.container)],
    ['received', localTime(execution.receivedAt)],
    ['decided', `${localTime(execution.decidedAt)}${after(execution, execution.decidedAt)}`],
    ['started', `${localTime(execution.startedAt)}${after(execution, execution.startedAt)}`],
    ['ended', `${localTime(execution.endedAt)}${after(execution, execution.endedAt)}`],
    ['output', `${execution.stdoutBytes} bytes of stdout, ${execution.stderrBytes} of stderr`],
    ['plan', execution.planHash || 'none'],
    ...(execution.plan === '' ? asAsked(execution) : planFacts(execution.plan)),
    ...ran(execution),
    ...reached(execution),
  ];
  return facts.filter(([, value]) => value !== '');
}

function named(value: string): string {
  return value === '' ? '' : renderArgument(value);
}

function quoted(value: string): string {
  return value === '' ? '' : quoteText(value);
}

function after({ receivedAt }: Execution, time: string): string {
  const text = between(receivedAt, time);
  return text === '' ? '' : `  after ${text}`;
}

/** What it was asked to run, if its plan does not say that. */
function ran({ plan, operands }: Execution): Fact[] {
  const told = plan !== '' && (JSON.parse(plan) as Plan).operands !== undefined;
  return operands === '' || told ? [] : operandFacts('ran', JSON.parse(operands) as Operand[]);
}

/** What its connections reached by name, and what they were refused. */
function reached({ connections }: Execution): Fact[] {
  const places = JSON.parse(connections || '[]') as ReachedPlace[];
  return places.map((place, index) => [index === 0 ? 'reached' : '', placeText(place)]);
}

function placeText({ to, route, outcome, times, up, down }: ReachedPlace): string {
  const by = route === '' ? '' : ` by route ${renderArgument(route)}`;
  const where = outcome === 'other' ? 'other places' : `${quoteText(to)}${by}: ${renderArgument(outcome)}`;
  return `${where}, ${times} ${times === 1 ? 'time' : 'times'}, ${up} bytes there, ${down} from there`;
}

/** Without a plan: the request. */
function asAsked({ argv, cwd, cut, uid, gid }: Execution): Fact[] {
  const whole = cut && `${cut.words} words and the cwd, ${cut.bytes} bytes, sha256:${cut.sha256}`;
  return [
    ...argv.map((argument, index) => [index === 0 ? 'argv' : '', quoteText(argument)] as const),
    ['cwd', quoteText(cwd)],
    ['cut', whole === undefined ? '' : `only the beginning was kept, of ${whole}`],
    ['user', `${uid}:${gid}`],
  ];
}
