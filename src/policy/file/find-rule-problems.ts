import { duplicates } from '../../config/duplicates.ts';
import { nearestHint } from '../../config/nearest.ts';
import type { YamlSource } from '../../config/read-yaml.ts';
import type { KnownTools } from '../arguments/tools/known-tools.ts';
import { helpToolName } from '../help-tool.ts';
import { withoutEffect } from '../without-effect.ts';
import { findNetworkProblem } from './build-tools.ts';
import { whyNoFetch } from './fetch-network.ts';
import type { PolicyFile } from './policy-schema.ts';
import { type NetworksFile, noneInSession, type ToolsFile, withoutSession } from './tool-schema.ts';

/** These stand for a rule's name if no rule decided. */
const reservedRuleNames: ReadonlySet<string> = new Set([
  'default',
  'otherwise',
  'tool-unknown',
  'cwd-outside',
  'forbid-characters',
  'seen-through',
  'conflict',
  'too-long',
  helpToolName,
]);

type RuleFile = PolicyFile['rules'][number];

/**
 * Faults of rules that the schema cannot find, one line each. `isOpen`: tool files may define what the file names and
 * does not define.
 */
export function findRuleProblems(
  file: PolicyFile,
  known: KnownTools,
  source: YamlSource,
  isOpen: boolean,
): string[] {
  const names = file.rules.map(({ name }) => name);
  return [
    ...duplicates(names).map((index) =>
      source.problem(['rules', index, 'name'], `another rule is named "${names[index]}" already`),
    ),
    ...(isOpen ? [] : findUndefinedTools(file, source)),
    ...file.rules.flatMap((rule, index) => problemsOf(rule, file, known, source, ['rules', index])),
  ];
}

/** One line for each tool of a rule that nothing defines. */
export function findUndefinedTools(
  { rules, tools: defined }: Pick<PolicyFile, 'rules' | 'tools'>,
  source: YamlSource,
): string[] {
  const known = Object.keys(defined);
  return rules.flatMap(({ tools = [] }, index) =>
    tools.flatMap((tool, place) =>
      known.includes(tool)
        ? []
        : source.problem(
            ['rules', index, 'tools', place],
            `the tool "${tool}" is not defined under tools${nearestHint(tool, known, 'tool')}`,
          ),
    ),
  );
}

/** What of this rule would not hold for a tool that a tool file defines. */
export function whyUnfit(
  rule: RuleFile,
  networks: NetworksFile,
  known: KnownTools,
  name: string,
  tool: ToolsFile[string],
): string[] {
  if (rule.tools !== undefined && !rule.tools.includes(name)) return [];
  return [
    ...findUnknownGrammar(rule, known, [name], 'arguments'),
    ...findIneffective(rule, { tools: { [name]: tool }, networks }),
  ].map(([key, what]) => `${key}: ${what}`);
}

function problemsOf(
  rule: RuleFile,
  file: PolicyFile,
  tools: KnownTools,
  source: YamlSource,
  path: readonly PropertyKey[],
): string[] {
  const defined = Object.keys(file.tools);
  const concerned = rule.tools?.filter((tool) => defined.includes(tool)) ?? defined;
  return [
    ...(reservedRuleNames.has(rule.name)
      ? [source.problem([...path, 'name'], `"${rule.name}" is no name for a rule`)]
      : []),
    ...findNetworkProblem(rule.network, file.networks, source, [...path, 'network']),
    ...[...findUnknownGrammar(rule, tools, concerned), ...findIneffective(rule, file)].map(([key, what]) =>
      source.problem([...path, key], what),
    ),
  ];
}

type Problem = readonly [key: string, what: string];

/** Conditions on sub-commands or arguments of unknown tools would silently never hold. */
function findUnknownGrammar(
  rule: RuleFile,
  known: KnownTools,
  tools: readonly string[],
  where?: string,
): readonly Problem[] {
  const { subcommands } = rule;
  const strange = tools.find((tool) => !known.has(tool));
  if (strange === undefined) return tools.flatMap((tool) => findUnknownNames(known, tool, subcommands ?? []));
  const keys = (['safe-arguments', 'subcommands'] as const).filter((key) => rule[key] !== undefined);
  const what = `the arguments of ${strange} are not known; known are ${known.keys().join(', ')}; teach it under ${where ?? `tools.${strange}.arguments`}`;
  return keys.map((key) => [key, what]);
}

function findUnknownNames(known: KnownTools, tool: string, wanted: readonly string[]): readonly Problem[] {
  const names = known.get(tool)?.subcommands ?? new Map<string, unknown>();
  return wanted
    .filter((name) => !names.has(name))
    .map((name) => [
      'subcommands',
      `${tool} has no "${name}"${argsHint(name, names) ?? nearestHint(name, [...names.keys()], 'name')}`,
    ]);
}

/** Only one word is compared; `args` sees more of them. */
function argsHint(name: string, names: ReadonlyMap<string, unknown>): string | undefined {
  const [first = '', ...rest] = name.split(' ');
  return rest.length === 0 || !names.has(first)
    ? undefined
    : `; write args: [${[first, ...rest].join(', ')}, "**"]`;
}

/** Promises that could not be kept in the place where the command then runs. */
function findIneffective(
  rule: RuleFile,
  { tools, networks }: Pick<PolicyFile, 'tools' | 'networks'>,
): Problem[] {
  const concerned = rule.tools ?? Object.keys(tools);
  return concerned.flatMap((name) => {
    const tool = tools[name];
    const strategy = rule.strategy ?? tool?.strategy;
    if (tool === undefined || strategy === undefined) return [];
    const lost = withoutEffect[strategy].filter((key) => key !== 'timeout' && rule[key] !== undefined);
    const closed = whyNoFetch(strategy, rule.network, networks);
    const imageless = strategy === 'ghost' && (rule.image ?? tool.image) === undefined;
    return [
      ...sessionless(rule, tool),
      ...lost.map((key) => [key, `has no effect on ${name}, which runs by ${strategy}`] as const),
      ...(closed === '' ? [] : [['network', closed] as const]),
      ...(tool.strategy === 'fetch' && rule.strategy !== undefined
        ? [['strategy', `has no effect on ${name}, which is a fetch`] as const]
        : []),
      ...(imageless ? [['strategy', `${name} has no image: a ghost runs in an image`] as const] : []),
    ];
  });
}

/** What the rule and the tool together would give a session. */
function sessionless(rule: RuleFile, tool: ToolsFile[string]): Problem[] {
  if (rule.action === 'deny') return [];
  const keys = ['isolation', 'network', 'egress-bytes', 'secrets'] as const;
  if (keys.every((key) => rule[key] === undefined)) return [];
  const run = {
    isolation: rule.isolation ?? tool.isolation,
    network: rule.network ?? tool.network,
    'egress-bytes': rule['egress-bytes'] ?? tool['egress-bytes'],
    secrets: rule.secrets ?? tool.secrets,
  };
  return withoutSession(run).map((key) => [rule[key] === undefined ? 'isolation' : key, noneInSession]);
}
