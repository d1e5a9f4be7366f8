import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT_ROOT } from '../../src/platform/version.js';

const SOURCES = join(PROJECT_ROOT, 'web/src');

describe('a form of the web app', () => {
  it('is always the one of web/src/ui, which keeps what was typed', () => {
    const others = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.tsx') && name !== 'ui/form.tsx')
      .filter((name) => /<form\b/.test(readFileSync(join(SOURCES, name), 'utf8')));
    expect(others).toEqual([]);
  });
});
