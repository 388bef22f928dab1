import type { Option, OptionValue, Subcommand } from './tools/grammar.ts';

/** A command line as its tool reads it, up to the first word that is not understood. */
export interface Reading {
  /** Every option was written out and is known: nothing about the line is a guess. */
  readonly sure: boolean;
  /** The first word that is not understood; nothing after it was read. */
  readonly doubt?: string;
  /** The same for the words before the sub-command. */
  readonly sureOfSubcommand: boolean;
  readonly subcommand?: Subcommand;
  /** The sub-command, and before it the commands that only group others. */
  readonly path: readonly Subcommand[];
  /** The position behind the last word that was read. */
  readonly at: number;
  /** The positions of their words among the arguments. */
  readonly pathAt: readonly number[];
  readonly given: readonly Option[];
  /** So many of them stand before any operand, and behind the sub-command before any value of another option. */
  readonly early: number;
  readonly values: readonly OptionValue[];
  /** Without the sub-command. */
  readonly operands: readonly string[];
  /** Those before a `--` that ends the options. */
  readonly first: readonly string[];
  /** The position of the first operand, if it ends the options. */
  readonly operandsAt: number;
  /** Its operands from one of these on are a list: the first of them is no more than the others. */
  readonly listsFrom: readonly number[];
  /** 1 for each argument that is an option or the value of one. */
  readonly isOption: Uint8Array;
  /** Other spellings of an argument, by its position. */
  readonly otherwise: ReadonlyMap<number, readonly string[]>;
  /** What patterns in small letters may say of arguments that the tool reads in any case, by their positions. */
  readonly anyCase: ReadonlyMap<number, readonly string[]>;
}
