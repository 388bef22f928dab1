import { z } from 'zod';
import { strictObject } from '../../../config/check-shape.ts';
import { parsedField } from '../../../config/fields.ts';
import { smallLetters } from '../../small-letters.ts';
import { settingForms, styles, valueForms } from './grammar.ts';

/** `-v,--verbose`, `-f,--file=`, `--color?`, `-o={a|b}`, `-C=/`, `--x+`, `-c~--check`: see `options` in grammar.ts. */
const optionWord =
  /^--?[^\s,=?{}~+/-][^\s,=?{}~+/]*(,--?[^\s,=?{}~+/-][^\s,=?{}~+/]*)*([=?]\{[^\s{}~]+\}|[=?]?\/?)\+?(~--?[^\s,=?{}~+]+)*$/;

const mostText = 65_536;

const wordsField = z
  .union([z.string().max(mostText), z.array(z.string().max(mostText)).max(1000)])
  .transform((given) => [given].flat().flatMap((text) => text.split(/\s+/).filter((word) => word !== '')));

const optionsField = wordsField.superRefine((words, context) => {
  const strange = words.find((word) => !optionWord.test(word));
  if (strange === undefined) return;
  context.addIssue({
    code: 'custom',
    message: `"${strange.slice(0, 80)}" is no option; they are written -v,--verbose (no value), -f,--file= (a value), --color? (one that may be left out), -o={a|b} (one of these), -C=/ or --global/ (works in another directory)`,
  });
});

const textField = parsedField(
  (text) => (/^[^\p{Cc}]{1,500}$/u.test(text) ? text : undefined),
  'one line of 1 to 500 characters',
);

const subcommandName = parsedField(
  (text) => (/^[^\s-][^\s]*( [^\s-][^\s]*){0,3}$/.test(text) && text.length <= 80 ? text : undefined),
  'the words of a sub-command, with single blanks between',
);

const groupName = z.string().regex(/^[a-z][a-z0-9-]{0,40}$/, 'must be small letters, digits and "-"');

const optionFields = {
  harmless: optionsField.optional(),
  risky: optionsField.optional(),
  groups: z.array(groupName).max(16).optional(),
};

const optionName = z.string().regex(/^--?[^\s=]{1,60}$/, 'must be the name of an option');

const optionNames = z.array(optionName).max(64);

const workField = z.array(subcommandName).min(1).max(128);

const impliedData = strictObject({
  options: optionNames.min(1).optional(),
  containing: z.array(z.string().min(1).max(64).transform(smallLetters)).min(1).max(16).optional(),
  except: z.array(z.string().min(1).max(64)).min(1).max(16).optional(),
  'first-operand': z
    .union([z.enum(['any', 'given', 'none']), z.array(z.string().max(64)).min(1).max(64)])
    .optional(),
  'later-operand': z.literal('any').optional(),
  does: workField,
}).superRefine((one, context) => {
  const { options, containing, except, 'first-operand': first, 'later-operand': later } = one;
  // Options and a later operand stand together.
  const conditions = [options ?? later, first].filter((said) => said !== undefined);
  const saysText = containing !== undefined || except !== undefined;
  if (conditions.length === 1 && (!saysText || first === undefined || first === 'any')) return;
  const message =
    'needs options, a later-operand or both, or a first-operand; containing and except are for options and any operand';
  context.addIssue({ code: 'custom', message });
});

/** Beginnings of operands of which nobody can be sure what the tool makes of them; an empty one: of all of them. */
const unclearField = z.array(z.string().max(64)).min(1).max(64);

const styleField = z.enum(styles);

const listField = z.number().int().min(1).max(9);

const subcommandData = strictObject({
  ...optionFields,
  aliases: z.array(subcommandName).max(64).optional(),
  style: styleField.optional(),
  safe: z.boolean().optional(),
  /** Empty: it does its own work only. Left out: nobody has looked. */
  does: z.array(subcommandName).max(128).optional(),
  also: z.array(impliedData).max(64).optional(),
  words: wordsField.optional(),
  resources: z.literal(true).optional(),
  /** The first operands name settings, which the tool reads in any case. */
  'operands-in-any-case': z.literal(true).optional(),
  runs: textField.optional(),
  /** Options that it has without their being written (`terraform destroy` is `apply -destroy`). */
  gives: optionNames.optional(),
  /** The same for lines with an operand that begins so (`git push +main` is `--force`). */
  'operands-give': z.record(z.string().min(1).max(64), optionNames).optional(),
  /** An option whose value an operand may say, before a `/` that stands before a `:` (`kubectl cp prod/web:/x`). */
  'before-slash': optionName.optional(),
  /** Its operands from this one on are a list (`docker rm a b`: 1, `git push origin a b`: 2). */
  'list-from': listField.optional(),
  /** Others that are one only with this option, or this first operand (`git fetch --multiple a b`: 1). */
  'list-from-with': z.record(z.string().min(1).max(64), listField).optional(),
  'unclear-operands': unclearField.optional(),
  /** The same for operands that may be a line of this tool (`npm exec npm publish`). */
  'other-lines': unclearField.optional(),
  /** Its operands are a command: other-lines are then names of programs. */
  'runs-operands': z.boolean().optional(),
  /** Its first operand is a package, of which it runs a program: only of a plain name it is known which. */
  'runs-package': z.boolean().optional(),
  /** Its options that have a program run: one that the value names, or one in a folder or a file that it names. */
  'run-programs': optionNames.optional(),
});

