import { options, type ToolGrammar } from './grammar.ts';

/** GNU grep 3.8: none of its options runs or writes anything. */
export const grep: ToolGrammar = {
  style: 'gnu',
  numbers: true,
  options: options(
    `-E,--extended-regexp -F,--fixed-strings -G,--basic-regexp -P,--perl-regexp -e,--regexp= -f,--file= -i,--ignore-case -y
    --no-ignore-case -w,--word-regexp -x,--line-regexp -z,--null-data -s,--no-messages -v,--invert-match -V,--version
    --help -m,--max-count= -b,--byte-offset -n,--line-number --line-buffered -H,--with-filename -h,--no-filename
    --label= -o,--only-matching -q,--quiet,--silent --binary-files= -a,--text -I -d,--directories= -D,--devices=
    -r,--recursive -R,--dereference-recursive --include= --exclude= --exclude-from= --exclude-dir=
    -L,--files-without-match -l,--files-with-matches -c,--count -T,--initial-tab -Z,--null -B,--before-context=
    -A,--after-context= -C,--context= --color,--colour? -U,--binary -u,--unix-byte-offsets --no-group-separator
    --group-separator=`,
  ),
};
