import type { GatewayLimits } from '../src/config/gateway-config.ts';
import { ClawrdenError } from '../src/errors.ts';
import { isExecutionId, timeOfExecutionId } from '../src/execution-id.ts';
import { type Caller, callerName } from './caller.ts';
import type { Channel, ResumeRequest, StartRequest } from './channel.ts';
import { Execution, type StartContext } from './execution.ts';
import type { History } from './store/history.ts';
import type { ExecutionRecord } from './warden-view.ts';

const maxClockSkewMs = 60 * 60 * 1000;
const maxAgeMs = 24 * 60 * 60 * 1000;

/** The executions that have not ended. Opening one claims its id; a second start with it is refused. */
export interface Ledger {
  /** Throws `id-duplicate`, `id-too-old`, `request-invalid`, `rate-limit` or, while draining, `canceled`. */
  readonly open: (caller: Caller, request: StartRequest, channel: Channel) => Promise<Execution>;
  /** A caller that was cut off while a person is asked comes back; throws `resume-void` where nothing waits for it. */
  readonly rejoin: (caller: Caller, request: ResumeRequest, channel: Channel) => Execution;
  /** An execution that an earlier gateway left waiting for approval; its caller has a while to rejoin. */
  readonly restore: (record: ExecutionRecord, context: StartContext) => Execution;
  readonly close: (execution: Execution) => void;
  readonly executions: () => Execution[];
  readonly running: () => ExecutionRecord[];
  /** No more executions are opened; resolves when the open ones have ended. */
  readonly drain: () => Promise<void>;
  /** Stops every open execution. */
  readonly stopAll: (reason: ClawrdenError) => void;
}

export function createLedger(history: History, limits: GatewayLimits): Ledger {
  const open = new Map<string, Execution>();
  let draining = false;
  let drained: (() => void) | undefined;

  return {
    open: async (caller, request, channel) => {
      if (draining) throw new ClawrdenError('canceled', 'the gateway is shutting down');
      checkId(request.executionId);
      const key = `${callerName(caller)} ${request.executionId}`;
      if (open.has(key)) throw duplicate(request.executionId);
      checkLoad(open, request.agent, limits);
      const execution = new Execution(newRecord(caller, request), contextOf(request), history.save);
      execution.attach(channel);
      open.set(key, execution);
      if (await history.has(callerName(caller), request.executionId)) {
        open.delete(key);
        throw duplicate(request.executionId);
      }
      return execution;
    },
    rejoin: (caller, { executionId, planHash }, channel) => {
      const execution = open.get(`${callerName(caller)} ${executionId}`);
      if (execution?.record.state !== 'awaiting-approval' || execution.record.planHash !== planHash) {
        throw new ClawrdenError(
          'resume-void',
          'nothing waits for this caller any more; type the command again',
        );
      }
      execution.attach(channel);
      return execution;
    },
    restore: (record, context) => {
      const execution = new Execution(record, context, history.save);
      open.set(`${record.caller} ${record.id}`, execution);
      return execution;
    },
    close: (execution) => {
      open.delete(`${execution.record.caller} ${execution.record.id}`);
      if (draining && open.size === 0) drained?.();
    },
    executions: () => [...open.values()],
    running: () => [...open.values()].map((execution) => execution.record),
    drain: () => {
      draining = true;
      return open.size === 0 ? Promise.resolve() : new Promise((resolve) => (drained = resolve));
    },
    stopAll: (reason) => {
      for (const execution of open.values()) execution.stop(reason);
    },
  };
}

function contextOf({ command, hostLabels }: StartRequest): StartContext {
  const { stdio, ignored, terminal } = command;
  return { wiring: { stdio, ignored, ...(terminal && { terminal }) }, hostLabels };
}

function duplicate(id: string): ClawrdenError {
  return new ClawrdenError('id-duplicate', `execution ${id} was started before`);
}

function checkId(id: string): void {
  if (!isExecutionId(id)) throw new ClawrdenError('request-invalid', 'the execution id is no UUIDv7');
  const age = Date.now() - timeOfExecutionId(id);
  if (age > maxAgeMs || age < -maxClockSkewMs) {
    throw new ClawrdenError('id-too-old', "the execution id's time is too far from the gateway's clock");
  }
}

function checkLoad(open: ReadonlyMap<string, Execution>, agent: string, limits: GatewayLimits): void {
  if (open.size >= limits.running + limits.queued) {
    throw new ClawrdenError('rate-limit', `the gateway has ${open.size} executions open; try again later`);
  }
  let ofAgent = 0;
  for (const { record } of open.values()) if (record.agent === agent) ofAgent += 1;
  if (ofAgent >= limits.executionsPerAgent) {
    throw new ClawrdenError(
      'rate-limit',
      `${agent || 'this caller'} has ${ofAgent} executions open; wait for one to end`,
    );
  }
}

function newRecord(caller: Caller, request: StartRequest): ExecutionRecord {
  return {
    id: request.executionId,
    caller: callerName(caller),
    agent: request.agent,
    argv: [request.command.tool, ...request.command.args],
    cwd: request.command.cwd,
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
  };
}