const resourcesData = strictObject({
  names: wordsField,
  categories: z.record(z.string().max(64), wordsField).optional(),
});

const refusalData = strictObject({
  of: z.union([z.enum(['operands', 'first-operand']), z.array(z.string().max(64)).min(1).max(16)]),
  subcommands: z.array(subcommandName).max(64).optional(),
  containing: z.array(z.string().min(1).max(64)).max(64).optional(),
  beginning: z.array(z.string().min(1).max(64)).max(64).optional(),
  equal: z.array(z.string().max(64)).max(64).optional(),
  missing: z.literal(true).optional(),
});

const interpreterData = strictObject({
  instead: optionNames,
  loads: optionNames.optional(),
  alters: optionNames.optional(),
  anywhere: optionNames.optional(),
  words: z.array(z.string().max(64)).max(16).optional(),
  'joins-paths': z.boolean().optional(),
  'loaded-ending': z.string().max(16).optional(),
});

/** Readers of a language in which an argument is written: only built-in ones. */
export const readers = ['sed-script', 'archive-name'] as const;

/** What is known about a tool's arguments: the same shape for shipped data and for `arguments` in policy.yaml. */
export const toolData = strictObject({
  source: textField,
  style: styleField,
  'bare-cluster': z.boolean().optional(),
  numbers: z.boolean().optional(),
  'options-behind-first': z.boolean().optional(),
  'options-anywhere': z.boolean().optional(),
  'values-apart': z.boolean().optional(),
  'optional-behind-equals': z.boolean().optional(),
  abbreviations: z.boolean().optional(),
  ...optionFields,
  'option-groups': z.record(groupName, strictObject(optionFields)).optional(),
  subcommands: z.record(subcommandName, subcommandData).optional(),
  /** Sub-commands that an older or smaller package lacks, so that an alias of the agent's can have their names. */
  'may-be-aliases': wordsField.optional(),
  resources: resourcesData.optional(),
  also: z.array(impliedData).max(64).optional(),
  bare: strictObject({ does: workField, unless: optionNames.optional() }).optional(),
  /** Options whose values it reads in any case. */
  'any-case': optionNames.optional(),
  /** Options whose values the tool takes in several forms: which. */
  'value-forms': z.partialRecord(z.enum(valueForms), optionNames).optional(),
  /** How a setting is written in these values. */
  settings: z.enum(settingForms).optional(),
  /** Settings that change nothing about what the tool does: names, or `name=value`; others are not understood. */
  'plain-settings': wordsField.optional(),
  /** Options that have a program run, which may be the tool itself with any line. */
  'run-programs': optionNames.optional(),
  prints: optionNames.optional(),
  interpreter: interpreterData.optional(),
  operands: z.enum(['safe', 'risky']).optional(),
  refuse: z.array(refusalData).max(64).optional(),
  reader: z.enum(readers).optional(),
  'unclear-operands': unclearField.optional(),
  /** An operand with `=` sets a variable, and patterns may leave it out. */
  'variables-among-operands': z.boolean().optional(),
  /** An operand is a goal, and stands for what make's built-in rules make it from. */
  'operands-are-goals': z.boolean().optional(),
  /** Node runs it, and reads some words of its line for itself. */
  'run-by-node': z.boolean().optional(),
  /** Options whose optional value, if it is a number, may be the next word. */
  'numbers-apart': optionNames.optional(),
  /** Options whose optional value may be the next word, whatever that is. */
  'optional-apart': optionNames.optional(),
  /** Options that take the next two words. */
  'two-values': optionNames.optional(),
  /** Options that run a module by its name, and the modules that run others. */
  modules: strictObject({ options: optionNames.min(1), 'run-others': wordsField }).optional(),
  'sets-options': z.array(z.string().min(1).max(64)).min(1).max(16).optional(),
  runs: textField.optional(),
});

export type ToolData = z.infer<typeof toolData>;

export type OptionsData = Pick<ToolData, 'harmless' | 'risky' | 'groups'>;

export type SubcommandData = z.infer<typeof subcommandData>;

export type ImpliedData = z.infer<typeof impliedData>;

export type RefusalData = z.infer<typeof refusalData>;
