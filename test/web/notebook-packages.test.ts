import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { sizeOfPicture } from '../../web/src/sandbox/picture-size.js';
import { inChromium } from '../support/browser.js';
import { CHROMIUM } from '../support/chromium.js';
import { useCommandLine } from '../support/command-line.js';
import { type PythonIndex, pythonIndex } from '../support/python-index.js';
import { eventually, TestApp, WITH_SANDBOX, WITHOUT_PROXY } from '../support/test-app.js';
import { testRedisUrl } from '../support/test-redis.js';
import { leaveBrowser, Visit } from './support.js';

jest.setTimeout(600_000);

/** The service of the other tests, and that of `providers`, have the others. */
const REDIS_DATABASE = 62;

const DATA = `
import pandas as pd
stars = pd.DataFrame({"name": ["Sirius", "Vega", "Rigel"], "light_years": [8.6, 25.0, 860.0]})
`;
const FIGURE = 'import matplotlib.pyplot as plt\naxes = stars.plot.bar(x="name", y="light_years")\nplt.show()';
const SERVER = `
import http.server, threading, urllib.request
class Answers(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200); self.end_headers(); self.wfile.write(stars.to_csv(index=False).encode())
server = http.server.ThreadingHTTPServer(("127.0.0.1", 8000), Answers)
threading.Thread(target=server.serve_forever, daemon=True).start()
`;
const CLIENT = 'print(pd.read_csv("http://127.0.0.1:8000/stars.csv").light_years.max())';

/** pandas and matplotlib are installed from an index, if there is one, as `REQUIRE_PYTHON_INDEX=1` demands. */
describe('an analysis of data with the set python-data', () => {
  let app: TestApp;
  let index: PythonIndex | null = null;
  const service = useCommandLine(() => app.url);

  beforeAll(async () => {
    index = await pythonIndex();
    const settings = { ...WITHOUT_PROXY, ...WITH_SANDBOX, ANONYMOUS_CALLS_PER_SECOND: '1000' };
    app = new TestApp({ ...settings, ...(index === null ? {} : { BUILD_PYTHON_INDEX: index.url }) }, 'all');
    if (CHROMIUM !== undefined && index !== null)
      await app.start({ redisUrl: testRedisUrl(REDIS_DATABASE), keepRedis: true });
  });
  afterAll(async () => {
    await leaveBrowser();
    await app.stop();
    index?.close();
  });

  inChromium('runs in a notebook of the web app and in `service sandbox repl`', async () => {
    if (index === null) {
      console.warn(
        'LEFT OUT: a notebook with pandas, as no index of Python packages can be reached from this machine.',
      );
      return;
    }
    const visit = await Visit.begin(app.url);
    const { page } = visit;
    const org = await visit.signUp();
    await visit.open(`/app/${org}/sandbox/sessions`);
    await page.getByRole('button', { name: 'New session' }).first().click();
    const form = page.getByRole('form', { name: 'New session' });
    await form.getByLabel('Packages').selectOption('python-data');
    await form.getByRole('button', { name: 'Create the session' }).click();
    await page.waitForURL(/\/sandbox\/sessions\/sbx_\w+$/, { timeout: 300_000 });

    await run(page, 1, `${DATA}stars`);
    const table = cell(page, 1).getByRole('table');
    await table.getByText('Rigel').waitFor();
    expect(await table.getByRole('row').allTextContents()).toEqual([
      'namelight_years',
      '0Sirius8.6',
      '1Vega25.0',
      '2Rigel860.0',
    ]);
    await run(page, 2, FIGURE);
    const picture = cell(page, 2).getByRole('img', { name: /^Picture 1, \d+ by \d+ pixels$/ });
    await picture.waitFor();
    await eventually(async () => (await coloursOf(picture)) > 2, 'the figure is drawn');
    await run(page, 3, SERVER);
    await cell(page, 3).getByText('Succeeded').waitFor();
    await run(page, 4, CLIENT);
    await cell(page, 4).locator('pre').getByText('860.0').waitFor();
    expect(visit.faults).toEqual([]);

    // The plan Free has one session.
    await visit.call('DELETE', `sandbox/sessions/${page.url().split('/').at(-1)!}`);
    const { secret } = await visit.call('POST', 'keys', { name: 'repl', scopes: ['sandbox:execute'] });
    const saved = join(service.home, 'saved');
    const ended = await service.run(['sandbox', 'repl', '--package-set', 'python-data', '--save-results', saved], {
      env: { SERVICE_API_KEY: secret as string },
      input: `${DATA}\nstars\n${FIGURE}\n${SERVER}\n${CLIENT}\n`,
    });
    expect(ended).toEqual({
      code: 0,
      stdout:
        '   name    light_years\n-  ------  -----------\n0  Sirius          8.6\n1  Vega           25.0\n' +
        '2  Rigel         860.0\n860.0\n',
      stderr: `service: HTML saved as ${saved}/result-1.html\nservice: picture saved as ${saved}/result-2.png\n`,
    });
    const { width, height } = sizeOfPicture(readFileSync(join(saved, 'result-2.png')))!;
    expect(Math.min(width, height)).toBeGreaterThan(200);
    await visit.end();
  });
});

const cell = (page: Page, number: number): Locator => page.getByRole('region', { name: `Cell ${number}`, exact: true });

async function run(page: Page, number: number, code: string): Promise<void> {
  const field = page.getByLabel(`Code of cell ${number}`, { exact: true });
  await field.fill(code);
  await field.press('Shift+Enter');
}

/** The number of colours in the middle row of a picture. */
const coloursOf = (picture: Locator): Promise<number> =>
  picture.evaluate((canvas) => {
    const drawn = canvas as unknown as Canvas;
    const { width, height } = drawn;
    const { data } = drawn.getContext('2d').getImageData(0, Math.floor(height / 2), width, 1);
    return new Set(Array.from({ length: width }, (_, at) => String(data.slice(4 * at, 4 * at + 4)))).size;
  });

/** What these tests use of the canvas of a page. */
interface Canvas {
  readonly width: number;
  readonly height: number;
  getContext(kind: '2d'): {
    getImageData(x: number, y: number, width: number, height: number): { readonly data: Uint8ClampedArray };
  };
}
