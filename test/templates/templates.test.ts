import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GitClient } from '../support/git-client.js';
import { as, expectStatus, Make, send } from '../support/make.js';
import { npmRegistry } from '../support/npm-registry.js';
import { eventually, useApp } from '../support/test-app.js';

const LONG = 900_000;
jest.setTimeout(2 * LONG);

const PAGES: Readonly<Record<string, string>> = { nextjs: 'app/page.tsx', expo: 'app/index.tsx' };
const SAYS = 'It runs.';

const registry = npmRegistry();

/** Nothing is replaced: starters as a newcomer gets them, packages from the registry, isolated builds. */
describe('a repository from a template', () => {
  const dataDirectory = mkdtempSync(join(tmpdir(), 'templates-'));
  chmodSync(dataDirectory, 0o711);
  const app = useApp({ DATA_DIR: dataDirectory, BUILD_ALLOWED_HOSTS: registry.host });
  const make = new Make(app);
  const git = new GitClient();
  afterAll(() => {
    git.remove();
    rmSync(dataDirectory, { recursive: true, force: true });
  });

  it.each(['nextjs', 'expo'])(
    '%s goes live when it is pushed, shows each change, and passes its own checks and tests',
    async (template) => {
      const key = await make.key(await make.person({ plan: 'pro' }));
      const repoUrl = expectStatus(201, await app.post('/api/v1/repositories', { name: template, template }, as(key)))
        .body.data.repo_url as string;
      const project = expectStatus(
        201,
        await app.post('/api/v1/projects', { name: template, repo_url: repoUrl }, as(key)),
      ).body.data.id as string;
      await git.run([
        'clone',
        '--quiet',
        repoUrl.replace(app.config.publicUrl, app.url.replace('//', `//any:${key}@`)),
        template,
      ]);

      async function pushed(text: string): Promise<any> {
        const page = git.path(template, PAGES[template]!);
        writeFileSync(page, readFileSync(page, 'utf8').replace(/It runs\.( Changed\.)?/, text));
        writeFileSync(git.path(template, '.npmrc'), `registry=${registry.href}\n`);
        await git.run(['add', '.'], { cwd: template });
        await git.run(['commit', '--quiet', '-m', text], { cwd: template });
        await git.run(['push', '--quiet', 'origin', 'HEAD'], { cwd: template });
        const sha = await git.run(['rev-parse', 'HEAD'], { cwd: template });
        let deploy: any;
        await eventually(
          async () => {
            const { data } = expectStatus(200, await app.fetch(`/api/v1/projects/${project}/deploys`, as(key))).body;
            // One whose commit could not be found out has none.
            deploy = data.find(
              ({ commit, state, finished_at: finishedAt }: any) =>
                finishedAt !== undefined && (commit?.sha === sha || (commit === undefined && state === 'error')),
            );
            return deploy !== undefined;
          },
          `the deploy of ${text} is over`,
          LONG,
        );
        if (deploy.state !== 'ready')
          throw new Error(
            `${JSON.stringify(deploy.error)}\n` +
              (await app.fetch(`/api/v1/deploys/${deploy.id}/logs`, as(key))).text.slice(-8_000),
          );
        return deploy;
      }
      const shown = (url: string): Promise<string> =>
        app.raw(
          `GET / HTTP/1.1\r\nHost: ${new URL(url).host}\r\nAccept-Encoding: identity\r\nConnection: close\r\n\r\n`,
          { port: app.appsPort },
        );

      const first = await pushed(SAYS);
      expect(first).toMatchObject({
        type: 'production',
        live: true,
        output: { framework: template, node_version: '24' },
      });
      expect(await shown(first.aliases[0])).toContain(SAYS);

      // What the starter brings to check itself runs where it is built.
      await send(
        app,
        ['PATCH', `/api/v1/projects/${project}`],
        { build_command: 'npm run build && npm run typecheck && npm test' },
        as(key),
      );
      const second = await pushed(`${SAYS} Changed.`);
      expect(await shown(second.aliases[0])).toContain(`${SAYS} Changed.`);
      expect(await shown(first.url)).not.toContain('Changed.');
    },
  );
});
