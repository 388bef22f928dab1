import type { Policy } from '../policy.ts';

const maxPathBytes = 4095;

/**
 * `cwd` without `.`, `..`, `//` and a slash at its end, if it is absolute and inside `workspace` (which is absolute
 * and normalised), compared component by component. Works only on the text; the init resolves links.
 */
export function normalizeCwd(cwd: string, workspace: string): string | undefined {
  if (!cwd.startsWith('/') || cwd.includes('\0') || Buffer.byteLength(cwd) > maxPathBytes) return undefined;
  const parts = resolveParts(cwd);
  const root = resolveParts(workspace);
  return root.every((part, index) => parts[index] === part) ? `/${parts.join('/')}` : undefined;
}

/** The same for each directory in which the policy lets a command start; `root` is the one that contains it. */
export function locateCwd(policy: Policy, cwd: string): { cwd: string; root: string } | undefined {
  for (const root of policy.roots) {
    const normal = normalizeCwd(cwd, root);
    if (normal !== undefined) return { cwd: normal, root };
  }
  return undefined;
}

/** Whether `path` is `directory` or below it; both are absolute and normalised. */
export function isInside(path: string, directory: string): boolean {
  return path === directory || path.startsWith(`${directory}/`);
}

function resolveParts(path: string): string[] {
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return parts;
}
