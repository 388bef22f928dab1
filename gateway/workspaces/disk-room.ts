import type { Measured } from '../../src/carrier-client/measured.ts';
import { sizeText } from '../../src/text/size-text.ts';

/** What others than one agent need of a host's disk: a part of it, of large disks no more than these. */
const partKept = 0.05;
const bytesKept = 2 * 1024 ** 3;
const filesKept = 100_000;

type Disk = Pick<Measured, 'room' | 'disk' | 'freeFiles' | 'files'>;

/** How much has to stay free on such a disk; no files if its file system sets no number. */
export function reserveOf({ disk, files }: Pick<Disk, 'disk' | 'files'>): {
  readonly bytes: number;
  readonly files: number;
} {
  return { bytes: Math.min(disk * partKept, bytesKept), files: Math.min(files * partKept, filesKept) };
}

export function isShort(disk: Disk): boolean {
  const reserve = reserveOf(disk);
  return disk.room < reserve.bytes || disk.freeFiles < reserve.files;
}

/** So much less room, or so much more that is not carried, is worth counting again what a replica takes. */
export function notedOf(disk: Disk): number {
  return Math.min(reserveOf(disk).bytes / 2, 64 * 1024 ** 2);
}

/** How many times the reserve `bytes` and `files` are: what is one or more can be why the disk is short. */
export function timesReserve(disk: Disk, bytes: number, files: number): number {
  const reserve = reserveOf(disk);
  return Math.max(bytes / reserve.bytes, reserve.files === 0 ? 0 : files / reserve.files);
}

/** For people. */
export function shortText(host: string, disk: Disk): string {
  const { room, freeFiles, files } = disk;
  const isOfBytes = room < reserveOf(disk).bytes;
  const left = isOfBytes ? `${sizeText(room)} of ${sizeText(disk.disk)}` : `${freeFiles} of ${files} files`;
  return `the disk of Docker host ${host} is nearly full (${left} are free)`;
}
