import type { CutCommand } from '../../gen/clawrden/v1/warden.ts';
import { renderArgv } from '../../text/render-text.ts';

/** A command on one line, and whether that is only its beginning. */
export function commandText({
  argv,
  cut,
}: {
  readonly argv: readonly string[];
  readonly cut: CutCommand | undefined;
}): string {
  const rest = cut === undefined ? '' : ` (the beginning of ${cut.words} words, ${cut.bytes} bytes)`;
  return `${renderArgv(argv)}${rest}`;
}
