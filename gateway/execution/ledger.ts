import type { GatewayLimits } from '../../src/config/gateway-config.ts';
import { ClawrdenError } from '../../src/errors.ts';
import { isExecutionId, mostAheadMs, timeOfExecutionId } from '../../src/execution-id.ts';
import { recordable } from '../../src/recordable-command.ts';
import type { Channel, ResumeRequest, StartRequest } from '../ports/channel.ts';
import type { ExecutionRecord } from '../ports/execution-record.ts';
import { type Principal, principalName } from '../ports/principal.ts';
import type { History } from '../store/history.ts';
import { reasonIn } from './agent-reason.ts';
import { Execution } from './execution.ts';
import { createOpenExecutions, type OpenExecutions } from './open-executions.ts';
import type { StartContext } from './start-context.ts';

const maxAgeMs = 24 * 60 * 60 * 1000;

/** The executions that have not ended. Opening one claims its id for every caller; a second start with it is refused. */
export interface Ledger {
  /** For an agent that the caller may speak for. Throws `id-duplicate`, `id-too-old`, `request-invalid`, `rate-limit` or, while draining, `canceled`. */
  readonly open: (caller: Principal, request: StartRequest, channel: Channel) => Promise<Execution>;
  /**
   * A caller whose connection was cut while a person is asked comes back; throws `resume-void` if no question waits
   * for it.
   */
  readonly resume: (caller: Principal, request: ResumeRequest, channel: Channel) => Execution;
  /** An execution that waited for approval in an earlier gateway; its caller has a while to resume. */
  readonly restore: (record: ExecutionRecord, context: StartContext) => Execution;
  readonly close: (execution: Execution) => void;
  readonly executions: () => Execution[];
  /** Executions that have ended, but whose remains are still being removed. */
  readonly clearing: () => Execution[];
  readonly running: () => ExecutionRecord[];
  /**
   * Opens no more executions. Resolves when the open ones have ended, except those that wait for a person: the next
   * gateway restores them, also if the answer comes before this one has ended.
   */
  readonly drain: () => Promise<void>;
  /** Stops every open execution, except those that wait for a person. */
  readonly stopRunning: (reason: ClawrdenError) => void;
}

/** `onChange` is told each new state. */
export function createLedger(
  history: History,
  limits: GatewayLimits,
  onChange: (record: ExecutionRecord) => void = () => {},
): Ledger {
  const open = createOpenExecutions();
  const clearing = new Set<Execution>();
  let draining = false;
  const drained = Promise.withResolvers<void>();

  function leaveWhatWaits(): void {
    if (draining && areLeft(open.all())) drained.resolve();
  }

  function changed(record: ExecutionRecord): void {
    history.save(record);
    onChange(record);
    leaveWhatWaits();
  }

  return {
    open: async (caller, request, channel) => {
      if (draining) throw new ClawrdenError('canceled', 'the gateway is shutting down');
      checkId(request.executionId);
      if (open.hasId(request.executionId)) throw duplicate(request.executionId);
      checkLoad(open.all(), principalName(caller), request.agent, limits);
      const execution = new Execution(newRecord(caller, request), contextOf(request), changed);
      execution.attach(channel);
      return await entered(execution, open, history);
    },
    resume: (caller, { executionId, planHash }, channel) => {
      const execution = waitingWith(planHash, open.of(principalName(caller), executionId));
      execution.attach(channel);
      return execution;
    },
    restore: (record, context) => {
      const execution = new Execution(record, context, changed);
      open.enter(execution);
      return execution;
    },
    close: (execution) => {
      keepUntilCleared(clearing, execution);
      open.leave(execution);
      leaveWhatWaits();
    },
    executions: open.all,
    clearing: () => [...clearing],
    running: () => open.all().map(({ record }) => record),
    drain: () => {
      draining = true;
      leaveWhatWaits();
      return drained.promise;
    },
    stopRunning: (reason) => stopRunning(open.all(), reason),
  };
}

/** What waits for a person stays as it is; once nothing else is open, its callers go to the next gateway. */
function areLeft(open: readonly Execution[]): boolean {
  const waiting = open.filter(waitsForPerson);
  for (const execution of waiting) execution.stay();
  if (waiting.length < open.length) return false;
  for (const execution of waiting) execution.detach();
  return true;
}

