import { statfs } from 'node:fs/promises';
import { bad, doubtful, type Finding, good, messageOf } from './finding.ts';

/** Others than this kernel write to these, and inotify says nothing of it. */
const shared: ReadonlyMap<number, string> = new Map([
  [0x6969, 'NFS'],
  [0x517b, 'SMB'],
  [0xff534d42, 'CIFS'],
  [0xfe534d42, 'SMB'],
  [0x01021997, '9p'],
  [0x65735546, 'FUSE'],
  [0x00c36400, 'Ceph'],
  [0x47504653, 'GPFS'],
  [0x0bd00bd0, 'Lustre'],
  [0x7461636f, 'OCFS2'],
  [0x01161970, 'GFS2'],
]);

/** Whether every change of the files in a workspace is seen on this host. */
export async function checkFileSystem(check: string, root: string): Promise<Finding> {
  try {
    return judgeFileSystem(check, root, (await statfs(root)).type);
  } catch (error) {
    return bad(check, `${root}: ${messageOf(error)}`, 'make the folder, or mend workspace in gateway.yaml');
  }
}

export function judgeFileSystem(check: string, root: string, type: number): Finding {
  // 32 bits, whose sign some architectures keep.
  const name = shared.get(type >>> 0);
  if (name === undefined) return good(check, `${root}: its file system is this host's own`);
  const text = `${root} is on ${name}: what another host writes there is seen late, or never`;
  return doubtful(check, text, "keep the workspace on a disk of the agent's own host");
}
