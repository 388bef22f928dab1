/**
 * Tools that run a program named by an argument, an option's value or their input. `policy check` warns about a rule
 * that allows one. Wrappers, shells and interpreters have data of their own.
 */
export const runners: ReadonlySet<string> = new Set(
  [
    // Debian 12: a test gave each of the 702 programs of its standard and build sets a probe program in 27 forms, in
    // its options, and on its input. These ran it.
    `capsh choom cpan dbus-run-session debconf debconf-apt-progress debugfs docker-init dpkg-architecture flock fstab-decode
    gdb gp-collect-app i386 linux32 linux64 nsenter prlimit prove rbash sed setarch setpriv sftp split ssh-agent strace tclsh
    unshare valgrind watch x86_64`,
    // By their manuals: they do so only with a terminal, a file of their own or another machine.
    `apt apt-get aptitude ar as autoconf autom4te automake autoreconf bison c++ cc ccache clang clang++ cmake cpio cpp
    crontab ctags ctest dc debuild diff diff3 distcc dpkg dpkg-buildpackage dpkg-source ed editor fakeroot flex ftp g++ gcc gdbserver
    git gpg gpgconf gs info install ip iptables ld ldd lex libtool logrotate lynx m4 mail mailx make mandb mc meson more mount
    msgexec msgfilter nano nc ncat newgrp ninja openssl pager patch perldoc pydoc pydoc3 rpcgen rpm rpmbuild rsync rview rvim
    run-mailcap run-parts scp script scriptlive sdiff see select-editor sensible-browser sensible-editor sensible-pager sg
    sqlite3 ssh-add ssh-copy-id ssh-keygen start-stop-daemon systemctl systemd-run tar tcpdump telnet vi view vigr vimdiff vipw
    visudo w3m wget xdg-open yacc zip 7z`,
    // The same, for tools that are often installed beside them.
    `ansible ansible-playbook asdf bear bundle chronic composer concurrently convert corepack cross-env cvs daemonize direnv
    dotenv dotnet doxygen eatmydata emacs exiftool fswatch gem gh gnuplot hatch helm hg ifne jshell latex lua5.4 magick
    mise mispipe mysql nodemon nox nvm packer pandoc parallel pdflatex pee pipx pm2 pnpm poetry psql pyenv pytest rake rbenv
    reptyr rustc rustup sbt scons screen svn tex tig tox uv uvx vagrant vidir vipe with-lock-ex xelatex xinit xterm yarn zrun`,
  ].flatMap((text) => text.split(/\s+/)),
);
