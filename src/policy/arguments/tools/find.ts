import { options, type ToolGrammar } from './grammar.ts';

/** GNU findutils 4.9. */
export const find: ToolGrammar = {
  style: 'words',
  options: options(
    `-H -L -P -a -and -o -or -not -name= -iname= -path= -ipath= -wholename= -iwholename= -regex= -iregex= -regextype=
    -lname= -ilname= -type= -xtype= -size= -empty -maxdepth= -mindepth= -depth -d -mount -xdev -prune -print -print0
    -printf= -ls -quit -true -false -newer= -anewer= -cnewer= -newermt= -newerct= -newerat= -mtime= -mmin= -atime=
    -amin= -ctime= -cmin= -daystart -user= -group= -uid= -gid= -nouser -nogroup -perm= -readable -writable
    -executable -links= -inum= -samefile= -follow -noleaf -ignore_readdir_race -noignore_readdir_race -used=
    -fstype= -warn -nowarn -help -version`,
    `-exec= -execdir= -ok= -okdir= -delete -fprint= -fprint0= -fprintf= -fls= -files0-from=`,
  ),
};
