#!/bin/sh
# Puts an image that others built behind Clawrden: installs the shim and a link for each tool, puts their folder first on
# PATH, and locks programs by another name. busybox, dash and bash run it. --help tells the options, docs/setup.md more.
# Every change is in a record, by which --uninstall undoes it; a run that fails undoes what it did itself.
set -uf
umask 022
export LC_ALL=C
nl='
'
# Lists have a line for each entry.
IFS=$nl
uid=$(id -u) || exit 1
usual=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
needed=$(printf '%s\n' sh mkdir rmdir mv cp ln rm chmod chown cmp readlink id)
# `clawrden agent check` looks for the folder's name in it. It adds nothing if the folder is first already.
line='case "${PATH-}" in /clawrden/bin|/clawrden/bin:*) ;; *) export PATH="/clawrden/bin${PATH:+:$PATH}" ;; esac # clawrden'
at_build='run this as root when the image is built'

usage() {
  say "usage: install-clawrden.sh [options]

  --user UID[:GID]          the agent's user, whose shells find the shim, too; who runs this, if that is not root
  --lock-binaries NAMES     programs to rename to NAME.original wherever PATH finds them, like npm,docker
  --tools NAMES             tools that the shim stands for, like npm,git; the locked ones if left out
  --shim PATH               the program; clawrden-shim beside this script if left out
  --prefix FOLDER           the tree to change; / if left out
  --dry-run                 print what would be done, and change nothing
  --uninstall               undo what is in the record of the tree

Locking is a convenience. What keeps an agent in is that its container has no network, no credentials and no engine."
}

say() { printf '%s\n' "$1"; }
fail() { printf 'clawrden: install: %s\n' "$1" >&2; exit 1; }
left() { say "left $1 as it is: $2"; }
there() { [ -e "$1" ] || [ -L "$1" ]; }
listed() { case $nl$2$nl in *"$nl$1$nl"*) return 0 ;; esac; return 1; }
run_as() { fail "uid $uid cannot $1; $2"; }

# `tell locked lock THING`
tell() {
  changed=1
  if [ -n "$dry" ]; then say "would $2 $3"; else say "$1 $3"; fi
}

# `act ADVICE COMMAND…`
act() {
  advice=$1
  shift
  [ -z "$dry" ] || return 0
  "$@" 2>/dev/null || run_as "$(IFS=' ' && say "$*")" "$advice"
}

# Finds a path of the tree: $inside without links, $place as it is reached from here, $trail with the links on the way.
# A link leads nowhere but into the tree. What is not there yet is taken as it is written. 1 and no place behind more links
# than a kernel follows, and for a line break, which would make two entries of one.
resolve() {
  rest=$1 inside='' trail='' more=40
  while [ -n "$rest" ]; do
    part=${rest%%/*}
    case $rest in */*) rest=${rest#*/} ;; *) rest='' ;; esac
    case $part in '' | .) continue ;; ..) inside=${inside%/*} && continue ;; esac
    [ -L "$prefix$inside/$part" ] || { inside=$inside/$part && continue; }
    trail=$trail$inside/$part$nl
    target=$(readlink "$prefix$inside/$part")
    case $target in *"$nl"*) more=0 ;; /*) inside='' ;; esac
    more=$((more - 1))
    [ "$more" -ge 0 ] || { inside='' place=/dev/null/none && return 1; }
    rest=$target/$rest
  done
  place=$prefix${inside:-/}
}

must_resolve() { resolve "$1" || fail "the links of $1 lead nowhere; mend them"; }

# Sets $places to each NAME in a folder of PATH.
find_places() {
  places=''
  for folder in $folders; do ! there "$prefix$folder/$1" || places=$places$folder/$1$nl; done
}

has_shell() {
  for name in "$@"; do
    find_places "$name"
    [ -z "$places" ] || return 0
  done
  return 1
}

read_record() {
  entries=''
  [ ! -r "$record" ] || while IFS= read -r entry; do entries=$entries$entry$nl; done <"$record"
}

# Writes down a change of this run.
note() {
  [ -z "$dry" ] || return 0
  read_record
  ! listed "$1" "$entries" || return 0
  [ -n "$new" ] || before=$entries
  (printf '%s\n' "$1" >>"$record") 2>/dev/null || run_as "write $record" "$at_build"
  new=$1$nl$new
}

make_folder() {
  must_resolve "$1"
  from=$inside/ at=''
  while [ "$from" != / ]; do
    from=${from#/} at=$at/${from%%/*}
    from=/${from#*/}
    [ ! -d "$prefix$at" ] || continue
    tell made make "$at"
    act "$at_build, or mount that folder of the agent's there" mkdir "$prefix$at"
    note "folder $at"
  done
}

