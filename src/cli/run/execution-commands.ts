import { type Command, Option } from 'commander';
import type { Execution } from '../../gen/clawrden/v1/warden.ts';
import { listCommand } from '../reach/list-command.ts';
import { type Pages, readPages, sayMore } from '../reach/read-pages.ts';
import { type GatewayOptions, gatewayClientCommand, withGateway } from '../reach/with-gateway.ts';
import { parseSince } from './parse-since.ts';

interface HistoryOptions extends GatewayOptions, Pages {
  readonly agent?: string;
  readonly since?: string;
  readonly decision?: string;
  readonly tool?: string;
  readonly search?: string;
}

export function psCommand(): Command {
  return listCommand('ps', "what runs or waits now: every agent's oldest first, then every agent's next")
    .option('--agent <name>', 'of this agent only')
    .option('--tool <name>', 'of this tool only')
    .option('--search <text>', 'with this text in the command line')
    .action((_options, command: Command) => list('ps', true, command.optsWithGlobals()));
}

export function historyCommand(): Command {
  return listCommand('history', 'what ran and what was refused, newest first')
    .option('--agent <name>', 'of this agent only')
    .option('--tool <name>', 'of this tool only')
    .option('--search <text>', 'with this text in the command line')
    .option('--since <when>', 'a duration like 1h, or a time like 2026-11-21T08:00', (text) =>
      parseSince(text),
    )
    .addOption(new Option('--decision <decision>', 'decided so').choices(['allow', 'deny', 'ask']))
    .action((_options, command: Command) => list('history', false, command.optsWithGlobals()));
}

export function showCommand(): Command {
  return gatewayClientCommand('show', 'one execution, or one question that waits, in full')
    .argument('<id>', 'its id, or enough of its beginning')
    .option('--caller <name>', "whose execution it is, like relay:NAME, if two callers' have the same id")
    .option('--output', 'what it wrote, if the policy had that recorded')
    .action((id: string, _options, command: Command) => show(id, command.optsWithGlobals()));
}

async function list(what: 'ps' | 'history', running: boolean, options: HistoryOptions): Promise<void> {
  const { agent = '', since = '', decision = '', tool = '', search: q = '' } = options;
  await withGateway(what, options, async (client) => {
    const { WardenServiceService } = await import('../../gen/clawrden/v1/warden.ts');
    const listed = await readPages(options, async (page) => {
      const request = { running, agent, since, decision, tool, q, ...page };
      const { executions, nextPageToken } = await client.call(WardenServiceService.listExecutions, request);
      return { rows: executions, next: nextPageToken };
    });
    if (options.json === true) (await import('../print/output.ts')).printJson(listed.rows.map(withoutPlan));
    else await printExecutions(listed.rows, running);
    sayMore(what, listed);
  });
}

/** A list has no plans; `show` has. */
function withoutPlan({
  plan: _plan,
  operands: _operands,
  connections: _connections,
  ...execution
}: Execution): object {
  return execution;
}

async function printExecutions(executions: readonly Execution[], running: boolean): Promise<void> {
  const [{ printLine, printTable }, { renderArgument }, { commandText }, { localTime }, describe] =
    await Promise.all([
      import('../print/output.ts'),
      import('../../text/render-text.ts'),
      import('../../text/command-text.ts'),
      import('../print/times.ts'),
      import('./describe-execution.ts'),
    ]);
  if (executions.length === 0) return printLine(running ? 'nothing runs' : 'nothing ran');
  const { shortId, decisionCell, resultCell } = describe;
  const rows = executions.map((each) => [
    shortId(each.id),
    localTime(each.receivedAt),
    renderArgument(each.agent || each.caller),
    decisionCell(each),
    resultCell(each),
    renderArgument(each.host || each.strategy),
    each.connectionCount === 0 ? '' : String(each.connectionCount),
    commandText(each),
  ]);
  printTable(
    ['ID', 'RECEIVED', 'AGENT', 'DECISION', running ? 'STATE' : 'RESULT', 'WHERE', 'CONNECTIONS', 'COMMAND'],
    rows,
    2,
  );
}

interface ShowOptions extends GatewayOptions {
  readonly output?: boolean;
  readonly caller?: string;
}

async function show(id: string, options: ShowOptions): Promise<void> {
  const { output, caller = '', json } = options;
  await withGateway('show', options, async (client) => {
    if (output === true)
      return await (await import('./show-output.ts')).showOutput(client, { id, caller }, options);
    const { showQuestion } = await import('../decide/show-question.ts');
    if (caller === '' && (await showQuestion(client, id, options))) return;
    const [{ WardenServiceService }, { printExecution }, { printJson }] = await Promise.all([
      import('../../gen/clawrden/v1/warden.ts'),
      import('./show-execution.ts'),
      import('../print/output.ts'),
    ]);
    const { execution } = await client.call(WardenServiceService.getExecution, { id, caller });
    if (execution === undefined) throw new Error('the gateway answered nothing');
    if (json === true) printJson(executionJson(execution));
    else printExecution(execution);
  });
}

/** The plan, the operands and the connections as objects: a JSON reader expects no JSON texts inside. */
function executionJson(execution: Execution): object {
  const { plan, operands, connections } = execution;
  const [ran, reached] = [toObject(operands || '[]'), toObject(connections || '[]')];
  return { ...execution, plan: toObject(plan || 'null'), operands: ran, connections: reached };
}

function toObject(json: string): object | null {
  return JSON.parse(json) as object | null;
}
