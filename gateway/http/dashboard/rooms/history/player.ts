import { type ReadonlySignal, signal } from '@preact/signals';
import type { Screen } from '../../parts/terminal.tsx';
import type { LoadedRecording } from './recording.ts';

/** Plays a recording on a screen. */
export interface Player {
  readonly isPlaying: ReadonlySignal<boolean>;
  /** Seconds. */
  readonly at: ReadonlySignal<number>;
  readonly speed: ReadonlySignal<number>;
  /** From the beginning, if it is at its end. */
  readonly play: () => void;
  readonly pause: () => void;
  readonly seek: (seconds: number) => void;
  readonly setSpeed: (speed: number) => void;
  readonly close: () => void;
}

/** Nobody waits longer than that for the next thing to happen. */
const longestPause = 2;
const tickMs = 50;
/** What is written together. */
const batchText = 32 * 1024;

export function createPlayer(recording: LoadedRecording, screen: Screen): Player {
  const { length } = recording;
  const [isPlaying, at, speed] = [signal(false), signal(0), signal(1)];
  const reel = createReel(recording, screen);
  let timer: ReturnType<typeof setInterval> | undefined;

  function stop(): void {
    clearInterval(timer);
    isPlaying.value = false;
  }

  function seek(seconds: number): void {
    if (seconds < at.peek() || reel.isNew()) reel.rewind();
    at.value = seconds;
    void reel.showUntil(seconds);
  }

  function play(): void {
    if (isPlaying.peek()) return;
    if (at.peek() >= length) seek(0);
    isPlaying.value = true;
    let [last, busy] = [performance.now(), false];
    timer = setInterval(() => {
      const now = performance.now();
      const passed = ((now - last) / 1000) * speed.peek();
      last = now;
      if (busy) return;
      at.value = Math.min(length, Math.max(at.peek() + passed, (reel.comes() ?? length) - longestPause));
      busy = true;
      void reel.showUntil(at.peek()).then(() => {
        busy = false;
        if (at.peek() >= length && reel.comes() === undefined) stop();
      });
    }, tickMs);
  }

  return {
    ...{ isPlaying, at, speed, play },
    pause: stop,
    seek: (seconds) => seek(Math.min(length, Math.max(0, seconds))),
    setSpeed: (to) => {
      speed.value = to;
    },
    close: () => {
      stop();
      reel.rewind();
    },
  };
}

/** The events, and how far they are on the screen. */
function createReel({ events, size }: LoadedRecording, screen: Screen) {
  let [next, isNew] = [0, true];
  /** Each return to the beginning makes what was under way stop. */
  let turn = 0;

  /** Output that comes up to then, as far as it is written together. */
  function take(seconds: number): string {
    let text = '';
    for (; text.length < batchText; next += 1) {
      const event = events[next];
      if (event === undefined || event[0] > seconds || event[1] !== 'o') break;
      text += event[2];
    }
    return text;
  }

  return {
    isNew: () => isNew,
    /** When the next thing happens. */
    comes: () => events[next]?.[0],
    rewind: () => {
      turn += 1;
      [next, isNew] = [0, false];
      screen.clear(size);
    },
    showUntil: async (seconds: number): Promise<void> => {
      const own = turn;
      while (own === turn && (events[next]?.[0] ?? Infinity) <= seconds) {
        const text = take(seconds);
        if (text !== '') await screen.write(text);
        else screen.gap(events[next++]?.[2] ?? '');
      }
    },
  };
}
