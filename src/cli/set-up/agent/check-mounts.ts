import { posix } from 'node:path';
import { isIn } from '../../../config/workspace-roots.ts';
import { bad, doubtful, type Finding } from '../doctor/finding.ts';
import type { Mount } from './inspected.ts';
import type { JailFacts, JailWanted } from './jail-facts.ts';

const socketAt = '/var/run/clawrden';
const jailAt = '/clawrden/bin';
/** Ours: the folder of the jail, and the socket's. */
const reserved = ['/clawrden', socketAt];

/** The two folders of ours, and no way to an engine, to devices or over what is ours. */
export function checkMounts(facts: JailFacts, wanted: JailWanted): Finding[] {
  const { container } = facts;
  const check = `agent ${wanted.agent}`;
  return [
    ...checkFolder(container.Mounts, jailAt, wanted.jail, wanted),
    ...checkFolder(container.Mounts, socketAt, wanted.socketFolder, wanted),
    ...container.Mounts.flatMap((mount) => findEngine(mount, wanted)),
    ...foreignPlaces(facts).map((place) =>
      bad(check, `something is mounted at ${place}, which is ours`, 'take that mount away'),
    ),
    ...facts.foreignVolumes.map((name) =>
      doubtful(
        check,
        `volume ${name} has options of its own: it may be any folder or device of this machine`,
        `look at it: docker volume inspect ${name}`,
      ),
    ),
  ];
}

function checkFolder(
  mounts: readonly Mount[],
  at: string,
  from: string,
  { agent, realPath }: JailWanted,
): Finding[] {
  const check = `agent ${agent}`;
  const again = `start it with clawrden agent run ${agent}, which mounts ${from} there, read-only`;
  const mount = mounts.find(({ Destination }) => placeOf(Destination) === at);
  const inside = mounts.find(({ Destination }) => isIn(placeOf(Destination), at));
  if (mount === undefined && inside !== undefined)
    return [
      bad(
        check,
        `${inside.Destination} is mounted by itself: a file that the relay makes anew is not seen there`,
        `mount the folder: ${again}`,
      ),
    ];
  if (mount === undefined) return [bad(check, `nothing is mounted at ${at}`, again)];
  const { Type, Source = '', RW } = mount;
  const isRight = Type === 'bind' && realPath(Source) === realPath(from);
  return [
    ...(RW ? [bad(check, `${at} can be written`, 'mount it read-only (:ro)')] : []),
    ...(isRight ? [] : [bad(check, `${at} is ${Source || Type}, not ${from}`, again)]),
  ];
}

/** A folder that holds the socket of an engine is the engine. */
function findEngine({ Source, Destination }: Mount, { agent, engines, realPath }: JailWanted): Finding[] {
  const named = /(^|\/)(docker|containerd|podman|crio)\.sock$/.test(Source ?? Destination);
  const source = Source === undefined ? undefined : realPath(Source);
  const held = engines.find((engine) => source !== undefined && isIn(realPath(engine), source));
  if (!named && held === undefined) return [];
  const what = held ?? Source ?? Destination;
  return [
    bad(
      `agent ${agent}`,
      `it has a Docker socket: ${Destination} is or holds ${what}`,
      'take that mount away: a process that has it is root on this machine',
    ),
  ];
}

/** Mounts and tmpfs in, over or above what is ours. */
function foreignPlaces({ container }: JailFacts): string[] {
  const all = [...container.Mounts.map(({ Destination }) => Destination), ...tmpfsOf(container)];
  const places = new Set(all.map(placeOf));
  return all.filter((path) => {
    const place = placeOf(path);
    const ours = [jailAt, socketAt].find((each) => isIn(place, each));
    // What is mounted in place of the folder is a finding of that folder.
    if (ours !== undefined) return place !== ours && places.has(ours);
    return isIn(place, '/clawrden') || reserved.some((each) => isIn(each, place));
  });
}

function tmpfsOf({ HostConfig }: JailFacts['container']): string[] {
  return Object.keys(HostConfig.Tmpfs);
}

/** Most images have `/var/run` as a link to `/run`. */
function placeOf(destination: string): string {
  const path = posix.normalize(destination).replace(/(?<=.)\/$/, '');
  return isIn(path, '/run/clawrden') ? `/var${path}` : path;
}
