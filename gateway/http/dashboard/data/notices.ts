import { type ReadonlySignal, signal } from '@preact/signals';

export interface Notice {
  readonly id: number;
  readonly text: string;
  readonly tone: 'plain' | 'good' | 'bad';
}

/** Lines that tell what has just happened; each goes by itself. */
export interface Notices {
  readonly now: ReadonlySignal<readonly Notice[]>;
  readonly tell: (text: string, tone?: Notice['tone']) => void;
  readonly drop: (id: number) => void;
}

const [shownMs, atMost] = [9000, 4];

export function createNotices(): Notices {
  const now = signal<readonly Notice[]>([]);
  let last = 0;
  const drop = (id: number) => {
    now.value = now.peek().filter((notice) => notice.id !== id);
  };
  return {
    now,
    drop,
    tell: (text, tone = 'plain') => {
      last += 1;
      const id = last;
      now.value = [...now.peek(), { id, text, tone }].slice(-atMost);
      setTimeout(() => drop(id), shownMs);
    },
  };
}
