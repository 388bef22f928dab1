import { directoriesIn } from './every-option.ts';
import { abbreviationsOf, type Option, type Subcommand, type ToolGrammar, withOptions } from './grammar.ts';

type Subcommands = ReadonlyMap<string, Subcommand>;

/**
 * The grammar with the additions of `more`, which changes nothing that `first` says. If a test found that an option
 * runs something, no policy can say otherwise.
 */
export function extendGrammar(first: ToolGrammar, more: ToolGrammar): ToolGrammar {
  const subcommands = extendSubcommands(first.subcommands, more.subcommands);
  const runs = first.runs ?? more.runs;
  const also = [...(first.also ?? []), ...(more.also ?? [])];
  const bare = first.bare ?? more.bare;
  const anyCase = [...(first.anyCase ?? []), ...(more.anyCase ?? [])];
  const valueForms = new Map([...(more.valueForms ?? []), ...(first.valueForms ?? [])]);
  const aliases = [...(first.mayBeAliases ?? []), ...(more.mayBeAliases ?? [])];
  const unclear = [...(first.unclearOperands ?? []), ...(more.unclearOperands ?? [])];
  const programs = [...(first.runPrograms ?? []), ...(more.runPrograms ?? [])];
  const apart = [...(first.optionalApart ?? []), ...(more.optionalApart ?? [])];
  const two = [...(first.twoValues ?? []), ...(more.twoValues ?? [])];
  const numbers = [...(first.numbersApart ?? []), ...(more.numbersApart ?? [])];
  const prints = first.prints ?? more.prints;
  const modules = first.modules ?? more.modules;
  const tables = {
    options: withOptions(first.options, more.options),
    ...(subcommands === undefined ? {} : { subcommands }),
  };
  const checks = [first.areHarmless, more.areHarmless].flatMap((check) => check ?? []);
  const risky = [first.riskyValues, more.riskyValues].flatMap((find) => find ?? []);
  return {
    ...first,
    ...tables,
    directories: directoriesIn(tables),
    ...(subcommands === undefined || first.abbreviations === undefined
      ? {}
      : { abbreviations: abbreviationsOf(subcommands) }),
    ...(runs === undefined ? {} : { runs }),
    ...(also.length === 0 ? {} : { also }),
    ...(bare === undefined ? {} : { bare }),
    ...(valueForms.size === 0 ? {} : { valueForms }),
    ...(anyCase.length === 0 ? {} : { anyCase: new Set(anyCase) }),
    ...(aliases.length === 0 ? {} : { mayBeAliases: new Set(aliases) }),
    ...(unclear.length === 0 ? {} : { unclearOperands: unclear }),
    ...(programs.length === 0 ? {} : { runPrograms: new Set(programs) }),
    ...(apart.length === 0 ? {} : { optionalApart: new Set(apart) }),
    ...(two.length === 0 ? {} : { twoValues: new Set(two) }),
    ...(numbers.length === 0 ? {} : { numbersApart: new Set(numbers) }),
    ...(prints === undefined ? {} : { prints }),
    ...(modules === undefined ? {} : { modules }),
    ...(checks.length === 0 ? {} : { areHarmless: (words) => checks.every((check) => check(words)) }),
    ...(risky.length === 0
      ? {}
      : { riskyValues: (words) => new Set(risky.flatMap((find) => [...find(words)])) }),
  };
}

function extendSubcommands(
  first: Subcommands | undefined,
  more: Subcommands | undefined,
): Subcommands | undefined {
  if (first === undefined || more === undefined) return first ?? more;
  const known = new Map([...first.values()].map((one) => [one.name, one]));
  const added = new Map(
    [...new Set(more.values())].map((one) => [one.name, extendOne(known.get(one.name), one)]),
  );
  const both = (one: Subcommand) => added.get(one.name) ?? one;
  return new Map([...more, ...first].map(([word, one]) => [word, both(first.get(word) ?? one)] as const));
}

function extendOne(known: Subcommand | undefined, more: Subcommand): Subcommand {
  if (known === undefined) return more;
  const options = withOptions(known.options, more.options);
  // What it gives, it may name without saying the option anew.
  const meant = (option: Option) => options.get(option.names[0] ?? '') ?? option;
  const does = [...(known.does ?? []), ...(more.does ?? [])];
  const also = [...(known.also ?? []), ...(more.also ?? [])];
  const subcommands = extendSubcommands(known.subcommands, more.subcommands);
  const others = [...(known.otherLines ?? []), ...(more.otherLines ?? [])];
  const gives = [...(known.gives ?? []), ...(more.gives ?? []).map(meant)];
  const given = [...(more.operandsGive ?? [])].map(([start, all]) => [start, all.map(meant)] as const);
  const operandsGive = bothOf(known.operandsGive, new Map(given));
  const beforeSlash = known.beforeSlash ?? (more.beforeSlash && meant(more.beforeSlash));
  const words = bothOf(known.words, more.words);
  const unclear = [...(known.unclearOperands ?? []), ...(more.unclearOperands ?? [])];
  const runs = known.runs ?? more.runs;
  const programs = [...(known.runPrograms ?? []), ...(more.runPrograms ?? [])];
  // With it the beginnings of other lines are names of programs, which Clawrden's own are not.
  const runsOperands = known.otherLines === undefined ? more.runsOperands : known.runsOperands;
  const { untold, ...both } = known;
  return {
    ...both,
    ...(untold === true && more.untold === true ? { untold } : {}),
    spellings: [...known.spellings, ...more.spellings],
    options,
    lists: [...(known.lists ?? []), ...(more.lists ?? [])],
    ...(does.length === 0 ? {} : { does }),
    ...(also.length === 0 ? {} : { also }),
    ...(subcommands === undefined ? {} : { subcommands }),
    ...((known.operandsInAnyCase ?? more.operandsInAnyCase) ? { operandsInAnyCase: true as const } : {}),
    ...(others.length === 0 ? {} : { otherLines: others }),
    ...(runsOperands === undefined ? {} : { runsOperands }),
    ...((known.runsPackage ?? more.runsPackage) ? { runsPackage: true as const } : {}),
    ...(programs.length === 0 ? {} : { runPrograms: new Set(programs) }),
    ...(gives.length === 0 ? {} : { gives }),
    ...(operandsGive.size === 0 ? {} : { operandsGive }),
    ...(beforeSlash === undefined ? {} : { beforeSlash }),
    ...(words.size === 0 ? {} : { words }),
    ...(unclear.length === 0 ? {} : { unclearOperands: unclear }),
    ...(runs === undefined ? {} : { runs }),
  };
}

type Lists<T> = ReadonlyMap<string, readonly T[]>;

function bothOf<T>(known: Lists<T> = new Map(), more: Lists<T> = new Map()): Lists<T> {
  const both = (key: string) => [...(known.get(key) ?? []), ...(more.get(key) ?? [])];
  return new Map([...known.keys(), ...more.keys()].map((key) => [key, [...new Set(both(key))]]));
}
