import { existsSync, mkdtempSync, chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GitClient } from '../support/git-client.js';
import { ImageRegistry } from '../support/image-registry.js';
import { as, expectStatus, Make, uniqueName } from '../support/make.js';
import { eventually, useApp } from '../support/test-app.js';

jest.setTimeout(180_000);
const LONG = 120_000;
const BUSYBOX = '/bin/busybox';

// Without cgroups, as for an ordinary user, a Dockerfile is refused.
const isThere = existsSync('/usr/bin/buildah') && existsSync(BUSYBOX) && process.getuid?.() === 0;
const isRequired = process.env['REQUIRE_BUILDAH'] === '1' && process.getuid?.() === 0;

describe('a project with a Dockerfile', () => {
  const dataDirectory = mkdtempSync(join(tmpdir(), 'dockerfile-'));
  chmodSync(dataDirectory, 0o711);
  const environment: Record<string, string> = { DATA_DIR: dataDirectory, SANDBOX_ENABLED: 'false' };
  const registry = new ImageRegistry();
  beforeAll(async () => {
    await registry.listen();
    environment['BUILD_ALLOWED_HOSTS'] = registry.host;
  });
  const app = useApp(environment);
  const make = new Make(app);
  const git = new GitClient();
  afterAll(() => {
    registry.close();
    git.remove();
    rmSync(dataDirectory, { recursive: true, force: true });
  });

  (isThere || isRequired ? it : it.skip)('is built when it is pushed, and its page is served', async () => {
    const base = registry.add('base/web', {
      layers: [
        [
          { name: 'bin/busybox', content: readFileSync(BUSYBOX), mode: 0o755 },
          ...['sh', 'httpd', 'mkdir', 'id'].map((name) => ({
            name: `bin/${name}`,
            type: '2' as const,
            linkTo: '/bin/busybox',
          })),
          { name: 'etc/passwd', content: 'web:x:1000:1000:web:/:/bin/sh\n' },
        ],
      ],
    });
    const key = await make.key(await make.person({ plan: 'builder' }));
    const name = uniqueName('image');
    const { repo_url: repoUrl } = expectStatus(201, await app.post('/api/v1/repositories', { name }, as(key))).body
      .data as { repo_url: string };
    const { id } = expectStatus(201, await app.post('/api/v1/projects', { name, repo_url: repoUrl }, as(key))).body
      .data as { id: string };
    await git.run([
      'clone',
      '--quiet',
      repoUrl.replace(app.config.publicUrl, app.url.replace('//', `//any:${key}@`)),
      name,
    ]);
    writeFileSync(
      git.path(name, 'Dockerfile'),
      `FROM ${base}
ENV GREETING="Good day"
WORKDIR /srv/site
COPY start .
USER web
EXPOSE 8080
CMD exec sh start
`,
    );
    writeFileSync(
      git.path(name, 'start'),
      'mkdir /tmp/site && { echo "$GREETING on $PORT in $PWD" && id -u; } > /tmp/site/index.html\n' +
        'echo x > /srv/written && echo written >> /tmp/site/index.html\nexec httpd -f -p "$PORT" -h /tmp/site\n',
    );
    await git.run(['add', '.'], { cwd: name });
    await git.run(['commit', '--quiet', '-m', 'Begin'], { cwd: name });
    await git.run(['push', '--quiet', 'origin', 'HEAD:main'], { cwd: name });
    let found: any;
    await eventually(
      async () => {
        [found] = expectStatus(200, await app.fetch(`/api/v1/projects/${id}/deploys`, as(key))).body.data as unknown[];
        return found?.finished_at !== undefined;
      },
      'the deploy is over',
      LONG,
    );
    const { text: log } = await app.fetch(`/api/v1/deploys/${found.id}/logs?follow=false`, as(key));
    expect({ ...found, log }).toEqual(expect.objectContaining({ state: 'ready', log }));
    expect(found.output).toMatchObject({ framework: 'docker', kind: 'server' });

    const host = new URL(found.url as string).host;
    const page = await app.raw(`GET / HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`, {
      port: app.appsPort,
    });
    expect(page).toMatch(/\r\n\r\nGood day on 8080 in \/srv\/site\n1000\n$/);

    const settings = await app.fetch(`/api/v1/projects/${id}/settings`, as(key));
    expect(settings.body.data.settings).toMatchObject({
      framework: { value: 'docker', source: 'detected' },
      start_command: { value: '/bin/sh -c exec sh start', source: 'detected' },
    });
  });

  it('shows in /ready whether this machine builds it', async () => {
    const { body } = await app.fetch('/ready');
    expect(body.details.image_builds).toEqual(
      existsSync('/usr/bin/buildah')
        ? { status: 'up', mode: 'on' }
        : { status: 'up', mode: 'off', missing: ['the package buildah'] },
    );
  });
});
