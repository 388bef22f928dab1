/**
 * The options of git 2.39's other sub-commands, with those of the words behind them (`stash push`, `remote add`): asked of git itself.
 * Whether they run anything is not said. `--x+` is undone by `--no-x`.
 */
export const gitCommands = `
  am: -i,--interactive+ -b,--binary+ -3,--3way+ -q,--quiet+ -s,--signoff+ -u,--utf8+ -k,--keep+ --keep-non-patch+
    -m,--message-id+ --keep-cr+ -c,--scissors+ --quoted-cr= --whitespace=+ --ignore-space-change+ --ignore-whitespace+
    --directory=+ --exclude=+ --include=+ -C= -p= --patch-format=+ --reject+ --resolvemsg=+ -r,--resolved,--continue --skip
    --abort --quit --show-current-patch? --allow-empty --committer-date-is-author-date+ --ignore-date+ --rerere-autoupdate+
    -S,--gpg-sign?+ --empty= --rebasing+
  apply: --exclude= --include= -p= --stat+ --allow-binary-replacement+ --binary+ --numstat+ --summary+ --check+ --index+
    -N,--intent-to-add+ --cached+ --unsafe-paths+ --apply+ -3,--3way+ --build-fake-ancestor=+ -z -C= --whitespace=+
    --ignore-space-change+ --ignore-whitespace+ -R,--reverse+ --unidiff-zero+ --reject+ --allow-overlap+ -v,--verbose+
    -q,--quiet+ --inaccurate-eof+ --recount+ --directory=+ --allow-empty+ --add+
  archive: --format= --prefix= --add-file= --add-virtual-file= -o,--output=+ --worktree-attributes -v,--verbose -l,--list
    --remote=+ --exec=+
  bugreport: --diagnose?+ -o,--output-directory=+ -s,--suffix=+
  bundle: -q,--quiet+ --progress+ --all-progress+ --all-progress-implied+ --version=+
  check-attr: -a,--all+ --cached+ --stdin+ -z
  check-ignore: -q,--quiet+ -v,--verbose+ --stdin+ -z -n,--non-matching+ --index+
  check-mailmap: --stdin+
  check-ref-format: --branch
  checkout: -b= -B= -l --guess+ --overlay+ -q,--quiet+ --recurse-submodules?+ --progress+ -m,--merge+ --conflict=+
    -d,--detach+ -t,--track?+ -f,--force+ --orphan=+ --overwrite-ignore+ --ignore-other-worktrees+ -2,--ours -3,--theirs
    -p,--patch+ --ignore-skip-worktree-bits+ --pathspec-from-file=+ --pathspec-file-nul+
  checkout-index: -a,--all+ --ignore-skip-worktree-bits+ -f,--force+ -q,--quiet+ -n,--no-create -u,--index+ -z --stdin+
    --temp+ --prefix=+ --stage= --create
  cherry: --abbrev?+ -v,--verbose+
  cherry-pick: --quit --continue --abort --skip --cleanup=+ -n,--no-commit -e,--edit+ -r -s,--signoff+ -m,--mainline=+
    --rerere-autoupdate+ --strategy=+ -X,--strategy-option=+ -S,--gpg-sign?+ -x --ff+ --allow-empty+ --allow-empty-message+
    --keep-redundant-commits+ --commit
  clean: -q,--quiet+ -n,--dry-run+ -f,--force+ -i,--interactive+ -d -e,--exclude= -x -X
  clone: -v,--verbose+ -q,--quiet+ --progress+ --reject-shallow+ -n,--no-checkout --bare+ --naked+ --mirror+ -l,--local+
    -s,--shared+ --recurse-submodules,--recursive? -j,--jobs=+ --template=+ --reference=+ --reference-if-able=+
    --dissociate+ -o,--origin=+ -b,--branch=+ -u,--upload-pack=+ --depth=+ --shallow-since=+ --shallow-exclude=+
    --single-branch+ --shallow-submodules+ --separate-git-dir=+ -c,--config=+ --server-option=+ -4,--ipv4+ -6,--ipv6+
    --filter=+ --also-filter-submodules+ --remote-submodules+ --sparse+ --bundle-uri=+ --checkout --hardlinks+ --tags+
    --no-recurse-submodules --no-recursive
  column: --command=+ --mode?+ --raw-mode=+ --width=+ --indent=+ --nl=+ --padding=+
  commit-graph: --object-dir=+ --shallow+ --progress+ --reachable+ --stdin-packs+ --stdin-commits+ --append+
    --changed-paths+ --split? --max-commits=+ --size-multiple=+ --expire-time=+ --max-new-filters=+
  commit-tree: -p= -m= -F= -S,--gpg-sign?+
  config: --global+ --system+ --local+ --worktree+ -f,--file=+ --blob=+ --get+ --get-all+ --get-regexp+ --get-urlmatch+
    --replace-all+ --add+ --unset+ --unset-all+ --rename-section+ --remove-section+ -l,--list+ --fixed-value+ -e,--edit+
    --get-color+ --get-colorbool+ -t,--type=+ --bool --int --bool-or-int --bool-or-str --path --expiry-date -z,--null+
    --name-only+ --includes+ --show-origin+ --show-scope+ --default=+
  count-objects: -v,--verbose+ -H,--human-readable+
  credential:
  credential-cache: --timeout=+ --socket=+
  credential-store: --file=+
  diagnose: -o,--output-directory=+ -s,--suffix=+ --mode=
  difftool: -g,--gui+ -d,--dir-diff+ -y,--no-prompt --symlinks+ -t,--tool=+ --tool-help+ --trust-exit-code+ -x,--extcmd=+
    --prompt --index+
  fast-export: --progress=+ --signed-tags=+ --tag-of-filtered-object=+ --reencode=+ --export-marks=+ --import-marks=+
    --import-marks-if-exists=+ --fake-missing-tagger+ --full-tree+ --use-done-feature+ --refspec=+ --anonymize+
    --anonymize-map= --reference-excluded-parents+ --show-original-ids+ --mark-tags+ --data+
  fast-import: --git-completion-helper-all
  fetch: -v,--verbose+ -q,--quiet+ --all+ --set-upstream+ -a,--append+ --atomic+ --upload-pack=+ -f,--force+ -m,--multiple+
    -t,--tags+ -n -j,--jobs=+ --prefetch+ -p,--prune+ -P,--prune-tags+ --recurse-submodules?+ --dry-run+ --write-fetch-head+
    -k,--keep+ -u,--update-head-ok+ --progress+ --depth=+ --shallow-since=+ --shallow-exclude=+ --deepen=+ --unshallow
    --refetch --submodule-prefix=+ --recurse-submodules-default=+ --update-shallow+ --refmap= -o,--server-option=+
    -4,--ipv4+ -6,--ipv6+ --negotiation-tip=+ --negotiate-only+ --filter=+ --auto-maintenance+ --auto-gc+
    --show-forced-updates+ --write-commit-graph+ --stdin+
  fetch-pack: -q] -k]
  fmt-merge-msg: --log?+ --summary?+ -m,--message=+ --into-name=+ -F,--file=+
  for-each-ref: -s,--shell+ -p,--perl+ --python+ --tcl+ --count=+ --format=+ --color?+ --sort=+ --points-at=+ --merged=
    --no-merged= --contains= --no-contains= --ignore-case+
  for-each-repo: --config=+
  format-patch: -n,--numbered -N,--no-numbered -s,--signoff+ --stdout+ --cover-letter+ --numbered-files+ --suffix=+
    --start-number=+ -v,--reroll-count=+ --filename-max-length=+ --rfc --cover-from-description=+ --subject-prefix=
    -o,--output-directory= -k,--keep-subject --zero-commit+ --ignore-if-in-upstream+ -p,--no-stat --add-header=+ --to=+
    --cc=+ --from?+ --in-reply-to=+ --attach?+ --inline? --thread?+ --signature=+ --base=+ --signature-file=+ -q,--quiet+
    --progress+ --interdiff=+ --range-diff=+ --creation-factor=+ --force-in-body-from+ --binary+
  fsck|fsck-objects: -v,--verbose+ --unreachable+ --dangling+ --tags+ --root+ --cache+ --reflogs+ --full+
    --connectivity-only+ --strict+ --lost-found+ --progress+ --name-objects+
  gc: -q,--quiet+ --prune?+ --cruft+ --aggressive+ --auto+ --force+ --keep-largest-pack+
  get-tar-commit-id:
  hash-object: -t= -w --stdin+ --stdin-paths+ --literally+ --path=+ --filters+
  help: -a,--all --external-commands+ --aliases+ --exclude-guides+ -m,--man+ -w,--web+ -i,--info+ -v,--verbose+ -g,--guides
    --user-interfaces --developer-interfaces -c,--config --config-for-completion --config-sections-for-completion
  hook: --ignore-missing+
  index-pack: --keep=<msg>] --stdin
  init|init-db: --template=+ --bare+ --shared? -q,--quiet+ --separate-git-dir=+ -b,--initial-branch=+ --object-format=+
  interpret-trailers: --in-place+ --trim-empty+ --where=+ --if-exists=+ --if-missing=+ --only-trailers+ --only-input+
    --unfold+ --parse --trailer=+ --divider+
  mailinfo: -k -b -m,--message-id+ -u -n --encoding= --scissors+ --quoted-cr= --inbody-headers+
  mailsplit: --git-completion-helper-all
  maintenance: --auto+ --schedule=+ --quiet+ --task= --scheduler= --config-file=+ -f,--force+
  merge: -n --stat+ --summary+ --log?+ --squash+ --commit+ -e,--edit+ --cleanup=+ --ff+ --ff-only --rerere-autoupdate+
    --verify-signatures+ -s,--strategy=+ -X,--strategy-option=+ -m,--message=+ -F,--file= --into-name=+ -v,--verbose+
    -q,--quiet+ --abort+ --quit+ --continue+ --allow-unrelated-histories+ --progress+ -S,--gpg-sign?+ --autostash+
    --overwrite-ignore+ --signoff+ --verify+
  merge-base: -a,--all+ --octopus --independent --is-ancestor --fork-point
  merge-file: -p,--stdout+ --diff3+ --zdiff3+ --ours+ --theirs+ --union+ --marker-size=+ -q,--quiet+ -L=
  merge-index: --git-completion-helper-all
  merge-ours:
  merge-recursive:
  merge-tree: --write-tree --trivial-merge --messages+ -z --name-only --allow-unrelated-histories --stdin
  mktag: --strict+
  mktree: -z --missing+ --batch+
  multi-pack-index: --object-dir=+ --batch-size= --progress+ --preferred-pack=+ --bitmap+ --stdin-packs+ --refs-snapshot=+
  mv: -v,--verbose+ -n,--dry-run+ -f,--force+ -k --sparse+
  name-rev: --name-only+ --tags+ --refs=+ --exclude=+ --all+ --stdin+ --annotate-stdin+ --undefined+ --always+ --peel-tag+
  notes: --ref=+ -m,--message= -F,--file= -c,--reedit-message= -C,--reuse-message= --allow-empty+ -f,--force+ --stdin+
    --for-rewrite=+ -v,--verbose+ -q,--quiet+ -s,--strategy=+ --commit --abort --ignore-missing+ -n,--dry-run+
  pack-objects: -q,--quiet+ --progress+ --all-progress+ --all-progress-implied+ --index-version= --max-pack-size= --local+
    --incremental+ --window=+ --window-memory= --depth=+ --reuse-delta+ --reuse-object+ --delta-base-offset+ --threads=+
    --non-empty+ --revs+ --unpacked --all --reflog --indexed-objects --stdin-packs+ --stdout+ --include-tag+
    --keep-unreachable+ --pack-loose-unreachable+ --unpack-unreachable?+ --cruft+ --cruft-expiration?+ --sparse+ --thin+
    --shallow+ --honor-pack-keep+ --keep-pack=+ --compression=+ --keep-true-parents+ --use-bitmap-index+
    --write-bitmap-index+ --write-bitmap-index-quiet+ --filter=+ --missing= --exclude-promisor-objects+ --delta-islands+
    --uri-protocol=+
  pack-redundant:
  pack-refs: --all+ --prune+
  patch-id: --unstable --stable --verbatim
  prune: -n,--dry-run+ -v,--verbose+ --progress+ --expire=+ --exclude-promisor-objects+
  prune-packed: -n,--dry-run+ -q,--quiet+
  pull: -v,--verbose+ -q,--quiet+ --progress+ --recurse-submodules?+ -r,--rebase?+ -n --stat+ --summary+ --log?+ --signoff?+
    --squash+ --commit+ --edit+ --cleanup=+ --ff+ --ff-only --verify+ --verify-signatures+ --autostash+ -s,--strategy=+
    -X,--strategy-option=+ -S,--gpg-sign?+ --allow-unrelated-histories+ --all+ -a,--append+ --upload-pack=+ -f,--force+
    -t,--tags+ -p,--prune+ -j,--jobs?+ --dry-run+ -k,--keep+ --depth=+ --shallow-since=+ --shallow-exclude=+ --deepen=+
    --unshallow --update-shallow+ --refmap= -o,--server-option=+ -4,--ipv4+ -6,--ipv6+ --negotiation-tip=+
    --show-forced-updates+ --set-upstream+
  push: -v,--verbose+ -q,--quiet+ --repo=+ --all+ --mirror+ -d,--delete+ --tags+ -n,--dry-run+ --porcelain+ -f,--force+
    --force-with-lease?+ --force-if-includes+ --recurse-submodules=+ --thin+ --receive-pack,--exec= -u,--set-upstream+
    --progress+ --prune+ --follow-tags+ --signed?+ --atomic+ -o,--push-option=+ -4,--ipv4+ -6,--ipv6+ --verify+
    --no-receive-pack --no-exec
  range-diff: --creation-factor=+ --notes?+ --left-only+ --right-only+ -p,--patch -s,--no-patch -u -U,--unified?
    -W,--function-context+ --raw --patch-with-raw --patch-with-stat --numstat --shortstat -X,--dirstat? --cumulative
    --dirstat-by-file? --check --summary --name-only --name-status --stat? --stat-width= --stat-name-width=
    --stat-graph-width= --stat-count= --compact-summary+ --binary --full-index+ --color?+ --ws-error-highlight= -z
    --abbrev?+ --src-prefix= --dst-prefix= --line-prefix= --no-prefix --inter-hunk-context= --output-indicator-new=
    --output-indicator-old= --output-indicator-context= -B,--break-rewrites? -M,--find-renames? -D,--irreversible-delete
    -C,--find-copies? --find-copies-harder+ --no-renames --rename-empty+ --follow+ -l= --minimal+ -w,--ignore-all-space
    -b,--ignore-space-change --ignore-space-at-eol --ignore-cr-at-eol --ignore-blank-lines -I,--ignore-matching-lines=+
    --indent-heuristic+ --patience --histogram --diff-algorithm= --anchored= --word-diff? --word-diff-regex= --color-words?
    --color-moved?+ --color-moved-ws=+ --relative?+ -a,--text+ -R --exit-code+ --quiet+ --ext-diff+ --textconv+
    --ignore-submodules? --submodule? --ita-invisible-in-index --ita-visible-in-index -S= -G= --pickaxe-all --pickaxe-regex
    -O= --rotate-to= --skip-to= --find-object= --diff-filter= --output= --dual-color+
  read-tree: --index-output= --empty+ -v,--verbose+ -m --trivial+ --aggressive+ --reset+ --prefix= -u
    --exclude-per-directory= -i -n,--dry-run+ --debug-unpack+ --recurse-submodules?+ -q,--quiet+ --sparse-checkout+
  rebase: --onto=+ --keep-base+ -q,--quiet+ -v,--verbose+ -n,--no-stat --signoff+ --committer-date-is-author-date+
    --reset-author-date+ --ignore-date+ -C= --ignore-whitespace+ --whitespace=+ -f,--force-rebase+ --continue --skip --abort
    --quit --edit-todo --show-current-patch --apply -m,--merge -i,--interactive -p,--preserve-merges+ --rerere-autoupdate+
    --empty= -k,--keep-empty+ --autosquash+ --update-refs+ -S,--gpg-sign?+ --autostash+ -x,--exec=+ --allow-empty-message+
    -r,--rebase-merges?+ --fork-point+ -s,--strategy=+ -X,--strategy-option=+ --root+ --reschedule-failed-exec+
    --reapply-cherry-picks+ --verify+ --stat --ff+
  receive-pack: -q,--quiet+ --stateless-rpc+ --http-backend-info-refs+ --advertise-refs+ --reject-thin-pack-for-testing+
  remote: -v,--verbose+ -f,--fetch+ --tags+ -t,--track=+ -m,--master=+ --mirror?+ --progress+ -a,--auto+ -d,--delete+ --add+
    --push+ --all+ -n,--dry-run+ -p,--prune+
  remote-ext:
  remote-fd:
  repack: -a -A --cruft+ --cruft-expiration=+ -d -f -F -n -q,--quiet+ -l,--local+ -b,--write-bitmap-index+
    -i,--delta-islands+ --unpack-unreachable=+ -k,--keep-unreachable+ --window=+ --window-memory=+ --depth=+ --threads=+
    --max-pack-size=+ --pack-kept-objects+ --keep-pack=+ -g,--geometric=+ -m,--write-midx+ --expire-to=+
  replace: -l,--list -d,--delete -e,--edit -g,--graft --convert-graft-file -f,--force+ --raw+ --format=+
  rerere: --rerere-autoupdate+
  reset: -q,--quiet+ --mixed+ --soft+ --hard+ --merge+ --keep+ --recurse-submodules?+ -p,--patch+ -N,--intent-to-add+
    --pathspec-from-file=+ --pathspec-file-nul+ --refresh+
  restore: -s,--source=+ -S,--staged+ -W,--worktree+ --ignore-unmerged+ --overlay+ -q,--quiet+ --recurse-submodules?+
    --progress+ -m,--merge+ --conflict=+ -2,--ours -3,--theirs -p,--patch+ --ignore-skip-worktree-bits+
    --pathspec-from-file=+ --pathspec-file-nul+
  revert: --quit --continue --abort --skip --cleanup=+ -n,--no-commit -e,--edit+ -r -s,--signoff+ -m,--mainline=+
    --rerere-autoupdate+ --strategy=+ -X,--strategy-option=+ -S,--gpg-sign?+ --reference+ --commit
  rm: -n,--dry-run+ -q,--quiet+ --cached+ -f,--force+ -r --ignore-unmatch+ --sparse+ --pathspec-from-file=+
    --pathspec-file-nul+
  send-pack: -v,--verbose+ -q,--quiet+ --receive-pack,--exec= --remote=+ --all+ -n,--dry-run+ --mirror+ -f,--force+
    --signed?+ --push-option=+ --progress+ --thin+ --atomic+ --stateless-rpc+ --stdin+ --helper-status+ --force-with-lease?+
    --force-if-includes+ --no-receive-pack --no-exec
  show-branch: -a,--all+ -r,--remotes+ --color?+ --more?+ --list+ --current+ --sha1-name+ --merge-base+ --independent+
    --topo-order+ --topics+ --sparse+ --date-order+ -g,--reflog? --name+
  show-index: --object-format=+
  show-ref: --tags+ --heads+ --verify+ -h --head+ -d,--dereference+ -s,--hash?+ --abbrev?+ -q,--quiet+ --exclude-existing?
  sparse-checkout: --cone+ --sparse-index+ --skip-checks --stdin
  stash: -q,--quiet+ --index+ -u,--include-untracked+ --only-untracked -m,--message=+ -k,--keep-index+ -S,--staged+
    -p,--patch+ -a,--all+ --pathspec-from-file=+ --pathspec-file-nul+
  stripspace: -s,--strip-comments -c,--comment-lines
  switch: -c,--create=+ -C,--force-create=+ --guess+ --discard-changes+ -q,--quiet+ --recurse-submodules?+ --progress+
    -m,--merge+ --conflict=+ -d,--detach+ -t,--track?+ -f,--force+ --orphan=+ --overwrite-ignore+ --ignore-other-worktrees+
  symbolic-ref: -q,--quiet+ -d,--delete+ --short+ --recurse+ -m=
  unpack-file: --git-completion-helper-all
  unpack-objects:
  update-index: -q --ignore-submodules+ --add+ --replace+ --remove+ --unmerged+ --refresh --really-refresh --cacheinfo=
    --chmod= --assume-unchanged+ --skip-worktree+ --ignore-skip-worktree-entries+ --info-only+ --force-remove+ -z --stdin
    --index-info --unresolve -g,--again --ignore-missing+ --verbose+ --clear-resolve-undo --index-version=+ --split-index+
    --untracked-cache+ --test-untracked-cache+ --force-untracked-cache+ --force-write-index+ --fsmonitor+ --fsmonitor-valid+
  update-ref: -m= -d -z --stdin+ --create-reflog+ --deref+
  update-server-info: -f,--force+
  upload-archive:
  upload-pack: --stateless-rpc+ --http-backend-info-refs+ --advertise-refs+ --strict+ --timeout=+
  var:
  verify-commit: -v,--verbose+ --raw+
  verify-pack: -v,--verbose+ -s,--stat-only+ --object-format=+
  verify-tag: -v,--verbose+ --raw+ --format=+
  worktree: -f,--force+ -b= -B= -d,--detach+ --checkout+ --lock+ --reason=+ -q,--quiet+ --track+ --guess-remote+
    -n,--dry-run+ -v,--verbose+ --expire=+ --porcelain+ -z
  write-tree: --missing-ok+ --prefix=+ --ignore-cache-tree+
`;
