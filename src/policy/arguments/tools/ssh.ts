import { options, type ToolGrammar } from './grammar.ts';

/** OpenSSH 9.2. `-o` can be anything, ProxyCommand among it. What runs on the other side is not looked at. */
export const ssh: ToolGrammar = {
  style: 'posix',
  optionsBehindFirst: true,
  runsByItself: () => 'what its configuration names, and the other side',
  options: options(
    '-4 -6 -a -C -k -n -q -T -t -V -v -x -l= -p= -b= -B= -c= -e= -m= -i=',
    // Not -P: some versions take a value for it, and others read on behind it.
    `-A -D= -E= -F= -f -G -g -I= -J= -K -L= -M -N -O= -o= -Q= -R= -S= -s -W= -w= -X -Y -y`,
  ),
  // A host that begins with a dash behind `--` would be an option to whatever reads it next.
  areHarmless: ({ operands: [host = ''] }) => host !== '' && !host.startsWith('-'),
};
