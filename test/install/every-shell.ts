import { type InTree, type Tree, usualPath } from './tree.ts';

const ways = {
  login: ['-l', '-c'],
  'login and interactive': ['-l', '-i', '-c'],
  interactive: ['-i', '-c'],
  neither: ['-c'],
} as const;

type Way = keyof typeof ways;

const home = { HOME: '/home/agent' };

/** What an installer's ENV lines set. */
export function environmentOf(said: string): NodeJS.ProcessEnv {
  const lines = said.split('\n').filter((line) => line.startsWith('ENV '));
  const pairs = lines.flatMap((line) =>
    line
      .slice(4)
      .split(' ')
      .map((pair) => pair.split('=')),
  );
  return Object.fromEntries(pairs);
}

/** What each shell says of `npm` and of `docker`, which is locked and has no link: by its name, way and environment. */
export async function askShells(tree: Tree, said: string): Promise<Map<string, string>> {
  const given = environmentOf(said);
  const answers = new Map<string, string>();
  const ask = async (shell: string, way: Way, name: string, env: NodeJS.ProcessEnv) => {
    const options: InTree = { uid: 1000, env: { ...home, ...env } };
    const { stdout } = await tree.run([`/bin/${shell}`, ...ways[way], question], options);
    // An interactive busybox greets first.
    const lines = stdout.match(/^(?:shim|original|no|\/).*\n/gm) ?? [stdout];
    answers.set(`${shell}, ${way}, ${name}`, lines.join(''));
  };
  for (const shell of tree.image.shells) {
    for (const way of Object.keys(ways) as Way[]) await ask(shell, way, 'environment of the image', given);
    await ask(shell, 'login', 'no environment', {});
    await ask(shell, 'login and interactive', 'no environment', {});
    // Something set PATH anew.
    const reset = { ...given, PATH: usualPath };
    if (shell === 'bash') await ask(shell, 'interactive', 'no environment', {});
    if (given['BASH_ENV'] !== undefined)
      await ask(shell, shell === 'bash' ? 'neither' : 'interactive', 'PATH set anew', reset);
  }
  return answers;
}

const question = 'npm a b; command -v docker || echo "no docker"';
export const rightAnswer = 'shim npm\nno docker\n';
