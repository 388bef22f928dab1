import { FitAddon } from '@xterm/addon-fit';
import { Terminal } from '@xterm/xterm';
import '@xterm/xterm/css/xterm.css';
import { createTerminalFilter, plainLetters } from '../../../../src/text/terminal-filter.ts';
import { type FromTerminal, readToTerminal, type ToTerminal } from './messages.ts';
import { scrollByKeys } from './scroll-by-keys.ts';
import { themeOf } from './theme.ts';
import './terminal.css';

const [largestFont, smallestFont] = [13, 9];
/** Of letters. The page gets its turn between two pieces, and never within one: what costs most takes 20 ms in so many. */
const pieceLength = 256;

/** The terminal of a page: it shows what it is told, and answers nothing to what it shows. */
function start(screen: HTMLElement): void {
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const terminal = new Terminal({
    ...{ disableStdin: true, convertEol: true, cursorBlink: false, cursorInactiveStyle: 'none' },
    ...{ scrollback: 20_000, screenReaderMode: true, minimumContrastRatio: 4.5 },
    ...{
      fontSize: largestFont,
      fontFamily: 'ui-monospace, "DejaVu Sans Mono", "Liberation Mono", monospace',
    },
    theme: themeOf(dark.matches),
  });
  const fit = new FitAddon();
  terminal.loadAddon(fit);
  terminal.open(screen);
  scrollByKeys(terminal);
  terminal.textarea?.setAttribute('aria-label', 'Output; arrows and Page Up scroll');
  let size: { readonly cols: number; readonly rows: number } | undefined;
  const arrange = () => arrangeIn(terminal, fit, size);
  const filters = () => ({ 1: createTerminalFilter(), 2: createTerminalFilter() });
  let streams = filters();
  const tell = (message: FromTerminal) => parent.postMessage(message, location.origin);
  const written = () => tell({ type: 'written', left: streams[1].left() + streams[2].left() });
  const take = (message: ToTerminal) => {
    switch (message.type) {
      case 'clear':
        streams = filters();
        size = message.size;
        terminal.reset();
        arrange();
        return written();
      case 'write':
        return writePieces(terminal, streams[message.stream].next(message.text), written);
      case 'gap':
        streams[1].end();
        streams[2].end();
        return terminal.write(`${plainLetters}\r\n\u001b[7m ${message.text} ${plainLetters}\r\n`, written);
    }
  };
  addEventListener('message', ({ origin, source, data }) => {
    if (origin !== location.origin || source !== parent) return;
    const message = readToTerminal(data);
    if (message !== undefined) take(message);
  });
  dark.addEventListener('change', () => {
    terminal.options.theme = themeOf(dark.matches);
  });
  new ResizeObserver(arrange).observe(screen);
  arrange();
  tell({ type: 'ready' });
}

function writePieces(terminal: Terminal, text: string, written: () => void): void {
  let at = 0;
  for (; text.length - at > pieceLength; at += pieceLength) terminal.write(text.slice(at, at + pieceLength));
  terminal.write(text.slice(at), written);
}

/** As many columns as fit; a size that is given is kept, with smaller letters, as long as they can be read. */
function arrangeIn(
  terminal: Terminal,
  fit: FitAddon,
  size: { readonly cols: number; readonly rows: number } | undefined,
): void {
  terminal.options.fontSize = largestFont;
  const room = fit.proposeDimensions();
  if (room === undefined || Number.isNaN(room.cols)) return;
  const wanted = Math.floor((largestFont * room.cols) / (size?.cols ?? room.cols));
  if (size === undefined || wanted < smallestFont)
    return terminal.resize(Math.max(20, room.cols), Math.max(2, room.rows));
  terminal.options.fontSize = Math.min(largestFont, wanted);
  terminal.resize(size.cols, Math.max(2, fit.proposeDimensions()?.rows ?? size.rows));
}

const screen = document.getElementById('screen');
if (screen !== null) start(screen);
