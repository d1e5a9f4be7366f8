import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { type BuildPhase, type BuildRequest } from '../../src/modules/builds/build-request.js';
import { sampleTree } from '../../src/platform/isolation/process-facts.js';
import { LIMITS, Workbench } from './workbench.js';

const MEBIBYTE = 1024 * 1024;
const json = (value: unknown): string => JSON.stringify(value);
/** A project whose build is a script of Node. */
const project = (script: string): Record<string, string> => ({
  'package.json': json({ scripts: { build: 'node build.js' } }),
  'build.js': script,
});

describe.each(process.getuid?.() === 0 ? (['auto', 'off'] as const) : (['auto'] as const))(
  'hostile source, with cgroups %s',
  (cgroups) => {
    /** What no bound of a cgroup has to do with is tested once. */
    const itOnce = cgroups === 'auto' ? it : it.skip;
    let bench: Workbench;
    let canary: Server;
    let port: number;
    let connections = 0;
    /** The processes of this one before any build. */
    let idle: readonly number[];

    beforeAll(async () => {
      bench = new Workbench({ cgroups });
      canary = createServer((socket) => {
        connections += 1;
        socket.destroy();
      }).listen(0, '127.0.0.1');
      await new Promise((resolve) => {
        canary.once('listening', resolve);
      });
      port = (canary.address() as { port: number }).port;
      await bench.build({ 'index.html': '' });
      idle = sampleTree(process.pid).pids;
    });

    afterEach(async () => {
      for (let wait = 0; wait < 500 && bench.left().length > 0; wait++) await sleep(10);
      expect(bench.left()).toEqual([]);
      for (let wait = 0; wait < 500 && sampleTree(process.pid).pids.some((pid) => !idle.includes(pid)); wait++)
        await sleep(10);
      expect(sampleTree(process.pid).pids.filter((pid) => !idle.includes(pid))).toEqual([]);
      expect(connections).toBe(0);
    });

    afterAll(async () => {
      canary.close();
      await bench.close();
    });

    const failure = async (script: string, limits: Partial<BuildRequest['limits']> = {}): Promise<string> => {
      const error = await bench.build(project(script), { limits: { ...LIMITS, ...limits } }).then(
        () => null,
        (thrown: unknown) => thrown,
      );
      return (error as { code?: string } | null)?.code ?? String(error);
    };

    it('ends a build that never ends', async () => {
      expect(await failure('setInterval(() => {}, 1000)', { wallMs: 4_000 })).toBe('build_timed_out');
      expect(await failure('for (;;);', { cpuMs: 1_500 })).toBe('build_timed_out');
    });

    it('ends a build that forks without end, with all its processes', async () => {
      const bomb =
        "const { spawn } = require('child_process'); const again = () => { try { spawn(process.execPath, " +
        "[__filename], { stdio: 'ignore' }).on('error', () => {}); } catch {} }; setInterval(again, 5)";
      expect(['build_timed_out', 'too_many_processes', 'out_of_memory', 'build_failed']).toContain(
        await failure(bomb, { tasks: 60, wallMs: 6_000 }),
      );
    });

    it('ends a build that fills memory', async () => {
      expect(
        await failure('const kept = []; for (;;) kept.push(Buffer.alloc(8 << 20, 1))', { memoryBytes: 256 * MEBIBYTE }),
      ).toBe('out_of_memory');
    });

    it.each(['/work/source', '/tmp', '/home/build'])('ends a build that fills the disk at %s', async (place) => {
      const fill = `const fs = require('fs'); const chunk = Buffer.alloc(4 << 20, 1);
      for (let n = 0; n < 1000; n++) { fs.writeFileSync('${place}/fill' + n, chunk);
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20); }`;
      expect(await failure(fill, { diskBytes: 64 * MEBIBYTE })).toBe('disk_full');
    });

    it('stops a file at its size limit', async () => {
      const fill =
        "const fs = require('fs'); const file = fs.openSync('big', 'w'); " +
        'const chunk = Buffer.alloc(4 << 20, 1); for (;;) fs.writeSync(file, chunk)';
      expect(['build_failed', 'disk_full']).toContain(await failure(fill, { diskBytes: 32 * MEBIBYTE }));
    });

    itOnce('reaches only package registries over the network, and logs what was refused', async () => {
      const { files, log } = await bench.build(
        project(`
      const net = require('net'), http = require('http'), fs = require('fs');
      const direct = (where) => new Promise((resolve) => { const s = net.connect(where);
        s.on('connect', () => resolve('reached')); s.on('error', (e) => resolve(e.code));
        s.setTimeout(3000, () => resolve('silent')); });
      const tunnel = (target) => new Promise((resolve) => { const r = http.request({
        host: '127.0.0.1', port: 3128, method: 'CONNECT', path: target });
        r.on('connect', (a) => resolve(a.statusCode)); r.on('error', (e) => resolve(e.code)); r.end(); });
      const plain = (url) => new Promise((resolve) => { http.get({
        agent: new http.Agent(), host: '127.0.0.1', port: 3128, path: url },
        (a) => resolve(a.statusCode)).on('error', (e) => resolve(e.code)); });
      (async () => {
        const seen = {};
        seen.direct = [await direct({ host: '127.0.0.1', port: ${port} }), await direct({
          host: '169.254.169.254', port: 80 }), await direct({
          host: '::ffff:127.0.0.1', port: ${port} }), await direct({ path: '/run/docker.sock' })];
        seen.tunnel = [];
        for (const target of ['127.0.0.1:${port}', '169.254.169.254:443', 'localhost:443', '[::1]:443',
          '0x7f.1:443', 'example.com:443', 'registry.npmjs.org:80',
          'user@registry.npmjs.org:443']) seen.tunnel.push(await tunnel(target));
        seen.plain = [await plain('http://127.0.0.1:${port}/'), await plain('http://registry.npmjs.org/'),
          await plain('/'), await plain('http://169.254.169.254/latest/meta-data/')];
        seen.interfaces = Object.keys(require('os').networkInterfaces());
        fs.mkdirSync('dist'); fs.writeFileSync('dist/index.html', JSON.stringify(seen));
        process.exit(0);
      })()`),
      );
      expect(JSON.parse(files['index.html']!)).toEqual({
        direct: ['ECONNREFUSED', 'ENETUNREACH', 'ECONNREFUSED', 'ENOENT'],
        tunnel: Array(8).fill(403),
        plain: Array(4).fill(403),
        interfaces: ['lo'],
      });
      expect(log).toContain('system: The network refused example.com:443: a build may only go to package registries.');
      expect(log.filter((line) => line.includes('169.254.169.254'))).not.toHaveLength(0);
    });

    itOnce('cannot read files of the machine, the service or other builds', async () => {
      const secret = join(bench.directory, 'secret');
      writeFileSync(secret, 'a secret of the service');
      chmodSync(secret, 0o644);
      const places = [
        '/etc/shadow',
        '/etc/hostname',
        '/root',
        '/var',
        '/home',
        secret,
        bench.directory,
        join(bench.directory, 'builds'),
        '/proc/1/environ',
        `/proc/${process.pid}/environ`,
        '/sys',
        '/dev/sda',
        '/dev/mem',
        '/run',
        '/opt/egress',
        '/boot',
      ];
      const { files } = await bench.build(
        project(`
      const fs = require('fs'); const read = (path) => { try {
        return fs.statSync(path).isDirectory() ? fs.readdirSync(path) : fs.readFileSync(path,
        'latin1').length; } catch (error) { return error.code; } };
      fs.mkdirSync('dist'); fs.writeFileSync('dist/index.html', JSON.stringify({
        read: Object.fromEntries(${json(places)}.map((path) => [path, read(path)])), env: process.env,
        uid: process.getuid() }))`),
        {
          environment: { TOKEN: 'of the project' },
        },
      );
      const seen = JSON.parse(files['index.html']!) as {
        read: Record<string, unknown>;
        env: Record<string, string>;
        uid: number;
      };
      expect(seen.read).toEqual({
        ...Object.fromEntries(places.map((place) => [place, 'ENOENT'])),
        '/home': ['build'],
        '/run': ['egress'],
        '/opt/egress': ['with-egress.cjs'],
        '/proc/1/environ': 'ENOENT',
        ...(process.pid === 1 ? { [`/proc/${process.pid}/environ`]: expect.anything() as unknown } : {}),
      });
      expect(seen.env).toMatchObject({ TOKEN: 'of the project', HOME: '/home/build' });
      expect(Object.keys(seen.env).filter((name) => /DATABASE|REDIS|PEPPER|SECRETS_KEY|JEST/.test(name))).toEqual([]);
      expect(seen.uid).toBe(1000);
    });

    itOnce('drops output files that lead outside or have invalid names', async () => {
      const { files, log } = await bench.build(
        project(`
      const fs = require('fs'); fs.mkdirSync('dist/deep', { recursive: true });
        const link = (to, at) => fs.symlinkSync(to, 'dist/' + at);
      fs.writeFileSync('dist/index.html', 'fine'); fs.writeFileSync('outside', 'of dist');
      link('index.html', 'inside'); link('/etc/passwd', 'passwd'); link('../outside', 'outside');
        link('..', 'up'); link('nothing', 'dangling'); link('loop', 'loop'); link('.', 'deep/here');
        link('../deep', 'deep/again'); link('/proc/self/environ', 'environ');
      fs.writeFileSync('dist/new\\nline', ''); fs.writeFileSync('dist/back\\\\slash', '');
        fs.writeFileSync(Buffer.from('646973742fff', 'hex'), ''); fs.writeFileSync('dist/escape\\u001b[2J', '');
      require('child_process').execFileSync('mkfifo', ['dist/pipe']);
      fs.writeFileSync('dist/unreadable', 'x', { mode: 0 })`),
      );
      expect(files).toEqual({ 'index.html': 'fine', inside: 'fine' });
      for (const name of ['passwd', 'outside', 'up', 'dangling', 'loop', 'environ', 'pipe', 'unreadable'])
        expect(log.join('\n')).toContain(`system: ${name} was left out`);
      expect(log.join('')).not.toContain('\u001b');
    });

    itOnce('cannot write control characters to the log', async () => {
      await bench.build(
        project(
          "console.log('\\u001b[2J\\u001b]0;title\\u0007a\\rb\\u202e'); console.error('\\u009b31m\\0x'); " +
            "require('fs').mkdirSync('dist'); require('fs').writeFileSync('dist/index.html', '')",
        ),
      );
      expect(bench.log).toEqual(expect.arrayContaining(['stdout: b', 'stderr: x']));
    });

    itOnce('runs no hook, filter or submodule on fetch', async () => {
      const mark = join(bench.directory, 'mark');
      const repository = bench.repository({
        'index.html': 'hello',
        '.gitmodules': `[submodule "x"]\n\tpath = x\n\turl = ext::sh -c touch% ${mark}\n`,
        '.gitattributes': '*.bin filter=lfs\n*.html filter=evil\n',
        'big.bin': 'version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n',
        '.git-hooks/post-checkout': { program: `#!/bin/sh\ntouch ${mark}` },
      });
      for (const hook of ['post-checkout', 'pre-upload', 'post-update', 'reference-transaction', 'fsmonitor-watchman'])
        writeFileSync(join(repository.path, 'hooks', hook), `#!/bin/sh\necho hook-ran >&2; touch ${mark}\n`, {
          mode: 0o755,
        });
      execFileSync('git', [
        '-C',
        repository.path,
        'config',
        'uploadpack.packObjectsHook',
        `sh -c 'echo hook-ran >&2; exec "$@"' hook`,
      ]);
      execFileSync('git', ['-C', repository.path, 'config', 'core.fsmonitor', `touch ${mark}`]);
      const { files, log } = await bench.build(repository);
      expect(files).toEqual({
        'index.html': 'hello',
        'big.bin': 'version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n',
      });
      expect(log.join('\n')).not.toContain('hook-ran');
      expect(existsSync(mark)).toBe(false);
    });

    itOnce.each(['--upload-pack=touch /tmp/x', '-x', 'a..b', 'a b', '', 'x\ny', 'main:refs/heads/other', '@{-1}'])(
      'rejects the branch %j',
      async (branch) => {
        const repository = bench.repository({ 'index.html': '' });
        const { source } = bench.request(repository);
        const signal = new AbortController().signal;
        await expect(bench.commitOf({ ...source, ref: branch }, signal)).rejects.toMatchObject({
          code: 'ref_not_found',
        });
        await expect(
          bench.build(repository, { source: { ...source, ref: '0'.repeat(40) }, branch }),
        ).rejects.toMatchObject({ code: 'ref_not_found' });
      },
    );

    itOnce.each([
      'ext::sh -c id',
      'file:///etc',
      'https://user:pass@github.com/a/b',
      'http://github.com/a/b',
      '--upload-pack=id',
      'ssh://github.com/a/b',
      '/etc',
    ])('rejects the repository URL %j', async (repoUrl) => {
      await expect(
        bench.commitOf({ repoUrl, localRepository: null, ref: 'main' }, new AbortController().signal),
      ).rejects.toMatchObject({ code: 'repository_unreachable' });
    });

    itOnce.each([
      'https://127.0.0.1/a/b.git',
      'https://localhost/a/b.git',
      'https://[::1]/a/b.git',
      'https://169.254.169.254/a/b.git',
    ])('rejects a repository address on an internal network: %s', async (repoUrl) => {
      await expect(
        bench.commitOf({ repoUrl, localRepository: null, ref: 'main' }, new AbortController().signal),
      ).rejects.toMatchObject({ code: 'repository_unreachable' });
    });

    it.each(['fetch', 'install', 'build', 'collect'] as const)(
      'leaves nothing when it is cancelled while %s',
      async (phase: BuildPhase) => {
        const repository = bench.repository({
          ...project(
            "require('child_process').spawn('sleep', ['60'], { detached: true, stdio: 'ignore' }); " +
              'setTimeout(() => {}, 60000)',
          ),
          'package-lock.json': '{}',
        });
        const stop = new AbortController();
        const buildCommand = 'mkdir dist; echo > dist/index.html; head -c 30000000 /dev/zero > dist/a';
        const fast = phase === 'collect' ? { buildCommand } : {};
        const request = bench.request(repository, {
          settings: { installCommand: phase === 'install' ? 'sleep 60 & sleep 60' : 'true', ...fast },
        });
        const building = bench.start(request, stop.signal);
        for (let wait = 0; wait < 2_000 && bench.phases.at(-1) !== phase; wait++) await sleep(5);
        if (phase !== 'collect') {
          stop.abort(new Error('given up'));
          await expect(building).rejects.toThrow('given up');
          return;
        }
        const built = await building;
        const take = async (): Promise<void> => {
          for await (const file of built.files())
            for await (const chunk of 'content' in file ? file.content : [])
              if (chunk.length > 0) stop.abort(new Error('given up'));
        };
        await expect(take().finally(() => built.close({ keepCaches: true }))).rejects.toThrow('given up');
      },
    );

    it('is cleaned up at the next start after its worker was killed, unless it still runs', async () => {
      const jobs = join(bench.directory, 'builds', 'jobs');
      const dead = join(jobs, '4194303-1-dpl_dead');
      mkdirSync(join(dead, 'work', 'deep'), { recursive: true });
      writeFileSync(join(bench.directory, 'keep'), 'kept');
      symlinkSync(bench.directory, join(dead, 'work', 'link'));
      writeFileSync(join(dead, 'work', 'deep', 'file'), '', { mode: 0 });
      chmodSync(join(dead, 'work', 'deep'), 0);
      const own = readdirSync(jobs).filter((name) => name.startsWith(`${process.pid}-`));
      await bench.builds.sweep();
      expect(existsSync(dead)).toBe(false);
      expect(readFileSync(join(bench.directory, 'keep'), 'utf8')).toBe('kept');
      expect(readdirSync(jobs)).toEqual(own);
    });
  },
);