# A link may lead out of the tree; a pipe would never end.
is_plain() {
  ! there "$1" || { [ -f "$1" ] && [ ! -L "$1" ]; }
}

install_shim() {
  is_plain "$jail/.shim" || fail "$bin/.shim is a link, or no file: remove it first"
  [ ! -e "$jail/.shim" ] || [ -n "$shim" ] || return 0
  [ -n "$shim" ] || fail "there is no shim; name it: --shim PATH"
  is_program || fail "$shim is no program; name the static shim for this kind of machine: --shim PATH"
  ! cmp -s "$shim" "$jail/.shim" || return 0
  read_record
  if there "$jail/.shim" && ! listed "file $bin/.shim" "$entries"; then
    left "$bin/.shim" "another one than this script's record knows"
    return
  fi
  tell installed install "$bin/.shim"
  note "file $bin/.shim"
  act "$at_build" rm -f "$jail/.shim.new"
  act "$at_build" cp "$shim" "$jail/.shim.new"
  act "$at_build" chmod 755 "$jail/.shim.new"
  act "$at_build" mv -f "$jail/.shim.new" "$jail/.shim"
}

is_program() {
  [ -f "$shim" ] && [ -r "$shim" ] || return 1
  IFS= read -r start <"$shim" || :
  case $start in ?ELF*) return 0 ;; esac
  return 1
}

link_tools() {
  for tool in $tools; do
    [ "$(readlink "$jail/$tool" 2>/dev/null)" != .shim ] || continue
    ! there "$jail/$tool" || fail "$bin/$tool is there and is no link to the shim; remove it"
    tell linked link "$bin/$tool"
    note "link $bin/$tool"
    act "$at_build, or leave --tools out if a relay keeps that folder" ln -s .shim "$jail/$tool"
    if [ -z "$prefix" ] && PATH=/clawrden/none /bin/sh -c 'command -v "$1"' sh "$tool" >/dev/null 2>&1; then
      say "note: /bin/sh has a $tool of its own, for which it does not look on PATH"
    fi
  done
}

# Sets $own to what sh and this script need: programs, and the links on the way to them.
find_own() {
  own=''
  for tool in $needed; do
    find_places "$tool"
    for at in $places; do
      resolve "$at" || :
      own=$own$trail$inside$nl
    done
  done
}

# Renames what is found on PATH itself, not what a link there leads to: what runs the original for the agent finds it on
# PATH by its new name, and no other name of it breaks.
lock() {
  find_places "$1.original"
  seen=$places
  find_places "$1"
  for at in $places; do
    # A folder, or a link that leads nowhere, is not found as a program.
    resolve "$at" && [ -f "$place" ] && ! cmp -s "$place" "$jail/.shim" && ! cmp -s "$place" "${shim:-$jail/.shim}" || continue
    ! listed "$at" "$own" || fail "cannot lock $at: sh or this script needs it; take $1 out of --lock-binaries"
    ! there "$prefix$at.original" || fail "$at and $at.original are both there; remove the one that is not wanted"
    tell locked lock "$at as $1.original"
    note "locked $at"
    act "$at_build, or take $1 out of --lock-binaries" mv "$prefix$at" "$prefix$at.original"
    seen=$seen$at
    [ "${inside##*/}" = "$1" ] || say "note: $1 leads to $inside, which keeps its name"
  done
  [ -n "$seen" ] || say "nothing to lock: there is no $1"
}

# Puts the line behind what a startup file says; makes the file if it is missing. 1 if the file stays as it is.
put_first_in() {
  resolve "$1" || { left "$1" "its links lead nowhere"; return 1; }
  kind=made
  if there "$place"; then
    [ -f "$place" ] && [ -r "$place" ] || { left "$inside" "uid $uid cannot read it as a file"; return 1; }
    look_for_line
    [ -z "$found" ] || return 0
    is_text || { left "$inside" "it has NUL bytes, which a shell loses"; return 1; }
    kind=line
    [ -z "$text" ] || kind=joined
    (: >>"$place") 2>/dev/null || { left "$inside" "uid $uid cannot write it"; return 1; }
  elif [ -z "$dry" ]; then
    (: >>"$place") 2>/dev/null || { left "$inside" "uid $uid cannot make it"; return 1; }
  fi
  tell put put "/clawrden/bin first on PATH in $inside"
  [ -z "$dry" ] || return 0
  note "$kind $inside"
  [ "$kind" != joined ] || printf '\n' >>"$place" || fail "cannot write $inside; see whether the disk is full"
  printf '%s\n' "$line" >>"$place" || fail "cannot write $inside; see whether the disk is full"
  if [ "$kind" = made ] && [ -n "${2-}" ]; then act "see $inside" chown "$2" "$place"; fi
}

