import { posix } from 'node:path';

import { type Adapter } from '../frameworks/preset.js';

/** The packages lie below the root directory, so that they find the framework in the packages of the project. */
const PLACE = '.adapter';

/**
 * The shell script that adds an adapter to the source in the sandbox. The packages of the project stay as its lock file
 * says: the adapter has a directory of its own, and the project finds it by a link.
 */
export function adapterScript({ packages, links, wraps, files = {} }: Adapter): string {
  const lines = ['set -e', `mkdir -p ${PLACE}`];
  if (packages.length > 0)
    lines.push(
      `cd ${PLACE}`,
      `echo '{"private":true}' > package.json`,
      `npm install --no-package-lock --legacy-peer-deps --omit=dev ${packages.map(quoted).join(' ')}`,
      'cd ..',
    );
  for (const name of links) {
    const [scope] = name.includes('/') ? name.split('/') : [''];
    const up = scope === '' ? '..' : '../..';
    lines.push(
      `mkdir -p ${quoted(`node_modules/${scope}`)}`,
      `ln -sfn ${quoted(`${up}/${PLACE}/node_modules/${name}`)} ${quoted(`node_modules/${name}`)}`,
    );
  }
  if (wraps !== undefined)
    lines.push(`mv ${quoted(wraps.file)} ${quoted(wraps.original)}`, writing(wraps.file, wraps.text));
  for (const [file, text] of Object.entries(files)) lines.push(writing(file, text));
  return lines.join('\n');
}

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

const writing = (file: string, text: string): string =>
  `mkdir -p ${quoted(posix.dirname(file))}\nprintf %s ${quoted(text)} > ${quoted(file)}`;
