import { createHash, randomBytes } from 'node:crypto';
import { basename } from 'node:path';

import { systemPython } from '../../../platform/python/system-python.js';
import { BuildFailed } from '../build-failed.js';
import { type BuildLimits } from '../build-request.js';
import {
  type Ecosystem,
  type LayerBounds,
  type LayerLease,
  PackageInstallFailed,
  PackageLayers,
  PackageLayersUnavailable,
  type PackageLock,
} from '../package-layers.js';
import { type BuildSession, type SessionParts, type Step, type StepEnd } from '../workspace/build-session.js';
import { cleanText } from '../workspace/clean-text.js';
import { type LayerShelf } from './layer-shelf.js';
import { type LayerSteps } from './layer-steps.js';
import { manifestOf, npmLockOf, pipLockOf } from './lock-text.js';

const MEBIBYTE = 1024 * 1024;
const LOG_CHARACTERS = 4_000;
/** Resolving and installing have this each. npm and pip keep what they download beside what they install. */
const LIMITS: BuildLimits = {
  wallMs: 120_000,
  cpuMs: 120_000,
  memoryBytes: 1_024 * MEBIBYTE,
  tasks: 128,
  diskBytes: 2_048 * MEBIBYTE,
};

type Open = (parts: Pick<SessionParts, 'id' | 'limits' | 'services' | 'signal' | 'line'>) => Promise<BuildSession>;

/** Installs packages in the isolation of builds. The host never reads what is in a layer. */
export class IsolatedPackageLayers extends PackageLayers {
  constructor(
    private readonly open: Open,
    private readonly steps: LayerSteps,
    private readonly shelf: LayerShelf,
  ) {
    super();
  }

  runtimeOf(ecosystem: Ecosystem): string {
    const name = ecosystem === 'npm' ? `node${process.versions.node}` : basename(systemPython());
    return `${name}-${process.arch}`;
  }

  lock(ecosystem: Ecosystem, packages: readonly string[], signal: AbortSignal): Promise<PackageLock> {
    return this.inSession(signal, async (session) => {
      const wanted = ecosystem === 'npm' ? manifestNaming(packages) : `${packages.join('\n')}\n`;
      const { stdout } = await this.run(session, await this.steps.of(ecosystem, 'lock', wanted));
      return { ecosystem, text: ecosystem === 'npm' ? npmLockOf(stdout) : pipLockOf(stdout) };
    });
  }

  lease(lock: PackageLock): Promise<LayerLease | null> {
    return this.shelf.lease(this.keyOf(lock));
  }

  install(lock: PackageLock, bounds: LayerBounds, signal: AbortSignal): Promise<void> {
    const { ecosystem, text } = lock;
    return this.inSession(signal, async (session) => {
      const manifest = ecosystem === 'npm' ? manifestOf(text) : '';
      await this.run(session, await this.steps.of(ecosystem, 'install', text, manifest));
      const { stdout } = await this.run(session, await this.steps.seal(bounds));
      const { bytes } = JSON.parse(stdout) as { bytes: number };
      await this.shelf.put(this.keyOf(lock), { bytes, allBytes: bounds.allBytes }, async (directory) => {
        await session.own(directory);
        await this.run(session, this.steps.copy(directory));
      });
    });
  }

  /** The lock names the files by their hashes, and the interpreter decides which of them are for this machine. */
  private keyOf({ ecosystem, text }: PackageLock): string {
    const hash = createHash('sha256').update(JSON.stringify([this.runtimeOf(ecosystem), text]));
    return `${ecosystem}-${hash.digest('hex').slice(0, 40)}`;
  }

  private async inSession<Result>(
    signal: AbortSignal,
    work: (session: BuildSession) => Promise<Result>,
  ): Promise<Result> {
    const id = `layer-${randomBytes(8).toString('hex')}`;
    try {
      const session = await this.open({ id, limits: LIMITS, services: [], signal, line: () => undefined });
      try {
        return await work(session);
      } finally {
        await session.close();
      }
    } catch (error) {
      throw error instanceof BuildFailed ? failureOf(error) : error;
    }
  }

  private async run(session: BuildSession, step: Step): Promise<StepEnd> {
    const end = await session.run(step);
    if (end.exitStatus === 0) return end;
    const [host] = [...end.unreachable, ...end.internal];
    if (host !== undefined)
      throw new PackageLayersUnavailable(`The package registry ${host} cannot be reached from this machine.`);
    const log = end.stderr.split('\n').map(cleanText).join('\n').slice(-LOG_CHARACTERS);
    throw new PackageInstallFailed('The packages could not be installed.', log);
  }
}

/** @param packages each as `name@1.2.3`. */
function manifestNaming(packages: readonly string[]): string {
  const dependencies = Object.fromEntries(
    packages.map((each) => [each.slice(0, each.lastIndexOf('@')), each.slice(each.lastIndexOf('@') + 1)]),
  );
  return JSON.stringify({ name: 'layer', version: '0.0.0', private: true, dependencies });
}

function failureOf(error: BuildFailed): Error {
  if (error.code === 'isolation_unavailable')
    return new PackageLayersUnavailable('Packages cannot be installed on this machine now.', { cause: error });
  const [sentence] = error.message.split(' See /docs/');
  return new PackageInstallFailed('Installing the packages exceeded a limit.', sentence!);
}
