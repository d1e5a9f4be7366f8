import { text } from 'node:stream/consumers';
import type { Locator, Page } from 'playwright-core';
import { inChromium } from '../support/browser.js';
import { eventually } from '../support/test-app.js';
import { expectAccessible, leaveBrowser, Visit } from './support.js';

jest.setTimeout(300_000);

/** A picture of 2 by 1 pixels, made with the standard library. */
const SHOWN = `
import struct, zlib
def chunk(name, data):
    return struct.pack('>I', len(data)) + name + data + struct.pack('>I', zlib.crc32(name + data))
class Plot:
    def _repr_png_(self):
        head = struct.pack('>IIBBBBB', 2, 1, 8, 2, 0, 0, 0)
        pixels = zlib.compress(b'\\0' + bytes([255, 0, 0, 0, 0, 255]))
        return b'\\x89PNG\\r\\n\\x1a\\n' + chunk(b'IHDR', head) + chunk(b'IDAT', pixels) + chunk(b'IEND', b'')
class Table:
    def _repr_html_(self):
        rows = ''.join(f'<tr><th>{i}</th><td>{star}</td><td>{len(star)}</td></tr>' for i, star in enumerate(stars))
        return f'<table><thead><tr><th></th><th>Name</th><th>Length</th></tr></thead><tbody>{rows}</tbody></table>'
class Html:
    def __init__(self, text):
        self.text = text
    def _repr_html_(self):
        return self.text
class Svg(Html):
    _repr_html_ = None
    def _repr_svg_(self):
        return self.text
`;

/** What runs at once, when it is loaded, when it fails to load, and when it is pointed at. */
const HOSTILE = [
  '<script>parent.hacked = 1</script>',
  '<img src=x onerror="parent.hacked = 2">',
  '<svg onload="parent.hacked = 3"><script>parent.hacked = 4</script></svg>',
  '<iframe srcdoc="<script>parent.hacked = 5</script>"></iframe>',
  '<table><tr><td onmouseover="parent.hacked = 6">cell &lt;b&gt;</td>' +
    '<td><a href="javascript:hacked = 7">link</a></td></tr></table>',
  '<style>body { display: none }</style><meta http-equiv="refresh" content="0;url=/hacked">',
  '<link rel="stylesheet" href="/hacked.css"><form action="/hacked"><button>Sign in again</button></form>',
].join('');

