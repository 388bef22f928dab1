import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Duplex, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { CarrierSession } from '../../../src/carrier-client/carrier-session.ts';
import type { CarrierState } from '../../../src/carrier-client/carrier-state.ts';
import { defaultLimits, type Hello } from '../../../src/carrier-client/hello.ts';
import type { SessionOptions } from '../../../src/carrier-client/session-options.ts';

const at = (path: string) => fileURLToPath(new URL(`../../../build/${path}`, import.meta.url));

/** Both builds: what a carrier does must be the same, and gcc's sanitizers must have nothing to say. */
export const carrierBuilds = [
  { name: 'static', carrier: at('native/clawrden-carrier') },
  { name: 'sanitized', carrier: at('native-sanitize/clawrden-carrier') },
] as const;

/** A memory file system if there is one, and the disk: their clocks, inodes and renames are not the same. */
export const fileSystems = ['/dev/shm', '/var/tmp'] as const;

/** Each build on a file system of its own; if not asked for all (CLAWRDEN_LONG), only the named one. */
export function buildsOrOnly(name: (typeof carrierBuilds)[number]['name']) {
  const all = carrierBuilds.map((build, index) => ({
    ...build,
    under: fileSystems[index] ?? fileSystems[0],
  }));
  return process.env['CLAWRDEN_LONG'] ? all : all.filter((build) => build.name === name);
}

export interface Place extends Disposable {
  readonly folder: string;
  readonly root: string;
  readonly area: string;
}

/** A tree and the folder beside it, removed at the end. */
export function makePlace(under: string = fileSystems[0]): Place {
  const folder = mkdtempSync(join(under, 'clawrden-carrier-'));
  const [root, area] = [join(folder, 'base'), join(folder, 'area')];
  mkdirSync(root);
  return { folder, root, area, [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) };
}

/** A real carrier as a child process. Kill it by `await using`. */
export class CarrierProcess {
  readonly child: ChildProcess;
  readonly session: CarrierSession;
  readonly stream: Duplex;
  diagnostic = '';

  constructor(binary: string, wrapper: readonly string[] = [], options: SessionOptions = {}) {
    const [command, ...args] = [...wrapper, binary];
    this.child = spawn(command, args, { stdio: ['pipe', 'pipe', 'pipe'] });
    const { stdin, stdout, stderr } = this.child;
    if (stdin === null || stdout === null || stderr === null) throw new Error('pipes are missing');
    stderr.on('data', (chunk: Buffer) => {
      this.diagnostic += chunk.toString();
    });
    this.stream = Duplex.from({ readable: stdout, writable: inputOf(stdin) });
    this.session = new CarrierSession(this.stream, { silenceMs: 20_000, ...options });
  }

  /** Starts one on a place and waits until it is ready. */
  static async start(
    binary: string,
    place: Pick<Place, 'root' | 'area'>,
    over: Partial<Hello> = {},
    wrapper: readonly string[] = [],
  ): Promise<CarrierProcess & { first: CarrierState }> {
    const carrier = new CarrierProcess(binary, wrapper);
    const first = await carrier.session.ready(helloOf(place, over));
    return Object.assign(carrier, { first });
  }

  async exited(): Promise<number | null> {
    if (this.child.exitCode === null && this.child.signalCode === null) await once(this.child, 'exit');
    return this.child.exitCode;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.child.kill('SIGKILL');
    await this.exited();
    if (this.diagnostic !== '') throw new Error(this.diagnostic);
  }
}

/** Stays open when the process is gone: the last that it said is still to be read. */
function inputOf(stdin: Writable): Writable {
  stdin.on('error', () => {});
  return new Writable({
    write: (chunk, _encoding, done) => stdin.write(chunk, () => done()),
    final: (done) => stdin.end(() => done()),
    destroy: (error, done) => {
      stdin.destroy();
      done(error);
    },
  });
}

export function helloOf({ root, area }: Pick<Place, 'root' | 'area'>, over: Partial<Hello> = {}): Hello {
  return { role: 'home', uid: 0, gid: 0, limits: defaultLimits, root, area, ...over };
}
