import { type OptionTable, options, withOptions } from './grammar.ts';

/** A tool that runs a file named by its first operand. All of its options end there. */
export interface Interpreter {
  /** Every option that we know. One that also reads commands from somewhere, or opens a debugger, is not among them. */
  readonly options: OptionTable;
  /** With one of these no operand is run: the program is their value, or a module that it names. */
  readonly instead: OptionTable;
  /** Their value is a file, or a name that the tool looks up, that is run first. */
  readonly loads: OptionTable;
  /** With one of these and no operand nothing is run. */
  readonly prints: OptionTable;
  /** First operands that are no files. */
  readonly words: ReadonlySet<string>;
}

interface Spellings {
  readonly plain: string;
  readonly instead: string;
  readonly loads?: string;
  readonly prints: string;
  readonly words?: readonly string[];
}

/** By their names without a version: `python` stands for `python3.12` too. */
export const interpreterData: ReadonlyMap<string, Interpreter> = new Map<string, Interpreter>([
  // Node 24.
  [
    'node',
    interpreter({
      plain: `-c,--check --abort-on-uncaught-exception -C,--conditions= --cpu-prof --cpu-prof-dir=
        --cpu-prof-interval= --cpu-prof-name= --diagnostic-dir= --disable-warning= --dns-result-order= --enable-source-maps
        --expose-gc --force-color? --heap-prof --icu-data-dir= --input-type=
        --jitless --max-http-header-size= --max-old-space-size= --max-semi-space-size= --no-addons --no-deprecation
        --no-warnings --pending-deprecation --preserve-symlinks --preserve-symlinks-main --report-on-fatalerror
        --secure-heap= --stack-size= --stack-trace-limit= --strip-types --experimental-strip-types --throw-deprecation
        --title= --tls-cipher-list= --trace-deprecation --trace-exit --trace-uncaught --trace-warnings
        --unhandled-rejections= --use-bundled-ca --use-openssl-ca --use-system-ca --zero-fill-buffers`,
      instead: '-e,--eval= -p,--print= --run=',
      loads: '-r,--require= --import=',
      prints: '-v,--version -h,--help --v8-options',
      words: ['inspect', 'debug'],
    }),
  ],
  // CPython 3.11.
  [
    'python',
    interpreter({
      plain: '-b -B -d -E -I -O -P -q -s -S -t -u -v -x -W= -X= --check-hash-based-pycs=',
      instead: '-c= -m=',
      prints: '-h,--help -V,--version -? --help-env --help-xoptions --help-all',
    }),
  ],
  // Perl 5.36. `-l` and `-0` may have digits attached: those are then options that we do not know.
  [
    'perl',
    interpreter({
      plain: '-a -c -f -I= -l -n -p -s -t -T -u -U -w -W -X -0',
      instead: '-e= -E=',
      loads: '-M= -m=',
      prints: '-h -v -V',
    }),
  ],
  // Ruby 3.1.
  [
    'ruby',
    interpreter({
      plain: '-a -c -d,--debug -I= -l -n -p -s -U -w -W? --disable= --enable= --jit --yjit --verbose -0',
      instead: '-e=',
      loads: '-r=',
      prints: '-h,--help -v,--version --copyright',
    }),
  ],
]);

/** Tools whose program is among their arguments, and the options that say it is in a file. */
export const programFiles: ReadonlyMap<string, readonly string[]> = new Map<string, readonly string[]>([
  ...['awk', 'gawk', 'mawk', 'nawk'].map((name) => [name, ['-f', '-E', '--file', '--exec']] as const),
  ['sed', ['-f', '--file']],
]);

/** Tools that run files in ways that are not looked at. */
export const otherRunners: ReadonlySet<string> = new Set([
  ...['bun', 'bunx', 'deno', 'npx', 'php', 'lua', 'tclsh', 'ts-node', 'tsx'],
  ...['make', 'gmake', 'cmake', 'ninja', 'ant', 'gradle', 'mvn', 'cargo', 'go', 'java', 'Rscript', 'julia'],
]);

function interpreter({ plain, instead, loads = '', prints, words = [] }: Spellings): Interpreter {
  const [insteadTable, loadsTable, printsTable] = [options(instead), options(loads), options(prints)];
  return {
    options: [insteadTable, loadsTable, printsTable].reduce(withOptions, options(plain)),
    instead: insteadTable,
    loads: loadsTable,
    prints: printsTable,
    words: new Set(words),
  };
}
