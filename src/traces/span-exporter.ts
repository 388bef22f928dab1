import { askServer } from '../tls/ask-server.ts';
import { otlpOf, type Span } from './span.ts';

/** Tells a collector of spans. It never holds up who has them: what the collector does not take in time is lost. */
export interface SpanExporter {
  readonly add: (spans: readonly Span[]) => void;
  /** Tells what is left, for 2 s at most. */
  readonly close: () => Promise<void>;
}

export interface SpanExporterOptions {
  /** Of the collector, with its path. */
  readonly url: string;
  readonly service: string;
  readonly version: string;
  /** Told once when it begins to fail. */
  readonly warn: (text: string) => void;
}

const everyMs = 1_000;
const withinMs = 10_000;
const lastWithinMs = 2_000;
const mostAtOnce = 512;
const mostWaiting = 8_192;

export function createSpanExporter({ url, service, version, warn }: SpanExporterOptions): SpanExporter {
  const waiting: Span[] = [];
  const closing = new AbortController();
  let [lost, isFailing] = [0, false];
  let timer: NodeJS.Timeout | undefined;
  let sending: Promise<void> = Promise.resolve();

  function later(): void {
    timer ??= setTimeout(() => {
      timer = undefined;
      sending = sendAll(AbortSignal.any([closing.signal, AbortSignal.timeout(withinMs)])).then(() => {
        if (waiting.length > 0 && !closing.signal.aborted) later();
      });
    }, everyMs).unref();
  }

  async function sendAll(signal: AbortSignal): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting.splice(0, mostAtOnce);
      const problem = await send(url, otlpOf(service, version, batch), signal);
      if (problem === '') {
        isFailing = false;
        continue;
      }
      waiting.unshift(...batch);
      shorten();
      if (!isFailing && !closing.signal.aborted)
        warn(`the collector of traces does not take them: ${problem}`);
      isFailing = true;
      return;
    }
    if (lost > 0) warn(`${lost} spans of traces were lost`);
    lost = 0;
  }

  /** The oldest go first. */
  function shorten(): void {
    const over = Math.max(0, waiting.length - mostWaiting);
    waiting.splice(0, over);
    lost += over;
  }

  return {
    add: (spans) => {
      waiting.push(...spans);
      shorten();
      later();
    },
    close: async () => {
      clearTimeout(timer);
      closing.abort();
      await sending;
      await sendAll(AbortSignal.timeout(lastWithinMs));
    },
  };
}

/** Empty, or why the collector did not take it. */
async function send(url: string, body: string, signal: AbortSignal): Promise<string> {
  try {
    const headers = { 'Content-Type': 'application/json' };
    const answer = await askServer(url, { method: 'POST', headers, body }, signal);
    answer.destroy();
    const { statusCode = 0 } = answer;
    return statusCode >= 200 && statusCode < 300 ? '' : `it answers ${statusCode}`;
  } catch (error) {
    return (error as Error).message;
  }
}
