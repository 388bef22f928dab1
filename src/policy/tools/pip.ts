import { options, subcommands, type ToolGrammar } from './grammar.ts';

const look = options(
  `-v,--verbose -q,--quiet -o,--outdated -u,--uptodate -e,--editable -l,--local --user --format= --not-required
  --exclude-editable --include-editable --exclude= -f,--files --all -V,--version -h,--help --no-color
  --disable-pip-version-check --no-input --isolated`,
  `--python= --log= --proxy= --cache-dir= --path= -i,--index-url,--pypi-url= --extra-index-url= --find-links= --cert= --client-cert=
  --trusted-host= --no-index --pre -r,--requirement= --retries= --timeout= --exists-action=`,
);

/** pip 23. Installing and building run what the package brings. */
export const pip: ToolGrammar = {
  style: 'gnu',
  options: options(
    '-V,--version -h,--help -v,--verbose -q,--quiet --no-color --disable-pip-version-check --isolated',
    '--python= --log= --proxy= --cache-dir=  --debug',
  ),
  subcommands: new Map([
    ...subcommands('list show freeze check', look),
    ...subcommands(
      'install download uninstall config search cache index wheel hash completion debug help inspect lock',
      new Map(),
      false,
    ),
  ]),
};
