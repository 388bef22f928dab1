import { z } from 'zod';

const texts = z
  .array(z.string())
  .nullish()
  .transform((all) => all ?? []);
const mode = z
  .string()
  .nullish()
  .transform((text) => text ?? '');
const anything = z
  .array(z.unknown())
  .nullish()
  .transform((all) => all ?? []);

const mounts = z.array(
  z.object({
    Type: z.string().optional(),
    Name: z.string().optional(),
    Source: z.string().optional(),
    Destination: z.string(),
    RW: z.boolean(),
  }),
);

/** What an engine says of a container, as far as it counts for the jail. */
export const inspected = z.object({
  Name: z.string(),
  State: z.object({ Running: z.boolean() }),
  Config: z.object({ User: z.string(), Env: texts }),
  HostConfig: z.object({
    NetworkMode: z.string(),
    Privileged: z.boolean(),
    ...{ CapAdd: texts, CapDrop: texts, SecurityOpt: texts, GroupAdd: texts, DeviceCgroupRules: texts },
    ...{ PidMode: mode, IpcMode: mode, UTSMode: mode, CgroupnsMode: mode },
    ...{ Devices: anything, DeviceRequests: anything },
    Tmpfs: z
      .record(z.string(), z.string())
      .nullish()
      .transform((table) => table ?? {}),
  }),
  NetworkSettings: z
    .object({ Networks: z.record(z.string(), z.unknown()).nullish() })
    .nullish()
    .transform((settings) => Object.keys(settings?.Networks ?? {})),
  Mounts: mounts,
});

export type Inspected = z.infer<typeof inspected>;

export type Mount = Inspected['Mounts'][number];
