import { type KnownTools, knownTools } from '../arguments/tools/known-tools.ts';
import { opaqueTools, shells, wrapperData } from '../arguments/tools/wrapper-data.ts';
import type { Policy, Rule, ToolDefinition } from '../policy.ts';
import { isOneOf } from './risky-tools.ts';
import { ruleAt } from './rule-at.ts';

/** Tools that run what stands in the workspace, so its agent can have them tell what they are given. */
const runAgentsCode: ReadonlySet<string> = new Set([
  ...[...shells, ...wrapperData.keys(), ...opaqueTools],
  ...['node', 'nodejs', 'deno', 'bun', 'npx', 'bunx', 'tsx', 'python', 'perl', 'ruby', 'php', 'lua', 'java'],
  ...[
    'awk',
    'gawk',
    'mawk',
    'sed',
    'find',
    'tclsh',
    'expect',
    'vi',
    'vim',
    'nvim',
    'emacs',
    'uv',
    'uvx',
    'poetry',
  ],
  ...[
    'make',
    'gmake',
    'ninja',
    'cmake',
    'rake',
    'gradle',
    'mvn',
    'sbt',
    'cargo',
    'go',
    'bazel',
    'tox',
    'pytest',
  ],
  ...['npm', 'pnpm', 'yarn', 'corepack', 'composer', 'bundle', 'pip'],
]);

interface Use {
  /** How `policy check` names it. */
  readonly at: string;
  readonly tool: ToolDefinition;
  readonly rule?: Rule;
}

/** What the agent of a tool with secrets may do to get at them: errors for what nothing is in the way of. */
export function findSecretErrors(policy: Policy): string[] {
  const { known = knownTools } = policy;
  return usesOf(policy)
    .filter(({ tool, rule }) => isOneOf(runAgentsCode, tool.name) && !runsNothing(tool.name, rule, known))
    .map(
      ({ at, tool: { name } }) =>
        `${at} gives secrets to ${name}, which runs what its agent wrote: give them to a tool that does not`,
    );
}

export function findSecretWarnings(policy: Policy): string[] {
  return usesOf(policy).flatMap(({ at, tool }) => [
    ...(tool.unmasked
      ? [`${at} does not mask the secrets of ${tool.name}: its agent reads what it prints`]
      : []),
    ...(tool.workspace === 'write'
      ? [
          `${at} gives secrets to ${tool.name}, which may write them to the workspace: workspace: read, or none`,
        ]
      : []),
    ...(isWide(tool)
      ? [
          `${at} gives secrets to ${tool.name}, which can reach more than one server: give it a network of that one`,
        ]
      : []),
  ]);
}

/** Tools that are given secrets wherever they run, and rules that give some. */
function usesOf(policy: Policy): Use[] {
  const tools = [...policy.tools.values()];
  const rules = policy.version === 1 ? policy.rules : [];
  return [
    ...tools.filter(({ secrets }) => secrets.size > 0).map((tool) => ({ at: `tools.${tool.name}`, tool })),
    ...rules
      .filter(({ overrides }) => overrides?.secrets !== undefined)
      .flatMap((rule) =>
        tools
          .filter(({ name }) => rule.tools?.has(name) ?? true)
          .map((tool) => ({ at: ruleAt(rule), tool: { ...tool, ...rule.overrides }, rule })),
      ),
  ];
}

/** The rule lets through only what runs no other program. */
function runsNothing(tool: string, rule: Rule | undefined, known: KnownTools): boolean {
  if (rule === undefined) return false;
  const { subcommands } = rule;
  const all = known.get(tool)?.subcommands;
  const named =
    subcommands !== undefined && [...subcommands].every((name) => all?.get(name)?.harmless === true);
  return rule.safeArguments === true || named;
}

function isWide({ network, reach }: ToolDefinition): boolean {
  const [first, ...more] = reach.allow;
  return network !== 'none' || more.length > 0 || first?.to.startsWith('*') === true;
}
