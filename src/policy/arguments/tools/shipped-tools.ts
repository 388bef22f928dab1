import awk from '../../tools/awk.json' with { type: 'json' };
import docker from '../../tools/docker.json' with { type: 'json' };
import find from '../../tools/find.json' with { type: 'json' };
import git from '../../tools/git.json' with { type: 'json' };
import grep from '../../tools/grep.json' with { type: 'json' };
import kubectl from '../../tools/kubectl.json' with { type: 'json' };
import npm from '../../tools/npm.json' with { type: 'json' };
import pip from '../../tools/pip.json' with { type: 'json' };
import sed from '../../tools/sed.json' with { type: 'json' };
import sort from '../../tools/sort.json' with { type: 'json' };
import ssh from '../../tools/ssh.json' with { type: 'json' };
import tar from '../../tools/tar.json' with { type: 'json' };
import terraform from '../../tools/terraform.json' with { type: 'json' };

/** The data that Clawrden ships, as it is written, by each tool's names. */
export const shippedTools: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ...named(awk, 'awk', 'mawk', 'gawk', 'nawk'),
  ...named(grep, 'grep', 'egrep', 'fgrep'),
  ...named(tar, 'tar', 'gtar'),
  ...named(pip, 'pip', 'pip3'),
  ...named(docker, 'docker'),
  ...named(find, 'find'),
  ...named(git, 'git'),
  ...named(kubectl, 'kubectl'),
  ...named(npm, 'npm'),
  ...named(sed, 'sed'),
  ...named(sort, 'sort'),
  ...named(ssh, 'ssh'),
  ...named(terraform, 'terraform'),
]);

function named(data: unknown, ...names: readonly string[]): (readonly [string, unknown])[] {
  return names.map((name) => [name, data]);
}
