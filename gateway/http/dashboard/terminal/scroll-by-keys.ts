import type { Terminal } from '@xterm/xterm';

/** Keys scroll; every other key is the browser's, so that Tab leaves the terminal. */
export function scrollByKeys(terminal: Terminal): void {
  const lines: Readonly<Record<string, () => void>> = {
    ArrowUp: () => terminal.scrollLines(-1),
    ArrowDown: () => terminal.scrollLines(1),
    PageUp: () => terminal.scrollPages(-1),
    PageDown: () => terminal.scrollPages(1),
    Home: () => terminal.scrollToTop(),
    End: () => terminal.scrollToBottom(),
  };
  terminal.attachCustomKeyEventHandler((event) => {
    const scroll =
      event.type === 'keydown' && !event.ctrlKey && !event.metaKey ? lines[event.key] : undefined;
    if (scroll !== undefined) {
      event.preventDefault();
      scroll();
    }
    return false;
  });
}