describe('the notebook of the web app', () => {
  afterAll(leaveBrowser);

  inChromium(
    'keeps variables between cells, shows tables and pictures, and reaches what a cell has started',
    async () => {
      const { visit, page } = await openedSession('Stars');
      await page.getByText(/Python, 256 MiB/).waitFor();

      await type(page, 1, `stars = ['Sirius', 'Vega']\n${SHOWN}print('ready')`);
      await page.keyboard.press('Shift+Enter');
      await cell(page, 1).getByText('Succeeded').waitFor();
      await printed(page, 1).getByText('ready').waitFor();
      // The next cell has been added, and has the focus.
      await eventually(
        async () => (await page.evaluate('document.activeElement.ariaLabel')) === 'Code of cell 2',
        'the next cell has the focus',
      );
      await page.keyboard.insertText('Table()');
      await page.keyboard.press('Shift+Enter');
      const table = cell(page, 2).getByRole('table');
      await table.getByText('Sirius').waitFor();
      expect(await table.getByRole('cell').allTextContents()).toEqual(['', 'Sirius', '6', 'Vega', '4']);

      await type(page, 3, 'Plot()');
      await page.keyboard.press('Shift+Enter');
      const picture = cell(page, 3).getByRole('img', { name: 'Picture 1, 2 by 1 pixels' });
      await picture.waitFor();
      const pixels = (): Promise<number[]> =>
        picture.evaluate((canvas) => [...(canvas as unknown as Canvas).getContext('2d').getImageData(0, 0, 2, 1).data]);
      const drawn = async (): Promise<boolean> => String(await pixels()) === '255,0,0,255,0,0,255,255';
      await eventually(drawn, 'the pixels of the program are drawn');

      await type(page, 4, '{"a": [1, 2]}');
      await page.keyboard.press('Shift+Enter');
      await printed(page, 4).getByText("{'a': [1, 2]}").waitFor();

      // A server of one cell answers the next one.
      const server = [
        'import http.server, threading, urllib.request',
        'class Answers(http.server.BaseHTTPRequestHandler):',
        '    def do_GET(self):',
        '        self.send_response(200); self.end_headers(); self.wfile.write(b"hello from " + self.path.encode())',
        'server = http.server.ThreadingHTTPServer(("127.0.0.1", 8000), Answers)',
        'threading.Thread(target=server.serve_forever, daemon=True).start()',
      ];
      await type(page, 5, server.join('\n'));
      await page.keyboard.press('Shift+Enter');
      await cell(page, 5).getByText('Succeeded').waitFor();
      await type(page, 6, 'print(urllib.request.urlopen("http://127.0.0.1:8000/there").read().decode())');
      await page.keyboard.press('Shift+Enter');
      await printed(page, 6).getByText('hello from /there').waitFor();
      // Nothing is used now.
      await page.getByText('Frozen').waitFor();

      // A command of the shell, and an error with its line.
      await type(page, 7, '!echo $((6 * 7)) && exit 3');
      await page.keyboard.press('Shift+Enter');
      await printed(page, 7).getByText('42').waitFor();
      await cell(page, 7).getByText('exit code 3').waitFor();
      await type(page, 8, 'raise ValueError("no")');
      await page.keyboard.press('Control+Enter');
      await cell(page, 8)
        .getByText(/in line 1/)
        .waitFor();
      await expectAccessible(visit, 'notebook');

      // The code and what came of it are there after a reload.
      await page.reload();
      await cell(page, 2).getByRole('table').getByText('Vega').waitFor();
      expect(await code(page, 6).inputValue()).toContain('/there');
      expect(visit.faults).toEqual([]);
      await visit.end();
    },
  );

  inChromium('shows output while a cell runs, and stops it', async () => {
    const { visit, page } = await openedSession('Live');
    await type(page, 1, 'import time\nprint("begun")\ntime.sleep(25)');
    await page.keyboard.press('Control+Enter');
    await cell(page, 1).getByRole('group', { name: 'Output until now' }).getByText('begun').waitFor();
    await cell(page, 1).getByText('Running').waitFor();
    await page.getByText('Awake').waitFor();
    await cell(page, 1).getByRole('button', { name: 'Stop' }).click();
    await cell(page, 1).getByText('Stopped').waitFor();
    expect(visit.faults).toEqual([]);
    await visit.end();
  });

  inChromium('runs nothing of hostile HTML, SVG and pictures', async () => {
    const { visit, page } = await openedSession('Hostile');
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    await type(page, 1, `${SHOWN}Html(${JSON.stringify(HOSTILE)})`);
    await page.keyboard.press('Shift+Enter');
    const shown = cell(page, 1).getByRole('region', { name: /^Table 1/ });
    await shown.getByText('cell <b>').hover();
    await shown.getByText('link').click();
    await type(
      page,
      2,
      `Svg('<svg xmlns="http://www.w3.org/2000/svg" onload="hacked = 8"><script>hacked = 9</script></svg>')`,
    );
    await page.keyboard.press('Shift+Enter');
    await cell(page, 2).getByText('SVG source 1').click();
    await printed(page, 2).getByText('hacked = 9').waitFor();
    // A picture that says it has 4,000,000,000 pixels is not decoded.
    await type(
      page,
      3,
      `class Bomb:\n    def _repr_png_(self):\n        head = struct.pack('>IIBBBBB', 200000, 20000, 8, 2, 0, 0, 0)\n` +
        `        return b'\\x89PNG\\r\\n\\x1a\\n' + chunk(b'IHDR', head) + chunk(b'IEND', b'')\nBomb()`,
    );
    await page.keyboard.press('Shift+Enter');
    await cell(page, 3).getByText('This browser cannot show the picture.').waitFor();

    expect(await page.evaluate('"hacked" in window')).toBe(false);
    expect(asked.filter((url) => url.includes('hacked'))).toEqual([]);
    const main = page.locator('main');
    for (const part of [
      'iframe',
      'script',
      'style',
      'link',
      'meta',
      'form',
      'img',
      'a[href^=javascript]',
      '[onmouseover]',
    ])
      expect([part, await main.locator(part).count()]).toEqual([part, 0]);
    expect(await main.isVisible()).toBe(true);
    expect(visit.faults).toEqual([]);
    await visit.end();
  });

  inChromium('takes files up and down and deletes them, and ends the session', async () => {
    const { visit, page, org } = await openedSession('Up and down');
    const files = page.getByRole('region', { name: 'Files' });
    await files.getByText('No files yet').waitFor();
    const content = 'name,length\nSirius,6\n';
    await page
      .locator('input[data-files]')
      .setInputFiles([{ name: 'stars & co.csv', mimeType: 'text/csv', buffer: Buffer.from(content) }]);
    await files.getByText('stars & co.csv').waitFor();
    await type(
      page,
      1,
      `text = open('stars & co.csv').read()\nimport os\nos.mkdir('out')\nopen('out/copy.csv', 'w').write(text * 2)`,
    );
    await page.keyboard.press('Shift+Enter');
    await cell(page, 1).getByText('Succeeded').waitFor();
    await files.getByRole('button', { name: 'out', exact: true }).click();
    expect(await downloaded(page, files.getByRole('button', { name: 'Download copy.csv' }))).toBe(content.repeat(2));
    await files.getByRole('button', { name: 'out: back' }).click();
    await files.getByRole('button', { name: 'Delete stars & co.csv' }).click();
    await files.getByText('stars & co.csv').waitFor({ state: 'detached' });
    // The list comes from the session, and not from what was clicked.
    await type(page, 2, `print(os.listdir())`);
    await page.keyboard.press('Shift+Enter');
    await printed(page, 2).getByText("['out']").waitFor();
    // One that is too large is refused before it is sent.
    await page
      .locator('input[data-files]')
      .setInputFiles([{ name: 'large.bin', mimeType: 'application/octet-stream', buffer: Buffer.alloc(8_388_609) }]);
    await files.getByText('large.bin has more than 8 MiB.').waitFor();

    await page.getByRole('button', { name: 'End the session' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'End the session' }).click();
    await page.getByText(/It has ended, and its variables and files are gone. It was ended./).waitFor();
    expect(await code(page, 1).inputValue()).toContain('stars & co.csv');
    await printed(page, 2).getByText("['out']").waitFor();
    await visit.open(`/app/${org}/sandbox/sessions`);
    await page.getByRole('row').filter({ hasText: 'Up and down' }).getByText('Ended').waitFor();
    expect(visit.faults).toEqual([]);
    await visit.end();
  });

  inChromium('keeps the files that cells leave, where it is asked to', async () => {
    const { visit, page } = await openedSession('Kept');
    await type(page, 1, 'with open("/artifacts/early.txt", "w") as file: file.write("early")');
    await page.keyboard.press('Shift+Enter');
    await cell(page, 1).getByText('Succeeded').waitFor();
    expect(await page.getByRole('group', { name: 'Files of the program' }).count()).toBe(0);
    await page.getByLabel('Keep files').check();
    await type(page, 2, `${SHOWN}with open('/artifacts/plot.png', 'wb') as file: file.write(Plot()._repr_png_())`);
    await page.keyboard.press('Shift+Enter');
    await cell(page, 2).getByRole('img', { name: 'plot.png, 2 by 1 pixels' }).waitFor();
    // What was there before is kept with it.
    expect(await downloaded(page, cell(page, 2).getByRole('button', { name: 'Download early.txt' }))).toBe('early');
    await type(page, 3, '!echo said > /artifacts/said.txt; ls /artifacts');
    await page.keyboard.press('Shift+Enter');
    expect(await downloaded(page, cell(page, 3).getByRole('button', { name: 'Download said.txt' }))).toBe('said\n');
    expect(await printed(page, 3).textContent()).toBe('said.txt\n');
    await expectAccessible(visit, 'notebook-files');
    // The choice stays with the notebook, as the files do.
    await page.reload();
    await cell(page, 3).getByRole('button', { name: 'Download said.txt' }).waitFor();
    expect(await page.getByLabel('Keep files').isChecked()).toBe(true);
    expect(visit.faults).toEqual([]);
    await visit.end();
  });

  inChromium('runs a program with live output, results and files beside it', async () => {
    const visit = await Visit.begin();
    const { page } = visit;
    const org = await visit.signUp();
    await visit.open(`/app/${org}/sandbox`);
    await page.getByLabel('Language').selectOption('python');
    await page.getByLabel('Keep files').check();
    await page.getByLabel('Packages').getByText('python-data').waitFor({ state: 'attached' });
    const result = page.getByRole('region', { name: 'Result' });
    const program = [
      SHOWN,
      'import time',
      'stars = ["Vega"]',
      'print("begun", flush=True)',
      'time.sleep(6)',
      'open("/artifacts/stars.txt", "w").write("Vega")',
      'open("/artifacts/plot.png", "wb").write(Plot()._repr_png_())',
      'Table()',
    ];
    await page.getByRole('textbox', { name: 'Python program' }).click();
    await page.keyboard.press('Control+a');
    await page.keyboard.press('Delete');
    await page.keyboard.insertText(program.join('\n'));
    await page.keyboard.press('Control+Enter');
    await result.getByText('begun').waitFor();
    // It is shown before the end, also to who opens the run in the middle of it.
    expect(await result.getByText('Running').count()).toBe(1);
    await page.reload();
    await result.getByText('begun').waitFor();
    await result.getByText('Succeeded').waitFor();
    await result.getByRole('table').getByText('Vega').waitFor();
    await result.getByRole('img', { name: 'plot.png, 2 by 1 pixels' }).waitFor();
    expect(await downloaded(page, result.getByRole('button', { name: 'Download stars.txt' }))).toBe('Vega');
    await expectAccessible(visit, 'sandbox-result');
    expect(visit.faults).toEqual([]);
    await visit.end();
  });
});

