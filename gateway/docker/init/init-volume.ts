import { createHash, randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type Docker from 'dockerode';
import { readAnswer } from '../../../src/container/bounded-answers.ts';
import { containerLabels } from '../container/container-labels.ts';
import { createContainer } from '../container/create-container.ts';
import { removeContainer } from '../container/remove-container.ts';
import type { StartingContainers } from '../container/starting-containers.ts';
import { callTimeoutMs, withDeadline } from '../engine/deadline.ts';
import { statusOf } from '../engine/engine-errors.ts';
import { emptyArchive, initArchive } from './init-archive.ts';
import { emptyImage, type InitVolume, initDirectory, initFile } from './init-layout.ts';
import type { NativeFiles } from './native-files.ts';

/** A label of every init volume: the hash of its content. */
export const initLabel = 'clawrden.init';

export interface InitVolumeSource {
  readonly docker: Docker;
  readonly gatewayId: string;
  readonly starting: StartingContainers;
  readonly files: NativeFiles;
}

/**
 * Makes the volume `clawrden-init-<hash of its programs>` and puts them into it, only through the Engine API: it
 * makes an empty image, and a container of that image that never starts takes the archive. If a volume already holds
 * an init of that size, it stays as it is, unless `again`. Several gateways may do this at once, because they write
 * the same bytes.
 */
export async function fillInitVolume(source: InitVolumeSource, again: boolean): Promise<InitVolume> {
  const { docker, files } = source;
  const programs = Buffer.concat([files.init, files.carrier, files.connect]);
  const hash = createHash('sha256').update(programs).digest('hex');
  const name = `clawrden-init-${hash.slice(0, 12)}`;
  const mountpoint = await makeVolume(docker, name, hash);
  const helperName = `clawrden-init-${randomBytes(6).toString('hex')}`;
  const forget = source.starting.add(helperName);
  try {
    const helper = await makeHelper(source, helperName, name);
    if (again || !(await holds(helper, files.init.length))) await put(helper, files);
  } finally {
    await removeContainer(docker, helperName).finally(forget);
  }
  return { name, mountpoint };
}

async function makeVolume(docker: Docker, Name: string, hash: string): Promise<string> {
  const Labels = { [initLabel]: hash };
  const facts = await withDeadline(callTimeoutMs, async (abortSignal) => {
    const volume = await docker.createVolume({ Name, Labels, abortSignal });
    return volume.inspect({ abortSignal });
  });
  return facts.Mountpoint;
}

async function makeHelper(source: InitVolumeSource, name: string, volume: string): Promise<Docker.Container> {
  const { docker } = source;
  try {
    return await createHelper(source, name, volume);
  } catch (error) {
    if (statusOf(error) !== 404) throw error;
  }
  const [repo, tag] = emptyImage.split(':');
  await withDeadline(callTimeoutMs, async (abortSignal) => {
    const progress = await docker.importImage(Readable.from([emptyArchive()]), { repo, tag, abortSignal });
    await readAnswer(progress as IncomingMessage, abortSignal);
  });
  return createHelper(source, name, volume);
}

function createHelper({ docker, gatewayId }: InitVolumeSource, name: string, volume: string) {
  return createContainer(docker, name, {
    Image: emptyImage,
    Cmd: ['none'],
    NetworkDisabled: true,
    Labels: containerLabels(gatewayId, { agent: '', pool: '', timeoutMs: callTimeoutMs }, Date.now()),
    HostConfig: {
      NetworkMode: 'none',
      LogConfig: { Type: 'none', Config: {} },
      Binds: [`${volume}:${initDirectory}:nocopy`],
    },
  });
}

async function holds(helper: Docker.Container, size: number): Promise<boolean> {
  try {
    const answer = await withDeadline(callTimeoutMs, (abortSignal) =>
      helper.infoArchive({ path: `${initDirectory}/${initFile}`, abortSignal }),
    );
    const header: unknown = answer.headers['x-docker-container-path-stat'];
    if (typeof header !== 'string') return false;
    const stat: unknown = JSON.parse(Buffer.from(header, 'base64').toString());
    return typeof stat === 'object' && stat !== null && 'size' in stat && stat.size === size;
  } catch (error) {
    if (statusOf(error) === 404) return false;
    throw error;
  }
}

async function put(helper: Docker.Container, files: NativeFiles): Promise<void> {
  const archive = await initArchive(files);
  await withDeadline(callTimeoutMs, (abortSignal) =>
    helper.putArchive(archive, { path: initDirectory, abortSignal }),
  );
}
