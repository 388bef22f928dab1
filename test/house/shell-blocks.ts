import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repository } from './pages.ts';

/** A fenced block of a page. */
export interface Block {
  readonly page: string;
  /** Of its opening fence. */
  readonly line: number;
  /** What stands behind the opening fence. */
  readonly info: string;
  readonly text: string;
}

export function blocksOf(page: string): readonly Block[] {
  const blocks: Block[] = [];
  let open: { line: number; info: string; lines: string[] } | undefined;
  for (const [index, line] of readFileSync(join(repository, page), 'utf8').split('\n').entries()) {
    const fence = /^\s*```(.*)$/.exec(line);
    if (fence === null) open?.lines.push(line);
    else if (open === undefined) open = { line: index + 1, info: (fence[1] ?? '').trim(), lines: [] };
    else {
      blocks.push({ page, line: open.line, info: open.info, text: open.lines.join('\n') });
      open = undefined;
    }
  }
  return blocks;
}

/** What a shell block says of itself: where it is run, or why it is not. */
export type Marker = { readonly run: string } | { readonly why: string };

/** `sh run WORLD` or `sh not run: REASON`; `console` in place of `sh` if lines begin with a prompt. */
const marked = /^(?:sh|console) (?:run ([a-z][a-z-]*)|not run: (\S.{9,}))$/;

export function markerOf({ info }: Block): Marker | undefined {
  const [, run, why] = marked.exec(info) ?? [];
  if (run !== undefined) return { run };
  return why === undefined ? undefined : { why };
}

const shells = /^(?:sh|shell|bash|console|shell-session)\b/;
const command =
  /^(?:\w+\$|\$|#\s*clawrden|sudo|clawrden|docker|npm|npx|curl|ssh-keygen|systemctl|apt-get|git|node|cat|export|mkdir|cp|ln) |^scripts\/[a-z]/m;

/** It says that it is one, or has a line that a person would type. */
export function isShellBlock({ info, text }: Block): boolean {
  return shells.test(info) || (info === '' && command.test(text));
}

/** The lines that a person types: in a `console` block those behind a prompt, with the lines that continue them. */
export function typedIn({ info, text }: Block): string {
  if (!info.startsWith('console')) return text;
  const typed: string[] = [];
  let goesOn = false;
  for (const line of text.split('\n')) {
    const prompt = /^\w*\$ (.*)$/.exec(line);
    if (prompt !== null) typed.push(prompt[1] ?? '');
    else if (goesOn) typed.push(line);
    goesOn = (prompt !== null || goesOn) && line.endsWith('\\');
  }
  return typed.join('\n');
}
