import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isDangerousVariable } from '../../src/policy/request/dangerous-variables.ts';
import { scrubEnvironment } from '../../src/policy/request/scrub-environment.ts';
import { dangerousVariables, harmlessVariables } from '../../src/policy/request/variable-data.ts';
import { isOfItsKind } from '../../src/policy/request/variable-kinds.ts';
import { findTool } from './scratch.ts';

/** Whether no policy lets it pass, a kind bounds its value, or the data calls it harmless. */
const isLookedAt = (name: string) =>
  isDangerousVariable(name) ||
  !isOfItsKind(name, '/app/../x $(x)') ||
  harmlessVariables.some((pattern) => name.startsWith(pattern.replace('*', '')));

function printed(argv: readonly string[]): string {
  const [tool = '', ...args] = argv;
  const { stdout, stderr } = spawnSync(tool, args, { encoding: 'utf8', input: '' });
  return `${stdout}\n${stderr}`;
}

/** The texts in a program that look like a variable's name. */
function namesIn(file: string, pattern: RegExp): string[] {
  const texts = readFileSync(realpathSync(file), 'latin1').split('\0');
  return texts.filter((text) => pattern.test(text));
}

const libraries = ['/lib/x86_64-linux-gnu', '/usr/lib/x86_64-linux-gnu', '/lib/aarch64-linux-gnu', '/lib64'];
const library = (start: string) =>
  libraries
    .filter((folder) => existsSync(folder))
    .flatMap((folder) => readdirSync(folder).map((name) => join(folder, name)))
    .find((file) => file.includes(`/${start}`));

describe('A-83 P12: each variable that the real tools name themselves is looked at', () => {
  const git = findTool('git');
  test.skipIf(git === undefined)('git', () => {
    const names = namesIn(git ?? '', /^GIT_[A-Z_]+$/);
    expect(names.length).toBeGreaterThan(50);
    expect(names.filter((name) => !isLookedAt(name))).toEqual([]);
  });

  const libc = library('libc.so.6');
  test.skipIf(libc === undefined)(
    'glibc: what it takes from a program that is set to another user, and more',
    () => {
      const named =
        /^(LD_|MALLOC_|RES|NIS_|GCONV|GETCONF|HOSTAL|LOCAL|LOCPATH|NLSPATH|TMPDIR|TZDIR|LANG|LC_|POSIXLY|GMON|DATEMSK|MSGVERB|OUTPUT_CH)[A-Z_]*$/;
      const names = namesIn(libc ?? '', named);
      expect(names).toContain('GCONV_PATH');
      expect(names.filter((name) => !isLookedAt(name) && name !== 'RES')).toEqual([]);
    },
  );

  test.each([
    ['node', [process.execPath, '--help'], /\bNODE_[A-Z_]+|SSL[A-Z]+|\bTZ\b/g],
    ['python', ['python3', '--help-all'], /\bPYTHON[A-Z]{3,}/g],
    ['python before 3.11', ['python3', '--help'], /\bPYTHON[A-Z]{3,}/g],
    ['perl', ['perl', '-V'], /\bPERL[A-Z0-9]*_[A-Z_]+/g],
    ['npm', ['npm', 'config', 'ls', '-l'], /\bnpm_[a-z_]+/g],
    ['kubectl', ['kubectl', 'options'], /\bKUBE[A-Z_]+/g],
    ['docker', ['docker', '--help'], /\bDOCKER_[A-Z_]+/g],
    ['gcc', ['gcc', '-v', '--help'], /\b(GCC|COLLECT)_[A-Z_]+/g],
    ['rsync', ['rsync', '--help'], /\bRSYNC_[A-Z_]+/g],
  ] as const)('%s', (_name, argv, pattern) => {
    const names = [...new Set(printed(argv).match(pattern) ?? [])];
    expect(names.filter((name) => !isLookedAt(name))).toEqual([]);
  });

  test.each([
    ['bash', /^(BASH|HIST|PROMPT|MAIL|CDPATH|INPUTRC|GLOBIGNORE|EXECIGNORE|SHELLOPTS|ENV$)[A-Z_]*$/],
    ['less', /^(LESS|EDITOR|VISUAL)[A-Z_]*$/],
    ['ssh', /^SSH_[A-Z_]+$/],
    ['make', /^(MAKE(FLAGS|FILES|LEVEL|_[A-Z_]+)|GNUMAKEFLAGS|MFLAGS)$/],
    ['man', /^MAN(_|PAGER|OPT|PATH|ROFF|LESS)[A-Z_]*$/],
    ['tar', /^TAR_[A-Z_]+$|^RSH$/],
    ['gpg', /^(GPG|GNUPG|PINENTRY|ASSUAN)_[A-Z_]+$/],
    ['curl', /^CURL_[A-Z]+$/],
    ['openssl', /^OPENSSL_[A-Z]+$/],
    ['gdb', /^(GDB|DEBUGINFOD)[A-Z_]+$/],
    ['vim', /^(VIM|EXINIT)[A-Z]*$/],
  ])('%s', (tool, own) => {
    const file = findTool(tool);
    if (file === undefined) return;
    expect(namesIn(file, own).filter((name) => !isLookedAt(name))).toEqual([]);
  });
});

test('A-83: in any case and behind any family, whatever a policy allows', () => {
  const numRuns = process.env['CLAWRDEN_LONG'] === '1' ? 100_000 : 5000;
  const rest = fc.stringMatching(/^[A-Za-z0-9_]{0,8}$/);
  const cased = (name: string) =>
    fc
      .array(fc.boolean(), { minLength: name.length, maxLength: name.length })
      .map((flags) =>
        Array.from(name, (letter, index) => (flags[index] === true ? letter.toLowerCase() : letter)).join(''),
      );
  const named = fc
    .tuple(fc.constantFrom(...dangerousVariables), rest)
    .map(([pattern, more]) => (pattern.endsWith('*') ? pattern.slice(0, -1) + more : pattern))
    .filter((name) => !harmlessVariables.some((one) => name.startsWith(one.replace('*', ''))));
  fc.assert(
    fc.property(named.chain(cased), (name) => {
      fc.pre(!harmlessVariables.some((one) => name.startsWith(one.replace('*', ''))));
      expect(scrubEnvironment([`${name}=1`], [name, '*'])).toEqual([]);
    }),
    { numRuns },
  );
});

test('A-83: what is called harmless may be allowed by its name', () => {
  const names = harmlessVariables.map((name) => name.replace('*', 'X'));
  expect(names.filter((name) => scrubEnvironment([`${name}=1`], [name]).length !== 1)).toEqual([]);
});
