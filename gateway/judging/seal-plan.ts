import type { Command } from '../../src/command.ts';
import type { AgentConfig } from '../../src/config/gateway-config.ts';
import { ghostClientEnvironment } from '../../src/egress/client-environment.ts';
import { noReach } from '../../src/egress/reach.ts';
import type { Route } from '../../src/egress/route.ts';
import { ClawrdenError } from '../../src/errors.ts';
import {
  canonicalJson,
  type Operand,
  type Plan,
  type PlanImage,
  type PlanMount,
  planHash,
  type Strategy,
} from '../../src/plan.ts';
import { scriptOperands } from '../../src/policy/arguments/script-operands.ts';
import { publicNetwork, routesOf } from '../../src/policy/network-name.ts';
import type { DecidedTool, Policy } from '../../src/policy/policy.ts';
import { locateCwd } from '../../src/policy/request/normalize-cwd.ts';
import { scrubEnvironment } from '../../src/policy/request/scrub-environment.ts';
import { hasEffect, type KeyWithoutEffect } from '../../src/policy/without-effect.ts';
import type { ImageFacts } from '../ports/engine.ts';
import type { LearnsOf } from '../ports/learning.ts';
import type { Cleared, Judgement } from './judge.ts';
import { sealReach } from './seal-reach.ts';
import { whyNoLearning } from './why-no-learning.ts';

const ghostHome = '/home/ghost';

/** A plan, and the one text that is hashed and shown for it. */
export interface SealedPlan {
  readonly plan: Plan;
  readonly canonical: string;
  readonly hash: string;
}

export interface PlanParts {
  readonly policy: Policy;
  readonly tool: DecidedTool;
  readonly strategy: Strategy;
  readonly cleared: Cleared;
  readonly timeoutMs: number;
  /** Ghost only. */
  readonly image?: ImageFacts;
  readonly routes: Routes;
  readonly learnsOf: LearnsOf;
}

/** Those of gateway.yaml, by name. */
export type Routes = ReadonlyMap<string, Route>;

/** What a plan needs besides what was judged. */
export interface PlanSources {
  readonly resolveImage: (reference: string) => Promise<ImageFacts>;
  readonly routes: () => Routes;
  readonly learnsOf: LearnsOf;
}

/**
 * The plan of a judgement that is not a denial. Throws a `ClawrdenError` if there can be no plan (`image-missing`,
 * `route-missing`).
 */
export async function sealJudged(
  { decision, cleared }: Judgement,
  policy: Policy,
  { resolveImage, routes, learnsOf }: PlanSources,
): Promise<SealedPlan> {
  const { tool } = decision;
  if (decision.action === 'deny' || !tool || !cleared) {
    throw new ClawrdenError(decision.code ?? 'denied-by-rule', decision.reason);
  }
  const timeoutMs = decision.timeoutMs ?? tool.timeoutMs;
  const strategy = strategyFor(tool, cleared.command);
  const parts = { policy, tool, strategy, cleared, timeoutMs, routes: routes(), learnsOf };
  if (strategy !== 'ghost' || tool.image === undefined) return sealPlan(parts);
  return sealPlan({ ...parts, image: await resolveImage(tool.image) });
}

/** A shim of version 0 cannot run the original by itself, so its command runs by mirror. */
function strategyFor(tool: DecidedTool, command: Command): Strategy {
  return tool.strategy === 'passthrough' && command.version === 0 ? 'mirror' : tool.strategy;
}

/** Builds the plan, once. Pure: everything that can change between two calls is in `parts`. */
export function sealPlan(parts: PlanParts): SealedPlan {
  return seal(buildPlan(parts));
}

/** The plan with the scripts that were found. */
export function withOperands({ plan }: SealedPlan, operands: readonly Operand[]): SealedPlan {
  const { scripts: _named, ...rest } = plan;
  return seal({ ...rest, operands });
}

function seal(plan: Plan): SealedPlan {
  const canonical = canonicalJson(plan);
  return { plan, canonical, hash: planHash(canonical) };
}

