import type { Policy, ToolDefinition } from '../policy.ts';
import { ruleAt } from './rule-at.ts';

interface Use {
  /** How `policy check` names it. */
  readonly at: string;
  readonly tool: ToolDefinition;
}

const shape = ['memoryBytes', 'cpus', 'pids', 'workspace'] as const;

const named: Readonly<Record<(typeof shape)[number], string>> = {
  memoryBytes: 'memory',
  cpus: 'cpus',
  pids: 'pids',
  workspace: 'workspace',
};

/** Sessions of one image that are two: the files that one keeps, the other does not have. */
export function findSessionWarnings(policy: Policy): string[] {
  const first = new Map<string, Use>();
  return usesOf(policy).flatMap((use) => {
    const { image = '' } = use.tool;
    const other = first.get(image) ?? use;
    first.set(image, other);
    const keys = shape.filter((key) => use.tool[key] !== other.tool[key]).map((key) => named[key]);
    if (keys.length === 0) return [];
    const text = `has another session of ${image} than ${other.at}, because ${keys.join(', ')} is not the same`;
    return [`${use.at} ${text}: what one keeps, the other does not have`];
  });
}

function usesOf(policy: Policy): Use[] {
  const tools = [...policy.tools.values()];
  const rules = policy.version === 1 ? policy.rules.filter(({ overrides }) => overrides !== undefined) : [];
  const uses = [
    ...tools.map((tool) => ({ at: `tools.${tool.name}`, tool })),
    ...rules.flatMap((rule) =>
      tools
        .filter(({ name }) => rule.tools?.has(name) ?? true)
        .map((tool) => ({ at: ruleAt(rule), tool: { ...tool, ...rule.overrides } })),
    ),
  ];
  return uses.filter(({ tool: { isolation, strategy } }) => isolation === 'session' && strategy === 'ghost');
}
