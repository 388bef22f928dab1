import { statfs } from 'node:fs/promises';
import { nativeFile } from '../../../native-file.ts';
import { bad, doubtful, type Finding, good, messageOf } from './finding.ts';

const wantedMajor = 24;
const lowBytes = 1024 ** 3;
const leastBytes = 100 * 1024 ** 2;

export function checkNode(version: string = process.versions.node): Finding {
  const major = Number(version.split('.')[0]);
  if (major === wantedMajor) return good('Node', version);
  return doubtful(
    'Node',
    `${version}; Clawrden is tested with ${wantedMajor}`,
    `run it with Node ${wantedMajor}`,
  );
}

export function checkNative(): Finding[] {
  return ['clawrden-shim', 'clawrden-init', 'clawrden-connect', 'clawrden-carrier', 'peercred.node'].map((name) => {
    try {
      return good(name, nativeFile(name));
    } catch (error) {
      return bad(
        name,
        messageOf(error),
        'make -C shim/native (it needs musl-gcc: apt-get install musl-tools)',
      );
    }
  });
}

const forRecords = 'make room; without it the audit cannot be written and everything is refused';

/** The disk of the gateway's records: if it is full, the gateway refuses all work. Or another one, with its own `fix`. */
export async function checkDisk(folder: string, fix = forRecords): Promise<Finding> {
  try {
    const { bavail, bsize } = await statfs(folder);
    const free = bavail * bsize;
    const text = `${Math.floor(free / 1024 ** 2)} MiB free at ${folder}`;
    if (free < leastBytes) return bad('disk', text, fix);
    return free < lowBytes ? doubtful('disk', text, fix) : good('disk', text);
  } catch (error) {
    return bad('disk', messageOf(error), `make the folder ${folder}`);
  }
}
