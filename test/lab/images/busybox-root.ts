import { copyFile, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from '../command.ts';

/** Debian's and Ubuntu's busybox-static. */
export const busyboxBinary = '/bin/busybox';

/** A root folder with the static busybox, a link for every applet, and a passwd entry for the agent. */
export async function makeBusyboxRoot(root: string): Promise<void> {
  for (const folder of ['bin', 'etc', 'root', 'app', 'proc', 'sys', 'dev']) {
    await mkdir(join(root, folder), { recursive: true });
  }
  await mkdir(join(root, 'tmp'), { mode: 0o1777 });
  await mkdir(join(root, 'home', 'agent'), { recursive: true });
  await run(['chmod', '1777', join(root, 'tmp')]);
  await run(['chown', '1000:1000', join(root, 'home', 'agent'), join(root, 'app')]);
  await copyFile(busyboxBinary, join(root, 'bin', 'busybox'));
  await run(['chmod', '755', join(root, 'bin', 'busybox')]);
  for (const applet of await applets()) await symlink('busybox', join(root, 'bin', applet));
  for (const name of scriptTools) await writeFile(join(root, 'bin', name), scriptTool, { mode: 0o755 });
  await writeFile(join(root, 'etc', 'passwd'), passwd);
  await writeFile(join(root, 'etc', 'group'), group);
}

/** Tools that run the script given to them: a policy that sees through shells does not look into these. */
export const scriptTools = ['ghostly', 'mirrored'] as const;
export const scriptTool = '#!/bin/sh\nexec /bin/sh -c "$1"\n';

export const passwd = 'root:x:0:0:root:/root:/bin/sh\nagent:x:1000:1000:agent:/home/agent:/bin/sh\n';
export const group = 'root:x:0:\nagent:x:1000:\n';

async function applets(): Promise<string[]> {
  const names = (await run([busyboxBinary, '--list'])).trim().split('\n');
  return names.filter((name) => name !== 'busybox'); // a link of busybox to itself would hide the binary
}
