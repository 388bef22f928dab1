import { posix } from 'node:path';
import { z } from 'zod';
import { absolutePathField, parsedField } from './fields.ts';

/** Where relay.yaml lets workspaces be. */
export interface WorkspaceRoots {
  /** In Docker volumes. */
  readonly volumes: boolean;
  /** In these folders. */
  readonly folders: readonly string[];
}

/** A workspace is never in one of these, and never holds one. */
const closed = [
  ...[
    '/bin',
    '/boot',
    '/dev',
    '/etc',
    '/lib',
    '/lib32',
    '/lib64',
    '/libx32',
    '/lost+found',
    '/proc',
    '/root',
  ],
  ...[
    '/run',
    '/sbin',
    '/sys',
    '/usr',
    '/var/run',
    '/var/lock',
    '/var/log',
    '/var/spool',
    '/var/cache',
    '/snap',
  ],
  ...['/var/lib/clawrden', '/var/lib/containerd', '/var/lib/docker', '/var/lib/dpkg', '/var/lib/systemd'],
];

/** A workspace may be in one of these, and never holds one: many programs and users have something in them. */
const shared = ['/', '/home', '/media', '/mnt', '/opt', '/srv', '/tmp', '/var', '/var/lib', '/var/tmp'];

const volumesWord = 'volumes';

const rootField = parsedField(
  (text) => (text === volumesWord || isFolderRoot(text) ? text : undefined),
  `"${volumesWord}", or the normal absolute path of a folder that is not the system's`,
);

/** `workspace-roots` of relay.yaml. */
export const workspaceRootsField = z.array(rootField).max(100).prefault([volumesWord, '/srv']);

/** `agent-mounts` of relay.yaml: folders whose folders may be mounted into agents' containers. */
export const agentMountsField = z
  .array(
    parsedField(
      (text) => (isFolderRoot(text) ? text : undefined),
      "the normal absolute path of a folder that is not the system's",
    ),
  )
  .max(100)
  .default([]);

export function toWorkspaceRoots(roots: readonly string[]): WorkspaceRoots {
  return { volumes: roots.includes(volumesWord), folders: roots.filter((root) => root !== volumesWord) };
}

/** As relay.yaml writes them. */
export function formatWorkspaceRoots({ volumes, folders }: WorkspaceRoots): string {
  return `[${[...(volumes ? [volumesWord] : []), ...folders].join(', ')}]`;
}

/** Whether `path` is `folder`, or is in it. Both are absolute and normal. */
export function isIn(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith('/') ? folder : `${folder}/`);
}

/** A folder of the system's that no workspace may be in, or hold; `undefined` if `path` is clear of them all. */
export function systemFolderAt(path: string): string | undefined {
  return (
    closed.find((folder) => isIn(path, folder)) ?? [...closed, ...shared].find((each) => isIn(each, path))
  );
}

function isFolderRoot(text: string): boolean {
  const isPath = absolutePathField.safeParse(text).success && text === posix.normalize(text);
  return isPath && closed.every((folder) => !isIn(text, folder));
}
