import { mkdirSync, writeFileSync } from 'node:fs';
import { RepositoriesService } from '../../src/modules/repositories/hosted/repositories.service.js';
import { Workbench } from '../builds/workbench.js';
import { GitClient } from '../support/git-client.js';
import { as, expectStatus, Make } from '../support/make.js';
import { useApp } from '../support/test-app.js';

describe('a build from a hosted repository', () => {
  const app = useApp({}, 'api');
  const make = new Make(app);
  const git = new GitClient();
  const bench = new Workbench();
  afterAll(async () => {
    git.remove();
    await bench.close();
  });

  it('reads the repository in place, as a user with read-only access', async () => {
    const ada = await make.person();
    const key = await make.key(ada);
    const { data } = expectStatus(201, await app.post('/api/v1/repositories', { name: 'site' }, as(key))).body;
    await git.run([
      'clone',
      '--quiet',
      app.url.replace('//', `//ada:${key}@`) + new URL(data.repo_url as string).pathname,
      'site',
    ]);
    await git.run(['checkout', '--quiet', '-B', 'main'], { cwd: 'site' });
    mkdirSync(git.path('site', 'blog'));
    writeFileSync(git.path('site', 'index.html'), '<h1>Pushed</h1>');
    writeFileSync(git.path('site', 'blog', 'first.html'), 'one');
    await git.run(['add', '.'], { cwd: 'site' });
    await git.run(['commit', '--quiet', '-m', 'A site'], { cwd: 'site' });
    await git.run(['push', '--quiet', 'origin', 'main'], { cwd: 'site' });
    const sha = await git.run(['rev-parse', 'HEAD'], { cwd: 'site' });

    const located = await app.get(RepositoriesService).locate(ada.organization.id, data.repo_url as string);
    const source = { repoUrl: data.repo_url as string, localRepository: located!.path, ref: 'main' };
    const signal = AbortSignal.timeout(60_000);
    expect(await bench.commitOf(source, signal)).toEqual({ sha, message: 'A site', author: 'Ada' });
    const ofCommit = { source: { ...source, ref: sha } };
    const { files } = await bench.build({ path: located!.path, sha }, ofCommit);
    expect(files).toEqual({ 'index.html': '<h1>Pushed</h1>', 'blog/first.html': 'one' });
    // A commit that is gone from its branch since the build was asked for is still to be had by its hash.
    await git.run(['commit', '--quiet', '--amend', '--allow-empty', '-m', 'Another'], { cwd: 'site' });
    await git.run(['push', '--quiet', '--force', 'origin', 'main'], { cwd: 'site' });
    expect((await bench.commitOf(source, signal)).message).toBe('Another');
    expect((await bench.build({ path: located!.path, sha }, ofCommit)).files).toEqual(files);
  }, 120_000);
});
