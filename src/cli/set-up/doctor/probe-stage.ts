import { spawn } from 'node:child_process';
import { chmod, chown, mkdir, mkdtemp, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Duplex } from 'node:stream';
import { CarrierSession } from '../../../carrier-client/carrier-session.ts';
import type { CarrierState } from '../../../carrier-client/carrier-state.ts';
import { defaultLimits } from '../../../carrier-client/hello.ts';
import type { Identity } from '../../../command.ts';
import { nativeFile } from '../../../native-file.ts';

export interface Probed {
  /** Of a tree without entries. */
  readonly state: CarrierState;
  /** By how much the file system's clock differs from this host's. */
  readonly clockMs: number;
}

const silenceMs = 10_000;

/**
 * Starts a carrier on an empty tree of its own in `parent`, as the agent, and takes everything away again. Only root may
 * be able to exchange what root makes in `parent`. Rejects with what the carrier says, also if its own folder would have
 * no place beside a workspace there.
 */
export async function probeStage(parent: string, user: Identity): Promise<Probed> {
  // Nobody but root enters it.
  const folder = await mkdtemp(join(parent, '.clawrden-probe-'));
  try {
    const clockMs = Math.abs((await stat(folder)).ctimeMs - Date.now());
    const [base, area] = [join(folder, 'base'), join(folder, 'area')];
    await mkdir(base);
    await chmod(base, 0o700);
    await chown(base, user.uid, user.gid);
    return { state: await greet(base, area, user), clockMs };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function greet(root: string, area: string, user: Identity): Promise<CarrierState> {
  const child = spawn(nativeFile('clawrden-carrier'), [], {
    stdio: ['pipe', 'pipe', 'ignore'],
    env: {},
    cwd: '/',
  });
  const gone = new Promise<void>((resolve) =>
    child.once('exit', () => resolve()).once('error', () => resolve()),
  );
  child.stdin.on('error', () => {});
  try {
    const session = new CarrierSession(Duplex.from({ readable: child.stdout, writable: child.stdin }), {
      role: 'home',
      silenceMs,
    });
    return await session.ready({ role: 'home', ...user, limits: defaultLimits, root, area });
  } finally {
    // What it knows of an empty tree is worth nothing.
    child.kill('SIGKILL');
    await gone;
  }
}
