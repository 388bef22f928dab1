/** How the name of a carrier's own folder beside a workspace ends; it begins with a dot. */
export const besideEnd = '.clawrden';

/** Whether a path names, or leads through, a folder in which a carrier's own files may be. */
export function leadsToArea(path: string): boolean {
  // With a number, one that gave way to another user's.
  return path
    .split('/')
    .some((name) => name.startsWith('.') && name.replace(/-[1-8]$/, '').endsWith(besideEnd));
}
