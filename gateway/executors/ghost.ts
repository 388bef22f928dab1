import { onAbort } from '../../src/abort.ts';
import type { CrumbPace } from '../../src/crumb-budgets.ts';
import { ClawrdenError, toClawrdenError } from '../../src/errors.ts';
import { isOwnEnd, outcomeOfEnd } from '../../src/init-client/init-end.ts';
import { initPlanOf } from '../../src/init-client/init-plan.ts';
import type { InitSession } from '../../src/init-client/init-session.ts';
import { operandsFound } from '../../src/init-client/plan-operands.ts';
import type { Outcome } from '../../src/outcome.ts';
import type { Plan } from '../../src/plan.ts';
import type { Execution, ToolInput } from '../execution/execution.ts';
import type { ExecutionRecord } from '../ports/execution-record.ts';
import type { OpenWayOut, WayOut } from '../ports/way-out.ts';
import type { DockerHost } from '../scheduler/hosts/docker-host.ts';
import type { GivenSecrets, GiveSecrets } from '../secrets/given-secrets.ts';
import type { Visit } from '../workspaces/visit.ts';
import { bringHome, bringHomeStopped, exchangeLive } from './bring-home.ts';
import type { Executor, RecordStart } from './executor.ts';
import { outputOf } from './output-of.ts';
import type { Placed } from './place-ghost.ts';
import { type AllPlacerParts, createPlacer } from './placer.ts';
import { travellerOf } from './traveller-of.ts';

/** The init has 2 s from TERM to KILL; if the ghost is still silent a second later, its container is removed. */
const cancelGraceMs = 3_000;
/** A container's name is for people: a shorter command ends before anybody reads the name. */
const nameAfterMs = 20;

export interface GhostParts extends AllPlacerParts {
  readonly giveSecrets: GiveSecrets;
  readonly recordStart: RecordStart;
  /** What the small messages of an agent's inits on one host are charged to. */
  readonly paceOf: (key: string) => CrumbPace;
  readonly openWayOut: OpenWayOut;
  /** A host was lost, or does not answer, after it had the plan: the end of the command may become known later. */
  readonly onLateExit: (host: DockerHost, execution: ExecutionRecord) => void;
}

/** With what its tool is given besides its plan. */
type Equipped = Placed & { readonly secrets: GivenSecrets | undefined };

/** Runs the plan in a fresh container on one of the hosts, which is removed after the answer, or in a session. */
export function createGhostExecutor(parts: GhostParts): Executor {
  const place = createPlacer(parts);
  return async (permit, execution) => {
    const { plan } = permit.sealed;
    const secrets = await parts.giveSecrets(plan, execution.signal);
    const placed = await place(plan, execution);
    execution.trace.mark('placed');
    return () => runAndRelease({ ...placed, secrets }, plan, execution, parts);
  };
}

async function runAndRelease(
  placed: Equipped,
  plan: Plan,
  execution: Execution,
  parts: GhostParts,
): Promise<Outcome> {
  const { lease, visit } = placed;
  try {
    const outcome = await runAndClean(placed, plan, execution, parts);
    // What comes home takes nothing of the host that another command could use.
    if (visit !== undefined) lease.release();
    return await bringHome(outcome, writing(plan, visit), execution);
  } finally {
    visit?.end();
    lease.release();
  }
}

async function runAndClean(
  placed: Equipped,
  plan: Plan,
  execution: Execution,
  parts: GhostParts,
): Promise<Outcome> {
  const { lease, visit } = placed;
  const { host } = lease;
  try {
    const outcome = await runIn(placed, plan, execution, parts);
    execution.clean(placed.release());
    return outcome;
  } catch (error) {
    const failure = toClawrdenError(error);
    const lost = failure.code === 'host-lost';
    if (lost) {
      parts.onHostLost(host, failure, execution.record);
      parts.onLateExit(host, execution.record);
    }
    const destroyed = placed.destroy().then((gone) => {
      if (!gone && !lost) parts.onLateExit(host, execution.record);
      return gone;
    });
    execution.clean(destroyed.then(() => {}));
    const home = lost ? undefined : writing(plan, visit);
    if (home !== undefined && (await destroyed)) {
      lease.release();
      await bringHomeStopped(home, execution);
    }
    throw error;
  }
}

