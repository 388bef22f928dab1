/** Values that mean the same. */
const switches = [
  ['true', 'yes', 'on', '1'],
  ['false', 'no', 'off', '0', ''],
];

/**
 * All that a pattern in small letters may say of a text that its tool reads in any case: as it is, as `name=value` and
 * as `name value`, without quotes and with a switch's other words. `undefined`: it sets several, or hides a name.
 */
export function settingTexts(text: string): readonly string[] | undefined {
  const plain = text.toLowerCase();
  const equals = plain.indexOf('=');
  // Most have neither blanks nor quotes, and more than a switch behind the name.
  if (equals > 0 && text.length > equals + 6 && !/[\s"'\\{]/.test(text))
    return [plain, `${plain.slice(0, equals)} ${plain.slice(equals + 1)}`];
  return allTexts(text);
}

function allTexts(text: string): readonly string[] | undefined {
  const { name, value } = readSetting(text.toLowerCase());
  if (name.includes('\\') || /^\{\s*["'\w][^=.{}]*=/.test(value ?? '')) return undefined;
  const values = value === undefined ? switches[0] : switches.find((words) => words.includes(value));
  const set = (values ?? [value]).flatMap((each) => [`${name}=${each}`, `${name} ${each}`]);
  const plain = text.toLowerCase().replaceAll(/[\s"']/g, '');
  const written = value === undefined ? [name] : [`${name}=${value}`, `${name} ${value}`];
  return [...new Set([text.toLowerCase(), plain, ...written, ...set])];
}

interface Setting {
  readonly name: string;
  /** Without quotes. */
  readonly value?: string;
}

/** Blanks, or `=`, or a closing quote end the name; blanks before it do not count. */
function readSetting(text: string): Setting {
  const [before = ''] = /^[\s=]*/.exec(text) ?? [];
  const [whole, start = '', quoted = ''] = /^([^\s="]*)(?:"([^"]*)")?/.exec(text.slice(before.length)) ?? [
    '',
  ];
  const rest = text.slice(before.length + whole.length);
  const name = (start + quoted).trim();
  return rest === ''
    ? { name }
    : {
        name,
        value: rest
          .replace(/^[\s=]+/, '')
          .replaceAll(/["']/g, '')
          .trim(),
      };
}