function stopRunning(open: Iterable<Execution>, reason: ClawrdenError): void {
  for (const execution of open) if (!waitsForPerson(execution)) execution.stop(reason);
}

/** Stops what runs for the agent on the Docker host. */
export function stopOn(
  { executions }: Pick<Ledger, 'executions'>,
  { agent, host }: { readonly agent: string; readonly host: string },
  why: ClawrdenError,
): void {
  const there = executions().filter(({ record }) => record.agent === agent && record.host === host);
  stopRunning(there, why);
}

function keepUntilCleared(clearing: Set<Execution>, execution: Execution): void {
  clearing.add(execution);
  void execution.cleared.then(() => clearing.delete(execution));
}

function waitingWith(planHash: string, execution: Execution | undefined): Execution {
  if (execution !== undefined && waitsForPerson(execution) && execution.record.planHash === planHash) {
    return execution;
  }
  throw new ClawrdenError('resume-void', 'nothing waits for this caller any more; type the command again');
}

function waitsForPerson({ record }: Execution): boolean {
  return record.state === 'awaiting-approval';
}

function contextOf({ command, hostLabels, traceparent }: StartRequest): StartContext {
  const { stdio, ignored, blocked = [], terminal } = command;
  const said = reasonIn(command.env);
  const wiring = { stdio, ignored, ...(blocked.length > 0 && { blocked }), ...(terminal && { terminal }) };
  return { wiring, hostLabels, ...(said !== '' && { said }), ...(traceparent && { traceparent }) };
}

async function entered(execution: Execution, open: OpenExecutions, history: History): Promise<Execution> {
  open.enter(execution);
  await checkNew(history, execution.record).catch((error: unknown) => {
    open.leave(execution);
    throw error;
  });
  return execution;
}

async function checkNew(history: History, { caller, id }: ExecutionRecord): Promise<void> {
  if (await history.isUsed(id)) throw duplicate(id);
  await history.checkId(caller, id);
}

function duplicate(id: string): ClawrdenError {
  return new ClawrdenError('id-duplicate', `execution ${id} was started before`);
}

function checkId(id: string): void {
  if (!isExecutionId(id)) throw new ClawrdenError('request-invalid', 'the execution id is no UUIDv7');
  const age = Date.now() - timeOfExecutionId(id);
  if (age <= maxAgeMs && age >= -mostAheadMs) return;
  const way = age > 0 ? 'behind' : 'ahead of';
  const far = `${Math.round(Math.abs(age) / 1000)} s ${way} the gateway's clock`;
  throw new ClawrdenError(
    'id-too-old',
    `the execution id's time is ${far}; set the clock of the caller's host`,
  );
}

/** Counted by caller and agent; the agent is known to be the caller's. */
function checkLoad(open: readonly Execution[], caller: string, agent: string, limits: GatewayLimits): void {
  if (open.length >= limits.running + limits.queued) {
    throw new ClawrdenError(
      'rate-limit',
      'the gateway has as many executions open as it may; try again later',
    );
  }
  let alike = 0;
  for (const { record } of open) if (record.caller === caller && record.agent === agent) alike += 1;
  if (alike < limits.executionsPerAgent) return;
  const who = agent || 'this caller';
  throw new ClawrdenError('rate-limit', `${who} has ${alike} executions open; wait for one to end`);
}

function newRecord(caller: Principal, request: StartRequest): ExecutionRecord {
  return {
    id: request.executionId,
    caller: principalName(caller),
    agent: request.agent,
    ...recordable([request.command.tool, ...request.command.args], request.command.cwd),
    uid: request.identity?.uid ?? 0,
    gid: request.identity?.gid ?? 0,
    state: 'received',
    decision: '',
    rule: '',
    decisionReason: '',
    strategy: '',
    host: '',
    container: '',
    planHash: '',
    plan: '',
    approvalId: '',
    approver: '',
    outcome: '',
    exitCode: 0,
    exitSignal: 0,
    reason: '',
    text: '',
    receivedAt: Date.now(),
    decidedAt: undefined,
    startedAt: undefined,
    endedAt: undefined,
    stdoutBytes: 0,
    stderrBytes: 0,
    operands: '',
  };
}
