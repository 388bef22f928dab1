import { execFileSync, spawnSync } from 'node:child_process';
import { Command } from 'commander';
import { expect, test, vi } from 'vitest';
import { program } from '../../src/cli/program.ts';
import { addRunOptions } from '../../src/cli/set-up/agent/run/add-run-options.ts';

const hasDocker = spawnSync('docker', ['--version']).status === 0;

interface DockerOption {
  readonly flags: readonly string[];
  readonly takesValue: boolean;
}

/** Every option that the client on this machine knows, from its own help. */
function dockerOptions(): DockerOption[] {
  const help = execFileSync('docker', ['run', '--help'], { encoding: 'utf8' });
  const lines = help.matchAll(/^ {2}(?:(-\w), | {4})(--[\w-]+)(?: (\w+))? {2,}\S/gm);
  return [...lines].map(([, short, long = '', type]) => ({
    flags: [...(short === undefined ? [] : [short]), long],
    takesValue: type !== undefined,
  }));
}

/** `design`: these and no other. */
const taken = new Set([
  ...[
    '--name',
    '--hostname',
    '--env',
    '-e',
    '--env-file',
    '--workdir',
    '-w',
    '--interactive',
    '-i',
    '--tty',
    '-t',
  ],
  ...['--detach', '-d', '--rm', '--restart', '--memory', '--cpus', '--pids-limit', '--shm-size', '--tmpfs'],
  ...['--volume', '--read-only', '--stop-timeout', '--label', '--entrypoint', '--help'],
]);

/** What the command line says of wrong usage. */
async function saysOf(...line: string[]): Promise<string> {
  const said: string[] = [];
  const stderr = vi.spyOn(process.stderr, 'write').mockImplementation((text) => said.push(String(text)) > 0);
  try {
    await program().parseAsync(['agent', 'run', ...line], { from: 'user' });
    return 'was taken';
  } catch (error) {
    return (error as { exitCode?: number }).exitCode === 1 ? said.join('') : String(error);
  } finally {
    stderr.mockRestore();
  }
}

test.skipIf(!hasDocker)(
  'each option of docker run is taken with its own names and values, or refused by name',
  async () => {
    const options = dockerOptions();
    expect(options.length).toBeGreaterThan(80);
    const ours = addRunOptions(new Command());
    for (const { flags, takesValue } of options) {
      for (const flag of flags) {
        const own = ours.options.find(({ short, long }) => [short, long].includes(flag));
        if (taken.has(flag)) {
          if (flag !== '--help') expect([flag, own?.required]).toEqual([flag, takesValue]);
          continue;
        }
        expect([flag, own]).toEqual([flag, undefined]);
        const written = [[flag, 'x'], ...(flag.startsWith('--') ? [[`${flag}=x`]] : [[`${flag}x`]])];
        for (const words of written) {
          const said = await saysOf('coder', ...words, 'image');
          expect(said).toContain(`clawrden: usage: unknown option '${flag}`);
        }
      }
    }
    // What we take is docker's, but for the file of the relay.
    const known = new Set(options.flatMap(({ flags }) => flags));
    const others = ours.options
      .flatMap(({ short, long }) => [short, long])
      .filter((flag) => flag && !known.has(flag));
    expect(others).toEqual(['--config']);
  },
);

test('what is refused before the image is no part of the command behind it', async () => {
  expect(await saysOf('coder', '--privileged=false', 'image')).toContain(
    "unknown option '--privileged=false'",
  );
  expect(await saysOf('coder', '-itP', 'image')).toContain("unknown option '-P'");
  expect(await saysOf('coder')).toContain("missing required argument 'image'");
  expect(await saysOf('coder', '--name', 'a', '--name', 'b', 'image')).toContain('was given twice');
  const none = ['--config', '/nonexistent/relay.yaml'];
  expect(await saysOf('coder', ...none, 'image', '--privileged', '--network=host')).toContain('"125"');
});
