import { randomBytes } from 'node:crypto';
import { as, expectStatus, Make } from '../support/make.js';
import { onThisMachine } from '../support/patience.js';
import { type Answer, randomAddress, useApp, WITH_SANDBOX } from '../support/test-app.js';

jest.setTimeout(onThisMachine(60_000));

const PATH = '/api/v1/sandbox/sessions';
const LARGEST = 8 * 1_048_576;

const app = useApp({ ...WITH_SANDBOX, SANDBOX_CONCURRENCY: '1' });
const make = new Make(app);
let key: string;
let id: string;

beforeAll(async () => {
  key = await make.key(await make.person({ plan: 'pro' }), { scopes: ['sandbox:execute'] });
});
beforeEach(async () => {
  const body = { language: 'python', memory_mib: 128 };
  id = expectStatus(201, await app.post(PATH, body, as(key))).body.data.id as string;
});
afterEach(async () => {
  expectStatus(200, await app.call('DELETE', `${PATH}/${id}`, as(key)));
});

const at = (path: string): string => `${PATH}/${id}/files/content?path=${encodeURIComponent(path)}`;
/** With bytes, which the app's own client does not send. */
async function put(path: string, bytes: Buffer, headers: Record<string, string> = {}): Promise<[number, string]> {
  const response = await fetch(app.url + at(path), {
    method: 'PUT',
    headers: {
      'x-forwarded-for': randomAddress(),
      authorization: `Bearer ${key}`,
      'content-type': 'application/octet-stream',
      ...headers,
    },
    body: new Uint8Array(bytes),
  });
  const text = await response.text();
  return [response.status, text === '' ? '' : (JSON.parse(text).error.code as string)];
}
async function get(path: string): Promise<Buffer> {
  const headers = { 'x-forwarded-for': randomAddress(), authorization: `Bearer ${key}` };
  const response = await fetch(app.url + at(path), { headers });
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/octet-stream']);
  return Buffer.from(await response.arrayBuffer());
}
const list = async (path = ''): Promise<Answer> => app.fetch(`${PATH}/${id}/files?path=${path}`, as(key));
const printed = async (code: string): Promise<string> =>
  expectStatus(200, await app.post(`${PATH}/${id}/runs`, { code }, as(key))).body.data.stdout as string;
const codeOf = ({ status, body }: Answer): [number, string] => [status, body.error.code as string];

describe('files of a session', () => {
  it('come back byte for byte, up to the largest', async () => {
    for (const bytes of [Buffer.alloc(0), Buffer.from([0, 255, 10, 13, 128]), randomBytes(LARGEST)]) {
      expect(await put('data/in.bin', bytes)).toEqual([204, '']);
      expect((await get('data/in.bin')).equals(bytes)).toBe(true);
    }
    expect(await put('more', randomBytes(LARGEST + 1))).toEqual([413, 'payload_too_large']);
  });

  it('are those that programs read and write', async () => {
    expect(await put('in.csv', Buffer.from('a,b\n1,2\n'))).toEqual([204, '']);
    expect(await printed('print(open("in.csv").read())\nn = open("out.txt", "w").write("é")')).toBe('a,b\n1,2\n\n');
    expect((await get('out.txt')).toString()).toBe('é');
    const { data } = expectStatus(200, await list()).body;
    expect(data).toEqual(
      expect.arrayContaining([
        { path: 'in.csv', type: 'file', size_bytes: 8, modified_at: expect.stringMatching(/^20\d\d-.*Z$/) },
        expect.objectContaining({ path: 'out.txt', size_bytes: 2 }),
      ]),
    );
    expectStatus(204, await app.call('DELETE', at('in.csv'), as(key)));
    expect(codeOf(await app.fetch(at('in.csv'), as(key)))).toEqual([404, 'session_file_not_found']);
    expect(await printed('import os\nprint(os.path.exists("in.csv"))')).toBe('False\n');
  });

  it('are not written and not deleted by a dry run', async () => {
    expect(await put('x', Buffer.from('1'), { 'dry-run': 'true' })).toEqual([204, '']);
    expect(codeOf(await app.fetch(at('x'), as(key)))).toEqual([404, 'session_file_not_found']);
    expect(await put('x', Buffer.from('1'))).toEqual([204, '']);
    expectStatus(204, await app.call('DELETE', at('x'), as(key, { headers: { 'dry-run': 'true' } })));
    expect((await get('x')).toString()).toBe('1');
  });

  it('return 404 where there is none', async () => {
    expect(codeOf(await list('no'))).toEqual([404, 'session_file_not_found']);
    expect(codeOf(await app.call('DELETE', at('no'), as(key)))).toEqual([404, 'session_file_not_found']);
  });

  it.each(['/etc/passwd', '../x', 'a/../../x', 'a\0b', 'x'.repeat(1_025), ''])(
    'return 400 for the path %j',
    async (path) => {
      expect(codeOf(await app.fetch(at(path), as(key)))).toEqual([400, 'invalid_request']);
      expect(await put(path, Buffer.from('1'))).toEqual([400, 'invalid_request']);
      expect(codeOf(await app.call('DELETE', at(path), as(key)))).toEqual([400, 'invalid_request']);
    },
  );

  it('are never those of the host, whatever links say', async () => {
    await printed('import os\nos.symlink("/etc/hostname", "link")\nos.symlink("/", "root")');
    for (const path of ['link', 'root/etc/passwd']) {
      const answer = await app.fetch(at(path), as(key));
      // What is at the end of the link is what the session itself sees there.
      const inside = await printed(
        `import os\nprint(open(${JSON.stringify(path)}).read() if os.path.exists(${JSON.stringify(path)}) else "")`,
      );
      if (answer.status === 200) expect(answer.text.trim()).toBe(inside.trim());
      else expect([400, 404]).toContain(answer.status);
    }
  });

  it('return 415 for another type, and 409 when there is no room', async () => {
    expect(await put('x', Buffer.from('{}'), { 'content-type': 'application/json' })).toEqual([
      415,
      'unsupported_media_type',
    ]);
    const answers = [];
    for (let count = 0; count < 9; count++) answers.push(await put(`f${count}`, randomBytes(LARGEST)));
    expect(answers[0]).toEqual([204, '']);
    expect(answers.at(-1)).toEqual([409, 'sandbox_session_full']);
    expect(await printed('print("alive")')).toBe('alive\n');
  });

  it('are moved a few at a time', async () => {
    const bytes = randomBytes(1_048_576);
    const answers = await Promise.all(Array.from({ length: 9 }, (_, count) => put(`g${count % 2}`, bytes)));
    expect(answers.filter(([status]) => status !== 204 && status !== 429)).toEqual([]);
    expect(answers.filter(([status]) => status === 204).length).toBeGreaterThanOrEqual(4);
  });
});
