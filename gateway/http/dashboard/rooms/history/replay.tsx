import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { LeftOut } from '../../parts/left-out.tsx';
import { TerminalFrame } from '../../parts/terminal.tsx';
import { durationOf } from '../../parts/times.tsx';
import { createPlayer, type Player } from './player.ts';
import type { LoadedRecording } from './recording.ts';

/** Of the bar, in seconds. */
const step = 0.25;
const speeds = [0.5, 1, 2, 4, 16] as const;

/** A recording: at its end first, and played from the beginning by a button. */
export function Replay({ recording }: { readonly recording: LoadedRecording }) {
  const player = useSignal<Player | undefined>(undefined);
  const left = useSignal(0);
  useEffect(() => () => player.peek()?.close(), []);
  return (
    <div class="output">
      <TerminalFrame
        title="Recorded output"
        onReady={(screen) => {
          const made = createPlayer(recording, screen);
          made.seek(recording.length);
          player.value = made;
        }}
        onLeft={(count) => {
          left.value = count;
        }}
      />
      <div class="output-foot replay">
        {player.value !== undefined && <Controls player={player.value} length={recording.length} />}
        <LeftOut count={left.value} />
      </div>
    </div>
  );
}

function Controls({ player, length }: { readonly player: Player; readonly length: number }) {
  const at = player.at.value;
  // A bar that ends between two steps stops at the one before, and never shows what was written last.
  const end = Math.ceil(length / step) * step;
  return (
    <>
      <button
        type="button"
        class="button short replay-play"
        onClick={() => (player.isPlaying.value ? player.pause() : player.play())}
      >
        {player.isPlaying.value ? 'Pause' : 'Play'}
      </button>
      <input
        class="replay-bar"
        type="range"
        min={0}
        max={end}
        step={step}
        value={at >= length ? end : at}
        aria-label="Position"
        aria-valuetext={`${durationOf(Math.round(at))} of ${durationOf(Math.round(length))}`}
        onInput={({ currentTarget }) => player.seek(Number(currentTarget.value))}
      />
      <span class="replay-time">
        {durationOf(Math.round(at))} / {durationOf(Math.round(length))}
      </span>
      <label class="replay-speed">
        <span class="heard-only">Speed</span>
        <select
          class="field"
          value={player.speed.value}
          onChange={({ currentTarget }) => player.setSpeed(Number(currentTarget.value))}
        >
          {speeds.map((speed) => (
            <option key={speed} value={speed}>
              {speed}×
            </option>
          ))}
        </select>
      </label>
    </>
  );
}
