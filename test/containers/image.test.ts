import { SERVICE_IMAGE } from '../support/container-images.js';
import { containerEngine, describeWithContainers } from '../support/with-containers.js';

const MEBIBYTE = 1024 * 1024;
/** docs/operations/containers.md states the size. */
const MOST_BYTES = 900 * MEBIBYTE;

describeWithContainers('the image of deploy/Dockerfile', () => {
  const engine = containerEngine();

  const inspected = async (): Promise<any> =>
    (JSON.parse(await engine.podman(['image', 'inspect', SERVICE_IMAGE])) as unknown[])[0];

  /** What a shell prints in a container of it, as its user. */
  const printed = async (script: string): Promise<string[]> => {
    const { stdout } = await engine.runToEnd(['--entrypoint', 'sh', SERVICE_IMAGE, '-c', script]);
    return stdout.split('\n').filter((line) => line !== '');
  };

  it('names a user that is not root, a health check, a volume and an init', async () => {
    const { Config: config, Healthcheck: health } = await inspected();
    expect(config).toMatchObject({
      User: '10001:10001',
      Entrypoint: ['tini', '--', 'node', 'dist/src/main.js'],
      Cmd: ['all'],
      StopSignal: 'SIGTERM',
      Volumes: { '/data': {} },
    });
    expect(health.Test.slice(0, 3)).toEqual(['CMD', 'node', '-e']);
  });

  it('has no setting but where it listens and keeps its data', async () => {
    const { Config: config } = await inspected();
    const names = (config.Env as string[]).map((setting) => setting.split('=')[0]!);
    expect(names.filter((name) => !/^(NODE|YARN)_VERSION$/.test(name)).sort()).toEqual([
      'DATA_DIR',
      'HOST',
      'NODE_ENV',
      'PATH',
      'PORT',
    ]);
  });

  it('is no larger than it says', async () => {
    const { Size: bytes } = await inspected();
    process.stdout.write(`The image has ${Math.round(bytes / MEBIBYTE)} MiB.\n`);
    expect(bytes).toBeLessThan(MOST_BYTES);
  });

  it('runs on the Node that package.json pins', async () => {
    expect(await printed('node --version')).toEqual([process.version]);
  });

  it('contains no secret, no source, no test and nothing that only a build needs', async () => {
    const names = ['.env', '.git', '.npmrc', '*.spec.*', '*.test.ts'].map((name) => `-name '${name}'`).join(' -o ');
    expect(await printed(`find /app -path /app/node_modules -prune -o \\( ${names} \\) -print`)).toEqual([]);
    expect(
      await printed(
        "find / -xdev -path /app/node_modules -prune -o \\( -name .npmrc -o -name 'npmrc' \\) -size +0 -print " +
          '2> /dev/null | grep -v /usr/local/lib/node_modules/npm/',
      ),
    ).toEqual([]);
    expect(await printed('ls /app | sort')).toEqual([
      'deploy',
      'dist',
      'docs',
      'node_modules',
      'package.json',
      'templates',
    ]);
    expect(
      await printed('cd /app/node_modules && ls -d jest eslint vite prettier @swc/core playwright-core 2> /dev/null'),
    ).toEqual([]);
    expect(await printed('ls /root /var/lib/apt/lists 2> /dev/null')).toEqual(['/var/lib/apt/lists:']);
  });

  it('lets its user read all that it runs, and change nothing but its data', async () => {
    expect(await printed('find /app ! -type l ! -readable')).toEqual([]);
    expect(
      await printed(
        'find / \\( -path /proc -o -path /sys -o -path /dev \\) -prune -o -writable ! -type l -print 2> /dev/null ' +
          "| grep -vE '^/(tmp|var/tmp|run/lock|data)$'",
      ),
    ).toEqual([]);
    expect(await printed('stat --format "%U %a" /data /app')).toEqual(['service 711', 'root 755']);
  });

  it('has no program that gives the rights of another user', async () => {
    expect(await printed('find / -xdev -type f -perm /6000 2> /dev/null')).toEqual([]);
  });
});
