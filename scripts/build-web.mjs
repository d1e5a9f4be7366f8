#!/usr/bin/env node
/**
 * Makes dist/web of web/ and client/src: the static files of the web app, each with a copy in brotli and in gzip beside
 * it, which the API sends as they are.
 */
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { build } from 'vite';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const DIST = join(ROOT, 'dist');
const FRESH = join(DIST, '.fresh-web');
const OLD = join(DIST, '.old-web');
const TARGET = join(DIST, 'web');
/** Fonts and pictures are compressed already. */
const COMPRESSED = ['.css', '.html', '.js', '.json', '.svg'];

await rm(FRESH, { recursive: true, force: true });
await mkdir(DIST, { recursive: true });
await build({
  configFile: join(ROOT, 'web/vite.config.ts'),
  logLevel: 'warn',
  build: { outDir: FRESH, emptyOutDir: true, reportCompressedSize: false },
});
const files = (await readdir(FRESH, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
await Promise.all(files.filter(({ name }) => COMPRESSED.includes(extname(name))).map(compress));

// The directory is replaced as a whole, so that nothing of an earlier build stays behind.
await rm(OLD, { recursive: true, force: true });
await rename(TARGET, OLD).catch((error) => {
  if (error.code !== 'ENOENT') throw error;
});
await rename(FRESH, TARGET);
await rm(OLD, { recursive: true, force: true });

async function compress({ parentPath, name }) {
  const path = join(parentPath, name);
  const content = await readFile(path);
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
    [constants.BROTLI_PARAM_SIZE_HINT]: content.length,
  };
  await writeFile(`${path}.br`, await promisify(brotliCompress)(content, { params }));
  await writeFile(`${path}.gz`, await promisify(gzip)(content, { level: constants.Z_BEST_COMPRESSION }));
}