# Reads $place. Sets $found if it has the line, and $text to what stands behind the last line break.
look_for_line() {
  found=''
  while IFS= read -r text; do [ "$text" != "$line" ] || found=1; done <"$place"
}

# Whether a shell reads all of $place.
is_text() {
  {
    while IFS= read -r text; do printf '%s\n' "$text"; done
    printf %s "$text"
  } <"$place" 2>/dev/null | cmp -s - "$place"
}

# Prints $place without the line. The x at the end keeps the line breaks before it.
without_line() {
  gap='' last=''
  while IFS= read -r text; do
    last=$text
    [ "$text" = "$line" ] || { printf %s "$gap$text" && gap=$nl; }
  done <"$place"
  # The line break before the line is ours, too, unless something was added behind.
  [ "$kind$last$text" != "joined$line" ] || gap=''
  printf %s "$gap${text}x"
}

put_first_in_home() {
  resolve "$home/$1" || :
  # Its user decides where a link leads, and root would follow.
  case $inside in
    "$home"/*) put_first_in "$home/$1" "$([ "$uid" != 0 ] || say "$user:$group")" || : ;;
    *) left "$home/$1" "it does not lead to a place in the home" ;;
  esac
}

put_first() {
  put_first_in /clawrden/path.sh || :
  has_shell sh ash dash bash || return 0
  make_folder /etc
  resolve /etc/profile.d
  [ ! -d "$place" ] || put_first_in /etc/profile.d/zzz-clawrden.sh || :
  login=1
  put_first_in /etc/profile || login=''
  [ -n "$home" ] || return 0
  for name in .bash_profile .bash_login .profile; do
    there "$prefix$home/$name" || { [ "$name" = .profile ] && [ -z "$login" ]; } || continue
    login=1
    put_first_in_home "$name"
  done
  if has_shell bash; then put_first_in_home .bashrc; fi
}

# The user's ids and home, by the tree's own file of users.
find_user() {
  case $user in *:*) group=${user#*:} user=${user%%:*} ;; esac
  case $user$group in *[!0-9]*) fail "--user takes numbers; write --user 1000 or --user 1000:1000" ;; esac
  [ "$uid" = 0 ] || user=${user:-$uid}
  [ -n "$user" ] || return 0
  resolve /etc/passwd
  folder=''
  [ ! -f "$place" ] || [ ! -r "$place" ] || while IFS=: read -r _ _ number its_group _ folder _; do
    [ "$number" != "$user" ] || break
    folder=''
  done <"$place"
  [ -z "$folder" ] || group=${group:-$its_group}
  group=${group:-$user}
  resolve "$folder"
  if [ -n "$inside" ] && [ -d "$place" ]; then home=$inside; else say "no home: uid $user has none in /etc/passwd"; fi
}

# Undoes an entry of the record, also if it was never done or is undone already.
undo() {
  kind=${1%% *} path=${1#* } again='run this again as a user who may'
  must_resolve "${path%/*}"
  path=$inside/${path##*/}
  place=$prefix$path
  case $kind in
    locked)
      there "$place.original" || return 0
      ! there "$place" || fail "$path and $path.original are both there; remove the one that is not wanted"
      tell unlocked unlock "$path"
      act "$again" mv "$place.original" "$place"
      ;;
    link) [ "$(readlink "$place" 2>/dev/null)" != .shim ] || remove ;;
    file) ! there "$place" || remove ;;
    made | line | joined) [ ! -f "$place" ] || [ -L "$place" ] || take_line_out ;;
    folder) [ ! -d "$place" ] || [ -n "$dry" ] || rmdir "$place" 2>/dev/null || left "$path" "it is not empty" ;;
    *) fail "$record has an entry that this script does not know: $kind" ;;
  esac
}

remove() {
  tell removed remove "$path"
  act "$again" rm -f "$place"
}

take_line_out() {
  look_for_line
  [ -n "$found" ] || [ ! -s "$place" ] || return 0
  is_text || fail "$path has NUL bytes, which a shell loses; take the line that ends with \"# clawrden\" out of it, and $again"
  kept=$(without_line) && kept=${kept%x}
  [ "$kind$kept" != made ] || { remove; return; }
  [ -n "$found" ] || return 0
  tell cleaned clean "$path"
  [ -z "$dry" ] || return 0
  (: >>"$place") 2>/dev/null || run_as "write $path" "$again"
  printf %s "$kept" >"$place" || fail "cannot write $path; see whether the disk is full"
}

