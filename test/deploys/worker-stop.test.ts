import { BuildsService } from '../../src/modules/builds/builds.service.js';
import { Shutdown } from '../../src/platform/lifecycle/shutdown.js';
import { as, expectStatus, Make, uniqueName } from '../support/make.js';
import { eventually, useApp } from '../support/test-app.js';

const REPO = 'https://github.com/acme/shop';
/** The API and the edge may use this much of the time of a stop before the worker's turn. */
const USED_BEFORE_MS = 17_900;

describe('a stop of the service during a deploy', () => {
  const app = useApp();
  const make = new Make(app);

  it('hands back a build that does not end in time, without a loss', async () => {
    const key = await make.key(await make.person({ plan: 'pro' }));
    const project = expectStatus(
      201,
      await app.post('/api/v1/projects', { name: uniqueName('shop'), repo_url: REPO }, as(key)),
    ).body.data.id as string;
    const building = new Promise<void>((resolve) => {
      app.get(BuildsService).fetch = () =>
        Promise.resolve({
          commit: { sha: 'a'.repeat(40), message: 'A commit', author: 'Ada' },
          // Removing the files of a large build takes longer than a stop has time for.
          build: () => {
            resolve();
            return new Promise(() => undefined);
          },
          close: () => Promise.resolve(),
        });
    });
    const { id } = expectStatus(202, await app.post(`/api/v1/projects/${project}/deploys`, {}, as(key))).body.data;
    await building;
    app.get(Shutdown).beginDraining(USED_BEFORE_MS);
    await app.restart();

    expect(await make.sql('SELECT losses FROM deploys WHERE id = $1', [id])).toEqual([{ losses: 0 }]);
    await eventually(
      async () =>
        (await app.fetch(`/api/v1/deploys/${id}/events`, as(key))).body.data.some(
          ({ details }: any) => details.reason === 'worker_stopped',
        ),
      'it was handed back',
    );
    expect((await app.fetch(`/api/v1/deploys/${id}/logs?follow=false`, as(key))).text).toContain('The worker stops');
  });
});
