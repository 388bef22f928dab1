import type { YamlSource } from '../../config/read-yaml.ts';
import { findWork } from '../arguments/implied-work.ts';
import { compileTool, ownGroup } from '../arguments/tools/compile-tool.ts';
import { extendGrammar } from '../arguments/tools/extend-grammar.ts';
import { leavesOf, type Subcommand, type ToolGrammar } from '../arguments/tools/grammar.ts';
import { knownTools } from '../arguments/tools/known-tools.ts';
import { plainTools } from '../arguments/tools/plain-tools.ts';
import type { ImpliedData, OptionsData, ToolData } from '../arguments/tools/tool-data.ts';
import { opaqueTools, shells, wrapperData } from '../arguments/tools/wrapper-data.ts';
import type { ToolsFile } from './tool-schema.ts';

type Taught = ReadonlyMap<string, ToolData>;

/** What a policy says about the arguments of tools. */
export function taughtBy(tools: ToolsFile): Taught {
  return new Map(
    Object.entries(tools).flatMap(([name, { arguments: said }]) =>
      said === undefined ? [] : [[name, said]],
    ),
  );
}

/** One line for each statement that would not hold as it is written. `place`: where the tool is in the file. */
export function findTeachingProblems(
  taught: Taught,
  source: YamlSource,
  place: (name: string) => readonly string[],
): string[] {
  return [...taught].flatMap(([name, data]) =>
    [...problemsOf(name, data), ...findMissingNames(data, knownTools.get(name))].map(([path, what]) =>
      source.problem([...place(name), 'arguments', ...path], what),
    ),
  );
}

type Problem = readonly [path: readonly string[], what: string];

function problemsOf(name: string, data: ToolData): readonly Problem[] {
  if (looksInside(name)) return [[[], `Clawrden looks at what ${name} runs by itself: it cannot be taught`]];
  const shipped = knownTools.get(name);
  if (shipped === undefined) return [];
  return [
    ...(data.style === shipped.style
      ? []
      : [[['style'], `must be ${shipped.style}, as in Clawrden's own data of ${name}`] as const]),
    ...shapes
      .filter((key) => data[key] !== undefined)
      .map((key) => [[key], `cannot be said of ${name}: Clawrden's own data says it`] as const),
    ...sortingProblems(shipped, compileTool(data)),
  ];
}

const shapes = [
  ...(['bare-cluster', 'numbers', 'options-behind-first', 'options-anywhere'] as const),
  ...(['values-apart', 'optional-behind-equals'] as const),
  ...(['abbreviations', 'sets-options'] as const),
] as const;

function looksInside(name: string): boolean {
  return (
    shells.has(name) ||
    opaqueTools.has(name) ||
    wrapperData.has(name) ||
    plainTools.has(name) ||
    knownTools.get(name.replace(/[0-9.]+$/, ''))?.interpreter !== undefined
  );
}

/** A word that groups others in one place and is a sub-command in another. */
function sortingProblems(shipped: ToolGrammar, own: ToolGrammar): readonly Problem[] {
  return [...(own.subcommands ?? [])].flatMap(([word, one]) => {
    const known = shipped.subcommands?.get(word);
    if (known === undefined || (known.subcommands === undefined) === (one.subcommands === undefined))
      return [];
    const what = known.subcommands === undefined ? 'takes no sub-commands' : 'only sorts others';
    return [[['subcommands'], `"${word}" ${what} in Clawrden's own data`] as const];
  });
}

/** A reference to a missing group or sub-command would silently mean nothing. */
export function findMissingNames(data: ToolData, shipped?: ToolGrammar): readonly Problem[] {
  const groups = Object.keys(data['option-groups'] ?? {});
  const missing = ({ groups: wanted = [] }: OptionsData, path: readonly string[], known: readonly string[]) =>
    wanted
      .filter((name) => !known.includes(name))
      .map((name): Problem => [[...path, 'groups'], `there is no group "${name}" before this`]);
  return [
    ...Object.entries(data['option-groups'] ?? {}).flatMap(([name, group], at) =>
      missing(group, ['option-groups', name], groups.slice(0, at)),
    ),
    ...missing(data, [], groups),
    ...Object.entries(data.subcommands ?? {}).flatMap(([name, one]) =>
      missing(one, ['subcommands', name], [ownGroup, ...groups]),
    ),
    ...missingWork(data, shipped),
    ...missingKinds(data),
  ];
}

function missingKinds({ resources, subcommands = {} }: ToolData): readonly Problem[] {
  if (resources !== undefined) return [];
  return Object.entries(subcommands)
    .filter(([, one]) => one.resources === true)
    .map(([name]) => [['subcommands', name, 'resources'], 'the tool has no resources here']);
}

function missingWork(data: ToolData, shipped?: ToolGrammar): readonly Problem[] {
  const own = compileTool(data);
  const grammar = shipped === undefined ? own : extendGrammar(shipped, own);
  const { options, subcommands } = grammar;
  const leaves = leavesOf(subcommands);
  const unknown = (does: readonly string[] = [], path: readonly string[]) =>
    does
      .filter((name) => findWork(grammar, name) === undefined)
      .map((name): Problem => [[...path, 'does'], `there is no sub-command "${name}"`]);
  const implied = (one: ImpliedData, path: readonly string[], among: readonly Subcommand[]) => [
    ...unknown(one.does, path),
    ...(one.options ?? [])
      .filter((name) => !options.has(name) && !among.some((leaf) => leaf.options.has(name)))
      .map((name): Problem => [[...path, 'options'], `there is no option "${name}"`]),
  ];
  return [
    ...unknown(data.bare?.does, ['bare']),
    ...(data.also ?? []).flatMap((one) => implied(one, ['also'], leaves)),
    ...Object.entries(data.subcommands ?? {}).flatMap(([name, { does, also = [] }]) => {
      const inner = leaves.filter((leaf) => `${leaf.name} `.startsWith(`${name} `));
      return [
        ...unknown(does, ['subcommands', name]),
        ...also.flatMap((one) => implied(one, ['subcommands', name, 'also'], inner)),
      ];
    }),
  ];
}

/** The warning of `policy check` for each: no test tries what a policy teaches. */
export function warnAboutTeaching(
  taught: Taught,
  source: YamlSource,
  place: (name: string) => readonly string[],
): string[] {
  return [...taught.keys()].map((name) => {
    const what = knownTools.has(name)
      ? `adds to what Clawrden knows of ${name}: if both know an option or a sub-command, Clawrden's own data counts`
      : `is all that is known of ${name}: Clawrden has not tried it`;
    return source.problem([...place(name), 'arguments'], what);
  });
}
