import { questionPlanBytes } from '../execution/bounded-records.ts';
import { boundedGrant } from '../lists/bounded-rows.ts';
import { createLists, type ExecutionsWish } from '../lists/create-lists.ts';
import { createSeal } from '../lists/seal.ts';
import { type Principal, principalName } from '../ports/principal.ts';
import type { WardenApi } from '../ports/warden-api.ts';
import { whyNot } from '../principals/call-rules.ts';
import type { Handlers } from './add-routes.ts';
import { whenGone } from './gone.ts';
import { outputOf } from './output-of.ts';
import { type PageQuery, shapeOf, toPage } from './pages.ts';
import { HttpRefused } from './problem.ts';
import {
  toAgentJson,
  toApprovalView,
  toEarlierView,
  toExecutionView,
  toExplanationJson,
  toHostJson,
} from './views.ts';

type Looks = Pick<
  Handlers,
  | 'executions'
  | 'execution'
  | 'executionOutput'
  | 'approvals'
  | 'approval'
  | 'grants'
  | 'agents'
  | 'hosts'
  | 'policy'
  | 'explain'
  | 'checkPolicy'
>;

/** What is there, as far as its caller sees it. */
export function lookHandlers(warden: WardenApi): Looks {
  const lists = createLists(warden, createSeal(), {
    execution: shapeOf(toExecutionView),
    approval: shapeOf(toApprovalView),
    grant: shapeOf(boundedGrant),
    agent: shapeOf(toAgentJson),
    host: shapeOf(toHostJson),
  });
  return {
    executions: async ({ query, seen }) => {
      const { messages, nextPageToken } = await lists.executions(toWish(query), seen);
      return { executions: messages, nextCursor: nextPageToken };
    },
    execution: async ({ params: { id }, seen, caller }) => {
      const record = await seen.warden.execution(id, ownOnly(caller));
      if (record === undefined) throw new HttpRefused(404, `no single execution ${id}`);
      const whole = (text: string) => (Buffer.byteLength(text) <= questionPlanBytes ? text : '');
      const { plan, operands, connections = '', ...summary } = record;
      const texts = { plan: whole(plan), operands: whole(operands), connections: whole(connections) };
      return { ...toExecutionView(summary), ...texts };
    },
    executionOutput: outputOf,
    approvals: ({ query, seen }) => {
      const { messages, nextPageToken } = lists.approvals(toPage(query), seen);
      return { approvals: messages, nextCursor: nextPageToken };
    },
    approval: async ({ params: { id }, seen }) => {
      const approval = seen.warden.approvals().find((each) => each.id === id);
      if (approval === undefined) throw new HttpRefused(404, `no pending approval ${id}`);
      const earlier = await seen.warden.earlierAnswers(approval);
      return { ...toApprovalView(approval), plan: approval.plan, earlier: earlier.map(toEarlierView) };
    },
    grants: ({ query, seen }) => {
      const { messages, nextPageToken } = lists.grants(toPage(query), seen);
      return { grants: messages, nextCursor: nextPageToken };
    },
    agents: ({ query, seen }) => {
      const { messages, nextPageToken } = lists.agents(toPage(query), seen);
      return { agents: messages, nextCursor: nextPageToken };
    },
    hosts: ({ query }) => {
      const { messages, nextPageToken } = lists.hosts(toPage(query));
      return { hosts: messages, nextCursor: nextPageToken };
    },
    policy: () => ({ ...warden.policy() }),
    explain: async ({ body: { agent, tool, args, uid, cwd = '' }, caller }) => {
      const command = { agent, tool, args, cwd, ...(uid === undefined ? {} : { uid }) };
      return toExplanationJson(await warden.explain(command, caller));
    },
    checkPolicy: async ({ body: { text, force = false }, caller, reply }) => {
      const report = await warden.checkPolicy({ text, force }, principalName(caller), whenGone(reply.raw));
      const { problems, errors, warnings, ...rest } = report;
      const found = { problems: [...problems], errors: [...errors], warnings: [...warnings] };
      return { file: 'policy.yaml', ...rest, ...found };
    },
  };
}

/** Whose executions the caller may look at: its own, or, if that is empty, all within its scope. */
function ownOnly(caller: Principal): string {
  return whyNot(caller, 'GET /api/v1/executions') === undefined ? '' : principalName(caller);
}

interface ExecutionsQuery extends PageQuery {
  readonly agent?: string | undefined;
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  readonly decision?: string | undefined;
  readonly tool?: string | undefined;
  readonly q?: string | undefined;
  readonly state?: ExecutionsWish['state'];
}

function toWish({
  agent = '',
  since,
  until,
  decision = '',
  tool = '',
  q = '',
  state,
  ...page
}: ExecutionsQuery): ExecutionsWish {
  return {
    ...toPage(page),
    ...{ agent, decision, tool, q, since: since === undefined ? undefined : Date.parse(since) },
    ...(until !== undefined && { until: Date.parse(until) }),
    running: state !== undefined,
    ...(state !== undefined && { state }),
  };
}
