import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { PROJECT_ROOT } from '../../src/platform/version.js';

/** Words that this project does not use, and what it says instead (docs/style.md). */
const REFUSED: readonly (readonly [RegExp, string])[] = [
  [/[wW]ish(es)?\b/, 'Create…Input, Update…Input, PageRequest, options'],
  [/\bOwningOrgs\b/, 'OrgDirectory'],
  [/\b[sS]omebody\b/, 'a caller, a person, another user'],
  [/\b[sS]trangers?\b|Strangers?\b/, 'an unauthenticated caller, another tenant'],
  [/\b[wW]hoever\b/, 'the operator, the caller'],
  [/\b[wW]hyever\b|\bwherefrom\b|\bwhereto\b/, 'a plain clause'],
  [/\btold\b|\btells? of\b/, 'notified, reported, named'],
  [/\b(is|are|was|were|be) away\b|Away\b/, 'is unavailable'],
  [/\banew\b|Anew\b/, 'again, recreated, re-encrypted'],
  [/\b[cC]hores?\b/, 'what the job does'],
  [/\bgoing on\b/, 'active, running'],
  [/\bat work\b/, 'running'],
  [/\bmeans of payment\b/i, 'payment method'],
  [/\bwhat production shows\b/i, 'the production deploy'],
];

/** A comment is a full sentence; these openings begin a fragment. */
const FRAGMENT = /(?:\/\/|\/\*\*|^\s*\*) (?:Of|As|Those|By|Null:) /;

/** Records of what was decided and measured quote the words of their time; changes are not rewritten either. */
const HISTORY = /^docs\/decisions\/|^CHANGELOG\.md$|^migrations\//;

const filesIn = (folder: string, ending: RegExp): string[] =>
  readdirSync(join(PROJECT_ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => ending.test(name) && !name.includes('node_modules') && !/(^|\/)dist\//.test(name))
    .map((name) => join(folder, name));

const CODE = ['src', 'test', 'client/src', 'cli/src'].flatMap((folder) => filesIn(folder, /\.ts$/));
const PAGES = [
  ...filesIn('docs', /\.md$/),
  ...['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'client/README.md', 'cli/README.md', '.env.example'],
];
const OWN = relative(PROJECT_ROOT, join(PROJECT_ROOT, 'test/drift/language.test.ts'));

function linesWith(files: readonly string[], pattern: RegExp): string[] {
  return files
    .filter((file) => file !== OWN && !HISTORY.test(file))
    .flatMap((file) =>
      readFileSync(join(PROJECT_ROOT, file), 'utf8')
        .split('\n')
        .flatMap((line, index) => (pattern.test(line) ? [`${file}:${index + 1}: ${line.trim().slice(0, 140)}`] : [])),
    );
}

describe('the glossary', () => {
  it.each(REFUSED)('refuses %s and says instead: %s', (pattern) => {
    expect(linesWith([...CODE, ...PAGES], pattern)).toEqual([]);
  });

  it('is read by a test that can fail', () => {
    expect(CODE.length).toBeGreaterThan(1_000);
    expect(linesWith(CODE, /\bclass\b/).length).toBeGreaterThan(500);
  });
});

describe('comments', () => {
  it('do not open with a fragment', () => {
    expect(linesWith(CODE, FRAGMENT)).toEqual([]);
  });
});
