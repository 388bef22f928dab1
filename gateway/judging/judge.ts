import type { Command, Identity } from '../../src/command.ts';
import type { AgentConfig } from '../../src/config/gateway-config.ts';
import { ClawrdenError, type ErrorCode, toClawrdenError } from '../../src/errors.ts';
import type { Plan, Strategy } from '../../src/plan.ts';
import { helpToolName } from '../../src/policy/help-tool.ts';
import type { CommandFacts, Decision, Policy } from '../../src/policy/policy.ts';
import { checkCommand } from '../../src/policy/request/check-command.ts';
import { locateCwd, normalizeCwd } from '../../src/policy/request/normalize-cwd.ts';
import { decide } from '../../src/policy/rules/decide.ts';
import { firstBytes } from '../../src/text/first-bytes.ts';
import { renderArgument } from '../../src/text/render-text.ts';
import type { StartRequest } from '../ports/channel.ts';
import type { Principal } from '../ports/principal.ts';
import { isOfAll, isWithin } from '../principals/sees.ts';

/** The agent of a command: facts of the connection, checked against gateway.yaml. */
export interface Subject {
  /** Absent for an orchestrator without an agent: no workspace, and the ids of user nobody. */
  readonly agent: AgentConfig | undefined;
  readonly identity: Identity;
}

/** A request after the checks: the policy decides on it, and the plan is made of it. */
export interface Cleared {
  readonly subject: Subject;
  /** With its working directory normalised. */
  readonly command: Command;
  /**
   * The directory that must contain the working directory after links are resolved; empty if any directory is
   * allowed.
   */
  readonly root: string;
}

export interface Judgement {
  /** The hash of the policy that decided. */
  readonly policyHash: string;
  readonly decision: Decision;
  /** Present unless the request was refused as invalid. */
  readonly cleared?: Cleared;
}

const maxShownName = 64;
const nobody: Identity = { uid: 65534, gid: 65534 };
const cwdWithoutWorkspace = '/tmp';

/** Checks a claim and decides on it. Never throws: every fault of the request becomes a denial. */
export function judge(
  policy: Policy,
  agents: ReadonlyMap<string, AgentConfig>,
  caller: Principal,
  request: StartRequest,
  halted: (agent: string) => ClawrdenError | undefined,
): Judgement {
  try {
    const agent = agentOf(agents, caller, request);
    if (request.refusal !== undefined) throw request.refusal;
    const subject = identify(agent, caller, request);
    const halt = halted(subject.agent?.name ?? '');
    if (halt !== undefined) throw halt;
    const cleared = sanitize(withCwd(request.command, subject, caller), subject, policy);
    return { policyHash: policy.hash, cleared, decision: decideFor(policy, cleared, caller) };
  } catch (error) {
    return { policyHash: policy.hash, decision: denialFor(toClawrdenError(error)) };
  }
}

/** Not refused by a rule of the policy. */
export function denialFor({ code, message }: ClawrdenError): Decision {
  return { action: 'deny', rule: code, reason: message, code };
}

/** What `agentOf` refuses with. */
export const unboundCodes: ReadonlySet<ErrorCode> = new Set(['identity-agent', 'agent-unknown']);

/**
 * The agent for which the caller may speak; undefined if an orchestrator names no agent. Throws `identity-agent` or
 * `agent-unknown`. This is the first check, so that an invented name reaches no list, no budget and no record.
 */
export function agentOf(
  agents: ReadonlyMap<string, AgentConfig>,
  caller: Principal,
  request: StartRequest,
): AgentConfig | undefined {
  const named = agents.get(request.agent);
  const agent = named !== undefined && isWithin(caller, named) ? named : undefined;
  if (caller.kind === 'relay' && agent?.relay !== caller.name) {
    const text = `relay ${caller.name} may not speak for agent ${shown(request.agent)}`;
    throw new ClawrdenError('identity-agent', text);
  }
  // Whether there is another one of that name, it does not hear.
  if (caller.kind === 'agent' && request.agent !== caller.name)
    throw new ClawrdenError('identity-agent', `agent ${caller.name} speaks for itself only`);
  if (agent === undefined && request.agent !== '') {
    throw new ClawrdenError('agent-unknown', `there is no agent ${shown(request.agent)}`);
  }
  if (agent === undefined && !isOfAll(caller))
    throw new ClawrdenError('agent-unknown', 'name an agent of your scope');
  return agent;
}

