import { options, type ToolGrammar } from './grammar.ts';

/** GNU coreutils 9.1. */
export const sort: ToolGrammar = {
  style: 'gnu',
  options: options(
    `-b,--ignore-leading-blanks -d,--dictionary-order -f,--ignore-case -g,--general-numeric-sort -i,--ignore-nonprinting
    -M,--month-sort -h,--human-numeric-sort -n,--numeric-sort -R,--random-sort -r,--reverse -V,--version-sort --sort=
    -c~--check --check?~-c~-C -C~--check -k,--key= -m,--merge -s,--stable -S,--buffer-size= -t,--field-separator= -u,--unique
    -z,--zero-terminated --parallel= --debug --batch-size= --random-source= --files0-from= --help --version`,
    '--compress-program= -o,--output= -T,--temporary-directory= -y?',
  ),
};
