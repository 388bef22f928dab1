import { refuseSandbox } from './refuse-sandbox.ts';

interface Architecture {
  /** As the kernel's audit names it. */
  readonly id: number;
  readonly socket: number;
  readonly ioctl: number;
  readonly kill: number;
  readonly clone: number;
  readonly unshare: number;
  /**
   * `add_key`, `request_key` and `keyctl`; `io_uring_setup`, by which all others are made unseen; and `clone3`, whose
   * flags are in memory, where a filter cannot read them: libraries take `clone` then.
   */
  readonly missing: readonly number[];
  /** `sched_setparam`, `sched_setscheduler`, `sched_setaffinity`, `sched_setattr` and `prlimit64`. */
  readonly ofProcess: readonly number[];
  readonly setpriority: number;
  readonly ioprioSet: number;
}

const architectures: Readonly<Partial<Record<NodeJS.Architecture, Architecture>>> = {
  x64: {
    ...{ id: 0xc000003e, socket: 41, ioctl: 16, kill: 62, clone: 56, unshare: 272 },
    missing: [248, 249, 250, 425, 435],
    ...{ ofProcess: [142, 144, 203, 314, 302], setpriority: 141, ioprioSet: 251 },
  },
  arm64: {
    ...{ id: 0xc00000b7, socket: 198, ioctl: 29, kill: 129, clone: 220, unshare: 97 },
    missing: [217, 218, 219, 425, 435],
    ...{ ofProcess: [118, 119, 122, 274, 261], setpriority: 140, ioprioSet: 30 },
  },
};

// struct seccomp_data: u32 nr, u32 arch, u64 instruction pointer, u64 args[6]
const nrAt = 0;
const archAt = 4;
const argAt = (index: number) => 16 + 8 * index;

const allow = 0x7fff0000;
const error = (errno: number) => 0x00050000 | errno;
const [notPermitted, noSuchCall, noSuchFamily] = [error(1), error(38), error(97)];

const vsock = 40;
/** Push input into a terminal, for the shell that reads it later: `TIOCSTI`, and `TIOCLINUX` of a console. */
const inputs = [0x5412, 0x541c];
/** `CLONE_NEWUSER`. */
const newUser = 0x10000000;
/** `PRIO_PROCESS` and `IOPRIO_WHO_PROCESS`: not a group, which others can be in, and not a user. */
const [priorityOfOne, diskOfOne] = [0, 1];
/** Numbers of x32, another way to each call. */
const x32 = 0x40000000;

type Instruction = readonly [code: number, yes: number, no: number, value: number];

const refusal: readonly Instruction[] = [[0x06, 0, 0, notPermitted]];

/**
 * A filter of system calls, as bubblewrap takes it, for what namespaces do not close: the kernel's keyrings, which a
 * process gets from its starter and its user; AF_VSOCK, which leads to the hypervisor; a terminal's input; and user
 * namespaces of its own: who is root in one can leave the mounts that guard names, and rename what was below them; and
 * what slows or limits its first process, before which nothing in it ends. With `sharesGroup` also signals to one's own
 * process group, in which the starter is. Calls of other architectures fail.
 */
export function callFilter(sharesGroup: boolean, arch: NodeJS.Architecture = process.arch): Buffer {
  const calls = architectures[arch];
  if (calls === undefined)
    throw refuseSandbox(`there is no filter of calls for ${arch}`, 'use an amd64 or arm64 machine');
  const { id, socket, ioctl, kill, clone, unshare, missing, ofProcess, setpriority, ioprioSet } = calls;
  return encode([
    load(archAt),
    ...unless(id, [answer(noSuchCall)]),
    load(nrAt),
    ...ifAtLeast(x32, [answer(noSuchCall)]),
    ...missing.flatMap((call) => ifEqual(call, [answer(noSuchCall)])),
    ...ifEqual(socket, [load(argAt(0)), ...ifEqual(vsock, [answer(noSuchFamily)]), answer(allow)]),
    ...ifEqual(ioctl, [
      load(argAt(1)),
      ...inputs.flatMap((input) => ifEqual(input, [answer(notPermitted)])),
      answer(allow),
    ]),
    ...[clone, unshare].flatMap((call) =>
      ifEqual(call, [load(argAt(0)), ...ifAny(newUser, [answer(notPermitted)]), answer(allow)]),
    ),
    ...ofProcess.flatMap((call) => ifEqual(call, unlessFirst(0))),
    ...ifEqual(setpriority, [load(argAt(0)), ...unless(priorityOfOne, refusal), ...unlessFirst(1)]),
    ...ifEqual(ioprioSet, [load(argAt(0)), ...unless(diskOfOne, refusal), ...unlessFirst(1)]),
    ...(sharesGroup
      ? ifEqual(kill, [load(argAt(0)), ...ifEqual(0, [answer(notPermitted)]), answer(allow)])
      : []),
    answer(allow),
  ]);
}

/** Whatever process the argument says, but for the first one of the sandbox. */
function unlessFirst(argument: number): readonly Instruction[] {
  return [load(argAt(argument)), ...ifEqual(1, refusal), answer(allow)];
}

function load(offset: number): Instruction {
  return [0x20, 0, 0, offset];
}

function answer(action: number): Instruction {
  return [0x06, 0, 0, action];
}

function ifEqual(value: number, then: readonly Instruction[]): readonly Instruction[] {
  return [[0x15, 0, then.length, value], ...then];
}

function ifAny(bits: number, then: readonly Instruction[]): readonly Instruction[] {
  return [[0x45, 0, then.length, bits], ...then];
}

function unless(value: number, then: readonly Instruction[]): readonly Instruction[] {
  return [[0x15, then.length, 0, value], ...then];
}

function ifAtLeast(value: number, then: readonly Instruction[]): readonly Instruction[] {
  return [[0x35, 0, then.length, value], ...then];
}

/** Both architectures are little-endian. */
function encode(program: readonly Instruction[]): Buffer {
  const bytes = Buffer.alloc(8 * program.length);
  for (const [index, [code, yes, no, value]] of program.entries()) {
    bytes.writeUInt16LE(code, 8 * index);
    bytes.writeUInt8(yes, 8 * index + 2);
    bytes.writeUInt8(no, 8 * index + 3);
    bytes.writeUInt32LE(value, 8 * index + 4);
  }
  return bytes;
}
