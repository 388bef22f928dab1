import { commandsOf } from './command-tables.ts';
import { gitCommands } from './git-commands.ts';
import {
  type Option,
  options,
  subcommands,
  type ToolGrammar,
  type Words,
  withImplied,
  withOptions,
} from './grammar.ts';

const look = options(
  `-p,-u,--patch -s,--no-patch --stat? --numstat --shortstat -X,--dirstat? --summary --name-only --name-status --raw --color?
  --no-color --word-diff? --word-diff-regex= --color-words? --color-moved? -U,--unified? --minimal --patience
  --histogram --diff-algorithm= -w,--ignore-all-space -b,--ignore-space-change --ignore-space-at-eol
  --ignore-blank-lines --ignore-cr-at-eol -M,--find-renames? -C,--find-copies? --no-renames -R -z --full-index
  --abbrev? --no-abbrev --binary -S= -G= --pickaxe-regex --pickaxe-all --diff-filter= -a,--text --check --exit-code
  -q,--quiet --relative? --no-relative --no-ext-diff --no-textconv --ignore-submodules? --submodule? --inter-hunk-context=
  --src-prefix= --dst-prefix= --no-prefix --cached,--staged --merge-base -W,--function-context --compact-summary
  --patch-with-stat --no-indent-heuristic --indent-heuristic`,
  '--output= --ext-diff --textconv -O= -P,--paginate --no-index',
);

const history = withOptions(
  options(
    `-n,--max-count= --skip= --since,--after= --until,--before= --author= --committer= --grep= -i,--regexp-ignore-case
    -E,--extended-regexp -F,--fixed-strings --all-match --invert-grep --merges --no-merges --first-parent --all
    --branches? --tags? --remotes? --glob= --exclude= --reflog -g,--walk-reflogs --oneline --pretty? --format?
    --abbrev-commit --no-abbrev-commit --graph --source --follow
    --date= --relative-date --reverse --topo-order --date-order --author-date-order --simplify-by-decoration
    --full-history --dense --sparse --left-right --cherry-pick --cherry-mark --cherry --boundary --not -m -c --cc
    --notes? --no-notes --encoding= --parents --children --left-only --right-only --count --min-parents?
    --max-parents? --no-walk? --stdin --ancestry-path --log-size --use-mailmap --mailmap --no-mailmap --root -t`,
    '--show-signature',
  ),
  look,
);

const log = withOptions(options('-L= --decorate? --no-decorate --decorate-refs='), history);

const status = options(
  `-s,--short -b,--branch --show-stash --porcelain? --long -v,--verbose -u,--untracked-files? --ignore-submodules?
  --ignored? -z,--null --column? --no-column --ahead-behind --no-ahead-behind --renames --no-renames -M,--find-renames?`,
);

const record = options(
  `-v,--verbose -n,--dry-run -A,--all --no-all -u,--update -f,--force -N,--intent-to-add -k --refresh --ignore-errors
  --ignore-missing --renormalize --chmod= --sparse`,
  '-e,--edit -i,--interactive -p,--patch --pathspec-from-file=',
);

const commit = options(
  `-m,--message= -a,--all --amend --no-edit -q,--quiet -v,--verbose -s,--signoff --no-signoff -n,--no-verify --verify
  --allow-empty --allow-empty-message --author= --date= --reset-author --dry-run --short --porcelain --long
  -C,--reuse-message= --no-gpg-sign -o,--only -i,--include --no-status --cleanup= --trailer= --no-post-rewrite`,
  '-c,--reedit-message= -e,--edit -F,--file= -t,--template= -S,--gpg-sign? -p,--patch --interactive --fixup= --squash=',
);

const list = options(
  `-l,--list --merged? --no-merged? --contains? --no-contains? --sort= --format= --points-at= --color? --no-color
  --column? --no-column -i,--ignore-case`,
);

const branch = withOptions(
  options(
    '-a,--all -r,--remotes -v,--verbose --show-current --abbrev? --no-abbrev -q,--quiet',
    `-d,--delete -D~-d~--delete~-f~--force -m,--move -M~-m~--move~-f~--force -c,--copy -C~-c~--copy~-f~--force -f,--force -t,--track? --no-track -u,--set-upstream-to= --unset-upstream
    --edit-description`,
  ),
  list,
);

const tag = withOptions(
  options(
    '-n?',
    '-d,--delete -v,--verify -a,--annotate -e,--edit -s,--sign -u,--local-user= -F,--file= -m,--message= -f,--force',
  ),
  list,
);

const files = options(
  `-c,--cached -d,--deleted -m,--modified -o,--others -i,--ignored -s,--stage -u,--unmerged -k,--killed -z -t -v -f
  --directory --no-empty-directory --eol --deduplicate -x,--exclude= -X,--exclude-from= --exclude-standard
  --error-unmatch --full-name --abbrev? --recurse-submodules --with-tree=`,
);

const remotes = options(
  `-h,--heads -t,--tags --refs -q,--quiet --exit-code --get-url --sort= --symref`,
  '--upload-pack,--exec= -o,--server-option=',
);

