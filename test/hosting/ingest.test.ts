import { ArtifactsService } from '../../src/modules/hosting/artifacts.service.js';
import type { BuiltFile } from '../../src/modules/hosting/built-output.js';
import { LIMITS, built } from '../support/hosting.js';
import { useApp } from '../support/test-app.js';

describe('taking a build in', () => {
  const app = useApp();
  const owner = { deployId: 'dpl_ingest', projectId: 'prj_a', orgId: 'org_a' };
  const never = new AbortController().signal;
  const ingest = (output: ReturnType<typeof built>, limits = LIMITS, signal = never): Promise<unknown> => app.get(ArtifactsService).ingest(owner, output, limits, signal);

  it('tells how much it was, and makes the deploy servable with all of it or not at all', async () => {
    expect(await app.get(ArtifactsService).has(owner.deployId)).toBe(false);
    expect(await ingest(built({ a: '12345', b: '' }))).toEqual({ files: 2, bytes: 5 });
    expect(await app.get(ArtifactsService).has(owner.deployId)).toBe(true);
    await app.get(ArtifactsService).remove(owner.deployId);
    expect(await app.get(ArtifactsService).has(owner.deployId)).toBe(false);
  });

  it.each(['../up', '/etc/passwd', 'a/../../b', 'a//b', './a', 'a\\b', 'a\0b', '', 'x'.repeat(1_100)])('refuses the path %j', async (path) => {
    await expect(ingest(built({ [path]: 'x' }))).rejects.toMatchObject({ code: 'output_invalid' });
    expect(await app.get(ArtifactsService).has(owner.deployId)).toBe(false);
  });

  it('refuses more files or bytes than the limits', async () => {
    await expect(ingest(built({ a: 'x', b: 'x' }), { files: 1, bytes: 10 })).rejects.toMatchObject({ code: 'output_too_large' });
    await expect(ingest(built({ a: 'x'.repeat(11) }), { files: 1, bytes: 10 })).rejects.toMatchObject({ code: 'output_too_large' });
  });

  const lying = (bytes: number, path = 'a'): ReturnType<typeof built> => ({
    ...built({}), files: async function* (): AsyncGenerator<BuiltFile> { for await (const file of built({ [path]: '12345' }).files()) yield { ...file, bytes }; },
  });

  it.each([4, 6, 20_000_000])('refuses a file that is not as long as it says: %d', async (bytes) => {
    await expect(ingest(lying(bytes))).rejects.toMatchObject({ code: 'output_invalid' });
  });

  it('refuses a path that comes twice', async () => {
    const twice = { ...built({}), files: async function* (): AsyncGenerator<BuiltFile> { yield* built({ a: '1' }).files(); yield* built({ a: '2' }).files(); } };
    await expect(ingest(twice)).rejects.toMatchObject({ code: 'output_invalid' });
  });

  it('ends when it is told to, and leaves no deploy', async () => {
    const abort = new AbortController();
    const endless = { ...built({}), files: async function* (): AsyncGenerator<BuiltFile> { for (let index = 0; ; index++) { if (index === 3) abort.abort(new Error('cancelled')); yield* built({ [`f${index}`]: 'x' }).files(); } } };
    await expect(ingest(endless, LIMITS, abort.signal)).rejects.toThrow('cancelled');
    expect(await app.get(ArtifactsService).has(owner.deployId)).toBe(false);
  });
});