function shown(name: string): string {
  return renderArgument(firstBytes(name, maxShownName));
}

function identify(agent: AgentConfig | undefined, caller: Principal, { identity }: StartRequest): Subject {
  if (agent === undefined || caller.kind !== 'relay') {
    return { agent, identity: agent?.users[0] ?? nobody };
  }
  if (identity === undefined) throw new ClawrdenError('request-invalid', 'the relay attested no identity');
  if (identity.uid === 0) throw new ClawrdenError('identity-root', 'uid 0 may do nothing');
  if (!agent.users.some(({ uid, gid }) => uid === identity.uid && gid === identity.gid)) {
    throw new ClawrdenError(
      'identity-user',
      `${identity.uid}:${identity.gid} is no user of agent ${agent.name}`,
    );
  }
  return { agent, identity };
}

/** Only an orchestrator may leave the working directory to the gateway. */
function withCwd(command: Command, { agent }: Subject, caller: Principal): Command {
  if (command.cwd !== '' || caller.kind === 'relay') return command;
  return { ...command, cwd: agent?.cwd ?? cwdWithoutWorkspace };
}

function sanitize(command: Command, subject: Subject, policy: Policy): Cleared {
  const wrong = checkCommand(command);
  if (wrong !== undefined) throw wrong;
  // Help touches no folder, so an agent may ask for it anywhere.
  const isAnywhere = subject.agent === undefined || command.tool === helpToolName;
  const place = isAnywhere ? outsideAnyWorkspace(command.cwd) : locateCwd(policy, command.cwd);
  if (place !== undefined) return { subject, command: { ...command, cwd: place.cwd }, root: place.root };
  const allowed = subject.agent === undefined ? '/' : policy.roots.join(', ');
  throw new ClawrdenError('cwd-outside', `the working directory is outside ${allowed}`);
}

function outsideAnyWorkspace(cwd: string): { cwd: string; root: string } | undefined {
  const normal = normalizeCwd(cwd, '/');
  return normal === undefined ? undefined : { cwd: normal, root: '' };
}

/** The facts on which the decision on a plan is made. */
export function factsOf(
  { agent, argv, uid, gid, cwd }: Plan,
  agents: ReadonlyMap<string, AgentConfig>,
): CommandFacts {
  const [tool = '', ...args] = argv;
  return { agent, tool, args, uid, gid, cwd, labels: agents.get(agent)?.labels ?? {} };
}

function decideFor(policy: Policy, { subject, command }: Cleared, caller: Principal): Decision {
  const decision = decide(policy, {
    agent: subject.agent?.name ?? '',
    labels: subject.agent?.labels ?? {},
    tool: command.tool,
    args: command.args,
    ...subject.identity,
    cwd: command.cwd,
  });
  if (decision.tool?.isolation === 'session' && subject.agent === undefined) {
    const reason = `${command.tool} runs in a session of its agent: name one`;
    return { action: 'deny', rule: 'needs-agent', reason, code: 'needs-agent' };
  }
  if (decision.tool !== undefined && !mayAskFor(decision.tool.strategy, caller)) {
    const reason = `${command.tool} runs by ${decision.tool.strategy}, which only the agent itself can ask for`;
    return { action: 'deny', rule: 'needs-agent', reason, code: 'needs-agent' };
  }
  return decision;
}

/** Help is for the agent alone, however it asks. */
function mayAskFor(strategy: Strategy, { kind }: Principal): boolean {
  return (
    ['ghost', 'fetch'].includes(strategy) || kind === 'relay' || (strategy === 'help' && kind === 'agent')
  );
}
