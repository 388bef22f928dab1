import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { run } from '../command.ts';

export interface ImageConfig {
  readonly Env: readonly string[];
  readonly Cmd?: readonly string[];
  readonly WorkingDir?: string;
}

/**
 * Packs a root folder as a one-layer archive for `docker load`, and returns the image id. An archive has the same id
 * on every engine; two `docker import`s of one tar have not.
 */
export async function packImage(
  root: string,
  tag: string,
  config: ImageConfig,
  archive: string,
): Promise<string> {
  const work = `${archive}.d`;
  await rm(work, { recursive: true, force: true });
  await mkdir(work, { recursive: true });
  await run([...tar(root), '-cf', join(work, 'layer.tar'), '.'], { timeout: 300_000 });
  const layer = await sha256File(join(work, 'layer.tar'));
  const text = JSON.stringify(imageJson(config, layer));
  const id = createHash('sha256').update(text).digest('hex');
  await writeFile(join(work, `${id}.json`), text);
  const manifest = [{ Config: `${id}.json`, RepoTags: [tag], Layers: ['layer.tar'] }];
  await writeFile(join(work, 'manifest.json'), JSON.stringify(manifest));
  await run(['tar', '-C', work, '-cf', archive, '.'], { timeout: 300_000 });
  await rm(work, { recursive: true });
  return `sha256:${id}`;
}

function tar(root: string): string[] {
  const device = ['dev', 'proc', 'sys'].map((folder) => `--exclude=./${folder}/*`);
  return ['tar', '-C', root, '--sort=name', '--mtime=@0', '--numeric-owner', ...device];
}

function imageJson(config: ImageConfig, layer: string): unknown {
  return {
    architecture: process.arch === 'arm64' ? 'arm64' : 'amd64',
    os: 'linux',
    created: '1970-01-01T00:00:00Z',
    config,
    rootfs: { type: 'layers', diff_ids: [`sha256:${layer}`] },
    history: [{ created: '1970-01-01T00:00:00Z', created_by: 'clawrden lab' }],
  };
}

async function sha256File(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}
