import { CarrierError } from '../../../carrier-client/carrier-error.ts';
import type { Identity } from '../../../command.ts';
import { bad, doubtful, type Finding, good, messageOf } from './finding.ts';
import { type Probed, probeStage } from './probe-stage.ts';
import { rootFolderAbove } from './root-folder-above.ts';

const mostClockMs = 1000;

/** Whether a carrier can work on a workspace: its jail, its own folder, inotify, and the file system's clock. */
export async function checkStage(check: string, root: string, user: Identity): Promise<Finding[]> {
  if (process.geteuid?.() !== 0)
    return [doubtful(check, `the carrier of ${root} was not tried`, 'run doctor as root, as the relay runs')];
  try {
    const parent = await rootFolderAbove(root);
    if (parent === undefined)
      return [good(check, `${root}: its file system has no folder of root's to try a carrier in`)];
    return judgeProbe(check, root, await probeStage(parent, user));
  } catch (error) {
    return [judgeFailure(check, root, error)];
  }
}

export function judgeProbe(check: string, root: string, { state, clockMs }: Probed): Finding[] {
  const problems: (Finding | false)[] = [
    state.scans &&
      doubtful(
        check,
        `${root}: a carrier there has no inotify, and looks at every file before each command`,
        'raise fs.inotify.max_user_instances and fs.inotify.max_user_watches',
      ),
    state.unconfined &&
      doubtful(
        check,
        `${root}: a carrier there has no jail: it could open every file of the agent's user on this host`,
        'let the relay make mount namespaces: start it as root, and not in a container',
      ),
    clockMs > mostClockMs &&
      doubtful(
        check,
        `${root}: its file system's clock differs by ${Math.round(clockMs / 1000)} s from this host's`,
        'set both clocks: a change is told from an older one by them',
      ),
  ];
  const found = problems.filter((problem) => problem !== false);
  return found.length > 0 ? found : [good(check, `${root}: a carrier works there, in a jail, with inotify`)];
}

function judgeFailure(check: string, root: string, error: unknown): Finding {
  const text = `${root}: ${messageOf(error)}`;
  if (error instanceof CarrierError && error.code === 'area-apart')
    return good(check, `${root}: the carrier's files are in it, in .clawrden: there is no place beside it`);
  return bad(check, text, 'a carrier cannot keep this workspace; see docs/workspaces.md');
}
