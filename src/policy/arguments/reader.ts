import type { Reading } from './reading.ts';
import type { Option, OptionTable, OptionValue, Style, Subcommand, ToolGrammar } from './tools/grammar.ts';

/** What was read so far. */
export class Reader implements Reading {
  readonly grammar: ToolGrammar;
  readonly args: readonly string[];
  readonly from: number;
  at: number;
  table: OptionTable;
  style: Style;
  /** The next operand is one of these. */
  subcommands: ReadonlyMap<string, Subcommand> | undefined;
  subcommand?: Subcommand;
  readonly path: Subcommand[] = [];
  readonly pathAt: number[] = [];
  sure = true;
  doubt?: string;
  sureOfSubcommand = true;
  readonly given: Option[] = [];
  #early: number | undefined;
  readonly values: OptionValue[] = [];
  /** Those before `restAt`. */
  readonly first: string[] = [];
  restAt: number;
  readonly isOption: Uint8Array;
  readonly otherwise = new Map<number, readonly string[]>();
  readonly anyCase = new Map<number, readonly string[]>();
  #operands: readonly string[] | undefined;

  constructor(grammar: ToolGrammar, args: readonly string[], from: number) {
    this.grammar = grammar;
    this.args = args;
    this.from = from;
    this.at = from;
    this.table = grammar.options;
    this.style = grammar.style;
    this.subcommands = grammar.subcommands;
    this.restAt = args.length;
    this.isOption = new Uint8Array(args.length);
  }

  get early(): number {
    return this.#early ?? this.given.length;
  }

  /** What comes now is no longer early. */
  endEarly(): void {
    this.#early ??= this.given.length;
  }

  get operands(): readonly string[] {
    this.#operands ??= this.first.concat(this.args.slice(this.restAt));
    return this.#operands;
  }

  get operandsAt(): number {
    return this.restAt - this.first.length;
  }

  get operandCount(): number {
    return this.first.length + this.args.length - this.restAt;
  }

  get listsFrom(): readonly number[] {
    if (this.grammar.operandsAreGoals === true) return [1];
    const first = this.first[0] ?? this.args[this.restAt];
    const { resources, lists = [] } = this.subcommand ?? {};
    // `pod/x pod/y`, or a kind and then names.
    if (resources !== undefined) return [first?.includes('/') === true ? 1 : 2];
    const isGiven = (word: string) => this.given.some(({ names }) => names.includes(word));
    return lists.flatMap(({ from, only }) =>
      only === undefined || only === first || isGiven(only) ? from : [],
    );
  }
}
