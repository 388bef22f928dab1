import type { Execution } from '../gen/clawrden/v1/warden.ts';
import type { Operand, Plan } from '../plan.ts';
import { renderArgument, renderText } from '../render-text.ts';
import { between, decisionCell, localTime, resultCell } from './describe-execution.ts';
import { operandFacts, planFacts } from './describe-plan.ts';
import { type Cell, printFacts } from './output.ts';

/** Everything that is known of one execution, on a terminal. */
export function printExecution(execution: Execution): void {
  const facts: (readonly [string, Cell])[] = [
    ['id', execution.id],
    ['agent', renderText(execution.agent) || 'none'],
    ['caller', renderText(execution.caller)],
    ['decision', decisionCell(execution)],
    ['because', renderText(execution.decisionReason)],
    ['approval', renderText(execution.approvalId)],
    ['approver', renderText(execution.approver)],
    ['result', resultCell(execution)],
    ['text', renderText(execution.text)],
    ['host', renderText(execution.host)],
    ['container', renderText(execution.container)],
    ['received', localTime(execution.receivedAt)],
    ['decided', `${localTime(execution.decidedAt)}${after(execution, execution.decidedAt)}`],
    ['started', `${localTime(execution.startedAt)}${after(execution, execution.startedAt)}`],
    ['ended', `${localTime(execution.endedAt)}${after(execution, execution.endedAt)}`],
    ['output', `${execution.stdoutBytes} bytes of stdout, ${execution.stderrBytes} of stderr`],
    ['plan', execution.planHash || 'none'],
    ...(execution.plan === '' ? asAsked(execution) : planFacts(execution.plan)),
    ...ran(execution),
  ];
  printFacts(facts.filter(([, value]) => value !== ''));
}

function after({ receivedAt }: Execution, time: string): string {
  const text = between(receivedAt, time);
  return text === '' ? '' : `  after ${text}`;
}

/** What it was given to run, where its plan does not say that already. */
function ran({ plan, operands }: Execution): readonly (readonly [string, Cell])[] {
  const told = plan !== '' && (JSON.parse(plan) as Plan).operands !== undefined;
  return operands === '' || told ? [] : operandFacts(JSON.parse(operands) as Operand[]);
}

/** Without a plan: what was asked for. */
function asAsked({ argv, cwd, cut, uid, gid }: Execution): (readonly [string, Cell])[] {
  const whole = cut && `${cut.words} words and the cwd, ${cut.bytes} bytes, sha256:${cut.sha256}`;
  return [
    ...argv.map((argument, index) => [index === 0 ? 'argv' : '', renderArgument(argument)] as const),
    ['cwd', renderText(cwd)],
    ['cut', whole === undefined ? '' : `only the beginning was kept, of ${whole}`],
    ['user', `${uid}:${gid}`],
  ];
}
