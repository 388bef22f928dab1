import { CliError } from '../reach/cli-error.ts';

const mostCharacters = 4096;

/** `given`, or with `-` the line on standard input: what stands among arguments everybody on this machine sees. */
export async function readPiped(
  what: string,
  given: string,
  from: AsyncIterable<Buffer> = process.stdin,
): Promise<string> {
  if (given !== '-') return given;
  let text = '';
  for await (const piece of from) {
    text += piece.toString();
    if (text.includes('\n') || text.length > mostCharacters) break;
  }
  const [line = ''] = text.split('\n', 1);
  if (line.trim() !== '' && line.length <= mostCharacters) return line.trim();
  throw new CliError(what, 'no line with a code or a token came on standard input', 'pipe it in');
}
