import { readArguments } from './read-arguments.ts';
import type { ToolGrammar } from './tools/grammar.ts';
import { opaqueTools, shellOptions, shells, type Wrapper, wrapperData } from './tools/wrapper-data.ts';

/** The limit for wrappers around wrappers. */
export const mostWrappers = 4;

export interface InnerCommand {
  readonly kind: 'command';
  readonly tool: string;
  /** Its arguments are these from `from` on; for a wrapped command they are the wrapper's, which are never copied. */
  readonly args: readonly string[];
  readonly from: number;
  /** It has more arguments that are not visible. */
  readonly adds: boolean;
}

/** What a command runs besides itself. */
export type Inner =
  /** This command, and nothing else. */
  | InnerCommand
  /** A file of the agent's. */
  | { readonly kind: 'script'; readonly path: string }
  | { readonly kind: 'opaque'; readonly why: string };

/** `undefined` if `tool` is no wrapper and no shell, or only prints something. */
export function seeThrough(tool: string, args: readonly string[], from = 0): Inner | undefined {
  if (shells.has(tool)) return throughShell(args, from);
  if (opaqueTools.has(tool)) return opaque(`${tool} runs other commands in ways that are not looked at`);
  const wrapper = wrapperData.get(tool);
  return wrapper === undefined ? undefined : throughWrapper(tool, wrapper, args, from);
}

function throughWrapper(
  tool: string,
  wrapper: Wrapper,
  args: readonly string[],
  from: number,
): Inner | undefined {
  const reading = readArguments(grammarOf(wrapper), args, from);
  if (!reading.sure) return opaque(`these options of ${tool} change what is run`);
  const at = reading.operandsAt + wrapper.before;
  if (!args.slice(reading.operandsAt, at).every(isNumeric)) return opaque(`${tool} may run that itself`);
  const inner = args[at] ?? '';
  if (wrapper.assigns === true && inner.includes('=')) return opaque(`${tool} sets variables for it`);
  const adds = wrapper.adds === true;
  if (inner !== '') return { kind: 'command', tool: inner, args, from: at + 1, adds };
  return adds ? opaque(`${tool} without a command`) : undefined;
}

function grammarOf({ options, numbers = false }: Wrapper): ToolGrammar {
  return { style: 'posix', options, numbers };
}

function throughShell(args: readonly string[], from: number): Inner {
  const reading = readArguments({ style: 'posix', options: shellOptions, valuesApart: true }, args, from);
  const first = args[reading.operandsAt];
  if (!reading.sure || first === '-' || first?.startsWith('+') === true)
    return opaque('these options of a shell change what it runs');
  if (first === undefined) return opaque('a shell that reads its script from its input');
  if (!reading.given.some(({ names }) => names.includes('-c'))) return { kind: 'script', path: first };
  const words = plainWords(first);
  if (words === undefined) return opaque('a script for a shell is judged only if it is one plain command');
  return { kind: 'command', tool: words[0] ?? '', args: words, from: 1, adds: false };
}

function isNumeric(operand: string): boolean {
  const first = operand.charAt(0);
  return first >= '0' && first <= '9';
}

const plainScript = /^[A-Za-z0-9 \-_./,:=@%+]*$/;

/** The words of a script that no shell would change: letters, digits and a few marks, separated by single blanks. */
function plainWords(script: string): string[] | undefined {
  if (!plainScript.test(script)) return undefined;
  const words: string[] = [];
  for (const word of script.split(' ')) if (word !== '') words.push(word);
  const [first] = words;
  return first === undefined || first.includes('=') ? undefined : words;
}

function opaque(why: string): Inner {
  return { kind: 'opaque', why };
}
