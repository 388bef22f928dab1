import { options, type ToolGrammar, type Words } from './grammar.ts';

/** GNU tar 1.34. What runs a program, or writes elsewhere than into the archive and below the working directory, is risky. */
export const tar: ToolGrammar = {
  style: 'gnu',
  bareCluster: true,
  options: options(
    `-c,--create -x,--extract,--get -t,--list -r,--append -u,--update -A,--catenate,--concatenate -d,--diff,--compare
    -f,--file= -C,--directory= -v,--verbose -z,--gzip,--gunzip,--ungzip -j,--bzip2 -J,--xz --zstd --lzma --lzip --lzop
    -a,--auto-compress --no-auto-compress -Z,--compress,--uncompress -p,--preserve-permissions,--same-permissions
    --exclude= -X,--exclude-from= --exclude-vcs --exclude-vcs-ignores --exclude-backups --exclude-caches
    --exclude-ignore= --exclude-tag= -T,--files-from= --null --no-null --verbatim-files-from --strip-components=
    -h,--dereference --hard-dereference -k,--keep-old-files --skip-old-files --keep-newer-files -O,--to-stdout
    -m,--touch -o,--no-same-owner --same-owner --owner= --group= --mode= --mtime= --numeric-owner --sort=
    -H,--format= --posix --one-file-system -w,--interactive,--confirmation --totals? -W,--verify --wildcards --no-wildcards
    --anchored --no-anchored --ignore-case --no-ignore-case -n,--seek --no-seek -S,--sparse -b,--blocking-factor=
    -B,--read-full-records -i,--ignore-zeros --occurrence? -R,--block-number --warning= --quoting-style=
    --full-time -N,--newer,--after-date= --newer-mtime= --no-recursion --recursion --force-local --help --version
    --no-overwrite-dir --overwrite --utc -V,--label= --show-transformed-names,--show-stored-names --ignore-failed-read --no-same-permissions`,
    `-I,--use-compress-program= --to-command= -F,--info-script,--new-volume-script= --checkpoint? --checkpoint-action=
    --rsh-command= --rmt-command= -g,--listed-incremental= -G,--incremental --index-file= --volno-file=
    -P,--absolute-names --transform,--xform= --remove-files -U,--unlink-first --recursive-unlink --delete
    -M,--multi-volume -L,--tape-length= --backup? --suffix= --one-top-level? --keep-directory-symlink
    -K,--starting-file= -s,--preserve-order,--same-order -l,--check-links`,
  ),
  areHarmless: isLocal,
};

/** A colon in an archive's name is another host's, reached by rsh; a colon behind a slash is not. */
function isLocal({ values }: Words): boolean {
  return values.every(({ option, text }) => {
    const colon = option.names.includes('-f') ? text.indexOf(':') : -1;
    return colon === -1 || (text.includes('/') && text.indexOf('/') < colon);
  });
}
