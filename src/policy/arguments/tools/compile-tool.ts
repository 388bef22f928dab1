import { smallLetters } from '../../small-letters.ts';
import { checkOf, riskyValuesOf } from './argument-checks.ts';
import { directoriesIn } from './every-option.ts';
import {
  abbreviationsOf,
  type ImpliedWork,
  type Interpreter,
  type Modules,
  type OperandList,
  type Option,
  type OptionTable,
  options,
  type Resources,
  type Subcommand,
  type ToolGrammar,
  valueForms,
  withOptions,
} from './grammar.ts';
import type { ImpliedData, OptionsData, SubcommandData, ToolData } from './tool-data.ts';

/** The group that every tool has: its own options. */
export const ownGroup = 'tool';

type Groups = ReadonlyMap<string, OptionTable>;

/** A tool's data, prepared for reading its lines. */
export function compileTool(data: ToolData): ToolGrammar {
  const groups = groupsOf(data);
  const resources = data.resources && resourcesOf(data.resources);
  const subcommands = data.subcommands && nested(Object.entries(data.subcommands), groups, resources);
  const tables = { options: groups.get(ownGroup) ?? new Map(), ...(subcommands && { subcommands }) };
  const areHarmless = checkOf(data);
  const riskyValues = riskyValuesOf(data);
  return {
    ...shapeOf(data),
    ...tables,
    directories: directoriesIn(tables),
    ...(subcommands !== undefined && data.abbreviations === true
      ? { abbreviations: abbreviationsOf(subcommands) }
      : {}),
    ...(data.also === undefined ? {} : { also: data.also.map(impliedOf) }),
    ...(data.bare === undefined ? {} : { bare: { does: data.bare.does, unless: new Set(data.bare.unless) } }),
    ...(data['any-case'] === undefined ? {} : { anyCase: new Set(data['any-case']) }),
    ...(data['value-forms'] === undefined ? {} : { valueForms: valueFormsOf(data['value-forms']) }),
    ...(data.settings === undefined ? {} : { settings: data.settings }),
    ...(data['plain-settings'] === undefined ? {} : { plainSettings: new Set(data['plain-settings']) }),
    ...(data['run-programs'] === undefined ? {} : { runPrograms: new Set(data['run-programs']) }),
    ...(data['may-be-aliases'] === undefined ? {} : { mayBeAliases: new Set(data['may-be-aliases']) }),
    ...(data.prints === undefined ? {} : { prints: new Set(data.prints) }),
    ...(data.interpreter === undefined ? {} : { interpreter: interpreterOf(data.interpreter) }),
    ...(data.runs === undefined ? {} : { runs: data.runs }),
    ...(data['sets-options'] === undefined ? {} : { setsOptions: data['sets-options'] }),
    ...(data['unclear-operands'] === undefined ? {} : { unclearOperands: data['unclear-operands'] }),
    ...(data['numbers-apart'] === undefined ? {} : { numbersApart: new Set(data['numbers-apart']) }),
    ...(data['optional-apart'] === undefined ? {} : { optionalApart: new Set(data['optional-apart']) }),
    ...(data['two-values'] === undefined ? {} : { twoValues: new Set(data['two-values']) }),
    ...(data.modules === undefined ? {} : { modules: modulesOf(data.modules) }),
    ...(areHarmless === undefined ? {} : { areHarmless }),
    ...(riskyValues === undefined ? {} : { riskyValues }),
  };
}

function impliedOf(data: ImpliedData): ImpliedWork {
  const { does, options: names, containing, except, 'first-operand': word, 'later-operand': later } = data;
  return {
    does,
    ...(names === undefined ? {} : { options: new Set(names) }),
    ...(containing === undefined ? {} : { containing }),
    ...(except === undefined ? {} : { except: new Set(except) }),
    ...(word === undefined ? {} : { firstOperand: typeof word === 'string' ? word : new Set(word) }),
    ...(later === undefined ? {} : { laterOperand: later }),
  };
}

function interpreterOf(data: NonNullable<ToolData['interpreter']>): Interpreter {
  return {
    instead: new Set(data.instead),
    loads: new Set(data.loads),
    alters: new Set(data.alters),
    anywhere: data.anywhere ?? [],
    words: new Set(data.words),
    joinsPaths: data['joins-paths'] === true,
    loadedEnding: data['loaded-ending'] ?? '',
  };
}

function valueFormsOf(data: NonNullable<ToolData['value-forms']>): NonNullable<ToolGrammar['valueForms']> {
  return new Map(valueForms.flatMap((form) => (data[form] ?? []).map((name) => [name, form] as const)));
}

function modulesOf({ options: names, 'run-others': others }: NonNullable<ToolData['modules']>): Modules {
  return { options: new Set(names), runOthers: new Set(others) };
}

function shapeOf(data: ToolData): Pick<ToolGrammar, 'style'> {
  const flags = {
    bareCluster: data['bare-cluster'],
    numbers: data.numbers,
    optionsBehindFirst: data['options-behind-first'],
    optionsAnywhere: data['options-anywhere'],
    valuesApart: data['values-apart'],
    optionalBehindEquals: data['optional-behind-equals'],
    variablesAmongOperands: data['variables-among-operands'],
    operandsAreGoals: data['operands-are-goals'],
    runByNode: data['run-by-node'],
  };
  const set = Object.entries(flags).filter(([, value]) => value === true);
  return { style: data.style, ...Object.fromEntries(set) };
}

