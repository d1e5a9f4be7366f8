import { setTimeout as sleep } from 'node:timers/promises';

import { type IsolatedProgram } from '../../../platform/isolation/isolated-program.js';
import { BuildFailed } from '../build-failed.js';
import type { BuiltFile, Routing, StaticMount } from '../../hosting/built-output.js';
import { type Built } from '../built.js';
import { ArchiveBroken, type ArchiveFacts, ArchiveReader } from '../collect/archive-reader.js';
import { type Inspection } from '../plan/inspection.js';
import { type BuildPlan } from '../plan/plan-types.js';
import { routingOf } from '../plan/routing.js';
import { type BuildSession } from '../workspace/build-session.js';
import { cleanText } from '../workspace/clean-text.js';
import { type Toolchain } from '../workspace/toolchain.js';

/** An archive that breaks off and a program that ends belong together. */
const ENDS_WITHIN_MS = 2_000;

/** The packer, which has told its facts and waits for its files to be taken. */
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

/** Starts the packer and hears what it has found. @throws {BuildFailed} `output_not_found` */
export async function packed({
  toolchain,
  ...parts
}: CollectingParts & { readonly toolchain: Toolchain }): Promise<Collected> {
  const { session, plan } = parts;
  const packer = await session.start({
    command: ['/opt/node/bin/node', '/opt/inside/pack.cjs', JSON.stringify(plan.pack)],
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

/** Hears what a packer has found that was told what to pack. @throws {BuildFailed} `output_not_found` */
export async function collected(
  { session, plan, inspection }: CollectingParts,
  packer: IsolatedProgram,
  reader: ArchiveReader,
): Promise<Collected> {
  try {
    const facts = await reader.facts();
    const places = plan.pack.candidates.map(({ named }) => named).join(', ');
    if (!facts.found)
      throw new BuildFailed(
        'output_not_found',
        `The build made none of: ${places}. Set the output directory of the project.`,
      );
    if (facts.isEmpty) throw new BuildFailed('output_not_found', `What the build made is empty: ${places}.`);
    const routing = routingOf({ ...facts, vercel: inspection.vercel }, (text) => {
      session.say(cleanText(text));
    });
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

/** What a build made, still on this machine, in the hands of a program that can change nothing. */
export class CollectedBuild implements Built {
  readonly framework: string;
  readonly nodeVersion: string | null;
  readonly kind: Built['kind'];
  readonly server: Built['server'];
  readonly static: readonly StaticMount[];
  readonly routing: Routing;
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
  }

  async *files(): AsyncGenerator<BuiltFile> {
    if (this.taken) throw new Error('The files of a build are taken once.');
    this.taken = true;
    for await (const file of this.explained(this.parts.collected.reader.files()))
      yield { ...file, content: this.explained(file.content) };
  }

  close({ keepCaches }: { readonly keepCaches: boolean }): Promise<void> {
    this.closing ??= this.closeOnce(keepCaches);
    return this.closing;
  }

  /** Says why an archive broke off, wherever its reader noticed. */
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
      session.say('The caches of this build could not be kept.');
    } finally {
      await session.close();
    }
  }
}

/** An archive that breaks off does so because its packer was ended; why it was is what the user wants to know. */
async function causeOf(session: BuildSession, packer: IsolatedProgram, error: unknown): Promise<unknown> {
  if (!(error instanceof ArchiveBroken)) return error;
  const isOver = await Promise.race([packer.exited.then(() => true), sleep(ENDS_WITHIN_MS, false, { ref: false })]);
  if (!isOver) await packer.destroy();
  else
    try {
      await session.finish(packer);
    } catch (cause) {
      return cause;
    }
  return new BuildFailed('output_too_large', `What the build made could not be collected: ${error.message}.`, {
    cause: error,
  });
}
