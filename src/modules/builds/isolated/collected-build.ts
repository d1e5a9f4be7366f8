import { setTimeout as sleep } from 'node:timers/promises';

import { type IsolatedProgram } from '../../../platform/isolation/isolated-program.js';
import { BuildFailed } from '../build-failed.js';
import type { BuiltFile, BuiltLink, CronEntry, Routing, StaticMount } from '../../hosting/built-output.js';
import { type Built, type UsedSettings } from '../built.js';
import { ArchiveBroken, type ArchiveFacts, ArchiveReader } from '../collect/archive-reader.js';
import { packInputOf } from '../collect/pack-input.js';
import { type Inspection } from '../plan/inspection.js';
import { type BuildPlan } from '../plan/plan-types.js';
import { publicFilter } from '../plan/public-files.js';
import { requireFrontPage, requireOutput } from '../plan/required-output.js';
import { routingOf } from '../plan/routing.js';
import { type BuildSession } from '../workspace/build-session.js';
import { cleanText } from '../workspace/clean-text.js';
import { type Toolchain } from '../workspace/toolchain.js';

/** When the archive breaks off, the packer is expected to end within this time. */
const ENDS_WITHIN_MS = 2_000;

/** A packer that has reported its facts and waits until its files are read. */
export interface Collected {
  readonly packer: IsolatedProgram;
  readonly reader: ArchiveReader;
  readonly facts: ArchiveFacts;
  readonly routing: Routing;
}

interface CollectingParts {
  readonly session: BuildSession;
  readonly plan: BuildPlan;
  readonly inspection: Inspection;
}

/** Starts the packer and reads its facts. @throws {BuildFailed} `output_not_found` */
export async function packed({
  toolchain,
  ...parts
}: CollectingParts & { readonly toolchain: Toolchain }): Promise<Collected> {
  const { session, plan } = parts;
  const packer = await session.start({
    command: ['/opt/node/bin/node', '/opt/inside/pack.cjs', JSON.stringify(packInputOf(plan))],
    mounts: [...(await toolchain.ownNode()), await toolchain.ownProgram('pack.cjs')],
    readOnly: true,
  });
  return collected(
    parts,
    packer,
    new ArchiveReader(packer.stdout as AsyncIterable<Buffer>, (text) => {
      session.say(cleanText(text));
    }),
  );
}

/** Reads the facts of a packer that has its plan. @throws {BuildFailed} `output_not_found` */
export async function collected(
  { session, plan, inspection }: CollectingParts,
  packer: IsolatedProgram,
  reader: ArchiveReader,
): Promise<Collected> {
  try {
    const facts = await reader.facts();
    requireOutput(plan, facts);
    const existing = (page: string | null): string | null =>
      page !== null && facts.pages.includes(page) ? page : null;
    const { fallback, notFound } = plan.pages;
    const { vercel, netlify } = inspection;
    const pages = { fallback: existing(fallback), notFound: existing(notFound) };
    const routing = routingOf(
      { ...facts, ...pages, base: plan.base, vercel, netlify, hasServer: plan.serve(facts).kind === 'server' },
      (text) => {
        session.say(cleanText(text));
      },
    );
    requireFrontPage(plan, facts, routing);
    return { packer, reader, facts, routing };
  } catch (error) {
    throw await causeOf(session, packer, error);
  }
}

interface CollectedParts {
  readonly session: BuildSession;
  readonly plan: BuildPlan;
  readonly collected: Collected;
  readonly keep: () => Promise<void>;
}

/** The output of a build, which is still on this machine. A program that can change nothing sends its files. */
export class CollectedBuild implements Built {
  readonly framework: string;
  readonly nodeVersion: string | null;
  readonly kind: Built['kind'];
  readonly server: Built['server'];
  readonly static: readonly StaticMount[];
  readonly routing: Routing;
  readonly settings: UsedSettings;
  readonly crons: readonly CronEntry[];
  private taken = false;
  private closing: Promise<void> | null = null;

  constructor(private readonly parts: CollectedParts) {
    const { plan, collected } = parts;
    const served = plan.serve(collected.facts);
    this.framework = plan.framework;
    this.nodeVersion = plan.nodeVersion;
    this.kind = served.kind;
    this.server = served.server;
    this.static = served.static;
    this.routing = collected.routing;
    this.settings = plan.settings;
    this.crons = plan.crons;
  }

  async *files(): AsyncGenerator<BuiltFile | BuiltLink> {
    if (this.taken) throw new Error('The files of a build are taken once.');
    this.taken = true;
    const { plan, collected } = this.parts;
    const isPublic = publicFilter(plan, collected.facts.output);
    for await (const file of this.explained(collected.reader.files()))
      if (isPublic(file.path)) yield 'linkTo' in file ? file : { ...file, content: this.explained(file.content) };
  }

  close({ keepCaches }: { readonly keepCaches: boolean }): Promise<void> {
    this.closing ??= this.closeOnce(keepCaches);
    return this.closing;
  }

  /** Replaces the error of an archive that broke off by its cause. */
  private async *explained<T>(source: AsyncIterable<T>): AsyncGenerator<T> {
    const { session, collected } = this.parts;
    try {
      yield* source;
    } catch (error) {
      throw await causeOf(session, collected.packer, error);
    }
  }

  private async closeOnce(keepCaches: boolean): Promise<void> {
    const { session, collected, keep } = this.parts;
    try {
      await collected.packer.destroy();
      if (keepCaches) await keep();
    } catch {
      session.say('The caches of this build could not be saved.');
    } finally {
      await session.close();
    }
  }
}

/** An archive breaks off when its packer was ended. The user needs the reason for that instead. */
export async function causeOf(session: BuildSession, packer: IsolatedProgram, error: unknown): Promise<unknown> {
  if (!(error instanceof ArchiveBroken)) return error;
  const isOver = await Promise.race([packer.exited.then(() => true), sleep(ENDS_WITHIN_MS, false, { ref: false })]);
  if (!isOver) await packer.destroy();
  else
    try {
      await session.finish(packer);
    } catch (cause) {
      return cause;
    }
  return new BuildFailed('output_too_large', `The output could not be collected: ${error.message}.`, {
    cause: error,
  });
}
