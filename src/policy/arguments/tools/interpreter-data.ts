import { type OptionTable, options, withOptions } from './grammar.ts';

/** A tool that runs the file named by its first operand, where all of its options end. */
export interface Interpreter {
  /** Every known option, without those that read commands from elsewhere or open a debugger. */
  readonly options: OptionTable;
  /** With one of these no operand is run: the program is their value, or a module that it names. */
  readonly instead: OptionTable;
  /** Their value is a file, or a name that the tool looks up, that runs first. */
  readonly loads: OptionTable;
  /** They change where the tool finds what it loads besides its program. */
  readonly alters: OptionTable;
  /** With one of these and no operand nothing runs. */
  readonly prints: OptionTable;
  /** First operands that are not files. */
  readonly words: ReadonlySet<string>;
  /** It removes `..` from a file's name as text, so after a link the path leads elsewhere than for the kernel. */
  readonly joinsPaths: boolean;
  /** A name that does not end with this stands for another file. */
  readonly loadedEnding: string;
}

interface Spellings {
  readonly plain: string;
  readonly instead: string;
  readonly loads?: string;
  readonly alters?: string;
  readonly prints: string;
  readonly words?: readonly string[];
  readonly joinsPaths?: boolean;
  readonly loadedEnding?: string;
}

/**
 * In a warning filter, a category with a dot in it would be imported; and to show a warning about a file that was
 * left open, Python looks for a module beside the script.
 */
const warnings = ['error', 'ignore'];
const categories = [
  'DeprecationWarning',
  'UserWarning',
  'ResourceWarning',
  'RuntimeWarning',
  'SyntaxWarning',
];
const filters = warnings.flatMap((one) => [one, ...categories.map((name) => `${one}::${name}`)]).join('|');

/** By their names without a version: `python` also means `python3.12`. An option that names a file is not plain. */
export const interpreterData: ReadonlyMap<string, Interpreter> = new Map<string, Interpreter>([
  // Node 24.
  [
    'node',
    interpreter({
      plain: `-c,--check --abort-on-uncaught-exception --cpu-prof
        --disable-warning={DeprecationWarning|ExperimentalWarning} --dns-result-order={ipv4first|ipv6first|verbatim}
        --enable-source-maps --expose-gc --heap-prof --jitless --max-http-header-size={#} --max-old-space-size={#}
        --max-semi-space-size={#} --no-addons --no-deprecation --no-warnings --pending-deprecation --stack-size={#}
        --stack-trace-limit={#} --strip-types --experimental-strip-types --throw-deprecation --trace-deprecation --trace-exit
        --trace-uncaught --trace-warnings --unhandled-rejections={strict|warn|none|throw|warn-with-error-codes}
        --use-bundled-ca --use-openssl-ca --use-system-ca --zero-fill-buffers`,
      instead: '-e,--eval= -p,--print= --run=',
      loads: '-r,--require= --import=',
      alters: `-C,--conditions= --preserve-symlinks --preserve-symlinks-main --env-file= --env-file-if-exists= --icu-data-dir=
        --loader,--experimental-loader= --openssl-config=`,
      prints: '-v,--version -h,--help --v8-options',
      words: ['inspect', 'debug'],
      joinsPaths: true,
    }),
  ],
  // CPython 3.11.
  [
    'python',
    interpreter({
      plain: `-b -B -d -E -I -O -P -q -s -S -t -u -v -x -W={${filters}} --check-hash-based-pycs={always|default}
        -X={faulthandler|importtime|int_max_str_digits=0|no_debug_ranges|showrefcount|tracemalloc|utf8|utf8=0|utf8=1|warn_default_encoding}`,
      instead: '-c= -m=',
      prints: '-h,--help -V,--version -? --help-env --help-xoptions --help-all',
    }),
  ],
  // Perl 5.36. `-l` and `-0` may have digits attached: those are then unknown options. With `-n` and `-p` the other
  // operands may be commands.
  [
    'perl',
    interpreter({
      plain: '-c -f -l -t -T -w -W -X -0',
      instead: '-e= -E=',
      loads: '-M= -m=',
      alters: '-I=',
      prints: '-h -v -V',
    }),
  ],
  // Ruby 3.1.
  [
    'ruby',
    interpreter({
      plain: `-c -d,--debug -l -U -w -W?{0|1|2|:deprecated|:experimental|:no-deprecated|:no-experimental}
        --disable={did_you_mean|error_highlight|frozen-string-literal|gems|jit|rubyopt|yjit} --enable={frozen-string-literal|jit|yjit}
        --jit --yjit --verbose -0`,
      instead: '-e=',
      loads: '-r=',
      alters: '-I=',
      prints: '-h,--help -v,--version --copyright',
      joinsPaths: true,
      loadedEnding: '.rb',
    }),
  ],
]);

function interpreter({
  plain,
  instead,
  loads = '',
  alters = '',
  prints,
  words = [],
  joinsPaths = false,
  loadedEnding = '',
}: Spellings): Interpreter {
  const tables = {
    instead: options(instead),
    loads: options(loads),
    alters: options(alters),
    prints: options(prints),
  };
  return {
    ...tables,
    options: Object.values(tables).reduce(withOptions, options(plain)),
    words: new Set(words),
    joinsPaths,
    loadedEnding,
  };
}