/** What these tests use of the canvas of a page. */
interface Canvas {
  getContext(kind: '2d'): {
    getImageData(x: number, y: number, width: number, height: number): { readonly data: readonly number[] };
  };
}

interface OpenedSession {
  readonly visit: Visit;
  readonly page: Page;
  readonly org: string;
}

/** A new person with a new session in Python, whose notebook is open. */
async function openedSession(name: string): Promise<OpenedSession> {
  const visit = await Visit.begin();
  const { page } = visit;
  const org = await visit.signUp();
  await visit.open(`/app/${org}/sandbox/sessions`);
  await page.getByText('No sessions yet').waitFor();
  await page.getByRole('button', { name: 'New session' }).first().click();
  const form = page.getByRole('form', { name: 'New session' });
  await form.getByLabel('Name').fill(name);
  await form.getByRole('button', { name: 'Create the session' }).click();
  await visit.arrivesAt(/\/sandbox\/sessions\/sbx_\w+$/);
  await page.getByRole('heading', { name }).waitFor();
  return { visit, page, org };
}

const cell = (page: Page, number: number): Locator => page.getByRole('region', { name: `Cell ${number}`, exact: true });
const printed = (page: Page, number: number): Locator => cell(page, number).locator('pre');
const code = (page: Page, number: number): Locator => page.getByLabel(`Code of cell ${number}`, { exact: true });

async function type(page: Page, number: number, text: string): Promise<void> {
  await code(page, number).fill(text);
  await code(page, number).focus();
}

async function downloaded(page: Page, button: Locator): Promise<string> {
  const download = page.waitForEvent('download');
  await button.click();
  return text(await (await download).createReadStream());
}
