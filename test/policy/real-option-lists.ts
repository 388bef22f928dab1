import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ask, type RealCommand, type RealOption, takenOut } from './real-options.ts';
import { findTool } from './scratch.ts';

/** Tools whose help has a form of its own. */

/** `[-46Aa]`, `[-B bind_interface]`. */
export function sshCommand(): RealCommand {
  const said = ask('ssh', []);
  const bare = /\[-([A-Za-z0-9]{3,})\]/.exec(said)?.[1] ?? '';
  const valued = [...said.matchAll(/\[(-\w) /g)].map(([, name = '']) => name);
  return commandOf(
    'ssh',
    [...[...bare].map((letter) => option([`-${letter}`])), ...valued.map(needing)],
    '-V',
  );
}

/** `-c cmd : program`, `--help-env      : print`. */
export function pythonCommand(): RealCommand {
  const lines = ask('python3', ['--help-all']).split('\n');
  const options = lines.flatMap((line) => {
    const [, name, value] = /^(-\w|--[\w-]+)( [\w|]+)?\s*:(?: |$)/.exec(line) ?? [];
    return name === undefined ? [] : [value === undefined ? option([name]) : needing(name)];
  });
  return commandOf('python3', options, '--version');
}

/** `  -C[number/list]`, `  -e commandline`, `  -Idirectory`. The debugger's and -V's values begin with a colon. */
export function perlCommand(): RealCommand {
  const lines = ask('perl', ['--help']).split('\n');
  const options = lines.flatMap((line) => {
    const [, name, rest = ''] = /^ {2}(-\w)(\S*(?: commandline)?)/.exec(line) ?? [];
    if (name === undefined) return [];
    if (/^(?:\[t\]|\[:)/.test(rest) || rest === '') return [option([name])];
    return [
      rest.endsWith('line') || rest === 'directory'
        ? needing(name)
        : { names: [name], value: 'optional' as const },
    ];
  });
  return commandOf('perl', options, '-v');
}

/** `  -refresh=false`, `  -var 'foo=bar'`: one word with one dash or two. */
export function terraformCommand(words: readonly string[]): RealCommand {
  const lines = ask('terraform', [...words, '-help']).split('\n');
  const options = lines.flatMap((line): RealOption[] => {
    const [, name, value = ''] = /^\s{1,5}(-[a-z][\w-]*)(=\S+| '[^']*')?(?:\s|$)/.exec(line) ?? [];
    if (name === undefined) return [];
    if (takenOut.has(name)) return [option([name])];
    // Its help does not show that it needs a value.
    const isOptional = name !== '-plugin-dir' && (value === '' || value === '=false');
    return [{ names: [name], value: isOptional ? 'optional' : 'required' }];
  });
  return {
    tool: 'terraform',
    words,
    options,
    accepts: (args) =>
      !/provided but not defined|needs an argument/.test(inScratch('terraform', [...words, ...args])),
  };
}

/** `-name PATTERN`, `-print0`: what is in capitals behind it is its value. */
export function findCommand(): RealCommand {
  const said = ask('find', ['--help']).split('Other common')[0] ?? '';
  const listed = said.slice(said.indexOf('-daystart'));
  const found = [...listed.matchAll(/(?<=\s)(-[a-z][a-z_0-9-]+)( (?:[A-Z]+\b|\[))?/g)];
  // The help leaves out that it needs a value.
  const options = found.map(([, name = '', value]) =>
    value === undefined && name !== '-regextype' ? option([name]) : needing(name),
  );
  const accepts = (args: readonly string[]) =>
    !/unknown predicate|missing argument/.test(
      inScratch('find', ['/nonexistent/place', ...args, ...endOf(args)]),
    );
  return { tool: 'find', words: [], options, accepts };
}

function endOf([name = '']: readonly string[]): readonly string[] {
  if (name === '-fprintf') return ['%p', '-help'];
  return /^-(?:exec|ok)/.test(name) ? [';', '-help'] : ['-help'];
}

/** `[-a|--all]`, `[--depth <depth>]`. */
export function npmCommand(words: readonly string[]): RealCommand {
  const said = ask('npm', [...words, '--help']);
  const usage = said.slice(said.indexOf('Options:'), said.indexOf('\n\n', said.indexOf('Options:')));
  const options = [...usage.matchAll(/(?:(-\w)\|)?(--(?!no-)[a-z-]+)( <)?/g)].map(
    ([, letter, name = '', value]): RealOption => ({
      names: [...(letter === undefined ? [] : [letter]), name],
      value: value === undefined ? 'none' : 'required',
    }),
  );
  const accepts = (args: readonly string[]) =>
    !/Unknown cli config/.test(inScratch('npm', ['prefix', ...args]));
  return { tool: 'npm', words, options, accepts };
}

function option(names: readonly string[]): RealOption {
  return { names, value: 'none' };
}

function needing(name: string): RealOption {
  return { names: [name], value: 'required' };
}

const refusals = /unknown option|unrecognized|requires an argument|argument expected/i;

/** What ends the line has the tool print something and do nothing. */
function commandOf(tool: string, options: readonly RealOption[], end: string): RealCommand {
  return { tool, words: [], options, accepts: (args) => !refusals.test(inScratch(tool, [...args, end])) };
}

/** What it says in an empty folder of its own: some options write where they are. */
function inScratch(tool: string, args: readonly string[]): string {
  const cwd = mkdtempSync(join(tmpdir(), 'clawrden-options-'));
  try {
    const env = { PATH: process.env['PATH'] ?? '/usr/bin:/bin', HOME: cwd, LC_ALL: 'C', TERM: 'dumb' };
    const { stdout, stderr } = spawnSync(findTool(tool) ?? tool, args, {
      ...{ cwd, env, input: '', encoding: 'utf8', timeout: 20_000 },
    });
    return stdout + stderr;
  } finally {
    rmSync(cwd, { recursive: true, force: true });
  }
}
