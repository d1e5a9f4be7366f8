import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { BuildObserver, BuildPhase, BuildRequest } from '../../src/modules/builds/build-request.js';
import type { Built, UsedSettings } from '../../src/modules/builds/built.js';
import type { BuiltFile } from '../../src/modules/hosting/built-output.js';
import { BuildsService, type FetchedSource } from '../../src/modules/builds/builds.service.js';
import type { TestApp } from './test-app.js';

type Step = 'resolve' | BuildPhase;

/**
 * Fake builds that a test can pause at a step or let fail. Real builds are tested in `test/builds`.
 */
export class FakeBuilds {
  /** The commits of branches. */
  commit = 'a'.repeat(40);
  files: Record<string, string> = { 'index.html': '<h1>hello</h1>' };
  kind: Built['kind'] = 'static';
  /** The settings that the next build reports, besides those that it detects. */
  used: Partial<UsedSettings> = {};
  crons: NonNullable<Built['crons']> = [];
  /** The failure of the next build. If undefined, it succeeds. */
  failure: Error | undefined;
  /** The failures of the next builds, before {@link failure}. */
  failures: Error[] = [];
  /** The log of the build. */
  says: string[] = ['building'];
  readonly built: BuildRequest[] = [];
  readonly closed: { id: string; keepCaches: boolean }[] = [];
  /** Number of canceled builds. */
  aborted = 0;
  private held: Step | undefined;
  private reached: (() => void) | undefined;
  private release: (() => void) | undefined;

  constructor(app: TestApp) {
    beforeAll(() => {
      const builds = app.get(BuildsService);
      builds.fetch = (request, observer, signal) => this.fetch(request, observer, signal);
    });
    beforeEach(() => {
      Object.assign(this, {
        failure: undefined,
        failures: [],
        says: ['building'],
        kind: 'static',
        used: {},
        crons: [],
        held: undefined,
        commit: createHash('sha1').update(String(Math.random())).digest('hex'),
      });
    });
  }

  /** Pauses the next build at this step, and resolves once it is there. */
  holdAt(step: Step): { reached: Promise<void>; letGo: () => void } {
    this.held = step;
    const reached = new Promise<void>((resolve) => {
      this.reached = resolve;
    });
    return {
      reached,
      letGo: () => {
        this.held = undefined;
        this.release?.();
      },
    };
  }

  private async fetch(request: BuildRequest, observer: BuildObserver, signal: AbortSignal): Promise<FetchedSource> {
    await this.at('resolve', signal);
    return {
      commit: { sha: this.commit, message: 'A commit', author: 'Ada' },
      build: (variables = {}) =>
        this.build({ ...request, environment: { ...variables, ...request.environment } }, observer, signal),
      close: () => Promise.resolve(),
    };
  }

  private async build(request: BuildRequest, observer: BuildObserver, signal: AbortSignal): Promise<Built> {
    this.built.push(request);
    for (const phase of ['fetch', 'install', 'build', 'collect'] as const) {
      observer.phase(phase);
      await this.at(phase, signal);
      if (phase === 'build') for (const line of this.says) observer.line('stdout', line);
    }
    const failure = this.failures.shift() ?? this.failure;
    if (failure !== undefined) throw failure;
    const { files, kind, crons } = this;
    return {
      framework: 'static',
      nodeVersion: null,
      kind,
      server: kind === 'server' ? { command: ['node', 'server.js'], directory: '' } : null,
      static: [{ directory: '', prefix: '/', immutable: false }],
      routing: { redirects: [], rewrites: [], headers: [], cleanUrls: false, trailingSlash: null, notFound: null },
      settings: { ...DETECTED, ...this.used },
      crons,
      files: () => filesOf(files),
      close: ({ keepCaches }) => {
        this.closed.push({ id: request.id, keepCaches });
        return Promise.resolve();
      },
    };
  }

  private async at(step: Step, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.held !== step) return;
    await new Promise<void>((resolve, reject) => {
      this.release = resolve;
      signal.addEventListener(
        'abort',
        () => {
          this.aborted++;
          reject(signal.reason as Error);
        },
        { once: true },
      );
      this.reached?.();
    });
  }
}

const filesOf = (files: Record<string, string>): AsyncIterable<BuiltFile> =>
  Readable.from(
    Object.entries(files).map(([path, text]) => ({
      path,
      bytes: Buffer.byteLength(text),
      executable: false,
      content: Readable.from([Buffer.from(text)]),
    })),
  );

const nothing = { value: null, source: 'detected' } as const;
const DETECTED: UsedSettings = {
  framework: { value: 'static', source: 'detected' },
  root_directory: nothing,
  node_version: nothing,
  install_command: nothing,
  build_command: nothing,
  output_directory: nothing,
  start_command: nothing,
  health_path: nothing,
  start_timeout_ms: nothing,
};
