import type { Case } from './case.ts';
import type { Difference } from './compare.ts';

/** What of a case differs by design if the workspace is a replica. */
interface Exception {
  readonly why: string;
  /** What differs; each of them must. If undefined, the case is left out: it cannot get to its end. */
  readonly differs: readonly string[] | undefined;
}

/** `docs/workspaces.md`, "What is not exact", names each of them. */
export const exceptions: Readonly<Record<string, Exception>> = {
  'file-mkfifo': { why: 'a FIFO stays on the host', differs: ['file p'] },
  'shell-fifo': {
    why: 'the FIFO that mkfifo made stays on the host, so the caller’s shell makes a file',
    differs: undefined,
  },
  'file-setuid-on-ones-own': { why: 'setuid and setgid of files are not carried', differs: ['file f'] },
  'file-copy-of-a-tree': {
    why: 'cp sees a program without its setuid, which is not carried',
    differs: ['file to/x/1'],
  },
  'file-deep-tree': {
    why: 'more than 255 folders in each other are not carried',
    differs: Array.from(
      { length: 46 },
      (_, index) =>
        `file ${Array(255 + index)
          .fill('d')
          .join('/')}`,
    ),
  },
};

export function isLeftOut(name: string): boolean {
  const exception = exceptions[name];
  return exception !== undefined && exception.differs === undefined;
}

/** The differences that no exception names, and those named ones that are not there any more. */
export function unlessByDesign({ name }: Case, found: readonly Difference[]): Difference[] {
  const named = exceptions[name]?.differs ?? [];
  const stale = named.filter((what) => !found.some((one) => one.what === what));
  return [
    ...found.filter(({ what }) => !named.includes(what)),
    ...stale.map((what) => ({ what, native: 'differs by design', clawrden: 'does not differ' })),
  ];
}
