import { commandsOf } from './command-tables.ts';
import { options, subcommands, type ToolGrammar, withImplied, withOptions } from './grammar.ts';
import { pipCommands } from './pip-commands.ts';

/** pip takes any beginning of an option, and `--local` for `--local-log`: each sub-command has only what it really has. */
const common = options(
  '-v,--verbose -q,--quiet -V,--version -h,--help --no-color --disable-pip-version-check --no-input --isolated',
  `--python= --log,--log-file,--local-log= --proxy= --cache-dir= --cert= --client-cert= --trusted-host= --retries= --timeout,--default-timeout=
  --exists-action=`,
);

const installed = withOptions(
  options(
    '-l,--local --user --exclude-editable --exclude=',
    `--path= -i,--index-url,--pypi-url= --extra-index-url= -f,--find-links= --no-index --pre -r,--requirement=`,
  ),
  common,
);

const list = withOptions(
  options('-o,--outdated -u,--uptodate -e,--editable --format= --not-required --include-editable'),
  installed,
);

/** pip 23. Installing and building run what the package brings. */
export const pip: ToolGrammar = {
  style: 'gnu',
  options: options(
    '-V,--version -h,--help -v,--verbose -q,--quiet --no-color --disable-pip-version-check --isolated',
    '--python= --log,--log-file,--local-log= --proxy= --cache-dir= --debug',
  ),
  subcommands: withImplied(
    [
      ...subcommands('list', list),
      ...subcommands('freeze', withOptions(options('--all'), installed)),
      ...subcommands('show', withOptions(options('-f,--files'), common)),
      ...subcommands('check', common),
      ...commandsOf(pipCommands),
      ...subcommands('lock', new Map(), false),
      // To build one package, pip installs what builds it.
    ],
    `
    install: download wheel
    download: install wheel
    wheel: install download
    lock: install download wheel
  `,
  ),
};
