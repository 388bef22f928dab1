import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { busyboxBinary, makeBusyboxRoot } from './busybox-root.ts';
import type { ImageConfig } from './image-archive.ts';
import { caInImage, findNodeSources, makeNodeRoot } from './node-root.ts';

/** One image of the lab: its key changes when any of its sources changes. */
export interface Recipe {
  readonly tag: string;
  readonly config: ImageConfig;
  /** Texts and files whose content decides whether a cached image is still valid. */
  readonly key: { readonly texts: readonly string[]; readonly files: readonly string[] };
  make(root: string): Promise<void>;
}

export const busyboxImage = 'clawrden-lab/busybox:latest';
export const agentImage = 'clawrden-lab/agent:latest';
export const nodeImage = 'clawrden-lab/node:24';
export const scratchImage = 'clawrden-lab/scratch:latest';

const path = 'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** Every image that the engines of a lab hold. */
export async function catalogue(): Promise<Recipe[]> {
  return [scratch(), busybox(busyboxImage, ['sh']), busybox(agentImage, ['sleep', 'infinity']), await node()];
}

function busybox(tag: string, command: string[]): Recipe {
  return {
    tag,
    config: { Env: [path], Cmd: command },
    key: { texts: [], files: [busyboxBinary, join(import.meta.dirname, 'busybox-root.ts')] },
    make: makeBusyboxRoot,
  };
}

function scratch(): Recipe {
  return {
    tag: scratchImage,
    config: { Env: [] },
    key: { texts: [], files: [] },
    make: async (root) => {
      await mkdir(join(root, 'app'), { recursive: true });
    },
  };
}

async function node(): Promise<Recipe> {
  const sources = await findNodeSources();
  return {
    tag: nodeImage,
    config: { Env: [path, `NODE_EXTRA_CA_CERTS=${caInImage}`, `GIT_SSL_CAINFO=${caInImage}`], Cmd: ['node'] },
    key: {
      texts: [JSON.stringify(sources), process.version],
      files: [sources.caBundle, join(import.meta.dirname, 'node-root.ts')],
    },
    make: (root) => makeNodeRoot(root, sources),
  };
}
