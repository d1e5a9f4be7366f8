import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { PROJECT_ROOT } from '../../src/platform/version.js';

const PLATFORM = join(PROJECT_ROOT, 'src/platform');

/** What the product is about. The platform below it could carry another product. */
const PRODUCT_WORDS = new Set(
  [
    'apps artifact billing build credit deploy deployment execution feature github hosting invoice meter metering org',
    'organization plan pricing project repository repositories sandbox stripe',
  ].flatMap((line) => line.split(' ').flatMap((word) => [word, `${word}s`, `${word}es`])),
);

/** Names that hold such a word and mean something else. */
const OTHER_MEANINGS = /ExecutionContext|PROJECT_ROOT|projectRoot/g;

interface Exemption {
  readonly file: string;
  readonly words: readonly string[];
  readonly why: string;
}

/**
 * What a file may say nevertheless, and why. An entry without use fails, so that the list only becomes shorter.
 */
const EXEMPTIONS: readonly Exemption[] = [
  {
    file: 'errors/define-errors.ts',
    words: ['credits'],
    why: 'The type insufficient_credits_error is one of the eight in the service document, section 7.',
  },
  { file: 'isolation/bubblewrap.ts', words: ['sandbox'], why: 'The host name that isolated code has always seen.' },
  { file: 'isolation/network/attached-network.ts', words: ['sandbox'], why: 'An option of slirp4netns.' },
];

/** The words of identifiers and texts, in lower case: `repoUrl` has two. Comments are not looked at. */
function wordsOf(text: string): string[] {
  return text
    .replace(OTHER_MEANINGS, '')
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .split(/[^A-Za-z]+/)
    .map((word) => word.toLowerCase());
}

function textsOf(file: string): string[] {
  const source = readFileSync(join(PLATFORM, file), 'utf8');
  if (file.endsWith('.lua')) return [source.replace(/--.*$/gm, '')];
  const texts: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isIdentifier(node) || ts.isLiteralExpression(node) || ts.isTemplateMiddleOrTemplateTail(node))
      texts.push(node.text);
    else if (node.kind === ts.SyntaxKind.TemplateHead) texts.push((node as ts.TemplateHead).text);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, source, ts.ScriptTarget.Latest, false));
  return texts;
}

const productWordsOf = (texts: readonly string[]): string[] =>
  [...new Set(texts.flatMap(wordsOf).filter((word) => PRODUCT_WORDS.has(word)))].sort();

describe('src/platform', () => {
  const files = readdirSync(PLATFORM, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(?:ts|cjs|lua)$/.test(name) && !name.endsWith('.spec.ts'))
    .sort();

  it('names nothing of the product, in files, identifiers and texts', () => {
    const found = files
      .map((file) => ({ file, words: productWordsOf([file, ...textsOf(file)]) }))
      .filter(({ words }) => words.length > 0);
    expect(found).toEqual(EXEMPTIONS.map(({ file, words }) => ({ file, words: [...words].sort() })));
  });

  it('would be caught at it', () => {
    expect(files.length).toBeGreaterThan(100);
    expect(
      productWordsOf(['sandboxTimeoutMs', 'PLAN_IDS', 'The deploys of a project.', 'ExecutionContext', 'apparent']),
    ).toEqual(['deploys', 'plan', 'project', 'sandbox']);
    expect(textsOf('config/config.ts')).toEqual(expect.arrayContaining(['Config', 'DATABASE_URL']));
  });
});
