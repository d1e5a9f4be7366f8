import { existsSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';

import { type BuildRequest } from '../../src/modules/builds/build-request.js';
import { ImageRegistry } from '../support/image-registry.js';
import { LIMITS, type Outcome, Workbench } from './workbench.js';

jest.setTimeout(120_000);

const MEBIBYTE = 1024 * 1024;
const BUSYBOX = ['/bin/busybox', '/usr/bin/busybox'].find((path) => existsSync(path));
const isThere = existsSync('/usr/bin/buildah') && BUSYBOX !== undefined;
// Without cgroups, as for an ordinary user, images are refused with a sentence.
const isRequired = process.env['REQUIRE_BUILDAH'] === '1' && process.getuid?.() === 0;
if (!isThere && !isRequired) console.warn('Left out: images are built with the packages buildah and busybox-static.');

const LIMITS_OF_IMAGES = { ...LIMITS, wallMs: 110_000, memoryBytes: 512 * MEBIBYTE, tasks: 128 };

(isThere || isRequired ? describe : describe.skip)('a Dockerfile', () => {
  const registry = new ImageRegistry();
  let bench: Workbench;
  let canary: Server;
  let port: number;
  let connections = 0;
  let base: string;

  beforeAll(async () => {
    await registry.listen();
    bench = new Workbench({ allowedHosts: [registry.host] });
    canary = createServer((socket) => {
      connections += 1;
      socket.destroy();
    }).listen(0, '0.0.0.0');
    await new Promise((resolve) => {
      canary.once('listening', resolve);
    });
    port = (canary.address() as { port: number }).port;
    base = registry.add('base/busybox', {
      layers: [
        [
          { name: 'bin/', type: '5' },
          { name: 'bin/busybox', content: readFileSync(BUSYBOX!), mode: 0o755 },
          ...['sh', 'id', 'ls', 'cat', 'mkdir', 'mknod', 'chmod', 'chown', 'ln', 'nc', 'dd', 'mount', 'unshare']
            .concat(['httpd', 'touch', 'grep', 'sleep'])
            .map((name) => ({ name: `bin/${name}`, type: '2' as const, linkTo: 'busybox' })),
          { name: 'etc/', type: '5' },
          { name: 'etc/passwd', content: 'root:x:0:0:root:/:/bin/sh\nweb:x:1000:1000:web:/:/bin/sh\n' },
          { name: 'old', content: 'hidden by a whiteout' },
          { name: 'tmp/', type: '5', mode: 0o1777 },
        ],
        [
          { name: '.wh.old', content: '' },
          { name: 'absolute', type: '2', linkTo: '/etc/passwd' },
          { name: 'climbing', type: '2', linkTo: '../../../../../../etc/passwd' },
          { name: 'bin/su', content: 'a program', mode: 0o4755 },
        ],
      ],
    });
  });

  afterAll(async () => {
    canary.close();
    registry.close();
    await bench.close();
  });

  afterEach(() => {
    expect(bench.left()).toEqual([]);
    expect(connections).toBe(0);
  });

  const build = (
    dockerfile: string,
    files: Readonly<Record<string, string>> = {},
    change: Partial<BuildRequest> = {},
  ): Promise<Outcome> => bench.build({ Dockerfile: dockerfile, ...files }, { limits: LIMITS_OF_IMAGES, ...change });

  const failure = async (...parts: Parameters<typeof build>): Promise<string> => {
    const error = await build(...parts).then(
      () => null,
      (thrown: unknown) => thrown,
    );
    return error instanceof Error ? `${(error as Error & { code: string }).code}: ${error.message}` : 'no failure';
  };

  it('with several stages becomes a server with the root of its image', async () => {
    const outcome = await build(
      `FROM ${base} AS made
ARG GREETING
ARG LD_PRELOAD
WORKDIR /srv/site
COPY . .
RUN echo "$GREETING" > index.html && chown web index.html && ls -a > listing
USER web
RUN echo more > more.txt && mkdir empty
FROM ${base}
ENV MODE=fast
COPY --from=made /srv/site /srv/site
RUN ln -s /srv/site/index.html /srv/link && ! mount -t tmpfs none /tmp && ! unshare -U true && touch /srv/was-kept-in
USER web
WORKDIR /srv/site
EXPOSE 8080
ENTRYPOINT ["httpd", "-f", "-p"]
CMD ["8080"]
`,
      { '.dockerignore': 'secret.txt\n', 'secret.txt': 'x', 'page.txt': 'a page' },
      { environment: { GREETING: 'Good day', LD_PRELOAD: '/nowhere', OTHER: 'not declared' } },
    );
    const { built, files, links, log } = outcome;
    expect([built.framework, built.kind, built.static]).toEqual(['docker', 'server', []]);
    expect(built.server).toEqual({
      command: ['httpd', '-f', '-p', '8080'],
      directory: 'srv/site',
      image: { environment: expect.objectContaining({ MODE: 'fast', PATH: '/bin' }) as object, port: 8080 },
    });
    expect(built.settings).toMatchObject({ framework: { value: 'docker', source: 'detected' } });
    expect(files['srv/site/index.html']).toBe('Good day\n');
    expect(files['srv/site/listing']).not.toContain('secret.txt');
    expect(files['srv/site/page.txt']).toBe('a page');
    expect(Object.keys(files)).toEqual(
      expect.arrayContaining(['srv/site/empty/.keep', 'etc/hosts', 'srv/was-kept-in']),
    );
    expect(Object.keys(files).filter((path) => /^(?:proc|sys|dev|tmp|run)\/|secret|^old$|\.wh\./.test(path))).toEqual(
      [],
    );
    expect(links).toMatchObject({
      'srv/link': 'site/index.html',
      absolute: 'etc/passwd',
      climbing: 'etc/passwd',
      'bin/sh': 'busybox',
    });
    expect(JSON.stringify(built.server)).not.toContain('OTHER');
    expect(log.join('\n')).toContain('The build argument LD_PRELOAD is not passed.');
    expect(registry.requests.some((each) => each.startsWith('GET /token'))).toBe(true);
  });

  it('cannot reach the machine, its files or its network, and has no capability to leave', async () => {
    // A way out is written down, and so is what each attempt has said.
    const attempts = [
      `nc -w 3 127.0.0.1 ${port} < /dev/null`,
      `nc -w 3 0.0.0.0 ${port} < /dev/null`,
      'nc -w 3 169.254.169.254 80 < /dev/null',
      `printf 'GET http://169.254.169.254/a HTTP/1.1\\r\\nHost: a\\r\\n\\r\\n' | nc -w 3 127.0.0.1 3128 | grep ' 200 '`,
      `printf 'CONNECT 127.0.0.1:${port} HTTP/1.1\\r\\nHost: a\\r\\n\\r\\n' | nc -w 3 127.0.0.1 3128 | grep ' 200 '`,
      'mknod /disk b 254 0',
      'mount -t proc none /tmp',
      'unshare -U true',
      'cat /proc/1/environ',
      `cat ${process.cwd()}/package.json`,
      'ls /work/source',
      'dd if=/dev/zero of=/proc/sys/kernel/core_pattern count=1',
    ];
    const script = attempts.map((each, index) => `{ ${each}; } > /tmp/said 2>&1 && echo ${index} >> /reached`);
    const { files, log } = await build(
      `FROM ${base}\nCOPY probe.sh /\n` +
        `RUN sh /probe.sh; grep CapEff /proc/self/status > /capabilities; cat $APT_CONFIG > /apt\n` +
        `CMD ["sh"]\n`,
      { 'probe.sh': script.join('\n') },
    );
    expect(files['reached']).toBeUndefined();
    expect(files['apt']).toContain('APT::Sandbox::User');
    // None of CAP_SYS_ADMIN, CAP_NET_ADMIN, CAP_NET_RAW, CAP_MKNOD, CAP_SYS_PTRACE.
    const capabilities = BigInt(`0x${/CapEff:\s+([0-9a-f]+)/.exec(files['capabilities']!)![1]!}`);
    for (const each of [12n, 13n, 19n, 21n, 27n]) expect([each, (capabilities >> each) & 1n]).toEqual([each, 0n]);
    expect(log.join('\n')).toContain('The network refused 169.254.169.254:80');
  });

  it('that takes too much is ended by its limit', async () => {
    expect(await failure(`FROM ${base}\nRUN dd if=/dev/zero of=/fill bs=1M count=400\nCMD ["sh"]`)).toMatch(
      /^disk_full: Disk limit exceeded: 256 MiB/,
    );
    // What cannot be started any more is missing, and the command may end all the same. Nothing of it is left.
    const forks = `FROM ${base}\nRUN f() { f | f & }; f; sleep 1\nCMD ["sh"]`;
    const ends = 'too_many_processes|build_failed|build_timed_out|out_of_memory';
    expect(await failure(forks)).toMatch(new RegExp(`^(?:no failure|(?:${ends}): )`));
  });

  it('whose base image cannot be used is refused with the reason', async () => {
    const windows = registry.add('others/windows', { layers: [[]], isForOthers: true });
    expect(await failure(`FROM ${windows}\nCMD ["x"]`)).toMatch(
      /^dockerfile_refused: The base image is not for linux\//,
    );
    const broken = registry.add('others/broken', { layers: [[{ name: 'a', content: 'x' }]], isBroken: true });
    expect(await failure(`FROM ${broken}\nCMD ["x"]`)).toMatch(/^build_failed: /);
    expect(await failure(`FROM ${registry.host}/not/there\nCMD ["x"]`)).toMatch(
      /^build_failed: A base image could not be fetched: .*manifest unknown/,
    );
  });

  it('with a hostile base image leaves nothing outside, and what cannot be kept is left out', async () => {
    const hostile = registry.add('others/hostile', {
      layers: [
        [
          { name: 'etc/', type: '5' },
          { name: 'etc/passwd', type: '2', linkTo: '/proc/self/environ' },
          { name: 'out', type: '2', linkTo: '/work/source' },
          { name: 'pipe', type: '6' },
          { name: 'names\x01bad', content: 'x' },
          { name: 'server', content: readFileSync(BUSYBOX!), mode: 0o755 },
        ],
      ],
      config: { Cmd: ['/server', 'httpd'] },
    });
    const { files, links, log } = await build(`FROM ${hostile}\nEXPOSE 80\n`);
    expect(Object.keys(files).sort()).toEqual(['etc/hosts', 'etc/nsswitch.conf', 'etc/resolv.conf', 'server']);
    expect(links).toEqual({ 'etc/passwd': '../proc/self/environ', out: 'work/source' });
    expect(log.join('\n')).toContain('devices, sockets or pipes were left out');
    expect(log.join('\n')).toContain('its path cannot be served');
    expect(log.join('\n')).toContain('cannot listen below 1024');

    const climbing = registry.add('others/climbing', {
      layers: [
        [
          { name: '../../../../../../work/source/climbed', content: 'x' },
          { name: 'ok', content: 'y' },
        ],
      ],
    });
    const climbed = await failure(`FROM ${climbing}\nCMD ["x"]`);
    expect(['no failure', 'build_failed'].some((each) => climbed.startsWith(each))).toBe(true);
  });

  it('whose image does not say how its server starts is refused', async () => {
    expect(await failure('FROM scratch\nCOPY a /a', { a: '' })).toMatch(
      /^dockerfile_refused: The image has neither a CMD nor an ENTRYPOINT\./,
    );
  });
});
