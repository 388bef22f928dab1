import { generateKeyPairSync } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createApprovalStore } from '../../gateway/approvals/approval-store.ts';
import { type Approvals, createApprovals } from '../../gateway/approvals/approvals.ts';
import { type Grants, openGrants } from '../../gateway/approvals/grants.ts';
import type { Permit } from '../../gateway/approvals/permit.ts';
import { openAuditLog } from '../../gateway/audit/audit-log.ts';
import { type AgentStates, openAgentStates } from '../../gateway/control/agent-states.ts';
import { type Breakers, createBreakers } from '../../gateway/control/breakers.ts';
import { createKillSwitch, type KillSwitch } from '../../gateway/control/kill-switch.ts';
import { type ExecuteParts } from '../../gateway/execute.ts';
import type { Execution } from '../../gateway/execution/execution.ts';
import { createLedger } from '../../gateway/execution/ledger.ts';
import { createRecorder } from '../../gateway/execution/recorder.ts';
import { createRecordingRoom } from '../../gateway/execution/recording-room.ts';
import { createRefusals, type Refusals } from '../../gateway/execution/refusals.ts';
import type { Records } from '../../gateway/execution/settle-history.ts';
import type { Executor } from '../../gateway/executors/executor.ts';
import { inspectFetch } from '../../gateway/executors/fetch.ts';
import { createHelp, inspectHelp } from '../../gateway/executors/help.ts';
import { inspectMirror } from '../../gateway/executors/inspect-mirror.ts';
import { inspectPassthrough } from '../../gateway/executors/inspect-passthrough.ts';
import { createAnswerHelp } from '../../gateway/help/answer-help.ts';
import { createBudgets } from '../../gateway/judging/budgets.ts';
import { factsOf } from '../../gateway/judging/judge.ts';
import { createRateLimits } from '../../gateway/judging/rate-limits.ts';
import type { Channel, FromCaller, StartRequest, ToCaller } from '../../gateway/ports/channel.ts';
import type { ExecutionRecord } from '../../gateway/ports/execution-record.ts';
import type { Principal } from '../../gateway/ports/principal.ts';
import { openDatabase } from '../../gateway/store/database.ts';
import { type History, openHistory } from '../../gateway/store/history.ts';
import { createOutputs, type Outputs } from '../../gateway/store/outputs.ts';
import { ClawrdenError } from '../../src/errors.ts';
import { newExecutionId } from '../../src/execution-id.ts';
import type { Outcome } from '../../src/outcome.ts';
import { parsePolicy } from '../../src/policy/file/parse-policy.ts';
import type { Policy } from '../../src/policy/policy.ts';
import { decide } from '../../src/policy/rules/decide.ts';
import { anyApprover } from '../fixtures/any-approver.ts';
import { sharedPolicy } from '../fixtures/shared-policy.ts';

const { privateKey: key } = generateKeyPairSync('ed25519');

export const smallLimits = {
  running: 10,
  queued: 10,
  pendingPerAgent: 5,
  executionsPerAgent: 5,
  requestsPerSecond: 200,
  bytesPerSecond: 4 * 1024 * 1024,
  connections: 100,
  connectionsPerAddress: 100,
  queueTimeoutMs: 1000,
  startTimeoutMs: 1000,
  historyMs: 86_400_000,
  historyBytes: 1024 ** 3,
};
export const relay: Principal = { kind: 'relay', name: 'host-1', role: 'relay', scope: {} };
export const operator: Principal = { kind: 'person', name: 'admin', role: 'admin', scope: {} };

export interface TestGateway extends ExecuteParts, AsyncDisposable {
  readonly approvals: Approvals;
  readonly grants: Grants;
  readonly history: History;
  readonly records: Records;
  readonly outputs: Outputs;
  readonly states: AgentStates;
  readonly killSwitch: KillSwitch;
  readonly breakers: Breakers;
  readonly refusals: Refusals;
  /** Executions that the kill switch takes for lost with their host. */
  readonly lost: ExecutionRecord[];
  /** Hosts that the kill switch takes for not cleaned since the start. */
  readonly uncleanedHosts: string[];
  readonly ran: string[];
}

/** What runs a permit, in a place that is always free. */
export type RunPermit = (permit: Permit, execution: Execution) => Promise<Outcome>;

/**
 * The core on real files, with an executor that notes its permits; starting on the same folder is a restart. `more`
 * is added after the policy's rules, `tools` after its tools.
 */
