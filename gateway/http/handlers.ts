import type { Faults } from '../../src/faults.ts';
import { openApiDocument } from '../../src/http-api/open-api.ts';
import type { LookTurns } from '../connections/look-turns.ts';
import type { Execute } from '../execute.ts';
import type { Enrolment } from '../ports/authentication.ts';
import type { Detached } from '../ports/detached.ts';
import type { WardenApi } from '../ports/warden-api.ts';
import { actHandlers } from './act-handlers.ts';
import type { Handlers } from './add-routes.ts';
import { agentSessionHandlers } from './agent-session-handlers.ts';
import { type SessionHandlersParts, sessionHandlers } from './browser/session-handlers.ts';
import type { EventReaders } from './events/event-readers.ts';
import { followOutput } from './events/follow-output.ts';
import { cancelExecution } from './execute/cancel-execution.ts';
import { detachedResult, startDetached, wantsDetached } from './execute/detached.ts';
import { runExecution } from './execute/run-execution.ts';
import { fleetHandlers } from './fleet-handlers.ts';
import { lookHandlers } from './look-handlers.ts';
import { monitorHandlers } from './monitor-handlers.ts';
import { type OidcHandlersParts, oidcHandlers } from './oidc-handlers.ts';
import { principalHandlers } from './principal-handlers.ts';
import { sendRecording } from './send-recording.ts';
import { toStatus } from './views.ts';

export interface HandlerParts extends SessionHandlersParts, OidcHandlersParts {
  readonly warden: WardenApi;
  readonly execute: Execute;
  readonly detached: Detached;
  readonly enrolment: Pick<Enrolment, 'createCode'>;
  readonly looks: Pick<LookTurns, 'nextPiece'>;
  readonly faults: Faults;
}

/** What each route of `src/http-api/routes.ts` does. */
export function createHandlers(
  { warden, execute, detached, enrolment, looks, faults, ...parts }: HandlerParts,
  readers: EventReaders,
): Handlers {
  const { nextPiece } = looks;
  return {
    ...monitorHandlers(warden),
    status: () => toStatus(warden.status()),
    runExecution: (call) =>
      wantsDetached(call) ? startDetached(detached, call) : runExecution(execute, call),
    executionResult: (call) => detachedResult(detached, call),
    cancelExecution,
    followExecution: (call) => followOutput(call, { faults, nextPiece }),
    recording: (call) => sendRecording(call, nextPiece),
    events: (call) => readers.add(call),
    openApi: () => openApiDocument(warden.status().version),
    ...lookHandlers(warden),
    ...fleetHandlers(warden),
    ...agentSessionHandlers(),
    ...principalHandlers(warden.principals, enrolment),
    ...actHandlers(warden),
    ...sessionHandlers(parts),
    ...oidcHandlers(parts),
  };
}