function groupsOf(data: ToolData): Groups {
  const groups = new Map<string, OptionTable>();
  for (const [name, group] of Object.entries(data['option-groups'] ?? {}))
    groups.set(name, tableOf(group, groups));
  return groups.set(ownGroup, tableOf(data, groups));
}

/** If a group has an option of the same name, the sub-command's own option counts. */
function tableOf(
  { harmless = [], risky = [], groups: wanted = [] }: OptionsData,
  groups: Groups,
): OptionTable {
  const own = options(harmless.join(' '), risky.join(' '));
  return wanted.reduce((table, name) => withOptions(table, groups.get(name) ?? new Map()), own);
}

interface Entry {
  readonly words: readonly string[];
  readonly one: Subcommand;
}

/** Names of several words are listed under their first word, which only groups the others. */
function nested(
  all: readonly (readonly [name: string, SubcommandData])[],
  groups: Groups,
  resources?: Resources,
): ReadonlyMap<string, Subcommand> {
  const entries = all.flatMap(([name, data]) => {
    const own = subcommandOf(name, data, groups);
    const one = data.resources === true && resources !== undefined ? { ...own, resources } : own;
    return one.spellings.map((words): Entry => ({ words, one }));
  });
  return sorted(entries);
}

function sorted(entries: readonly Entry[]): ReadonlyMap<string, Subcommand> {
  const top = new Map(
    entries.flatMap(({ words: [first = '', ...rest], one }) => (rest.length === 0 ? [[first, one]] : [])),
  );
  const below = Map.groupBy(
    entries.filter(({ words }) => words.length > 1),
    ({ words: [first = ''] }) => first,
  );
  for (const [name, inner] of below) {
    const rest = inner.map(({ words, one }): Entry => ({ words: words.slice(1), one }));
    const { does, also } = top.get(name) ?? {};
    top.set(name, {
      ...{
        name,
        spellings: [[name]],
        options: options('--help'),
        harmless: false,
        subcommands: sorted(rest),
      },
      ...(does === undefined ? {} : { does }),
      ...(also === undefined ? {} : { also }),
    });
  }
  return top;
}

function subcommandOf(name: string, data: SubcommandData, groups: Groups): Subcommand {
  const table = tableOf(data, groups);
  return {
    name,
    spellings: [name, ...(data.aliases ?? [])].map((one) => one.split(' ')),
    options: table,
    harmless: data.safe === true,
    ...(isUntold(data) ? { untold: true as const } : {}),
    ...(data.style === undefined ? {} : { style: data.style }),
    ...(data.does === undefined ? {} : { does: data.does }),
    ...(data.also === undefined ? {} : { also: data.also.map(impliedOf) }),
    ...(data.words === undefined ? {} : { words: wordsOf(data.words) }),
    ...(data['operands-in-any-case'] === true ? { operandsInAnyCase: true as const } : {}),
    ...(data.runs === undefined ? {} : { runs: data.runs }),
    ...(data['other-lines'] === undefined ? {} : { otherLines: data['other-lines'] }),
    ...(data['runs-operands'] === true ? { runsOperands: true } : {}),
    ...(data['runs-package'] === true ? { runsPackage: true as const } : {}),
    ...(data['run-programs'] === undefined ? {} : { runPrograms: new Set(data['run-programs']) }),
    ...(data.gives === undefined ? {} : { gives: data.gives.map((one) => givenOf(one, table)) }),
    ...(data['operands-give'] === undefined
      ? {}
      : { operandsGive: operandsGiveOf(data['operands-give'], table) }),
    ...(data['before-slash'] === undefined ? {} : { beforeSlash: givenOf(data['before-slash'], table) }),
    lists: listsOf(data),
    ...(data['unclear-operands'] === undefined ? {} : { unclearOperands: data['unclear-operands'] }),
  };
}

function listsOf({ 'list-from': from, 'list-from-with': also = {} }: SubcommandData): readonly OperandList[] {
  const conditional = Object.entries(also).map(([only, at]) => ({ from: at, only }));
  return from === undefined ? conditional : [{ from }, ...conditional];
}

/** The sub-command's own one, if it can also be written. */
function givenOf(name: string, own: OptionTable): Option {
  return own.get(name) ?? { names: [name], value: 'optional', harmless: true };
}

function operandsGiveOf(
  data: NonNullable<SubcommandData['operands-give']>,
  own: OptionTable,
): NonNullable<Subcommand['operandsGive']> {
  return new Map(
    Object.entries(data).map(([start, names]) => [start, names.map((name) => givenOf(name, own))]),
  );
}

function resourcesOf({ names, categories = {} }: NonNullable<ToolData['resources']>): Resources {
  return { names: wordsOf(names), categories: new Map(Object.entries(categories)) };
}

/** `rm,remove` are two names of one. */
function wordsOf(written: readonly string[]): ReadonlyMap<string, readonly string[]> {
  return new Map(
    written
      .map((one) => one.split(','))
      .flatMap((same) => same.map((word) => [smallLetters(word), same] as const)),
  );
}

function isUntold({ harmless, risky, groups }: OptionsData): boolean {
  return harmless === undefined && risky === undefined && groups === undefined;
}
