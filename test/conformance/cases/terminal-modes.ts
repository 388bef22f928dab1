/** What a tool does to its terminal's modes ends with it; natively it stays, so that it is not compared. */
export const modes = [[/terminal (changed|as before)/g, 'terminal']] as const;
