import { existsSync, readdirSync } from 'node:fs';
import { join, posix } from 'node:path';
import { PROJECT_ROOT } from '../../../platform/version.js';

/** Pages that lie outside of `docs/`, by their address below `/docs`. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  start: 'README.md',
  client: 'client/README.md',
  cli: 'cli/README.md',
  contributing: 'CONTRIBUTING.md',
  changelog: 'CHANGELOG.md',
};

/**
 * The Markdown files that are shown, by their address below `/docs`: `operations/slo`. Files are only ever read by this
 * list, which is made from the directory, so that no request becomes a path.
 */
export function listPages(): ReadonlyMap<string, string> {
  const names = readdirSync(join(PROJECT_ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md') && name !== 'README.md')
    .sort();
  return new Map([
    ...Object.entries(ELSEWHERE).filter(([, file]) => existsSync(join(PROJECT_ROOT, file))),
    ...names.map((name) => [addressOf(name), `docs/${name}`] as const),
  ]);
}

const addressOf = (name: string): string => name.replace(/(?:\/README)?\.md$/, '');

/**
 * Returns the address of the page that a link in a file leads to, with its anchor, or undefined when it leads to a file
 * that is no page.
 */
export function pageAddress(pages: ReadonlyMap<string, string>, from: string, href: string): string | undefined {
  const [path = '', anchor] = href.split('#', 2);
  const target = path === '' ? from : posix.normalize(posix.join(posix.dirname(from), path));
  const file = target.endsWith('/') ? `${target}README.md` : target;
  const hash = anchor === undefined ? '' : `#${anchor}`;
  if (file === 'docs/README.md') return `/docs${hash}`;
  if (target === 'docs/errors/' || target === 'docs/errors') return `/docs/errors${hash}`;
  for (const [address, each] of pages) if (each === file) return `/docs/${address}${hash}`;
  return undefined;
}
