import { type Command, InvalidArgumentError, Option } from 'commander';
import { parseDuration } from '../config/quantities.ts';
import type { Execution, ListExecutionsRequest } from '../gen/clawrden/v1/warden.ts';
import { type GatewayOptions, gatewayClientCommand, withGateway } from './with-gateway.ts';

interface HistoryOptions extends GatewayOptions {
  readonly agent?: string;
  readonly since?: string;
  readonly decision?: string;
  readonly limit?: number;
}

export function psCommand(): Command {
  return gatewayClientCommand('ps', 'what runs or waits now')
    .option('--agent <name>', 'of this agent only')
    .action((_options, command: Command) => list('ps', true, command.optsWithGlobals()));
}

export function historyCommand(): Command {
  return gatewayClientCommand('history', 'what ran and what was refused, newest first')
    .option('--agent <name>', 'of this agent only')
    .option('--since <when>', 'a duration like 1h, or a time like 2026-11-21T08:00', parseSince)
    .addOption(new Option('--decision <decision>', 'decided so').choices(['allow', 'deny', 'ask']))
    .option('--limit <number>', 'how many at most, up to 1000', parseLimit, 100)
    .action((_options, command: Command) => list('history', false, command.optsWithGlobals()));
}

export function showCommand(): Command {
  return gatewayClientCommand('show', 'one execution in full')
    .argument('<id>', 'its id, or enough of its beginning')
    .option('--output', 'what it wrote, where the policy had that recorded')
    .action((id: string, _options, command: Command) => show(id, command.optsWithGlobals()));
}

function parseSince(text: string): string {
  const ago = parseDuration(text);
  const time = ago === undefined ? Date.parse(text) : Date.now() - ago;
  if (Number.isNaN(time)) throw new InvalidArgumentError('It must be a duration like 1h, or a time.');
  return new Date(time).toISOString();
}

function parseLimit(text: string): number {
  const limit = Number(text);
  if (!Number.isInteger(limit) || limit < 1 || limit > 1000)
    throw new InvalidArgumentError('It must be a number from 1 to 1000.');
  return limit;
}

async function list(what: 'ps' | 'history', running: boolean, options: HistoryOptions): Promise<void> {
  const { agent = '', since = '', decision = '', limit = 1000 } = options;
  const request: ListExecutionsRequest = { running, agent, since, decision, limit };
  await withGateway(what, options, async (client) => {
    const { WardenServiceService } = await import('../gen/clawrden/v1/warden.ts');
    const { executions } = await client.call(WardenServiceService.listExecutions, request);
    if (options.json !== true) return await printExecutions(executions, running);
    const { printJson } = await import('./output.ts');
    printJson(executions.map(withPlan));
  });
}

async function printExecutions(executions: readonly Execution[], running: boolean): Promise<void> {
  const [{ printLine, printTable }, { renderArgument, renderArgv }, describe] = await Promise.all([
    import('./output.ts'),
    import('../render-text.ts'),
    import('./describe-execution.ts'),
  ]);
  if (executions.length === 0) return printLine(running ? 'nothing runs' : 'nothing ran');
  const { shortId, localTime, decisionCell, resultCell } = describe;
  const rows = executions.map((each) => [
    shortId(each.id),
    localTime(each.receivedAt),
    renderArgument(each.agent || each.caller),
    decisionCell(each),
    resultCell(each),
    renderArgument(each.host || each.strategy),
    renderArgv(each.argv),
  ]);
  printTable(
    ['ID', 'RECEIVED', 'AGENT', 'DECISION', running ? 'STATE' : 'RESULT', 'WHERE', 'COMMAND'],
    rows,
    2,
  );
}

interface ShowOptions extends GatewayOptions {
  readonly output?: boolean;
}

async function show(id: string, options: ShowOptions): Promise<void> {
  await withGateway('show', options, async (client) => {
    if (options.output === true)
      return await (await import('./show-output.ts')).showOutput(client, id, options);
    const [{ WardenServiceService }, { printExecution }, { printJson }] = await Promise.all([
      import('../gen/clawrden/v1/warden.ts'),
      import('./show-execution.ts'),
      import('./output.ts'),
    ]);
    const { execution } = await client.call(WardenServiceService.getExecution, { id });
    if (execution === undefined) throw new Error('the gateway answered nothing');
    if (options.json === true) printJson(withPlan(execution));
    else printExecution(execution);
  });
}

/** The plan and the operands as objects: what reads JSON wants no JSON in it. */
function withPlan(execution: Execution): object {
  const { plan, operands } = execution;
  return { ...execution, plan: toObject(plan || 'null'), operands: toObject(operands || '[]') };
}

function toObject(json: string): object | null {
  return JSON.parse(json) as object | null;
}
