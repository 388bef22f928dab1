/** A tool's changes of its terminal's modes end with it; natively they stay, so they are not compared. */
export const modes = [[/terminal (changed|as before)/g, 'terminal']] as const;
