import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BUILD_FAILURE_CODES, BuildFailed } from '../../src/modules/builds/build-failed.js';
import { renderMarkdown } from '../../src/modules/docs/markdown.js';
import { listPages } from '../../src/modules/docs/pages/page-list.js';
import { PROJECT_ROOT } from '../../src/platform/version.js';

const read = (file: string): string => readFileSync(join(PROJECT_ROOT, file), 'utf8');
const sourceFiles = readdirSync(join(PROJECT_ROOT, 'src/modules'), { recursive: true, encoding: 'utf8' })
  .filter((name) => /^(?:builds|deploys|hosting)\/.*\.ts$/.test(name) && !name.endsWith('.spec.ts'))
  .map((name) => `src/modules/${name}`);

/** True when the address is a page that the service shows, with the heading that the address names. */
function leadsSomewhere(address: string): boolean {
  const [path = '', anchor] = address.replace(/^\/docs\//, '').split('#', 2);
  const file = listPages().get(path);
  if (file === undefined) return false;
  return anchor === undefined || renderMarkdown(read(file)).headings.some(({ id }) => id === anchor);
}

describe('the link in the error of a deploy', () => {
  it.each(BUILD_FAILURE_CODES)('of %s leads to a part of a page', (code) => {
    const [, address = ''] = / See (\/docs\/\S+)\.$/.exec(new BuildFailed(code, 'It failed.').message) ?? [];
    expect([address, leadsSomewhere(address)]).toEqual([address, true]);
  });

  it('that a message names leads to a part of a page', () => {
    const sections = read('src/modules/builds/plan/more-at.ts').matchAll(/\| '([a-z-]+)'/g);
    const named = sourceFiles.flatMap((file) =>
      [...read(file).matchAll(/See (\/docs\/[a-z/_]+#[a-z-]+)/g)].map(([, address]) => address!),
    );
    const addresses = [...new Set([...[...sections].map(([, name]) => `/docs/builds#${name}`), ...named])];
    expect(addresses.length).toBeGreaterThan(BUILD_FAILURE_CODES.length / 2);
    expect(addresses.filter((address) => !leadsSomewhere(address))).toEqual([]);
  });

  it('has the page on deploys behind it, which lists every code of a build', () => {
    const page = read('docs/deploys.md');
    expect(BUILD_FAILURE_CODES.filter((code) => !page.includes(`\`${code}\``))).toEqual([]);
    expect(leadsSomewhere('/docs/deploys#nowhere')).toBe(false);
  });
});
