import type { ITheme } from '@xterm/xterm';

const light: ITheme = {
  ...{ background: '#ffffff', foreground: '#1c2321', cursor: '#ffffff', selectionBackground: '#cfe3df' },
  ...{ black: '#1c2321', red: '#a12c26', green: '#1d6a3c', yellow: '#7c5000' },
  ...{ blue: '#1a56a0', magenta: '#7b3285', cyan: '#1c5f5a', white: '#55605b' },
  ...{ brightBlack: '#55605b', brightRed: '#c03a33', brightGreen: '#257f49', brightYellow: '#946200' },
  ...{ brightBlue: '#1666c5', brightMagenta: '#93409f', brightCyan: '#247872', brightWhite: '#1c2321' },
};

const dark: ITheme = {
  ...{ background: '#1a1f1e', foreground: '#e6eae7', cursor: '#1a1f1e', selectionBackground: '#31534e' },
  ...{ black: '#2d3533', red: '#f4948a', green: '#86d1a0', yellow: '#e9be6c' },
  ...{ blue: '#7db4ff', magenta: '#d8a2e4', cyan: '#7ecabf', white: '#e6eae7' },
  ...{ brightBlack: '#a2ada8', brightRed: '#ffb3ab', brightGreen: '#a9e3bd', brightYellow: '#f4d491' },
  ...{ brightBlue: '#a9ccff', brightMagenta: '#e8c3f0', brightCyan: '#a5e0d7', brightWhite: '#ffffff' },
};

/** The colours of the pages around it. */
export function themeOf(isDark: boolean): ITheme {
  return isDark ? dark : light;
}