/** A tool that may only read brings nothing home. */
function writing({ mounts }: Plan, visit: Visit | undefined): Visit | undefined {
  return mounts.some(({ readOnly }) => readOnly !== true) ? visit : undefined;
}

async function runIn(
  { lease: { host }, ghost, nameless, visit, secrets }: Equipped,
  plan: Plan,
  execution: Execution,
  { recordStart, startTimeoutMs, paceOf, openWayOut }: GhostParts,
): Promise<Outcome> {
  execution.signal.throwIfAborted();
  const { session, containerId } = ghost;
  let lost: ClawrdenError | undefined;
  const forgetHost = host.onLost((error) => {
    lost = error;
    session.destroy();
  });
  const wayOut = wayOutOf(plan, execution, secrets, openWayOut);
  const naming = nameless ? setTimeout(() => ghost.claim(execution.record.id), nameAfterMs) : undefined;
  using _ = cancelOnAbort(execution, session);
  using output = outputOf(execution, secrets, plan.unmasked === true);
  await using _live = exchangeLive(plan, visit, execution);
  try {
    const ending = session.run({
      plan: initPlanOf(plan, execution.context.wiring, secrets?.forInit),
      send: output.send,
      startWithinMs: startTimeoutMs,
      // A host that floods slows nothing down that runs on another one.
      pace: paceOf(`${host.name} ${plan.agent}`),
      ...(wayOut !== undefined && { serve: wayOut.serve }),
      onStarted: (found) => {
        execution.started();
        recordStart(execution, operandsFound(plan, found));
        void execution.send({ type: 'started', host: host.name, container: containerId });
      },
    });
    execution.trace.mark('planned');
    execution.placed(host.name, containerId);
    execution.takeInputs((input) => forward(input, session));
    const end = await ending;
    output.end(isOwnEnd(end));
    if (end.type === 'exit') execution.usage = end.usage;
    execution.trace.mark('ended');
    execution.signal.throwIfAborted();
    return outcomeOfEnd(end, { ...plan, ...plan.limits });
  } catch (error) {
    execution.signal.throwIfAborted();
    throw lost ?? faultIn(plan, error);
  } finally {
    forgetHost();
    clearTimeout(naming);
    if (wayOut !== undefined) execution.clean(wayOut.closed());
  }
}

/** Whatever runs in a session may end an init there: that says nothing about the host. */
function faultIn({ isolation }: Plan, error: unknown): unknown {
  const { code, message } = toClawrdenError(error);
  if (isolation !== 'session' || code !== 'host-lost') return error;
  return new ClawrdenError('session-lost', `${message}; its session was ended`);
}

function wayOutOf(
  { agent, reach }: Plan,
  execution: Execution,
  secrets: GivenSecrets | undefined,
  open: OpenWayOut,
): WayOut | undefined {
  if (reach === undefined) return undefined;
  const refused = tellRefusals(execution);
  return open(travellerOf(execution, agent, { refused, ...(secrets && { hide: secrets.hide }) }), reach);
}

/** On the agent's terminal. One at a time: a tool may try again and again, and nobody may read. */
function tellRefusals(execution: Execution): (line: string) => void {
  let [last, isTelling] = ['', false];
  return (line) => {
    if (isTelling || line === last) return;
    [last, isTelling] = [line, true];
    const told = execution.send({ type: 'notice', text: line.replace(/^clawrden: /, '') });
    void Promise.resolve(told).then(() => {
      isTelling = false;
    });
  };
}

function forward(input: ToolInput, session: InitSession): void {
  if (input.type !== 'mirror-started' && input.type !== 'mirror-output' && input.type !== 'mirror-end') {
    session.input(input);
  }
}

/** First the init is asked to end, then its stream is closed; either way `run` ends. */
function cancelOnAbort({ signal, halted }: Execution, session: InitSession): Disposable {
  let timer: NodeJS.Timeout | undefined;
  const halting = onAbort(halted, () => session.destroy());
  const listening = onAbort(signal, () => {
    if (halted.aborted) return;
    session.cancel();
    timer = setTimeout(() => session.destroy(), cancelGraceMs);
  });
  return {
    [Symbol.dispose]: () => {
      clearTimeout(timer);
      listening[Symbol.dispose]();
      halting[Symbol.dispose]();
    },
  };
}
