import { expect, test } from 'vitest';
import { isDangerousVariable } from './dangerous-variables.ts';

test.each([
  'BIOME_BINARY',
  'esbuild_binary_path',
  'TIG_EDITOR',
  'BAT_PAGER',
  'FZF_DEFAULT_COMMAND',
  'BORG_RSH',
  'RCLONE_SFTP_SSH',
  'KAFKA_OPTS',
  'HDF5_PLUGIN_PATH',
])('A-83 P12: %s ends like what a program starts or loads, and never passes', (name) => {
  expect(isDangerousVariable(name)).toBe(true);
  expect(isDangerousVariable(`${name}_COUNT`)).toBe(false);
});
