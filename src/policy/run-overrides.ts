import type { Rule, RunOverrides, ToolDefinition } from './policy.ts';

/**
 * `tool` with what the rules say over it, whatever their order: the tighter limit holds, variables add up. `undefined`
 * where two of them name different places to run in.
 */
export function withOverrides(tool: ToolDefinition, rules: readonly Rule[]): ToolDefinition | undefined {
  const said = rules.flatMap(({ overrides }) => overrides ?? []);
  const [first, ...rest] = said;
  if (first === undefined) return tool;
  if (!agree(said)) return undefined;
  const merged = rest.reduce(tighter, first);
  return { ...tool, ...merged, environment: [...tool.environment, ...environmentOf(said)] };
}

const places = ['strategy', 'image', 'network'] as const;

function agree(said: readonly RunOverrides[]): boolean {
  return places.every((key) => new Set(said.flatMap((one) => one[key] ?? [])).size <= 1);
}

function tighter(a: RunOverrides, b: RunOverrides): RunOverrides {
  const merged = { ...a, ...b };
  return {
    ...merged,
    ...least('memoryBytes', a, b),
    ...least('cpus', a, b),
    ...least('pids', a, b),
    ...least('outputBytes', a, b),
    ...least('fileBytes', a, b),
    ...least('idleTimeoutMs', a, b),
    ...(a.record === 'none' || b.record === 'none' ? { record: 'none' } : {}),
    ...(a.stdin === 'none' || b.stdin === 'none' ? { stdin: 'none' } : {}),
  };
}

type Limit = 'memoryBytes' | 'cpus' | 'pids' | 'outputBytes' | 'fileBytes' | 'idleTimeoutMs';

function least(key: Limit, a: RunOverrides, b: RunOverrides): RunOverrides {
  const values = [a[key], b[key]].flatMap((value) => value ?? []);
  return values.length === 0 ? {} : { [key]: Math.min(...values) };
}

function environmentOf(said: readonly RunOverrides[]): string[] {
  return [...new Set(said.flatMap(({ environment = [] }) => environment))].sort();
}