function buildPlan({ policy, tool, strategy, cleared, timeoutMs, image, routes, learnsOf }: PlanParts): Plan {
  const { command, root } = cleared;
  const { agent, identity } = cleared.subject;
  const kept = keptBy(strategy);
  const caller = kept('environment', callerEnvironment(command, policy, tool), []);
  const record = kept('record', tool.record, 'none');
  const access = kept('workspace', tool.workspace, 'write');
  const live = kept('live', tool.liveMs, 0);
  const network = kept('network', tool.reach, noReach);
  const given = routesOf({ strategy, reach: network }).map((name) => routeOf(name, network.network, routes));
  const secrets = kept('secrets', tool.secrets, new Map<string, string>());
  const learning = learnsOf(agent?.name ?? '', tool.name);
  const learns = learning && whyNoLearning({ ...tool, strategy }, given) === '' ? learning : undefined;
  const { reach } = sealReach(network, given, learns, tool);
  const argv = [command.tool, ...command.args];
  return {
    agent: agent?.name ?? '',
    argv,
    env: withoutNames(
      image === undefined
        ? caller
        : ghostEnvironment(image.env, caller, ghostClientEnvironment(reach, given, image.env)),
      [...secrets.keys()],
    ),
    ...placeOf(command.cwd, root, access),
    uid: identity.uid,
    gid: identity.gid,
    umask: command.umask,
    strategy,
    ...(image === undefined ? {} : { image: planImage(tool, image) }),
    ...(kept('isolation', tool.isolation, 'ghost') === 'session' && { isolation: 'session' as const }),
    mounts: strategy === 'ghost' ? workspaceMounts(agent, policy, access) : [],
    network:
      strategy === 'fetch' && network.network === '' ? publicNetwork : kept('network', tool.network, ''),
    ...(reach !== undefined && { reach }),
    ...secretsOf(secrets, kept('unmasked', tool.unmasked, false)),
    limits: {
      memoryBytes: kept('memory', tool.memoryBytes, 0),
      cpus: kept('cpus', tool.cpus, 0),
      pids: kept('pids', tool.pids, 0),
      outputBytes: kept('output', tool.outputBytes, 0),
      fileBytes: kept('file-size', tool.fileBytes, 0),
    },
    stdin: kept('stdin', tool.stdin, 'pipe'),
    timeoutMs: kept('timeout', timeoutMs, 0),
    idleTimeoutMs: kept('idle-timeout', tool.idleTimeoutMs, 0),
    ...(record === 'none' ? {} : { record }),
    ...(live === 0 || access !== 'write' ? {} : { liveMs: live }),
    policyHash: policy.hash,
    ...scriptsOf(argv, policy),
  };
}

/** The value of a key of the policy, or nothing: a plan promises only what its strategy enforces. */
function keptBy(strategy: Strategy): <Value>(key: KeyWithoutEffect, value: Value, nothing: Value) => Value {
  return (key, value, nothing) => (hasEffect(key, strategy) ? value : nothing);
}

function routeOf(name: string, network: string, routes: Routes): Route {
  const route = routes.get(name);
  if (route !== undefined) return route;
  throw new ClawrdenError(
    'route-missing',
    `network ${network} has the route ${name}, which gateway.yaml does not have`,
  );
}

/** Names alone. Their values replace variables of the same names, so those are in no plan. */
function secretsOf(
  given: ReadonlyMap<string, string>,
  unmasked: boolean,
): Pick<Plan, 'secrets' | 'unmasked'> {
  if (given.size === 0) return {};
  const secrets = [...given].map(([as, secret]) => ({ as, secret })).sort((a, b) => (a.as < b.as ? -1 : 1));
  return { secrets, ...(unmasked && { unmasked }) };
}

/** The only place that derives from a command's arguments what it runs. */
function scriptsOf(argv: readonly string[], policy: Policy): Pick<Plan, 'scripts'> {
  const scripts = scriptOperands(argv, policy.known);
  return scripts.length === 0 ? {} : { scripts };
}

function planImage(tool: DecidedTool, image: ImageFacts): PlanImage {
  return { reference: tool.image ?? '', id: image.id, envHash: image.envHash };
}

type Access = DecidedTool['workspace'];

function workspaceMounts(agent: AgentConfig | undefined, policy: Policy, access: Access): PlanMount[] {
  if (agent?.workspace === undefined || access === 'none') return [];
  const { kind, source } = agent.workspace;
  return [{ kind, source, target: policy.workspace, ...(access === 'read' && { readOnly: true as const }) }];
}

/** Without the workspace its folders are not there: the tool starts in the only one that it can write. */
function placeOf(cwd: string, workspace: string, access: Access): Pick<Plan, 'cwd' | 'workspace'> {
  return access === 'none' ? { cwd: '/tmp', workspace: '' } : { cwd, workspace };
}

/**
 * The variables that the policy allows, and PWD if it may name the working directory; the init removes PWD if it does
 * not.
 */
function callerEnvironment(command: Command, policy: Policy, tool: DecidedTool): string[] {
  const scrubbed = scrubEnvironment(command.env, [...policy.environment, ...tool.environment, 'PWD']);
  return scrubbed.filter(
    (entry) => nameOf(entry) !== 'PWD' || isDirectory(policy, entry.slice('PWD='.length)),
  );
}

function isDirectory(policy: Policy, path: string): boolean {
  return locateCwd(policy, path)?.cwd === path;
}

/**
 * The image's own environment, then the caller's, then what leads to the way out, then HOME; a later one replaces an
 * earlier one. PATH is always the image's.
 */
function ghostEnvironment(
  image: readonly string[],
  caller: readonly string[],
  wayOut: readonly string[],
): string[] {
  const own = withoutNames(caller, ['PATH', 'HOME', ...wayOut.map(nameOf)]);
  const base = withoutNames(image, ['HOME', ...[...own, ...wayOut].map(nameOf)]);
  return sortedByName([...base, ...own, ...wayOut, `HOME=${ghostHome}`]);
}

function withoutNames(env: readonly string[], names: readonly string[]): string[] {
  return env.filter((entry) => !names.includes(nameOf(entry)));
}

function sortedByName(env: readonly string[]): string[] {
  return [...env].sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
}

function nameOf(entry: string): string {
  return entry.slice(0, entry.indexOf('='));
}
