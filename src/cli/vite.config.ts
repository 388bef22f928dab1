import { join } from 'node:path';
import { defineConfig, type Plugin } from 'vite';
import { programs } from '../program-file.ts';
import { besideBundle } from './beside-bundle.ts';

const root = join(import.meta.dirname, '../..');

/** BuildKit's sessions and a client of ssh: we call neither, and they would load a hundred files at each start. */
const unused = new Map([
  ['dockerode/lib/docker.js', './session'],
  ['docker-modem/lib/modem.js', './ssh'],
]);

const withoutUnused: Plugin = {
  name: 'without-unused',
  enforce: 'pre',
  resolveId: (wanted, from) =>
    [...unused].some(([file, part]) => wanted === part && from?.endsWith(`node_modules/${file}`))
      ? join(import.meta.dirname, 'not-bundled.cjs')
      : undefined,
};

/** Every program of ours with its packages in a few files: Node starts it in half the time that single files take. */
export default defineConfig({
  root,
  plugins: [withoutUnused],
  ssr: { noExternal: true, external: besideBundle },
  build: {
    ssr: true,
    target: 'node22',
    minify: false,
    // A package holds them with their code.
    license: { fileName: 'third-party-licenses.md' },
    outDir: 'build/programs',
    emptyOutDir: true,
    rollupOptions: {
      input: Object.fromEntries(programs.map((program) => [program, join(root, `${program}.ts`)])),
      output: { entryFileNames: '[name].js', chunkFileNames: 'chunks/[name]-[hash].js' },
    },
  },
});
