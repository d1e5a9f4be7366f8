import { readReport, withPosition } from './report.js';

const read = (...lines: string[]): ReturnType<typeof readReport> => readReport(Buffer.from(lines.join('\n')));

describe('the report of a run', () => {
  it('finds the position in the user’s own file, not in a library’s', () => {
    const stack = 'Error: x\n    at node:fs:3:1\n    at f (/tmp/main.ts:12:7)\n    at /tmp/main.ts:1:1';
    expect(read('', JSON.stringify({ error: { name: 'Error', message: 'x', stack } })).error).toMatchObject({
      line: 12,
      column: 7,
    });
  });

  it('finds the column of a syntax error at its caret', () => {
    const stack = "/tmp/main.js:2\nlet b = = 3;\n        ^\n\nSyntaxError: Unexpected token '='";
    expect(read(JSON.stringify({ error: { name: 'SyntaxError', message: 'x', stack } })).error).toMatchObject({
      line: 2,
      column: 9,
    });
  });

  it('takes the position of a syntax error in a module from standard error', () => {
    const stderr = 'file:///tmp/main.js:4\n  a b\n    ^\n\nSyntaxError: x\n';
    expect(withPosition({ name: 'SyntaxError', message: 'x' }, stderr)).toMatchObject({ line: 4, column: 5 });
    expect(withPosition({ name: 'TypeError', message: 'x' }, stderr)).not.toHaveProperty('line');
  });

  it('passes over whatever is not of the expected shape', () => {
    expect(
      read(
        '[]',
        'null',
        '7',
        '{',
        '{"error":"x"}',
        '{"error":{"name":1,"message":"x"}}',
        '{"exit":"0"}',
        '{"exit":256}',
        '\0\xff',
      ),
    ).toEqual({});
  });

  it('takes no line that is none, and no text without end', () => {
    const error = { name: 'N'.repeat(1e4), message: 'm'.repeat(1e5), line: -3, column: 1.5 };
    const found = read(JSON.stringify({ error })).error!;
    expect(found).not.toHaveProperty('line');
    expect(found.name).toHaveLength(100);
    expect(found.message).toHaveLength(8_192);
  });

  it('keeps the last word', () => {
    expect(read('{"exit":1}', '{"exit":200}')).toEqual({ exit: 200 });
  });
});
