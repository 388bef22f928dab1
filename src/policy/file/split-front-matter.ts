/** The two parts of a tool file; or what is wrong with it, and in which line. */
export type FrontMatter =
  | { readonly front: string; readonly documentation: string }
  | { readonly fault: string; readonly line: number };

export const maxToolFileBytes = 128 * 1024;
const maxDocumentationBytes = 64 * 1024;

export function splitFrontMatter(text: string): FrontMatter {
  if (Buffer.byteLength(text) > maxToolFileBytes)
    return fault(`it is larger than ${maxToolFileBytes} bytes`, 1);
  const lines = text.replaceAll('\r\n', '\n').split('\n');
  if (!isMark(lines[0])) return fault('it must begin with a line ---', 1);
  const end = lines.findIndex((line, at) => at > 0 && isMark(line));
  if (end < 0)
    return fault('it has no second line ---, which ends the front matter: it may be half-written', 1);
  const documentation = lines.slice(end + 1).join('\n');
  if (Buffer.byteLength(documentation) > maxDocumentationBytes)
    return fault(`its documentation is larger than ${maxDocumentationBytes} bytes`, end + 2);
  const strange = lines.findIndex((line) => /[^\P{Cc}\t]/u.test(line));
  if (strange >= 0) return fault('it has a control character', strange + 1);
  return { front: `${lines.slice(1, end).join('\n')}\n`, documentation: documentation.trim() };
}

function isMark(line: string | undefined): boolean {
  return line?.trimEnd() === '---';
}

function fault(what: string, line: number): FrontMatter {
  return { fault: what, line };
}
