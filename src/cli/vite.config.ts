import { join } from 'node:path';
import { defineConfig } from 'vite';
import { programs } from '../program-file.ts';
import { besideBundle } from './beside-bundle.ts';

const root = join(import.meta.dirname, '../..');

/** Every program of ours with its packages in a few files: Node starts it in half the time that single files take. */
export default defineConfig({
  root,
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