# Newest first. The record goes before its folder does, and after everything else.
undo_all() {
  for each in $1; do case $each in folder\ *) ;; *) undo "$each" ;; esac; done
  if [ -n "$dry" ]; then return; elif [ -n "$before" ]; then printf %s "$before" >"$record"; else rm -f "$record"; fi
  for each in $1; do case $each in folder\ *) undo "$each" ;; esac; done
}

uninstall() {
  [ -r "$record" ] || { say "nothing to undo: there is no $record"; return; }
  # A record says what to rename and to remove: nobody follows another user's.
  [ -O "$record" ] || fail "$record belongs to another user; run this as that user"
  newest=''
  while IFS= read -r entry; do newest=$entry$nl$newest; done <"$record"
  undo_all "$newest"
}

finish() {
  status=$?
  trap - EXIT
  if [ "$status" != 0 ] && [ -z "$undoing" ] && [ -n "$new" ]; then
    (undo_all "$new") >/dev/null && say "undone: nothing is changed"
  fi
  exit "$status"
}

# Sets $names to a list for names with commas between them.
read_names() {
  names='' more=$2,
  while [ -n "$more" ]; do
    name=${more%%,*} more=${more#*,}
    case $name in
      '' | [-.]* | *[!A-Za-z0-9._+-]* | *.original) fail "$1 takes names with commas between them, like npm,git" ;;
    esac
    [ ${#name} -le 240 ] || fail "$1: a name has at most 240 letters"
    names=$names$name$nl
  done
}

prefix='' user='' group='' home='' shim='' dry='' undoing='' locks='' tools='' new='' before='' changed=''
while [ $# -gt 0 ]; do
  case $1 in
    --user | --lock-binaries | --tools | --shim | --prefix)
      [ -n "${2-}" ] || fail "$1 needs a value; see --help" ;;
  esac
  case $1 in
    --user) user=$2 && shift ;;
    --lock-binaries) read_names "$1" "$2" && locks=$names && shift ;;
    --tools) read_names "$1" "$2" && tools=$names && shift ;;
    --shim) shim=$2 && shift ;;
    --prefix) prefix=$2 && shift ;;
    --dry-run) dry=1 ;;
    --uninstall) undoing=1 ;;
    --help) usage && exit 0 ;;
    *) fail "there is no option $1; see --help" ;;
  esac
  shift
done
tools=${tools:-$locks}

case $prefix in
  *[!/]*) prefix=$(unset CDPATH && cd -- "$prefix" 2>/dev/null && pwd -P) || fail "--prefix: there is no such folder, or uid $uid may not enter it" ;;
  *) prefix='' ;;
esac
case $0 in */*) beside=${0%/*}/clawrden-shim ;; *) beside=clawrden-shim ;; esac
[ -n "$shim" ] || [ ! -f "$beside" ] || shim=$beside
find_user

# The programs of this script are never the shim.
path='' folders=''
IFS=:
for folder in $PATH; do
  case $folder in /clawrden/bin | /clawrden/bin/) ;; *) path=${path:+$path:}$folder ;; esac
done
PATH=$path
[ -z "$prefix" ] || path=$usual
set -- $path $usual /usr/local/games /usr/games "$home/bin" "$home/.local/bin"
IFS=$nl
must_resolve /clawrden/bin
jail=$place bin=$inside
for folder in "$@"; do
  case $folder in /*) resolve "$folder" || continue ;; *) continue ;; esac
  [ "$inside" = "$bin" ] || listed "$inside" "$folders" || folders=$folders$inside$nl
done
for tool in $needed; do
  command -v "$tool" >/dev/null || fail "there is no $tool here, which this script needs; run it from outside: --prefix FOLDER"
done

# A user who may not write beside the jail has a record of one's own.
must_resolve /clawrden
record=$place/installed near=$place/installed
while [ -n "$near" ] && [ ! -e "$near" ]; do near=${near%/*}; done
[ "$uid" = 0 ] || [ -w "${near:-/}" ] || record=$prefix$home/.clawrden-installed
is_plain "$record" || fail "$record is a link, or no file: remove it first"

trap finish EXIT
trap 'exit 130' HUP INT TERM
if [ -n "$undoing" ]; then
  uninstall
  exit
fi
make_folder /clawrden/bin
make_folder /var/run/clawrden
install_shim
link_tools
[ -z "$locks" ] || find_own
for name in $locks; do lock "$name"; done
put_first
[ -n "$changed" ] || say "nothing to do: everything is in place"
say "For a Dockerfile (docker run takes the same by --env):"
say "ENV PATH=/clawrden/bin:$path"
resolve /clawrden/path.sh
[ ! -e "$place" ] && [ -z "$dry" ] || say "ENV BASH_ENV=/clawrden/path.sh ENV=/clawrden/path.sh"
