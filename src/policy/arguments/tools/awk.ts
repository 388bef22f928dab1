import { options, type ToolGrammar, type Words } from './grammar.ts';

/** What POSIX, mawk and gawk have in common. Everything else (`-f`, `-i`, `-l`, `-W`, `-o` …) loads or writes a file. */
export const awk: ToolGrammar = {
  style: 'posix',
  options: options(
    '-F= -v=',
    '-f= -E= -i= -l= -o? -p? -d? -W= --file= --exec= --include= --load=  -e= --source=',
  ),
  areHarmless: isPlainProgram,
};

/**
 * Only through these can a program run another, write a file, or load code. A comparison by `>` is taken for a file.
 * A line that goes on behind a backslash could hide a word.
 */
const ways = ['system', 'getline', '|', '>', '@', '\\\n', '\\\r'];

function isPlainProgram({ operands: [program] }: Words): boolean {
  return program !== undefined && !ways.some((way) => program.includes(way));
}
