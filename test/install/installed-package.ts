import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { attempt, type CommandOptions, type CommandResult, run } from '../lab/command.ts';
import { checkout } from '../lab/names.ts';
import { type Program, startProgram } from '../stack/program.ts';

const minutes = 60_000;

/** What `scripts/package` makes, as npm installs it: outside of the checkout, on a machine without a compiler. */
export interface InstalledPackage extends AsyncDisposable {
  readonly folder: string;
  readonly command: string;
  /** A file of the package. */
  readonly file: (...path: string[]) => string;
  readonly clawrden: (args: readonly string[], options?: CommandOptions) => Promise<CommandResult>;
  /** `clawrden gateway` or `clawrden relay`, by the package's command or by another one. */
  readonly start: (args: readonly string[], argv?: readonly string[]) => Promise<Program>;
}

export async function installPackage(...options: string[]): Promise<InstalledPackage> {
  const folder = await mkdtemp(join(tmpdir(), 'clawrden-package-'));
  const made = await run([join(checkout, 'scripts/package'), ...options], { timeout: 20 * minutes });
  const tarball = join(checkout, made.trim());
  await mkdir(join(folder, 'bin'));
  await run(['ln', '-s', process.execPath, join(folder, 'bin/node')]);
  await run(['ln', '-s', '/bin/sh', join(folder, 'bin/sh')]);
  await writeFile(join(folder, 'package.json'), '{"private":true}');
  // npm itself is no part of what is tried: it needs the PATH of this machine.
  await run(['npm', 'install', '--ignore-scripts', '--no-audit', '--no-fund', '--omit=optional', tarball], {
    cwd: folder,
    timeout: 5 * minutes,
  });
  const command = join(folder, 'node_modules/.bin/clawrden');
  const env = { PATH: join(folder, 'bin'), HOME: folder };
  return {
    folder,
    command,
    file: (...path) => join(folder, 'node_modules/clawrden', ...path),
    clawrden: (args, more) => attempt([command, ...args], { env, timeout: minutes, ...more }),
    start: ([program = '', ...args], argv = [command]) =>
      startProgram({ argv: [...argv, program, ...args], log: join(folder, `${program}.log`), env }),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}
