import { compileTool } from './compile-tool.ts';
import { extendGrammar } from './extend-grammar.ts';
import type { ToolGrammar } from './grammar.ts';
import { shippedTools } from './shipped-tools.ts';
import { type ToolData, toolData } from './tool-data.ts';

/** The source of the data of a tool. */
export interface Origin {
  readonly by: 'clawrden' | 'policy' | 'both';
  /** The manual, and the version of the tool. */
  readonly source: string;
}

/** Tools whose arguments can be read, by their names. Each is prepared when it is first needed. */
export class KnownTools {
  readonly #shipped: ReadonlyMap<string, unknown>;
  readonly #taught: ReadonlyMap<string, ToolData>;
  readonly #ready = new Map<unknown, ToolGrammar>();

  constructor(shipped: ReadonlyMap<string, unknown>, taught: ReadonlyMap<string, ToolData> = new Map()) {
    this.#shipped = shipped;
    this.#taught = taught;
  }

  /** The same tools, and what a policy adds about more of them. */
  taught(more: ReadonlyMap<string, ToolData>): KnownTools {
    return more.size === 0 ? this : new KnownTools(this.#shipped, more);
  }

  has(name: string): boolean {
    return this.#shipped.has(name) || this.#taught.has(name);
  }

  get(name: string): ToolGrammar | undefined {
    const shipped = this.#shipped.get(name);
    const taught = this.#taught.get(name);
    const key = taught ?? shipped;
    if (key === undefined) return undefined;
    const known = this.#ready.get(key);
    if (known !== undefined) return known;
    const grammars = [
      ...(shipped === undefined ? [] : [toolData.parse(shipped)]),
      ...(taught ? [taught] : []),
    ];
    const grammar = grammars.map(compileTool).reduce(extendGrammar);
    this.#ready.set(key, grammar);
    return grammar;
  }

  keys(): readonly string[] {
    return [...new Set([...this.#shipped.keys(), ...this.#taught.keys()])];
  }

  values(): readonly ToolGrammar[] {
    return this.keys().flatMap((name) => this.get(name) ?? []);
  }

  entries(): readonly (readonly [name: string, grammar: ToolGrammar])[] {
    return this.keys().flatMap((name) => {
      const grammar = this.get(name);
      return grammar === undefined ? [] : [[name, grammar] as const];
    });
  }

  originOf(name: string): Origin | undefined {
    const shipped = this.#shipped.get(name);
    const taught = this.#taught.get(name);
    if (shipped === undefined) return taught && { by: 'policy', source: taught.source };
    const own = toolData.parse(shipped).source;
    if (taught === undefined) return { by: 'clawrden', source: own };
    return { by: 'both', source: `${own}; ${taught.source}` };
  }
}

/** For a page that shows it; empty if nothing is known. */
export function tellOrigin(origin: Origin | undefined): string {
  return origin === undefined ? '' : `${wordsFor[origin.by]}: ${origin.source}`;
}

const wordsFor = {
  clawrden: 'as Clawrden knows it',
  policy: 'as the policy teaches it',
  both: 'as Clawrden knows it and the policy adds to it',
} as const;

/** The tools with data that Clawrden ships. */
export const knownTools = new KnownTools(shippedTools);
