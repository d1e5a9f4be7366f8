import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { inChromium } from '../support/browser.js';
import { eventually } from '../support/test-app.js';
import { visitWithResources } from './resource-answers.js';
import { leaveBrowser, Visit } from './support.js';

jest.setTimeout(300_000);

/** Larger than what is sent in one request. */
const LARGE_BYTES = 70 * 1_048_576;

describe('object storage in the web app', () => {
  afterAll(leaveBrowser);

  inChromium('creates a bucket, and takes files, folders and what is dropped', async () => {
    const { visit, page, org, answers } = await visitWithResources();
    await visit.open(`/app/${org}/storage`);
    await page.getByRole('button', { name: 'New bucket' }).click();
    const form = page.getByRole('form', { name: 'New bucket' });
    await form.getByLabel('Name').fill('media');
    await form.getByRole('button', { name: 'Create the bucket' }).click();
    await visit.arrivesAt(/\/storage\/bkt_2$/);
    expect(answers.bodiesOf('POST storage/buckets')).toEqual([{ name: 'media' }]);

    await page.locator('input[data-files]').setInputFiles([
      { name: 'one.txt', mimeType: 'text/plain', buffer: Buffer.from('one') },
      { name: 'two.txt', mimeType: 'text/plain', buffer: Buffer.from('two') },
    ]);
    await page.getByText('2 of 2 done').waitFor();
    await page.getByRole('button', { name: 'one.txt', exact: true }).waitFor();

    await page.getByRole('button', { name: 'New folder' }).click();
    await page.getByRole('form', { name: 'New folder' }).getByLabel('Name').fill('/a//b/');
    await page.getByRole('button', { name: 'Open the folder' }).click();
    await page.getByText('This folder is empty').waitFor();
    await drop(page, 'three.txt', 'three');
    await page.getByText('3 of 3 done').waitFor();
    expect(answers.objects.map(({ key }) => key)).toContain('a/b/three.txt');
    expect(visit.faults).toEqual([]);
    await visit.end();
  });

  inChromium('goes on with a large upload after the line broke and the page was reloaded', async () => {
    const { visit, page, org, answers } = await visitWithResources();
    await visit.open(`/app/${org}/storage/bkt_photos`);
    await page.getByRole('button', { name: 'readme.txt' }).waitFor();
    answers.isBroken = true;
    await choose(page, 'film.mp4');
    // The first part arrives, and the others do not.
    await eventually(() => Promise.resolve(answers.uploads.get('upl_0')?.there.size === 1), 'a part is there', 30_000);
    await page.getByRole('button', { name: 'Pause film.mp4' }).click();
    await page.getByText('Paused').waitFor();
    await page.reload();
    await page.getByText('The page was reloaded.').waitFor();
    answers.isBroken = false;
    const chooser = page.waitForEvent('filechooser');
    await page.getByRole('button', { name: 'Choose the file film.mp4' }).click();
    // A file of the same name, size and time of change.
    await (await chooser).setFiles([]);
    await choose(page, 'film.mp4');
    await page.getByText('1 of 1 done').waitFor();
    // One upload only: the parts that were there were not lost.
    expect(answers.bodiesOf('POST storage/buckets/bkt_photos/uploads')).toHaveLength(1);
    expect(await page.evaluate('localStorage.getItem("uploads:bkt_photos")')).toBeNull();
    expect(visit.faults).toEqual([]);
    await visit.end();
  });

  inChromium('deletes the parts of an upload that is cancelled, also after a reload', async () => {
    const { visit, page, org, answers } = await visitWithResources();
    await visit.open(`/app/${org}/storage/bkt_photos`);
    await page.getByRole('button', { name: 'readme.txt' }).waitFor();
    answers.isBroken = true;
    const isThere = (id: string) => () => Promise.resolve(answers.uploads.get(id)?.there.size === 1);
    const isGone = (id: string) => () => Promise.resolve(!answers.uploads.has(id));
    const kept = (): Promise<unknown> => page.evaluate('localStorage.getItem("uploads:bkt_photos")');
    await choose(page, 'film.mp4');
    await eventually(isThere('upl_0'), 'a part is there', 30_000);
    await page.getByRole('button', { name: 'Cancel film.mp4' }).click();
    await eventually(isGone('upl_0'), 'the upload is aborted');
    await eventually(async () => (await kept()) === null, 'the upload is forgotten');

    await choose(page, 'film.mp4');
    await eventually(isThere('upl_0'), 'a part is there again', 30_000);
    // A call that fails does not lose the upload.
    const abort = 'DELETE storage/buckets/bkt_photos/uploads/upl_0';
    answers.refusals.set(abort, { status: 403, error: { type: 'authorization_error', code: 'insufficient_scopes' } });
    await page.getByRole('button', { name: 'Cancel film.mp4' }).click();
    await eventually(() => Promise.resolve(answers.bodiesOf(abort).length === 2), 'the upload is aborted in vain');
    answers.refusals.clear();
    await page.reload();
    await page.getByText('The page was reloaded.').waitFor();
    await page.getByRole('button', { name: 'Cancel film.mp4' }).click();
    await eventually(isGone('upl_0'), 'the upload is aborted');
    await eventually(async () => (await kept()) === null, 'the upload is forgotten');
    await visit.end();
  });

  inChromium('shows texts and pictures without running them, and makes links', async () => {
    const { visit, page, org, answers } = await visitWithResources();
    await visit.open(`/app/${org}/storage/bkt_photos`);
    await page.getByRole('button', { name: 'readme.txt', exact: true }).click();
    const text = page.getByRole('dialog', { name: 'readme.txt' });
    await text.getByText('Hello <b>there</b>').waitFor();
    await text.getByRole('button', { name: 'Copy a link' }).click();
    await text.getByLabel('A signed link works for').selectOption('86400');
    await text.getByRole('button', { name: 'Create the link' }).click();
    await text.getByRole('group', { name: 'The signed link' }).waitFor();
    expect(answers.bodiesOf('POST storage/buckets/bkt_photos/sign')).toEqual([
      { method: 'GET', key: 'readme.txt', expires_in: 86_400 },
    ]);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'beach.png', exact: true }).click();
    await page.getByRole('img', { name: 'beach.png, 1 by 1 pixels' }).waitFor();
    expect(visit.faults).toEqual([]);
    await visit.end();
  });

  inChromium('deletes what was chosen, folders with all that they hold', async () => {
    const { visit, page, org, answers } = await visitWithResources();
    await visit.open(`/app/${org}/storage/bkt_photos`);
    await page.getByLabel('Choose photos/').check();
    await page.getByLabel('Choose readme.txt').check();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    const ask = page.getByRole('form', { name: 'Delete' });
    await ask.getByText('Everything in a folder goes with it.').waitFor();
    await ask.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'readme.txt', exact: true }).waitFor({ state: 'hidden' });
    expect(answers.objects.map(({ key }) => key)).toEqual(['beach.png']);
    expect(visit.faults).toEqual([]);
    await visit.end();
  });

  inChromium('makes a bucket public only after its name was typed, and saves its rules', async () => {
    const { visit, page, org, answers } = await visitWithResources();
    await visit.open(`/app/${org}/storage/bkt_photos/settings`);
    await page.getByRole('button', { name: 'Make it public' }).click();
    const ask = page.getByRole('form', { name: 'Make photos public?' });
    await ask.getByText('Everyone on the internet can then read all objects').waitFor();
    await ask.getByRole('button', { name: 'Make it public' }).click();
    await ask.getByRole('alert').waitFor();
    expect(answers.bodiesOf('PATCH storage/buckets/bkt_photos')).toEqual([]);
    await ask.getByLabel('Type photos to go on').fill('photos');
    await ask.getByRole('button', { name: 'Make it public' }).click();
    await page.getByRole('button', { name: 'Make it private' }).waitFor();

    const rules = page.getByRole('form', { name: 'Other origins' });
    await rules.getByRole('button', { name: 'Add a rule' }).click();
    const second = rules.getByRole('group', { name: 'Rule 2' });
    await second.getByLabel('Origins').fill('https://a.example.com, https://b.example.com');
    await second.getByLabel('PUT').check();
    await rules.getByRole('button', { name: 'Save the rules' }).click();
    await rules.getByText('Saved').waitFor();
    const saved = answers.bodiesOf('PATCH storage/buckets/bkt_photos').at(-1) as { cors: unknown[] };
    expect(saved.cors[1]).toEqual({
      origins: ['https://a.example.com', 'https://b.example.com'],
      methods: ['GET', 'HEAD', 'PUT'],
      headers: ['*'],
      expose_headers: ['ETag'],
      max_age_seconds: 3_600,
    });
    expect(visit.faults).toEqual([]);
    await visit.end();
  });

  inChromium('shows the secret of an access key once, and narrows it to buckets', async () => {
    const { visit, page, org, answers } = await visitWithResources();
    await visit.open(`/app/${org}/storage/access-keys`);
    await page.getByRole('button', { name: 'New access key' }).click();
    const form = page.getByRole('form', { name: 'New access key' });
    await form.getByLabel('Name').fill('CI');
    await form.getByLabel('Access').selectOption('read');
    await form.getByRole('combobox', { name: 'Buckets' }).selectOption('some');
    await form.getByLabel('photos').check();
    await form.getByRole('button', { name: 'Create the access key' }).click();
    const dialog = page.getByRole('dialog', { name: 'Your new access key' });
    await dialog.getByText('AWS_SECRET_ACCESS_KEY=the-secret-of-the-key').waitFor();
    await dialog.getByRole('button', { name: 'I have it' }).click();
    expect(await page.content()).not.toContain('the-secret-of-the-key');
    expect(answers.bodiesOf('POST storage/access-keys')).toEqual([
      { name: 'CI', access: 'read', bucket_ids: ['bkt_photos'] },
    ]);
    expect(visit.faults).toEqual([]);
    await visit.end();
  });

  inChromium('is attached on the page of a project, with databases', async () => {
    const { visit, page, org, answers } = await visitWithResources();
    await visit.open(`/app/${org}/projects/${answers.project}/attached`);
    await page.getByRole('cell', { name: 'STORAGE_…' }).waitFor();
    await page.getByRole('button', { name: 'Attach a bucket' }).click();
    const form = page.getByRole('form', { name: 'Attachment' });
    await form.getByLabel('Bucket').selectOption('site-files');
    await form.getByLabel('Prefix of the variables').fill('SITE');
    await form.getByRole('button', { name: 'Attach' }).click();
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    expect(answers.bodiesOf(`PUT storage/buckets/bkt_site/attachments/${answers.project}`)).toEqual([
      { prefix: 'SITE', targets: ['production', 'preview'], access: 'write' },
    ]);
    await page.getByRole('button', { name: 'Detach shop' }).click();
    await page.getByRole('form', { name: 'Detach shop?' }).getByRole('button', { name: 'Detach' }).click();
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    expect(answers.bodiesOf(`DELETE databases/db_shop/attachments/${answers.project}`)).toHaveLength(1);
    expect(visit.faults).toEqual([]);
    await visit.end();
  });
});

