import { z } from 'zod';
import { approval, approvalId, approvals, shownApproval, verdictRequest } from './approvals.ts';
import { audit, auditQuery } from './audit.ts';
import { eventsHeaders, eventsQuery, gatewayEvent } from './events.ts';
import {
  detachedExecution,
  executionEvent,
  executionRequest,
  finishedExecution,
  runHeaders,
} from './executions.ts';
import { executionId, pageQuery } from './fields.ts';
import { agentStateRequest, agents, halt, lockdownRequest, named } from './fleet.ts';
import { fleetRoutes } from './fleet-routes.ts';
import { followEvent, followQuery, outputQuery, recordedOutput } from './follow.ts';
import { grant, grantId, grants } from './grants.ts';
import { execution, executions, executionsQuery, wholeExecution } from './history.ts';
import {
  authorization,
  authorizationRequest,
  certificateRequest,
  certifiedPerson,
  deviceAuthorization,
  noDetails,
  provider,
} from './oidc.ts';
import { paths } from './paths.ts';
import { explainRequest, explanation, policy, policyReport, policyText } from './policy.ts';
import { principalRoutes } from './principal-routes.ts';
import { recordingLine } from './recording.ts';
import type { Route } from './route.ts';
import { browserSession, session, signedOut, signInRequest } from './session.ts';
import { health, status } from './status.ts';
import { toolNamed, tools, wholeTool } from './tools.ts';

export const metricsType = 'text/plain; version=0.0.4; charset=utf-8';

