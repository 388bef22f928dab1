import { useEffect, useRef } from 'preact/hooks';
import { longestText, readFromTerminal, type ToTerminal } from '../terminal/messages.ts';

/** A terminal on the page. */
export interface Screen {
  readonly clear: (size?: { readonly cols: number; readonly rows: number }) => void;
  /** Text as its tool wrote it; resolves when there is room for more. */
  readonly write: (text: string, stream?: 1 | 2) => Promise<void>;
  readonly gap: (text: string) => void;
}

interface TerminalProps {
  /** Of the frame, for who listens. */
  readonly title: string;
  /** Called when the terminal is there; `signal` aborts when it is gone. */
  readonly onReady: (screen: Screen, signal: AbortSignal) => void;
  /** How many control sequences were left out. */
  readonly onLeft?: (left: number) => void;
}

/** Messages that the frame has not shown yet. */
const mostUnderWay = 8;

/** A terminal in a frame of its own: what it needs of styles, this page does not allow itself. */
export function TerminalFrame({ title, onReady, onLeft }: TerminalProps) {
  const frame = useRef<HTMLIFrameElement>(null);
  useEffect(() => {
    const gone = new AbortController();
    const screen = createScreen((message) =>
      frame.current?.contentWindow?.postMessage(message, location.origin),
    );
    const hear = ({ origin, source, data }: MessageEvent) => {
      if (origin !== location.origin || source !== frame.current?.contentWindow) return;
      const message = readFromTerminal(data);
      if (message?.type === 'ready') onReady(screen, gone.signal);
      if (message?.type !== 'written') return;
      screen.shown();
      onLeft?.(message.left);
    };
    addEventListener('message', hear);
    return () => {
      removeEventListener('message', hear);
      gone.abort();
      screen.release();
    };
  }, []);
  return (
    <iframe
      ref={frame}
      class="terminal"
      src="/terminal"
      title={title}
      sandbox="allow-scripts allow-same-origin"
    />
  );
}

function createScreen(post: (message: ToTerminal) => void) {
  let underWay = 0;
  let waiting: (() => void)[] = [];
  const send = (message: ToTerminal) => {
    underWay += 1;
    post(message);
  };
  const wake = () => {
    for (const resume of waiting.splice(0)) resume();
  };
  return {
    clear: (size?: { readonly cols: number; readonly rows: number }) =>
      send({ type: 'clear', ...(size && { size }) }),
    gap: (text: string) => send({ type: 'gap', text }),
    write: async (text: string, stream: 1 | 2 = 1) => {
      for (let at = 0; at < text.length; at += longestText) {
        send({ type: 'write', stream, text: text.slice(at, at + longestText) });
        while (underWay > mostUnderWay) await new Promise<void>((resume) => waiting.push(resume));
      }
    },
    shown: () => {
      underWay = Math.max(0, underWay - 1);
      if (underWay <= mostUnderWay) wake();
    },
    release: () => {
      underWay = 0;
      waiting = [];
    },
  };
}
