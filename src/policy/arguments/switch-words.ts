/** Values that mean the same. */
const switches = [
  ['true', 'yes', 'on', '1'],
  ['false', 'no', 'off', '0', ''],
];

/** The words for what a value turns on or off. `undefined`: it does neither. */
export function switchWords(value: string): readonly string[] | undefined {
  return switches.find((words) => words.includes(value));
}

/** For git each whole number is on or off, too: in octal, in hexadecimal, with a sign, with a unit. */
export function gitSwitch(value: string): string {
  const [, digits] = /^\s*[+-]?(0x[\da-f]+|\d+)[kmg]?$/.exec(value) ?? [];
  return digits === undefined ? value : /[1-9a-f]/.test(digits) ? '1' : '0';
}
