import { chmod, copyFile, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packageRoot } from '../../src/package-root.ts';
import { attempt, type CommandResult, run } from '../lab/command.ts';
import type { MadeImage } from './images.ts';

export const script = join(packageRoot(), 'scripts/install-clawrden.sh');
export const usualPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
export const shim = join(packageRoot(), 'build/native/clawrden-shim');

export interface InTree {
  readonly uid?: number;
  readonly env?: NodeJS.ProcessEnv;
}

/** An image as a folder of this machine. What runs in it is really there, by chroot. */
export class Tree {
  readonly root: string;
  readonly image: MadeImage;

  private constructor(root: string, image: MadeImage) {
    this.root = root;
    this.image = image;
  }

  static async make(image: MadeImage): Promise<Tree> {
    const root = await mkdtemp(join(tmpdir(), 'clawrden-install-'));
    await chmod(root, 0o755);
    await image.make(root);
    if (image.shells.length > 0) {
      await mkdir(join(root, 'tmp'), { recursive: true });
      await copyFile(script, join(root, 'tmp/install-clawrden.sh'));
      await copyFile(shim, join(root, 'tmp/clawrden-shim'));
      await run(['mknod', '-m', '666', join(root, 'dev/null'), 'c', '1', '3']);
    }
    return new Tree(root, image);
  }

  /** Looks `argv[0]` up as execvp does. */
  run(argv: readonly string[], { uid = 0, env = {} }: InTree = {}): Promise<CommandResult> {
    const start = [this.root, '/usr/sbin/chroot', `--userspec=${uid}:${uid}`, this.root, ...argv];
    return attempt([...(this.image.isEtcReadOnly === true ? withReadOnlyEtc : withEtc), ...start], { env });
  }

  install(args: readonly string[], options: InTree = {}): Promise<CommandResult> {
    const env = { PATH: usualPath, ...options.env };
    return this.run(['/bin/sh', '/tmp/install-clawrden.sh', ...args], { ...options, env });
  }

  /** Every entry: its name, type, mode, owner and where a link leads, and the digest of every file. */
  async look(): Promise<string> {
    const entries =
      "find . -printf '%P %y %m %U:%G %l\\n' | sort; find . -type f -print0 | sort -z | xargs -0r sha256sum";
    return await run(['sh', '-c', entries], { cwd: this.root });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.root, { recursive: true, force: true });
  }
}

// bash takes a socket as stdin for a remote shell's, and reads other files then.
const start = 'shift && exec "$@" </dev/null';
const bindEtc = 'mount --bind "$1/etc" "$1/etc" && mount -o remount,bind,ro "$1/etc"';
const withEtc = ['/bin/sh', '-c', start, 'sh'];
const withReadOnlyEtc = ['/usr/bin/unshare', '--mount', '/bin/sh', '-c', `${bindEtc} && ${start}`, 'sh'];
