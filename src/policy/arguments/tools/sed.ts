import { options, type ToolGrammar, type Words } from './grammar.ts';
import { isPlainScript } from './sed-script.ts';

/** GNU sed 4.9. */
export const sed: ToolGrammar = {
  style: 'gnu',
  options: options(
    `-n,--quiet,--silent -e,--expression= -E,-r,--regexp-extended --posix -s,--separate -u,--unbuffered -z,--null-data
    -l,--line-length= --sandbox --debug --help --version`,
    '-i,--in-place? -f,--file= --follow-symlinks -b,--binary',
  ),
  areHarmless: ({ operands, values }) => scriptsOf({ operands, values }).every(isPlainScript),
};

function scriptsOf({ operands, values }: Words): readonly string[] {
  const given = values.filter(({ option }) => option.names.includes('-e')).map(({ text }) => text);
  return given.length > 0 ? given : operands.slice(0, 1);
}