/** Chooses a large file that the page makes itself: the same each time, as a file on a disk is. */
async function choose(page: Page, name: string): Promise<void> {
  await page.evaluate(
    ([called, bytes]) => {
      const { DataTransfer, document } = globalThis as any;
      const transfer = new DataTransfer();
      const content = new Uint8Array(bytes);
      transfer.items.add(new File([content], called, { type: 'video/mp4', lastModified: 1 }));
      const field = document.querySelector('input[data-files]');
      field.files = transfer.files;
      field.dispatchEvent(new Event('change', { bubbles: true }));
    },
    [name, LARGE_BYTES] as const,
  );
}

async function drop(page: Page, name: string, text: string): Promise<void> {
  await page.evaluate(
    ([called, content]) => {
      const { DataTransfer, DragEvent, document } = globalThis as any;
      const transfer = new DataTransfer();
      transfer.items.add(new File([content], called, { type: 'text/plain' }));
      const zone = document.querySelector('[data-drop]');
      for (const type of ['dragenter', 'dragover', 'drop'])
        zone.dispatchEvent(new DragEvent(type, { bubbles: true, cancelable: true, dataTransfer: transfer }));
    },
    [name, text] as const,
  );
}

describe('object storage of the service itself', () => {
  afterAll(leaveBrowser);

  inChromium('takes a large file in parts, and goes on with it after a pause', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'large-'));
    const file = join(directory, 'film.bin');
    writeFileSync(file, 'start');
    truncateSync(file, 70_000_000);
    const visit = await Visit.begin();
    const { page } = visit;
    const org = await visit.signUp();
    const { id: bucket } = await visit.call('POST', 'storage/buckets', { name: 'films' });
    let isHeld = true;
    const arrived: string[] = [];
    await page.route('**/s3/**', async (route) => {
      const number = new URL(route.request().url()).searchParams.get('partNumber')!;
      if (isHeld && number !== '1') return route.abort();
      arrived.push(number);
      return route.continue();
    });
    await visit.open(`/app/${org}/storage/${bucket}`);
    await page.locator('input[data-files]').setInputFiles(file);
    await eventually(
      async () => /"sentBytes":8388608/.test(await page.evaluate('JSON.stringify(localStorage)').then(unescaped)),
      'the first part is there',
      30_000,
    );
    await page.getByRole('button', { name: 'Pause film.bin' }).click();
    await page.getByText('Paused').waitFor();
    isHeld = false;
    await page.getByRole('button', { name: 'Resume film.bin' }).click();
    await page.getByText('1 of 1 done').waitFor();
    expect(arrived.sort()).toEqual(['1', '2', '3', '4', '5', '6', '7', '8', '9']);
    const { objects } = await visit.call('GET', `storage/buckets/${bucket}/objects`);
    expect(objects).toMatchObject([{ key: 'film.bin', size_bytes: 70_000_000 }]);
    expect(visit.faults).toEqual([]);
    await visit.end();
    rmSync(directory, { recursive: true });
  });
});

const unescaped = (text: unknown): string => String(text).replaceAll('\\', '');
