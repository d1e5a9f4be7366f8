import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const BLOCK = /^```mermaid\n([^]*?)^```$/gm;

/** The sources of all diagrams in the README and the documentation of a project. */
export const diagramsIn = (root) =>
  ['README.md', ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' }).map((name) => `docs/${name}`)]
    .filter((name) => name.endsWith('.md'))
    .sort()
    .flatMap((name) => [...readFileSync(join(root, name), 'utf8').matchAll(BLOCK)].map(([, text]) => text.trim()));

/** The name of the picture of a diagram. `src/modules/docs/pages/doc-pictures.ts` finds it by the same name. */
export const nameOf = (source) => `${createHash('sha256').update(source.trim()).digest('hex').slice(0, 16)}.svg`;