export const routes = {
  health: { ...paths.health, does: 'the gateway is there', open: true, answer: health },
  ready: {
    ...paths.ready,
    does: 'the gateway takes new work, or 503 says why not',
    answer: health,
  },
  metrics: {
    ...paths.metrics,
    does: 'figures for a monitor, in the text format of Prometheus',
    answer: z.string(),
    text: metricsType,
  },
  status: {
    ...paths.status,
    does: 'what the gateway knows of its own health',
    answer: status,
  },
  runExecution: {
    ...paths.runExecution,
    does: 'runs a command; answers when it has ended, or streams what happens (application/x-ndjson)',
    body: executionRequest,
    answer: finishedExecution,
    lines: executionEvent,
    headers: runHeaders,
    accepted: detachedExecution,
  },
  executions: {
    ...paths.executions,
    does: "executions, the newest first; of those that are open every agent's oldest first",
    query: executionsQuery,
    answer: executions,
  },
  execution: {
    ...paths.execution,
    does: 'one execution in full; its id, or a beginning that no other has',
    params: z.strictObject({ id: z.string().regex(/^[0-9a-f-]{4,36}$/, 'must be an id or its beginning') }),
    answer: wholeExecution,
  },
  executionResult: {
    ...paths.executionResult,
    does: 'what became of an execution that its caller has started detached; 409 before its end',
    params: z.strictObject({ id: executionId }),
    answer: finishedExecution,
  },
  followExecution: {
    ...paths.followExecution,
    does: 'what a running tool writes, as it writes it (server-sent events)',
    params: z.strictObject({ id: executionId }),
    query: followQuery,
    events: followEvent,
  },
  executionOutput: {
    ...paths.executionOutput,
    does: 'what was recorded of the output of an execution',
    params: z.strictObject({ id: executionId }),
    query: outputQuery,
    answer: recordedOutput,
  },
  recording: {
    ...paths.recording,
    does: 'what was recorded of an execution with its timing: asciicast v2, lines of JSON',
    params: z.strictObject({ id: executionId }),
    lines: recordingLine,
  },
  cancelExecution: {
    ...paths.cancelExecution,
    does: 'cancels an execution, and answers when it has ended, or after 2 s',
    params: z.strictObject({ id: executionId }),
    answer: execution,
  },
  approvals: {
    ...paths.approvals,
    does: 'questions that wait for a person',
    query: pageQuery,
    answer: approvals,
  },
  approval: {
    ...paths.approval,
    does: 'one question with its whole plan',
    params: z.strictObject({ id: approvalId }),
    answer: shownApproval,
  },
  verdict: {
    ...paths.verdict,
    does: 'answers a question; counts for the plan that was shown only',
    params: z.strictObject({ id: approvalId }),
    body: verdictRequest,
    answer: approval,
  },
  grants: {
    ...paths.grants,
    does: 'what runs without a question because somebody said yes for a while',
    query: pageQuery,
    answer: grants,
  },
  revokeGrant: {
    ...paths.revokeGrant,
    does: 'ends a grant: it covers nothing any more when this answers',
    params: z.strictObject({ id: grantId }),
    answer: grant,
  },
  agents: {
    ...paths.agents,
    does: 'agents, by name',
    query: pageQuery,
    answer: agents,
  },
  setAgentState: {
    ...paths.setAgentState,
    does: 'pauses, kills or resumes an agent',
    params: named,
    body: agentStateRequest,
    answer: halt,
  },
  setLockdown: {
    ...paths.setLockdown,
    does: 'stops every agent, or lets them work again',
    body: lockdownRequest,
    answer: halt,
  },
  ...fleetRoutes,
  audit: {
    ...paths.audit,
    does: 'records of the audit in their order: from one on, or the newest ones',
    query: auditQuery,
    answer: audit,
  },
  tools: {
    ...paths.tools,
    does: 'tools of the policy that is in force, by name: those that an agent of its caller may use',
    query: pageQuery,
    answer: tools,
  },
  tool: {
    ...paths.tool,
    does: 'one tool, with the rules that are about it',
    params: toolNamed,
    answer: wholeTool,
  },
  ...principalRoutes,
  policy: { ...paths.policy, does: 'the policy that is in force', answer: policy },
  explain: {
    ...paths.explain,
    does: 'what would become of a command, without running or recording it',
    body: explainRequest,
    answer: explanation,
  },
  checkPolicy: {
    ...paths.checkPolicy,
    does: 'what `clawrden policy check` says of a policy text; one at a time for each caller',
    body: policyText,
    answer: policyReport,
  },
  events: {
    ...paths.events,
    does: 'what changes, as it changes (server-sent events); Last-Event-ID resumes',
    query: eventsQuery,
    headers: eventsHeaders,
    events: gatewayEvent,
  },
  signIn: {
    ...paths.signIn,
    does: 'signs a browser in by a code of clawrden dashboard; its cookie comes with the answer',
    open: true,
    body: signInRequest,
    answer: browserSession,
  },
  session: { ...paths.session, does: 'who calls, and until when', answer: session },
  signOut: { ...paths.signOut, does: 'ends the session of the browser that calls', answer: signedOut },
  oidc: {
    ...paths.oidc,
    does: 'whether people sign in by a provider',
    open: true,
    answer: provider,
  },
  oidcBrowser: {
    ...paths.oidcBrowser,
    does: 'where a page of the dashboard sends its browser to sign in; a cookie comes with the answer',
    open: true,
    body: noDetails,
    answer: authorization,
  },
  oidcAuthorization: {
    ...paths.oidcAuthorization,
    does: 'where the browser of a person signs in, for `clawrden login --oidc`',
    open: true,
    body: authorizationRequest,
    answer: authorization,
  },
  oidcDevice: {
    ...paths.oidcDevice,
    does: 'begins a sign-in at another device, for `clawrden login --oidc --device`',
    open: true,
    body: noDetails,
    answer: deviceAuthorization,
  },
  oidcCertificate: {
    ...paths.oidcCertificate,
    does: 'redeems the code that the provider gave, and signs a certificate of an hour',
    open: true,
    body: certificateRequest,
    answer: certifiedPerson,
  },
  openApi: {
    ...paths.openApi,
    does: 'this description, made from the shapes that the gateway checks',
    answer: z.record(z.string(), z.unknown()),
  },
} as const satisfies Record<string, Route>;

export type Routes = typeof routes;
export type RouteName = keyof Routes;

type Shaped<R, Key extends string, None> = R extends { readonly [K in Key]: infer Schema extends z.ZodType }
  ? z.output<Schema>
  : None;

export type ParamsOf<R> = Shaped<R, 'params', undefined>;
export type QueryOf<R> = Shaped<R, 'query', undefined>;
export type BodyOf<R> = Shaped<R, 'body', undefined>;
type Taken<R, Key extends string> = R extends { readonly [K in Key]: infer Schema extends z.ZodType }
  ? z.input<Schema>
  : undefined;

/** What a client gives. */
export type QueryIn<R> = Taken<R, 'query'>;
export type BodyIn<R> = Taken<R, 'body'>;
export type AnswerOf<R> = R extends { readonly answer: infer Schema extends z.ZodType }
  ? z.input<Schema>
  : undefined;

/** As the table of roles names it. */
export function callOf({ method, path }: Pick<Route, 'method' | 'path'>): string {
  return `${method} ${path}`;
}
