import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cancelExecution } from '../../gateway/control/cancel-execution.ts';
import { createDetached } from '../../gateway/detached/run-detached.ts';
import { createExecute, createResume, type ExecuteParts } from '../../gateway/execute.ts';
import type { Execution } from '../../gateway/execution/execution.ts';
import { toolViews } from '../../gateway/judging/tool-views.ts';
import type { Pace } from '../../gateway/mcp/look-on.ts';
import { createSees } from '../../gateway/principals/sees.ts';
import { restoreWaiting } from '../../gateway/restore.ts';
import { openDatabase } from '../../gateway/store/database.ts';
import { createDetachedRows } from '../../gateway/store/detached-rows.ts';
import { createFaults } from '../../src/faults.ts';
import type { Outcome } from '../../src/outcome.ts';
import type { Policy } from '../../src/policy/policy.ts';
import { smallLimits, startCore, type TestGateway } from '../core/start-core.ts';
import { type HttpGateway, startHttpGateway } from '../http/http-gateway.ts';

/** An agent called coder before a real core and a real door; what its programs do is the test's. */
export interface AgentSite extends AsyncDisposable {
  readonly core: TestGateway;
  readonly door: HttpGateway;
  /** Of the agent. */
  readonly token: string;
  /** No token of the agent counts any more; a call that is open is not cut. */
  readonly retire: () => void;
  readonly answer: (verdict: 'approved' | 'denied') => Promise<void>;
}

const tools = `  job: { strategy: ghost, image: "i" }
  del: { strategy: ghost, image: "i", stdin: none }
  pick: { strategy: ghost, image: "i" }
`;
const rules = `  - { name: jobs, tools: [job], action: allow }
  - { name: dels, tools: [del], action: ask }
  - { name: picks, tools: [pick], args: ["one"], action: allow }
  - { name: no-two, tools: [pick], args: ["two"], action: deny, reason: "two is too many", instead: "pick one" }
`;
const pages = new Map([['job', { description: 'does a job', documentation: '# job\n\nIt does a job.' }]]);
const facts = { id: `sha256:${'0'.repeat(64)}`, env: [], envHash: 'none', volumes: [] };
const quick: Pace = { progressMs: 5, heartbeatMs: 50, waitMs: 45_000, pollMs: 50 };

export async function startAgentSite(
  run: (execution: Execution) => Promise<Outcome>,
  pace: Partial<Pace> = {},
  more: Partial<Pick<ExecuteParts, 'traced'>> = {},
): Promise<AgentSite> {
  const dir = await mkdtemp(join(tmpdir(), 'clawrden-mcp-'));
  const started = (execution: Execution) => {
    execution.placed('build-1', 'c1');
    execution.started();
    void execution.send({ type: 'started', host: 'build-1', container: 'c1' });
    return run(execution);
  };
  const limits = { ...smallLimits, executionsPerAgent: 300, running: 300, queued: 300 };
  const core = await startCore(dir, (_permit, execution) => started(execution), limits, rules, tools);
  const database = await openDatabase(join(dir, 'clawrden.db'), 'power-loss');
  const parts = { ...core, ...more, obtainImage: () => Promise.resolve(facts) };
  const inForce = new Set(['agent:coder']);
  const detached = createDetached({
    ...core,
    ...{ execute: createExecute(parts), resume: createResume(core.ledger) },
    ...{ rows: createDetachedRows(database), inForce: () => inForce },
    ...{ faults: createFaults({ error: () => {} }), log: { warn: () => {} } },
  });
  await restoreWaiting(parts, core.approvals, core.records);
  const policy = (): Policy => ({ ...core.policy(), pages });
  const door = await startHttpGateway({
    ...{ detached, mcpPace: { ...quick, ...pace } },
    warden: {
      running: () => core.ledger.running(),
      execution: core.history.find,
      history: core.history.page,
      cancel: (id, by) => cancelExecution(core.ledger, id, by),
      within: (caller) => createSees(caller, () => core.agents()),
      tools: (agents) => toolViews(policy(), core.agents(), agents ?? ['coder']),
    },
  });
  const token = door.token('agent', { name: 'coder' });
  return {
    ...{ core, door, token },
    retire: () => void inForce.delete('agent:coder'),
    answer: async (verdict) => {
      const [{ id, planHash } = { id: '', planHash: '' }] = core.approvals.pending();
      await core.approvals.resolve(id, { verdict, via: 'cli', reason: '', planHash, by: 'person:bob' });
    },
    [Symbol.asyncDispose]: async () => {
      await door[Symbol.asyncDispose]();
      await detached.close();
      await database.destroy();
      await core[Symbol.asyncDispose]();
      await rm(dir, { recursive: true, force: true });
    },
  };
}
