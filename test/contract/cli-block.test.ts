import fc from 'fast-check';
import type { Language } from '@service/client';
import { Block } from '../../cli/src/sandbox/block.js';

/** The blocks that these lines are run as. A last one that goes on is marked. */
function blocksOf(code: string, language: Language): string[] {
  const blocks: string[] = [];
  let block = new Block(language);
  for (const line of code.split('\n')) {
    block.add(line);
    if (block.goesOn) continue;
    blocks.push(block.code);
    block = new Block(language);
  }
  if (!block.isEmpty) blocks.push(`${block.code} …`);
  return blocks;
}

/** Code that is whole at its last line, and not before. */
const PYTHON = {
  'a bracket in a text': 'print("(")',
  'brackets and quotes in texts of all kinds': `f('[', "it's", r'\\(', b"{", rb'\\"[', u"(", 'a\\'(')`,
  'a bracket in a comment': 'x = 1  # (not yet',
  'brackets over lines': 'x = (\n  1,\n\n  2)',
  'brackets of all kinds over lines': 'x = {\n"a": [\n(1,\n2)]}',
  'a text over lines, with empty ones': 'x = """one (\n\n# no comment " \'\'\'\n"""',
  'another text over lines': "x = '''\n\"\"\"\n'''",
  'a quote that is escaped in a text over lines': 'x = """\n\\"""\n"""',
  'a text that goes on by a backslash': "x = 'one \\\ntwo'",
  'a statement that goes on by a backslash': 'x = 1 + \\\n  2',
  'a formatted text': `f"{x['a']}: {len('(')} {{ {y!r:>{width}} }} {z:%H:%M}"`,
  'a formatted text with its own quotes': 'f"{d["("]} {f"{e[")"]}"}"',
  'a formatted text over lines': 'f"""\n{x:(\n{w}}\n{y["a"]}"""',
  'a value of a formatted text over lines': 'f"{\nx\n}"',
  'a body in one line': 'if x: print(1)',
  'a slice and a dictionary': 'x[1:], {1: 2}',
  'a name that ends as a prefix does': 'barf = "("',
  'nothing but a comment': '# (',
} as const;
const JAVASCRIPT = {
  'a bracket in a text': 'console.log("(")',
  'a bracket in another text': "f('[', 'it\\'s {')",
  'a bracket in a comment': 'let x = 1 // (not yet',
  'a bracket in a comment between': 'let x = 1 /* ( */ + 2',
  'a comment over lines, with empty ones': '/* one (\n\n ` " */ x',
  'brackets over lines': 'var x = [\n1,\n\n2]',
  'a function': 'function f(x) {\n  if (x) {\n    return "}"\n  }\n\n}',
  'a template over lines, with empty ones': 'let x = `one (\n\n// no comment " \' \\`\n`',
  'a template with values': 'x = `${a["}"]} ${`${b}(`} \\${ $ {`',
  'a value of a template over lines': 'x = `${{\na: 1 }.a\n}\n`',
  'a text that goes on by a backslash': "x = 'one \\\ntwo'",
  'a regular expression': 'x = /[/(]\\/(?:/.test(y)',
  'a regular expression after a word': 'y => { return /"{/g }',
  'a division': 'x = a / b + (c) / d["/"] / e++ / 2',
  'a private name and a decorator': 'class A { @x() #y = "{" }',
  types: 'const x: Map<string, { a: (b: number) => void }> = new Map()',
} as const;

describe('a block of `service sandbox repl`', () => {
  it.each(Object.entries(PYTHON))('in Python ends after %s', (_, code) => {
    expect(blocksOf(code, 'python')).toEqual([code]);
  });

  it.each(Object.entries(JAVASCRIPT))('in JavaScript and TypeScript ends after %s', (_, code) => {
    expect(blocksOf(code, 'javascript')).toEqual([code]);
    expect(blocksOf(code, 'typescript')).toEqual([code]);
  });

  it.each([
    ...Object.entries(PYTHON).map(([what, code]) => ['python', what, code] as const),
    ...Object.entries(JAVASCRIPT).map(([what, code]) => ['javascript', what, code] as const),
  ])('in %s goes on as long as there is something open: %s', (language, _, code) => {
    const lines = code.split('\n');
    for (let count = 1; count < lines.length; count++)
      expect(blocksOf(lines.slice(0, count).join('\n'), language)).toEqual([expect.stringMatching(/ …$/)]);
  });

  it('in Python ends with an empty line, if it has a body', () => {
    const body = 'def f(x):\n# a comment\n    y = "\\\n:"\n    return (x,\ny)\n';
    expect(blocksOf(`${body}\nf(1)`, 'python')).toEqual([body, 'f(1)']);
    expect(blocksOf('@cached\ndef f():\n  return 1\n\nx', 'python')).toEqual(['@cached\ndef f():\n  return 1\n', 'x']);
    expect(blocksOf('if x:  # why\n  y\nelse:\n  z\n\nx', 'python')).toEqual(['if x:  # why\n  y\nelse:\n  z\n', 'x']);
    expect(blocksOf('for x in y:\n  z\nprint(x)', 'python')).toEqual(['for x in y:\n  z\nprint(x)']);
    expect(blocksOf('f(a,\n    b)\nx', 'python')).toEqual(['f(a,\n    b)', 'x']);
    expect(blocksOf('x = 1 + \\\n\ny', 'python')).toEqual(['x = 1 + \\\n', 'y']);
    expect(blocksOf('def f():', 'python')).toEqual(['def f(): …']);
  });

  it.each([
    ['python', 'x = "(\ny'],
    ['python', "x = f'{a} (\ny"],
    ['python', 'x = (]\ny'],
    ['python', 'f"{a[)}"\ny'],
    ['python', 'f"""{a:"""\ny'],
    ['python', 'x)\ny'],
    ['python', 'x = "a\\\\\ny'],
    ['javascript', 'x = "(\ny'],
    ['javascript', 'x = (]\ny'],
    ['javascript', 'x = `${)}\ny'],
    ['javascript', 'x}\ny'],
    ['javascript', "x = 'a\\\\\ny"],
  ] as const)('in %s is run at once if no line can make it right: %j', (language, code) => {
    expect(blocksOf(code, language)).toEqual(code.split('\n'));
  });

  it('takes nothing of what comes after a text, whatever is in it', () => {
    const letters = fc.string({
      unit: fc.constantFrom('(', ')', '[', ']', '{', '}', "'", '"', '`', '#', '/', '\\', ':', '$', ' ', 'a', '\n'),
    });
    fc.assert(
      fc.property(letters, (text) => {
        const json = JSON.stringify(text);
        for (const language of ['python', 'javascript', 'typescript'] as const)
          expect(blocksOf(`x = [${json}]\ny`, language)).toEqual([`x = [${json}]`, 'y']);
        const long = text.replace(/["\\]/g, '\\$&');
        expect(blocksOf(`x = """${long}"""\ny`, 'python')).toEqual([`x = """${long}"""`, 'y']);
        const template = text.replace(/[`\\$]/g, '\\$&');
        expect(blocksOf(`x = \`${template}\`\ny`, 'javascript')).toEqual([`x = \`${template}\``, 'y']);
      }),
    );
  });

  it('is read in time that grows with its length', () => {
    const lines = 50_000;
    const startMs = performance.now();
    for (const language of ['python', 'javascript'] as const)
      for (const line of ['x = "(" # [', '"""', '`', '{', '/[', "f'{'", '\\'])
        blocksOf(`(\n${`${line}\n`.repeat(lines)}`, language);
    expect(performance.now() - startMs).toBeLessThan(20_000);
  });
});
