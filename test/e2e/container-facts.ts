interface Mount {
  readonly Type: string;
  readonly Name?: string;
  readonly Source: string;
  readonly Destination: string;
  readonly RW: boolean;
}

/** What `docker inspect` prints of a container. */
export interface InspectedContainer {
  readonly Name: string;
  readonly Config: { readonly Hostname: string; readonly Env: readonly string[] } & Readonly<
    Record<string, unknown>
  >;
  readonly HostConfig: Readonly<Record<string, unknown>>;
  readonly Mounts: readonly Mount[];
  readonly NetworkSettings: { readonly Networks: object };
}

export type Facts = Readonly<Record<string, unknown>>;

/** How it was asked, and how this process is attached. */
const aside = new Set([
  'Volumes',
  'AttachStdin',
  'AttachStdout',
  'AttachStderr',
  'StdinOnce',
  'Binds',
  'Mounts',
]);

/** All that was asked for. Names that begin with `prefix` were, and mounts that begin with `/v`. */
export function factsOf({ Name, Config, HostConfig, Mounts }: InspectedContainer, prefix: string): Facts {
  const { Hostname, Env, ...config } = Config;
  return {
    ...flat('', config),
    ...flat('', HostConfig),
    ...(/^[0-9a-f]{12}$/.test(Hostname) ? {} : { Hostname }),
    ...(Name.startsWith(`/${prefix}`) ? { Name } : {}),
    Env: Env.filter((entry) => !entry.startsWith('PATH=')).toSorted(),
    Mounts: Mounts.filter(({ Destination }) => /^\/v\d?$/.test(Destination))
      .map(({ Type, Name: name, Source, Destination, RW }) => [Destination, Type, name, Source, RW].join(' '))
      .toSorted(),
  };
}

const empty: ReadonlySet<unknown> = new Set([null, undefined, '', 0, false]);
/** What stands in them was asked for, also without a value. */
const asked: ReadonlySet<string> = new Set(['Labels.', 'Tmpfs.']);

/** An engine writes in several ways that there is no value. */
function flat(path: string, value: object): Facts {
  const counts = asked.has(path) ? () => true : (each: unknown) => !empty.has(each);
  const entries = Object.entries(value).filter(([key, each]) => counts(each) && !aside.has(key));
  return Object.fromEntries(
    entries.flatMap(([key, each]: [string, unknown]) => {
      const isTable = typeof each === 'object' && !Array.isArray(each);
      return isTable
        ? Object.entries(flat(`${path}${key}.`, each ?? {}))
        : [[`${path}${key}`, JSON.stringify(each)]];
    }),
  );
}

export function changes(before: Facts, after: Facts): Facts {
  return Object.fromEntries(
    Object.entries(after).filter(([key, value]) => JSON.stringify(before[key]) !== JSON.stringify(value)),
  );
}
