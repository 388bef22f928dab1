import type { DecidedTool, Rule, RunOverrides, ToolDefinition } from '../policy.ts';
import { toolDefaults } from '../tool-defaults.ts';

/**
 * `tool` with the settings of the rules, in any order: the tighter limit counts, variables and secrets add up. `undefined` if two
 * of them name different places to run in, or if a session would have what it goes without.
 */
export function withOverrides(tool: ToolDefinition, rules: readonly Rule[]): ToolDefinition | undefined {
  const said = rules.flatMap(({ overrides }) => overrides ?? []);
  const [first, ...rest] = said;
  if (first === undefined) return tool;
  if (!agree(said)) return undefined;
  const merged = rest.reduce(tighter, first);
  const effective = {
    ...{ ...tool, ...merged },
    environment: [...tool.environment, ...environmentOf(said)],
    secrets: joined([tool, ...said]),
    unmasked: isUnmasked(tool, said),
  };
  return asksTooMuch(effective) ? undefined : effective;
}

/**
 * `tool` with what of the rules' settings is stricter: these may be about another line, so none of them gives anything, and none
 * changes where it runs.
 */
export function withTighter(tool: DecidedTool, rules: readonly Rule[]): DecidedTool {
  return rules.flatMap(({ overrides }) => overrides ?? []).reduce(tighterBy, tool);
}

function tighterBy(tool: DecidedTool, said: RunOverrides): DecidedTool {
  const limits = limitKeys.map((key) => [key, tighterLimit(tool[key], said[key] ?? tool[key])] as const);
  const { network, reach } = toolDefaults;
  return {
    ...tool,
    ...Object.fromEntries(limits),
    ...(said.stdin === 'none' && { stdin: 'none' }),
    ...(said.isolation === 'ghost' && { isolation: 'ghost' }),
    ...(said.network === network && said.reach?.network === reach.network && { network, reach }),
    record: lessRecord(tool.record, said.record ?? tool.record),
    workspace: lesser(tool.workspace, said.workspace ?? tool.workspace),
  };
}

/**
 * How a wrapper and the command inside it run together: the tighter limit of the two, and the variables and secrets that both may
 * have.
 */
export function tighterTool(outer: DecidedTool, inner: DecidedTool): DecidedTool {
  const limits = [...limitKeys, 'timeoutMs'] as const;
  return {
    ...outer,
    ...Object.fromEntries(limits.map((key) => [key, tighterLimit(outer[key], inner[key])])),
    stdin: outer.stdin === 'none' ? 'none' : inner.stdin,
    record: lessRecord(outer.record, inner.record),
    workspace: lesser(outer.workspace, inner.workspace),
    environment: outer.environment.filter((name) => inner.environment.includes(name)),
    secrets: new Map([...outer.secrets].filter(([as, secret]) => inner.secrets.get(as) === secret)),
    unmasked: outer.unmasked && inner.unmasked,
    isolation: outer.isolation === inner.isolation ? outer.isolation : 'ghost',
  };
}

/** Each who gives a secret, the tool or a rule, lets its agent see it: none says so of another's. */
function isUnmasked({ secrets, unmasked }: ToolDefinition, said: readonly RunOverrides[]): boolean {
  const giving = said.filter((each) => each.secrets !== undefined);
  const isOfTool = unmasked || said.some((each) => each.secrets === undefined && each.unmasked === true);
  const isGiven = secrets.size > 0 || giving.length > 0;
  return isGiven && (secrets.size === 0 || isOfTool) && giving.every((each) => each.unmasked === true);
}

/** A session goes without a network and without secrets: what one of its commands is given, all of them have. */
function asksTooMuch({ isolation, network, reach, secrets }: ToolDefinition): boolean {
  return isolation === 'session' && (network !== 'none' || reach.network !== '' || secrets.size > 0);
}

const workspaces = ['none', 'read', 'write'] as const;

function lesser(...said: readonly ToolDefinition['workspace'][]): ToolDefinition['workspace'] {
  return workspaces.find((each) => said.includes(each)) ?? 'write';
}

const records = ['none', 'head-tail', 'full'] as const;

function lessRecord(...said: readonly ToolDefinition['record'][]): ToolDefinition['record'] {
  return records.find((each) => said.includes(each)) ?? 'none';
}

/** 0 means no limit. */
export function tighterLimit(a: number, b: number): number {
  return a === 0 || b === 0 ? Math.max(a, b) : Math.min(a, b);
}

const places = ['strategy', 'image', 'network', 'reach'] as const;

/** No two of them name different places to run in, or different secrets for one place. */
export function agree(said: readonly RunOverrides[]): boolean {
  const given = said.flatMap(({ secrets = new Map<string, string>() }) => [...secrets]);
  const secrets = joined(said);
  return (
    places.every((key) => new Set<unknown>(said.flatMap((one) => one[key] ?? [])).size <= 1) &&
    given.every(([as, secret]) => secrets.get(as) === secret)
  );
}

/** Of two secrets for the same place the last one. */
function joined(said: readonly RunOverrides[]): ReadonlyMap<string, string> {
  return new Map(said.flatMap(({ secrets = new Map<string, string>() }) => [...secrets]));
}

function tighter(a: RunOverrides, b: RunOverrides): RunOverrides {
  const merged = { ...a, ...b };
  return {
    ...merged,
    ...[...limitKeys, 'liveMs' as const]
      .map((key) => least(key, a, b))
      .reduce((all, one) => ({ ...all, ...one })),
    ...(a.record && b.record ? { record: lessRecord(a.record, b.record) } : {}),
    ...(a.stdin === 'none' || b.stdin === 'none' ? { stdin: 'none' } : {}),
    ...(a.workspace && b.workspace ? { workspace: lesser(a.workspace, b.workspace) } : {}),
  };
}

const limitKeys = [
  ...(['memoryBytes', 'cpus', 'pids', 'outputBytes', 'fileBytes', 'idleTimeoutMs'] as const),
  ...(['egressUpBytes', 'egressDownBytes'] as const),
] as const;

function least(key: (typeof limitKeys)[number] | 'liveMs', a: RunOverrides, b: RunOverrides): RunOverrides {
  const values = [a[key], b[key]].flatMap((value) => value ?? []);
  return values.length === 0 ? {} : { [key]: Math.min(...values) };
}

function environmentOf(said: readonly RunOverrides[]): string[] {
  return [...new Set(said.flatMap(({ environment = [] }) => environment))].sort();
}
