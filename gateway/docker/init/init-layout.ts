import type { MountSettings } from 'dockerode';
import { uncopied } from '../../../src/container/hardened.ts';

/** The engine's volume with our programs. */
export interface InitVolume {
  readonly name: string;
  /** Where the engine's host keeps the volume's files. */
  readonly mountpoint: string;
}

/** Where a container finds the volume, and what is in it. */
export const initDirectory = '/.clawrden';
export const initFile = 'init';
export const carrierFile = 'carrier';
export const connectFile = 'connect';
export const hostsFile = 'hosts';

/** An image of nothing, made on each host. */
export const emptyImage = 'clawrden-init:empty';

/** The volume with our programs, as every container that runs one of them has it. */
export function initMount({ name }: InitVolume): MountSettings {
  return { Type: 'volume', Source: name, Target: initDirectory, ReadOnly: true, VolumeOptions: uncopied };
}
