import { expect, test } from 'vitest';
import { mayTake } from '../placement/candidates.ts';
import { ghostlyEngine } from '../warm/waiting-ghost.fixture.ts';
import type { DockerHost } from './docker-host.ts';
import { hostOver, hostWith, id, reference, requestFor, signal } from './image-host.fixture.ts';
import { resolveImage } from './images.ts';

/** Says these ids of these references, and of each id that it has it. */
function hostThatSays(name: string, meanings: Record<string, string>): DockerHost {
  const engine = ghostlyEngine(name);
  const host = hostOver(engine, name, 'true');
  engine.inspectImage = async (asked) => {
    const found = meanings[asked] ?? (Object.values(meanings).includes(asked) ? asked : undefined);
    return found === undefined ? undefined : { id: found, env: [], envHash: 'true', volumes: [] };
  };
  return host;
}

test('A-582: what a host says that a tag means runs only on hosts whose tag means it, or meant it before', async () => {
  const other = `sha256:${'b'.repeat(64)}`;
  const meanings = { [reference]: id, 'debug:1': other };
  const [liar, honest] = [hostThatSays('a', { [reference]: other }), hostThatSays('b', meanings)];
  const unnamed = hostThatSays('c', { 'debug:1': other });
  const hosts = [liar, honest, unnamed];
  const plan = (imageId: string) => {
    const { shape, ...rest } = requestFor('true');
    return { ...rest, shape: { ...shape, image: { ...shape.image, id: imageId } } };
  };
  const takers = async (imageId: string) => {
    const learned = await Promise.all(hosts.map(({ images }) => images.learn(plan(imageId).shape.image)));
    expect(hosts.map((host) => mayTake(host, plan(imageId)))).toEqual(learned);
    return learned;
  };
  expect((await resolveImage(hosts, reference, {}, signal)).id).toBe(other);
  expect(await takers(other)).toEqual([true, false, false]);
  expect(await takers(id)).toEqual([false, true, false]);
  // The tag moves: what was planned before runs where the content still is.
  Object.assign(meanings, { [reference]: other, 'former:1': id });
  await honest.images.refresh();
  expect(await takers(id)).toEqual([false, true, false]);
  expect(await takers(other)).toEqual([true, true, false]);
});

test('A-582: a host whose starts have just failed is asked behind the others what a tag means', async () => {
  const [failing, sound] = [hostWith('a', 'lie'), hostWith('b', 'true')];
  const hosts = [failing, sound];
  const meaning = async () => (await resolveImage(hosts, reference, {}, signal)).envHash;
  expect(await meaning()).toBe('lie');
  failing.starts.failed('no space left on device');
  expect(await meaning()).toBe('true');
  sound.blame('its init broke the protocol');
  expect(await meaning()).toBe('lie');
  failing.starts.succeeded(100);
  expect(await meaning()).toBe('lie');
});
