import { piecesOf } from '../../client/src/html-tables.js';
import { sizeOfPicture } from '../../web/src/sandbox/picture-size.js';

/** The texts of the cells of the first table. */
const cellsOf = (html: string): string[][] =>
  piecesOf(html).flatMap((piece) =>
    'table' in piece ? piece.table.rows.map((row) => row.map(({ text }) => text)) : [],
  );

describe('HTML of programs', () => {
  it('is read as tables and texts, in their order', () => {
    const html =
      '<div><style scoped>.a { color: red }</style><p>Before</p><table border="1"><thead><tr><th></th>' +
      '<th colspan="2">a > b &amp; &lt;c&gt; &#233;</th></tr></thead><tbody><tr><th rowspan=3>0</th><td>1\n 2</td>' +
      '</tr></tbody></table><p>2 rows</p></div>';
    expect(piecesOf(html)).toEqual([
      { text: 'Before' },
      {
        table: {
          isCut: false,
          rows: [
            [
              { text: '', isHead: true, columns: 1, rows: 1 },
              { text: 'a > b & <c> é', isHead: true, columns: 2, rows: 1 },
            ],
            [
              { text: '0', isHead: true, columns: 1, rows: 3 },
              { text: '1 2', isHead: false, columns: 1, rows: 1 },
            ],
          ],
        },
      },
      { text: '2 rows' },
    ]);
  });

  it('keeps tables inside of cells as text, and reads what has no end', () => {
    expect(cellsOf('<table><tr><td>a<table><tr><td>b<td>c</table>d<td>e')).toEqual([['a b c d', 'e']]);
    expect(piecesOf('a < b <3 <!-- never ends <p>x')).toEqual([{ text: 'a < b <3' }]);
    expect(piecesOf('<p title=">" class=\'>\'>x</p')).toEqual([{ text: 'x' }]);
    expect(piecesOf('x<script>never ends')).toEqual([{ text: 'x' }]);
    expect(piecesOf('<SCRIPT>a</scripts>b</Script >c')).toEqual([{ text: 'c' }]);
  });

  it('is cut where a screen could not show it', () => {
    const [piece] = piecesOf(`<table>${`<tr>${'<td>x</td>'.repeat(60)}</tr>`.repeat(300)}</table>`);
    const { rows, isCut } = (piece as { table: { rows: unknown[][]; isCut: boolean } }).table;
    expect({ rows: rows.length, columns: rows[199]!.length, isCut }).toEqual({ rows: 200, columns: 50, isCut: true });
    expect(cellsOf('<table><tr><td>x</table>text'.repeat(10_000))).toHaveLength(50);
    expect(cellsOf('<table><td colspan=999>x')).toEqual([['x']]);
    expect(cellsOf(`<table><td>${'x'.repeat(5_000)}`)[0]![0]).toHaveLength(1_000);
  });

  it.each(['<', '<td>', '<table>', '<script>', '<script></script>', '<a "', '<!--', '&#1', '\n', '<p>\n '])(
    'is read in time that grows with its length: %j',
    (part) => {
      // The largest results of a run.
      const html = part.repeat(Math.ceil(4_194_304 / part.length));
      const startMs = performance.now();
      piecesOf(`<table><tr><td>${html}`);
      piecesOf(html);
      expect(performance.now() - startMs).toBeLessThan(10_000);
    },
  );
});

describe('the size of a picture', () => {
  it('is that of its header, and unknown for what is no picture', () => {
    const png = Buffer.from('89504e470d0a1a0a0000000d4948445200030d4000004e20', 'hex');
    expect(sizeOfPicture(png)).toEqual({ width: 200_000, height: 20_000 });
    const jpeg = Buffer.from('ffd8ffe000040000ffffc0000b08001000200301', 'hex');
    expect(sizeOfPicture(jpeg)).toEqual({ width: 32, height: 16 });
    for (const hex of ['', 'ffd8', 'ffd8ffe00000', 'ffd800000000000000000000', '89504e47', '47494638396101000100'])
      expect(sizeOfPicture(Buffer.from(hex, 'hex'))).toBeUndefined();
  });
});
