import { type Block, typedIn } from '../house/shell-blocks.ts';
import type { World } from './worlds.ts';

/** A line of this form stays up: it is put into the background, and ended at the end. */
const staysUp = /^clawrden (?:gateway|relay --config|watch)\b|^clawrden .*--follow\b/;
const saysReady = /^clawrden (?:gateway|relay --config)\b/;

const prelude = `
set -euo pipefail
trap 'kill $(jobs -p) 2>/dev/null || true; wait || true' EXIT
until_ready() {
  for _ in $(seq 1200); do if grep -q '"msg":"ready"' "$1"; then return 0; fi; sleep 0.1; done
  cat "$1" >&2
  return 1
}
`;

/** Bash that does what the blocks say, one after the other, and stops at the first line that fails. */
export function worldScript(world: World, blocks: readonly Block[]): string {
  const parts = blocks.map((block) => {
    const lines = typedIn(block)
      .split('\n')
      .map((line) => toBash(line, world));
    return [`echo "BLOCK ${block.page}:${block.line}"`, ...lines].join('\n');
  });
  return `${prelude}${world.before}\n${parts.join('\n')}\necho DONE\n`;
}

function toBash(line: string, { words, lacking = [] }: World): string {
  const bare = line.replace(/\s+# .*$/, '');
  const given = Object.entries(words).reduce((text, [word, value]) => text.replaceAll(word, value), bare);
  if (lacking.some((begin) => bare.startsWith(begin))) return `${given} || test $? = 1`;
  if (!staysUp.test(bare)) return given;
  const log = '"$HOME/stays-up-$RANDOM.log"';
  const ready = saysReady.test(bare) ? '; until_ready "$LOG"' : '; sleep 3; kill -0 $!';
  return `LOG=${log}; ${given} 2> "$LOG" & true${ready}`;
}
