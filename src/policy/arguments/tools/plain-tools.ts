/**
 * Tools that run and load nothing, whatever their arguments: those of coreutils 9.1 except chroot, env, install,
 * nice, nohup, runcon, sort, split, stdbuf and timeout; and cmp. The same holds for busybox.
 */
export const plainTools: ReadonlySet<string> = new Set(
  `[ arch b2sum base32 base64 basename basenc cat chcon chgrp chmod chown cksum cmp comm cp csplit cut date dd df dir
  dircolors dirname du echo expand expr factor false fmt fold groups head hostid id join link ln logname ls md5sum mkdir
  mkfifo mknod mktemp mv nl nproc numfmt od paste pathchk pinky pr printenv printf ptx pwd readlink realpath rm rmdir seq
  sha1sum sha224sum sha256sum sha384sum sha512sum shred shuf sleep stat stty sum sync tac tail tee test touch tr true
  truncate tsort tty uname unexpand uniq unlink users vdir wc who whoami yes`.split(/\s+/),
);