const search = options(
  `--cached --untracked --no-index --exclude-standard --recurse-submodules -a,--text -i,--ignore-case -I -r,--recursive
  --no-recursive -w,--word-regexp -v,--invert-match -h -H --full-name -E,--extended-regexp -G,--basic-regexp
  -P,--perl-regexp -F,--fixed-strings -n,--line-number --column -l,--files-with-matches,--name-only
  -L,--files-without-match -z,--null -o,--only-matching -c,--count --color? --no-color --break --heading
  -p,--show-function -A,--after-context= -B,--before-context= -C,--context= -W,--function-context -f= -e= --and --or
  --not --all-match -q,--quiet --max-depth= -m,--max-count= --threads= --no-textconv`,
  '-O,--open-files-in-pager? --textconv --ext-grep',
);

const blame = options(
  `-b --root --show-stats -L= -l -t -S= --reverse -p,--porcelain --line-porcelain --incremental --encoding= --contents=
  --date= -M? -C? -h -c --score-debug -f,--show-name -n,--show-number -s -e,--show-email -w --abbrev? --color-lines
  --color-by-age --progress --no-progress --ignore-rev= --ignore-revs-file=`,
);

const names = options(
  `--verify -q,--quiet --short? --abbrev-ref? --symbolic --symbolic-full-name --all --branches? --tags? --remotes?
  --show-toplevel --show-prefix --show-cdup --git-dir --absolute-git-dir --git-common-dir --is-inside-work-tree
  --is-inside-git-dir --is-bare-repository --is-shallow-repository --default= --sq --not --revs-only --no-revs
  --flags --no-flags --since= --until= --long --dirty? --always --exact-match --first-parent --match= --exclude=
  --candidates= --abbrev? --contains --debug --show-object-format? --end-of-options`,
);

const objects = options(
  '-t -s -e -p -r -d -l,--long -z --name-only --name-status --full-name --full-tree --abbrev?',
);

const counts = withOptions(
  options('-n,--numbered -s,--summary -e,--email -w? --group= -c,--committer'),
  history,
);

/** Shell scripts of git's: what everybody writes. */
const submodules = '-q,--quiet -f,--force -j,--jobs= --init --recursive --remote --checkout --depth=';

/** Their options are not known. */
const otherCommands = `bisect filter-branch fsmonitor--daemon instaweb merge-octopus merge-one-file merge-resolve mergetool
  quiltimport request-pull send-email shell subtree svn web--browse daemon difftool--helper http-backend http-fetch http-push
  imap-send`;

const implied = `
  pull: fetch merge rebase
  clone: init fetch checkout
  submodule: clone fetch checkout merge rebase init
  remote: fetch
  worktree: checkout
  switch: checkout
  restore: checkout
  checkout: switch restore
  am: apply commit
  cherry-pick: commit
  revert: commit
  merge: commit
  rebase: checkout commit
  maintenance: gc fetch
  send-email: format-patch
`;

/** Runs the agent's own hooks and configuration whatever is typed: keep it where that may happen. */
export const git: ToolGrammar = {
  style: 'gnu',
  runsByItself: () => 'the hooks of the repository, and what its configuration names',
  numbers: true,
  options: options(
    `-C= --no-pager -P --no-replace-objects --bare --literal-pathspecs --glob-pathspecs --noglob-pathspecs --icase-pathspecs
    --no-optional-locks --version -v --html-path --man-path --info-path`,
    '-c= --config-env= --exec-path? -p,--paginate --git-dir= --work-tree= --namespace= --super-prefix= --list-cmds= --attr-source= -h,--help',
  ),
  subcommands: withImplied(
    [
      ...subcommands('log show whatchanged reflog', log),
      ...subcommands('rev-list', history),
      ...subcommands('diff diff-tree diff-index diff-files', look),
      ...subcommands('shortlog', counts),
      ...subcommands('status', status),
      ...subcommands('add,stage', record),
      ...subcommands('commit', commit),
      ...subcommands('branch', branch),
      ...subcommands('tag', tag),
      ...subcommands('ls-files', files),
      ...subcommands('ls-remote', remotes),
      ...subcommands('grep', search),
      ...subcommands('blame,annotate', blame),
      ...subcommands('rev-parse describe', names),
      ...subcommands('cat-file ls-tree', objects),
      ...subcommands('version', options('--build-options')),
      ...commandsOf(gitCommands),
      ...subcommands('submodule', options('', submodules), false),
      ...subcommands(otherCommands, new Map(), false),
    ],
    implied,
  ),
  areHarmless,
};

const forgetting: ReadonlySet<string> = new Set(['expire', 'delete', 'drop', 'write', 'migrate']);

/**
 * `ext::command` names a program, and other transports their helper; a reflog can be told to forget; a format can have
 * gpg look at a signature.
 */
function areHarmless({ subcommand, operands, values }: Words): boolean {
  return (
    operands.every(
      (operand) => !operand.includes('::') && !(subcommand?.name === 'reflog' && forgetting.has(operand)),
    ) && values.every(({ option, text }) => !shows(option) || !verifying.some((part) => text.includes(part)))
  );
}

const verifying = ['%G', '%+G', '%-G', '% G', 'signature'];

/** Its value says what is shown of a commit or a tag. */
function shows(option: Option): boolean {
  return option.names.some((name) => ['--format', '--pretty', '--sort'].includes(name));
}
