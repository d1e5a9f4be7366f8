import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import { type BuildLimits, type BuildRequest, type BuildSource } from '../../src/modules/builds/build-request.js';
import { type Built } from '../../src/modules/builds/built.js';
import { type ResolvedCommit } from '../../src/modules/builds/builds.service.js';
import { IsolatedBuilds } from '../../src/modules/builds/isolated/isolated-builds.js';
import { type NodeRelease } from '../../src/platform/node-programs/node-releases.js';
import { NodePrograms } from '../../src/platform/node-programs/node-programs.js';
import { SystemClock } from '../../src/platform/time/clock.js';
import { Isolation } from '../../src/platform/isolation/isolation.js';

const MEBIBYTE = 1024 * 1024;

export const LIMITS: BuildLimits = {
  wallMs: 60_000,
  cpuMs: 60_000,
  memoryBytes: 768 * MEBIBYTE,
  tasks: 128,
  diskBytes: 256 * MEBIBYTE,
};

interface Repository {
  readonly path: string;
  readonly sha: string;
}

/** A file: its text, its bytes, what it links to, or a text that may be executed. */
type Entry = string | Buffer | { readonly link: string } | { readonly program: string };

export interface Outcome {
  readonly built: Built;
  readonly files: Readonly<Record<string, string>>;
  /** The targets of links, by path. */
  readonly links: Readonly<Record<string, string>>;
  readonly log: readonly string[];
  readonly phases: readonly string[];
}

interface WorkbenchOptions {
  readonly cgroups?: 'auto' | 'off';
  readonly disks?: 'auto' | 'counted';
  readonly allowedHosts?: string[];
  readonly gitHosts?: string[];
  readonly bubblewrap?: string;
  readonly registry?: string;
  readonly layerRegistries?: { readonly npm: string; readonly pip: string };
  readonly releases?: Readonly<Record<string, NodeRelease>>;
}

/** Real builds of small repositories made for a test, and a look at what is left of them. */
export class Workbench {
  readonly directory = mkdtempSync(join(tmpdir(), 'builds-'));
  readonly nodes = join(this.directory, 'node');
  readonly isolation: Isolation;
  readonly builds: IsolatedBuilds;
  readonly log: string[] = [];
  readonly phases: string[] = [];
  private count = 0;

  constructor({
    cgroups = 'auto',
    disks = 'auto',
    allowedHosts = [],
    gitHosts = [],
    bubblewrap,
    registry,
    layerRegistries,
    releases,
  }: WorkbenchOptions = {}) {
    chmodSync(this.directory, 0o755);
    this.isolation = new Isolation({
      cgroups,
      cpuWeight: 1_000,
      ...(bubblewrap === undefined ? {} : { bubblewrapPlaces: [bubblewrap] }),
      copiesDirectory: process.getuid?.() === 0 ? '/var/lib/service-platform/runtime' : join(this.directory, 'copies'),
    });
    const nodes = new NodePrograms({ directory: this.nodes, ...(releases === undefined ? {} : { releases }) });
    this.builds = new IsolatedBuilds({
      isolation: this.isolation,
      nodes,
      directory: join(this.directory, 'builds'),
      allowedHosts,
      gitHosts,
      disks,
      clock: new SystemClock(),
      ...(registry === undefined ? {} : { registry }),
      ...(layerRegistries === undefined ? {} : { layerRegistries }),
    });
  }

  async close(): Promise<void> {
    await this.isolation.close();
    rmSync(this.directory, { recursive: true });
  }

  /** The names of what is left of builds, but for the service's own small files. */
  left(): string[] {
    const jobs = join(this.directory, 'builds', 'jobs');
    return existsSync(jobs) ? readdirSync(jobs).filter((name) => !/-(?:tools|spare)-[0-9a-f]+$/.test(name)) : [];
  }

  repository(files: Readonly<Record<string, Entry>>, branch = 'main'): Repository {
    const place = join(this.directory, `repository-${++this.count}`);
    const work = join(place, 'work');
    for (const [name, entry] of Object.entries(files)) {
      const file = join(work, name);
      mkdirSync(dirname(file), { recursive: true });
      if (typeof entry === 'string' || Buffer.isBuffer(entry)) writeFileSync(file, entry);
      else if ('link' in entry) symlinkSync(entry.link, file);
      else writeFileSync(file, entry.program, { mode: 0o755 });
    }
    const git = (...args: string[]): string =>
      execFileSync(
        'git',
        ['-C', work, '-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', '-c', 'commit.gpgsign=false', ...args],
        {
          encoding: 'utf8',
          env: { PATH: process.env['PATH']!, GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null' },
          stdio: ['ignore', 'pipe', 'pipe'],
        },
      ).trim();
    git('init', '-q', '-b', branch);
    git('add', '-A', '-f');
    git('commit', '-q', '--allow-empty', '-m', 'Make it\n\nand more');
    git('clone', '-q', '--bare', work, join(place, 'bare.git'));
    return { path: join(place, 'bare.git'), sha: git('rev-parse', 'HEAD') };
  }

  request({ path, sha }: Repository, change: Partial<BuildRequest> = {}): BuildRequest {
    return {
      id: `dpl_${++this.count}`,
      projectId: 'prj_1',
      target: 'production',
      branch: 'main',
      source: { repoUrl: 'http://localhost/git/a/b.git', localRepository: path, ref: sha },
      settings: {},
      limits: LIMITS,
      environment: {},
      ...change,
    };
  }

  /** Starts a build whose lines and phases are kept in {@link log} and {@link phases}. */
  async start(request: BuildRequest, signal = new AbortController().signal): Promise<Built> {
    this.log.length = 0;
    this.phases.length = 0;
    const source = await this.builds.fetch(
      request,
      {
        phase: (name) => {
          this.phases.push(name);
        },
        line: (stream, text) => {
          this.log.push(`${stream}: ${text}`);
        },
      },
      signal,
    );
    return source.build();
  }

  /** Which commit a build of this source would be of. */
  async commitOf(source: BuildSource, signal = new AbortController().signal): Promise<ResolvedCommit> {
    const request = { ...this.request({ path: '', sha: '' }), source };
    const fetched = await this.builds.fetch(request, { phase: () => undefined, line: () => undefined }, signal);
    await fetched.close();
    return fetched.commit;
  }

  /** Builds, takes the files and closes. */
  async build(
    files: Readonly<Record<string, Entry>> | Repository,
    change: Partial<BuildRequest> = {},
    keepCaches = false,
  ): Promise<Outcome> {
    const repository = isRepository(files) ? files : this.repository(files);
    const built = await this.start(this.request(repository, change));
    const taken: Record<string, string> = {};
    const links: Record<string, string> = {};
    try {
      for await (const file of built.files()) {
        if ('linkTo' in file) {
          links[file.path] = file.linkTo;
          continue;
        }
        const chunks: Buffer[] = [];
        for await (const chunk of file.content) chunks.push(chunk);
        taken[file.path] = Buffer.concat(chunks).toString('utf8');
      }
    } finally {
      await built.close({ keepCaches });
    }
    return { built, files: taken, links, log: [...this.log], phases: [...this.phases] };
  }
}

const isRepository = (value: object): value is Repository =>
  typeof (value as Repository).sha === 'string' && typeof (value as Repository).path === 'string';
