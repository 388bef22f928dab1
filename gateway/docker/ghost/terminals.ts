import type Docker from 'dockerode';
import { withDeadline } from '../engine/deadline.ts';
import { statusOf } from '../engine/engine-errors.ts';
import { removeVolume } from '../engine/remove-volume.ts';

const terminalsLabel = 'clawrden.terminals';
/** A killed engine leaves one for each ghost that it had. */
const removedMost = 200;
const withinMs = 5000;

/**
 * Pseudo-terminals of a ghost's own, 64 of them: with what Docker mounts there by itself, one container could take all
 * that the kernel has for all of them (kernel.pty.max). An anonymous volume is the only mount with options that Docker
 * offers; the engine removes it with the container. All but `max` is as Docker has it.
 */
export const terminals: Docker.MountSettings = {
  Type: 'volume',
  Source: '',
  Target: '/dev/pts',
  VolumeOptions: {
    NoCopy: true,
    Labels: { [terminalsLabel]: '' },
    DriverConfig: {
      Name: 'local',
      Options: { type: 'devpts', device: 'devpts', o: 'newinstance,ptmxmode=0666,mode=0620,gid=5,max=64' },
    },
  },
};

/** Removes those that no container has, of whichever gateway: a killed engine leaves them. Rejects with the engine's error. */
export async function removeLeftTerminals(docker: Docker, signal: AbortSignal): Promise<void> {
  const filters = { label: [terminalsLabel], dangling: ['true'] };
  const { Volumes } = await withDeadline(
    withinMs,
    (abortSignal) => docker.listVolumes({ filters, ...{ abortSignal } }),
    signal,
  );
  for (const { Name } of (Volumes ?? []).slice(0, removedMost)) {
    signal.throwIfAborted();
    await removeUnused(docker, Name, signal);
  }
}

async function removeUnused(docker: Docker, name: string, signal: AbortSignal): Promise<void> {
  try {
    await withDeadline(withinMs, (within) => removeVolume(docker, name, within), signal);
  } catch (error) {
    // Mounted by now, or busy: an empty folder is no reason to call the host one that is not clean.
    if (statusOf(error) === undefined) throw error;
  }
}
