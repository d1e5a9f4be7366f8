import { ArtifactsService } from '../../src/modules/hosting/artifacts.service.js';
import type { BuiltFile, BuiltOutput } from '../../src/modules/hosting/built-output.js';
import { built, LIMITS, point, visit } from '../support/hosting.js';
import { useApp } from '../support/test-app.js';

const MEBIBYTE = 1_048_576;

async function* repeated(chunk: Buffer, times: number): AsyncGenerator<Buffer> {
  for (let time = 0; time < times; time++) yield await Promise.resolve(chunk);
}

const withAsset = (mebibytes: number): BuiltOutput => ({
  ...built({}),
  files: async function* (): AsyncGenerator<BuiltFile> {
    const page = Buffer.from('<h1>Video</h1>');
    yield await Promise.resolve({
      path: 'index.html',
      bytes: page.length,
      executable: false,
      content: repeated(page, 1),
    });
    yield {
      path: 'video.mp4',
      bytes: mebibytes * MEBIBYTE,
      executable: false,
      content: repeated(Buffer.alloc(MEBIBYTE, 'x'), mebibytes),
    };
  },
});

const withFiles = (count: number): BuiltOutput => ({
  ...built({}),
  files: async function* (): AsyncGenerator<BuiltFile> {
    for (let index = 0; index < count; index++)
      yield await Promise.resolve({
        path: `page-${index}.html`,
        bytes: 0,
        executable: false,
        content: repeated(Buffer.alloc(0), 0),
      });
  },
});

describe('a large output', () => {
  const app = useApp();
  const owner = { deployId: 'dpl_large', projectId: 'prj_large', orgId: 'org_large' };

  it('may have an asset of 200 MB, of which a visitor can read a part', async () => {
    const limits = { ...LIMITS, bytes: 250 * MEBIBYTE };
    await app.get(ArtifactsService).ingest(owner, withAsset(190), limits, new AbortController().signal);
    const label = 'large-output';
    await point(app, label, { ...owner, label });
    const part = await visit(app, label, '/video.mp4', { headers: { range: 'bytes=199000000-199000003' } });
    expect(part).toMatchObject({
      status: 206,
      text: 'xxxx',
      headers: { 'content-range': 'bytes 199000000-199000003/199229440' },
    });
  }, 120_000);

  it('is refused by the name of the file that goes beyond the limit', async () => {
    const ingesting = app
      .get(ArtifactsService)
      .ingest(owner, withAsset(20), { ...LIMITS, bytes: 10 * MEBIBYTE }, new AbortController().signal);
    await expect(ingesting).rejects.toMatchObject({
      code: 'output_too_large',
      message: expect.stringMatching(
        /limit is 10485760 bytes, and video.mp4 with 20971520 bytes goes beyond it/,
      ) as string,
    });
  });

  it('is refused when it has 60,000 files', async () => {
    const ingesting = app
      .get(ArtifactsService)
      .ingest(owner, withFiles(60_000), { ...LIMITS, files: 2_000 }, new AbortController().signal);
    await expect(ingesting).rejects.toMatchObject({
      code: 'output_too_large',
      message: expect.stringMatching(/limit is 2000/) as string,
    });
  }, 120_000);
});
