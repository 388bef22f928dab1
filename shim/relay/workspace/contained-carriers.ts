import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type Docker from 'dockerode';
import { abortable } from '../../../src/abort.ts';
import { attachedStream } from '../../../src/container/attached-stream.ts';
import { localEngine } from '../execution/local-engine.ts';
import { type CarrierImage, carrierImage, removeOtherImages } from './carrier-image.ts';
import { containedBody, containedName, homeLabel, relayLabel } from './contained-body.ts';
import type { HomeWish } from './home-wish.ts';
import { type Complaint, complaintFor, type OnComplaint, type StartedCarrier } from './started-carrier.ts';

/** Carriers as containers on this host's engine, for a relay that cannot become the agent itself. */
export interface ContainedCarriers {
  /**
   * The carrier of an agent's home: it has said nothing yet. Rejects with a line for people, or with the signal's
   * reason, and no container is left then.
   */
  readonly start: (
    agent: string,
    wish: HomeWish,
    onComplaint: OnComplaint,
    signal: AbortSignal,
  ) => Promise<StartedCarrier>;
  /** Removes those that an earlier run of this relay left, as it was killed. Rejects with a line for people. */
  readonly sweep: () => Promise<void>;
}

export interface ContainedOptions {
  /** `unix:///path` */
  readonly engine: string;
  /** Of all relays only this one has it, in each of its runs. */
  readonly relayKey: string;
  /** The carrier. */
  readonly binary: string;
}

const callTimeoutMs = 10_000;
const askAgainMs = 100;

const late = () => AbortSignal.timeout(callTimeoutMs);

export function openContainedCarriers({ engine, relayKey, binary }: ContainedOptions): ContainedCarriers {
  const docker = localEngine(engine);
  const image = carrierImage(binary);
  image.catch(() => {});
  let swept: Promise<void> | undefined;

  const sweep = () => {
    swept ??= forPeople(async () => sweepAll(docker, relayKey, await image)).catch((error: unknown) => {
      swept = undefined;
      throw error;
    });
    return swept;
  };

  return {
    sweep,
    start: async (agent, wish, onComplaint, signal) => {
      // What an earlier run left has the name, and may still be at work.
      await abortable(sweep(), signal);
      const name = containedName(relayKey, agent);
      try {
        return await forPeople(async () => {
          await checkEngine(docker, wish);
          const labels = { [relayLabel]: relayKey, [homeLabel]: agent };
          const container = await create(docker, await image, name, { wish, labels });
          signal.throwIfAborted();
          return await run(docker, container, complaintFor(onComplaint));
        });
      } catch (error) {
        await remove(docker, name).catch(() => {});
        throw signal.aborted ? signal.reason : error;
      }
    },
  };
}

async function sweepAll(docker: Docker, relayKey: string, image: CarrierImage): Promise<void> {
  const filters = { label: [`${relayLabel}=${relayKey}`, homeLabel] };
  const left = await docker.listContainers({ all: true, filters, ...{ abortSignal: late() } });
  for (const { Id } of left) await remove(docker, Id);
  await removeOtherImages(docker, image, late());
}

/** An engine without root gives its containers other uids than this host's. */
async function checkEngine(docker: Docker, { user: { uid } }: HomeWish): Promise<void> {
  // Its types know no deadline.
  const asked: unknown = docker.info({ abortSignal: late() } as never);
  const { SecurityOptions: options } = await (asked as Promise<{ SecurityOptions?: readonly string[] }>);
  if (options?.some((option) => option.startsWith('name=rootless')))
    throw new Error(
      `no container can be uid ${uid} here, because it runs without root: start the relay as root`,
    );
}

interface Making {
  readonly wish: HomeWish;
  readonly labels: Readonly<Record<string, string>>;
}

/** Its name may be taken by one that did not go, and its image may be gone. */
async function create(
  docker: Docker,
  image: CarrierImage,
  name: string,
  { wish, labels }: Making,
): Promise<Docker.Container> {
  const body = { ...containedBody(image.name, wish.user, wish), Labels: { ...labels } };
  // Without these two names dockerode also puts the whole body into the URL.
  const attempt = () =>
    docker.createContainer({ _query: { name }, _body: body, abortSignal: late() } as never);
  const mend: Readonly<Record<number, () => Promise<void>>> = {
    404: () => image.make(docker, late()),
    409: () => remove(docker, name),
  };
  for (let mended = 0; ; mended += 1) {
    try {
      return await attempt();
    } catch (error) {
      const mending = mend[statusOf(error) ?? 0];
      if (mending === undefined || mended === Object.keys(mend).length) throw error;
      await mending();
    }
  }
}

/** Attached before its start, so that no byte is lost. */
async function run(
  docker: Docker,
  container: Docker.Container,
  complaint: Complaint,
): Promise<StartedCarrier> {
  const abortSignal = late();
  const streams = { stream: true, stdin: true, stdout: true, stderr: true, hijack: true };
  // After the hijack it is the connection's own socket, whatever its type says.
  const socket = (await container.attach({ ...streams, abortSignal })) as unknown as Socket;
  const stream = attachedStream(socket, (bytes) => complaint.add(bytes.toString()));
  const killed = new AbortController();
  const gone = endOf(docker, container, killed.signal).finally(complaint.tell);
  const kill = () => {
    socket.destroy();
    killed.abort();
  };
  try {
    await container.start({ abortSignal });
    return { input: stream, output: stream, gone, kill };
  } catch (error) {
    kill();
    throw error;
  }
}

/** Resolves when it is gone, with how it ended; soon after `killed` in any case. */
async function endOf(docker: Docker, container: Docker.Container, killed: AbortSignal): Promise<string> {
  try {
    const { StatusCode } = await container.wait({ condition: 'removed', abortSignal: killed });
    return `ended with status ${StatusCode}`;
  } catch (error) {
    if (statusOf(error) === 404) return 'ended';
    if (!killed.aborted) return `was lost with its engine: ${textOf(error)}`;
  }
  return await remove(docker, container.id).then(
    () => 'was killed',
    (error: unknown) => `does not end: ${textOf(error)}`,
  );
}

/** Resolves when there is no such container any more. */
async function remove(docker: Docker, nameOrId: string): Promise<void> {
  const abortSignal = late();
  for (;;) {
    try {
      await docker.getContainer(nameOrId).remove({ force: true, v: true, ...{ abortSignal } });
      return;
    } catch (error) {
      if (statusOf(error) === 404) return;
      // The engine is removing it already.
      if (statusOf(error) !== 409) throw error;
    }
    await sleep(askAgainMs, undefined, { signal: abortSignal });
  }
}

async function forPeople<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const text = `the carrier cannot be a container of the agent host's engine: ${textOf(error)}`;
    throw new Error(text, { cause: error });
  }
}

function statusOf(error: unknown): number | undefined {
  return (error as { statusCode?: number }).statusCode;
}

/** The engine's own message, on one line. */
function textOf(error: unknown): string {
  const { json, message } = error as { json?: { message?: string }; message?: string };
  return (json?.message ?? message ?? String(error)).trim().replaceAll(/\s+/g, ' ');
}
