import type { YamlSource } from '../../config/read-yaml.ts';
import { findWork } from '../arguments/implied-work.ts';
import { compileTool, ownGroup } from '../arguments/tools/compile-tool.ts';
import { everyOption } from '../arguments/tools/every-option.ts';
import { extendGrammar } from '../arguments/tools/extend-grammar.ts';
import { leavesOf, type Subcommand, type ToolGrammar, valueForms } from '../arguments/tools/grammar.ts';
import { knownTools } from '../arguments/tools/known-tools.ts';
import { plainTools } from '../arguments/tools/plain-tools.ts';
import type { ImpliedData, OptionsData, SubcommandData, ToolData } from '../arguments/tools/tool-data.ts';
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
    [
      ...problemsOf(name, data),
      ...findMissingNames(data, knownTools.get(name)),
      ...findKeysWithoutEffect(data, knownTools.get(name)),
    ].map(([path, what]) => source.problem([...place(name), 'arguments', ...path], what)),
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
    ...[...shapes, ...saidOnce.filter((key) => shipped[key] !== undefined)]
      .filter((key) => data[key] !== undefined)
      .map((key) => [[key], `cannot be said of ${name}: Clawrden's own data says it`] as const),
    ...sortingProblems(shipped, compileTool(data)),
    ...valueProblems(shipped, data),
    ...findSaidOtherwise(shipped, data),
  ];
}

const shapes = [
  ...(['bare-cluster', 'numbers', 'options-behind-first', 'options-anywhere'] as const),
  ...(['values-apart', 'optional-behind-equals'] as const),
  ...(['abbreviations', 'sets-options', 'interpreter', 'settings', 'plain-settings'] as const),
  ...(['variables-among-operands', 'operands-are-goals', 'run-by-node'] as const),
] as const;

const saidOnce = ['bare', 'runs'] as const;

/** How the value of an option is read: of each option that Clawrden's own data has it says that, too. */
function valueProblems(shipped: ToolGrammar, data: ToolData): readonly Problem[] {
  const known = new Set(everyOption(shipped).map(([name]) => name));
  const said: readonly (readonly [key: string, names: readonly string[] | undefined])[] = [
    ['numbers-apart', data['numbers-apart']],
    ['two-values', data['two-values']],
    ['value-forms', valueForms.flatMap((form) => data['value-forms']?.[form] ?? [])],
    ['modules', data.modules?.options],
  ];
  return said.flatMap(([key, names = []]) =>
    names
      .filter((name) => known.has(name))
      .map((name): Problem => [[key], `cannot be said of "${name}": Clawrden's own data has that option`]),
  );
}

/** What would be dropped, because Clawrden's own data has that sub-command and says otherwise. */
function findSaidOtherwise(shipped: ToolGrammar, data: ToolData): readonly Problem[] {
  const known = new Map(
    leavesOf(shipped.subcommands).flatMap((one) =>
      one.spellings.map((words) => [words.join(' '), one] as const),
    ),
  );
  return Object.entries(data.subcommands ?? {}).flatMap(([name, one]) => [
    ...[name, ...(one.aliases ?? [])].flatMap((word): readonly Problem[] => {
      const meant = known.get(word)?.name ?? name;
      const what = `"${word}" is "${meant}" in Clawrden's own data: write what you add under that name`;
      return meant === name ? [] : [[['subcommands', name], what]];
    }),
    ...keysSaidOtherwise(one, known.get(name), shipped).map(
      (key): Problem => [
        ['subcommands', name, key],
        "cannot be said here: Clawrden's own data says otherwise",
      ],
    ),
  ]);
}

const keysThatCountOnce = ['safe', 'style', 'resources', 'runs', 'before-slash', 'runs-operands'] as const;

function keysSaidOtherwise(
  said: SubcommandData,
  known: Subcommand | undefined,
  { style }: ToolGrammar,
): readonly (keyof SubcommandData)[] {
  if (known === undefined) return [];
  const isRun = said['runs-operands'] === true;
  const isOther = {
    safe: said.safe !== known.harmless,
    style: said.style !== (known.style ?? style),
    resources: known.resources === undefined,
    runs: known.runs !== undefined && said.runs !== known.runs,
    'before-slash': known.beforeSlash !== undefined,
    'runs-operands': known.otherLines !== undefined && isRun !== (known.runsOperands === true),
  };
  return keysThatCountOnce.filter((key) => said[key] !== undefined && isOther[key]);
}

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

/** What nothing would ever read. */
function findKeysWithoutEffect(data: ToolData, shipped?: ToolGrammar): readonly Problem[] {
  const all = Object.entries(data.subcommands ?? {});
  const spelled = all.flatMap(([name, { aliases = [] }]) => [name, ...aliases]);
  const isSorting = (name: string) => spelled.some((other) => other.startsWith(`${name} `));
  const known = new Set(leavesOf(shipped?.subcommands).map(({ name }) => name));
  const hasKinds = all.some(([name, one]) => one.resources === true && !known.has(name));
  const noKinds = 'has no effect: no sub-command that is new here has resources: true';
  return [
    ...(data.resources === undefined || hasKinds ? [] : [[['resources'], noKinds] as const]),
    ...all.flatMap(([name, one]) =>
      Object.keys(isSorting(name) ? one : {})
        .filter((key) => key !== 'does' && key !== 'also')
        .map((key): Problem => {
          const what = `has no effect: "${name}" only sorts others, so say it of each of them`;
          return [['subcommands', name, key], what];
        }),
    ),
    ...all
      .filter(([, one]) => one['runs-operands'] === true && one['other-lines'] === undefined)
      .map(([name]): Problem => {
        const what = 'needs other-lines: how the names of programs begin that may run the tool again';
        return [['subcommands', name, 'runs-operands'], what];
      }),
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