export async function startCore(
  dir: string,
  run: RunPermit = () => Promise.resolve({ kind: 'exited', code: 7, signal: 0 }),
  limits = smallLimits,
  more = '',
  tools = '',
): Promise<TestGateway> {
  const result = parsePolicy(sharedPolicy(more).replace('rules:', `${tools}rules:`), 'policy.yaml');
  if (!('policy' in result)) throw new Error(result.problems.join('\n'));
  const { policy } = result;
  const log = await openAuditLog(join(dir, 'audit.jsonl'), { key });
  const file = join(dir, 'clawrden.db');
  const database = await openDatabase(file, 'power-loss');
  const index = await openDatabase(file, 'crash');
  const history = openHistory(index);
  const outputs = createOutputs(index);
  const store = createApprovalStore(database);
  const grants = await openGrants(database, log, anyApprover);
  const approvals = createApprovals({
    ...{ store, grants, approvers: anyApprover, record: log.append },
    pendingPerAgent: limits.pendingPerAgent,
  });
  const ledger = createLedger(history, limits);
  const refusals = createRefusals(log);
  const recorder = createRecorder(log, refusals, outputs, () => policy.hash);
  const lost: ExecutionRecord[] = [];
  const uncleanedHosts: string[] = [];
  const states = await openAgentStates(database);
  const killSwitch = createKillSwitch({
    states,
    audit: log,
    ledger,
    tellRelays: () => {},
    lost: () => lost,
    uncleanedHosts: () => uncleanedHosts,
    relaysHalted: () => [],
    sessionsEnded: () => [],
  });
  const ran: string[] = [];
  const executor: Executor = (permit, execution) => () => {
    ran.push(permit.sealed.plan.argv.join(' '));
    return run(permit, execution);
  };
  return {
    policy: () => policy,
    applyRates: createRateLimits(),
    budgets: createBudgets(limits),
    breakers: createBreakers({ policy: () => policy, trip: killSwitch.trip, halted: states.refusal }),
    agents: coders,
    halted: states.refusal,
    ledger,
    recorder,
    recordingRoom: createRecordingRoom(),
    authorizing: authorizing(policy, approvals, grants, recorder),
    routes: () => new Map(),
    learnsOf: () => undefined,
    traced: () => {},
    obtainImage: () => Promise.reject(new ClawrdenError('image-missing', 'no images here')),
    executors: {
      ...{ ghost: executor, mirror: executor, passthrough: executor, fetch: executor },
      help: createHelp({
        answerHelp: createAnswerHelp({ policy: () => policy, agents: coders, history }),
        recordStart: recorder.started,
      }),
    },
    inspectors: {
      ...{
        ghost: inspectMirror,
        mirror: inspectMirror,
        passthrough: inspectPassthrough,
        fetch: inspectFetch,
      },
      help: inspectHelp,
    },
    approvals,
    grants,
    history,
    records: {
      ...{ audit: log, auditFile: join(dir, 'audit.jsonl'), history, settledUpTo: Infinity },
      ...{ hosts: ['build-1'], onVanished: killSwitch.relayVanished, onLeft: (each) => void lost.push(each) },
    },
    outputs,
    states,
    killSwitch,
    refusals,
    lost,
    uncleanedHosts,
    ran,
    [Symbol.asyncDispose]: async () => {
      await refusals.close();
      await log.close();
      await history.close();
      await database.destroy();
    },
  };
}

const coder = {
  name: 'coder',
  relay: 'host-1',
  users: [{ uid: 1000, gid: 1000 }],
  labels: {},
  cwd: '/app',
  hosts: {},
} as const;
const coders = () => new Map([['coder', coder]]);

function authorizing(
  policy: Policy,
  approvals: Approvals,
  grants: Grants,
  recorder: ReturnType<typeof createRecorder>,
): ExecuteParts['authorizing'] {
  return {
    approvals,
    approvalExpiresMs: () => policy.approvalExpiresMs,
    ...{ grants, approvers: anyApprover },
    decideAgain: (plan) => decide(policy, factsOf(plan, coders())),
    recordVerdict: recorder.verdict,
  };
}

export function request(tool: string, change: Partial<StartRequest> = {}): StartRequest {
  return {
    executionId: newExecutionId(),
    agent: 'coder',
    command: {
      tool,
      args: [],
      cwd: '/app',
      env: [],
      umask: 18,
      stdio: ['null', 'pipe', 'pipe'],
      ignored: [],
      version: 1,
    },
    identity: { uid: 1000, gid: 1000 },
    hostLabels: {},
    ...change,
  };
}

export interface TestChannel extends Channel {
  readonly said: ToCaller[];
  readonly leave: (reason: ClawrdenError) => void;
  readonly type: (input: FromCaller) => void;
}

export function openChannel(): TestChannel {
  const gone = new AbortController();
  const said: ToCaller[] = [];
  let handler: (input: FromCaller) => void = () => {};
  return {
    gone: gone.signal,
    said,
    send: (item) => void said.push(item),
    listen: (listener) => {
      handler = listener;
    },
    leave: (reason) => gone.abort(reason),
    type: (input) => handler(input),
  };
}

export function readAudit(dir: string): Record<string, unknown>[] {
  const lines = readFileSync(join(dir, 'audit.jsonl'), 'utf8').trim().split('\n');
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}
