import { randomBytes } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { Injectable } from '@nestjs/common';
import { Log } from '../../../../platform/logging/log.js';
import { ClusterFiles, REMOVED } from './cluster-files.js';
import { ClusterHome } from './cluster-home.js';
import { ClusterTemplate, UNFINISHED } from './cluster-template.js';

const READY = 2;

/** Copies of the template that are ready to become databases. A copy takes longer than all else of a creation. */
@Injectable()
export class SpareClusters {
  private found: Promise<string[]> | undefined;
  private filling: Promise<void> | undefined;
  private beginning: Promise<void> | undefined;
  private isClosed = false;

  constructor(
    private readonly home: ClusterHome,
    private readonly template: ClusterTemplate,
    private readonly files: ClusterFiles,
    private readonly log: Log,
  ) {}

  /** Moves a copy to a directory that does not exist. */
  async take(to: string): Promise<void> {
    const template = await this.template.open();
    const name = (await this.ready(template)).pop() ?? (await this.copy(template));
    if (!(await this.files.move(join(this.home.spares, name), to))) throw new Error('A copy has been removed.');
    void this.fill();
  }

  /** Removes what a killed service has left, and makes copies where databases are in use. Call it before all else. */
  begin(): Promise<void> {
    this.beginning ??= this.beginNow();
    return this.beginning;
  }

  /** Makes copies until enough are ready. A failure is logged, because the next creation makes its own. */
  fill(): Promise<void> {
    this.filling ??= this.fillNow()
      .catch((error: unknown) => {
        this.log.warn({ error }, 'No copy of the empty database could be made.');
      })
      .finally(() => {
        this.filling = undefined;
      });
    return this.filling;
  }

  async close(): Promise<void> {
    this.isClosed = true;
    await this.beginning;
    await this.filling;
  }

  private async beginNow(): Promise<void> {
    const { clusters, spares, templates } = this.home;
    // All of it is found before anything is made here.
    const unused = [...leftIn(spares), ...leftIn(templates)];
    const used = leftIn(clusters);
    for (const left of unused) await this.tryToRemove(left, (directory) => this.files.removeUnused(directory));
    for (const left of used) await this.tryToRemove(left, (directory) => this.files.goOnRemoving(directory));
    try {
      if ((await readdir(clusters)).length > 0) await this.fill();
    } catch (error) {
      this.log.warn({ error }, 'What databases there are could not be read.');
    }
  }

  /** One that fails keeps none of the others from being removed. The next start tries it once more. */
  private async tryToRemove(left: string, remove: (directory: string) => Promise<void>): Promise<void> {
    if (this.isClosed) return;
    try {
      await remove(left);
    } catch (error) {
      this.log.warn({ error, directory: basename(left) }, 'What an earlier start has left could not be removed.');
    }
  }

  private async fillNow(): Promise<void> {
    const template = await this.template.open();
    const ready = await this.ready(template);
    while (!this.isClosed && ready.length < READY) ready.push(await this.copy(template));
  }

  /** Counts those that earlier processes have made too, or each start would leave two more behind. */
  private ready(template: string): Promise<string[]> {
    this.found ??= readdir(this.home.spares).then(
      (names) => names.filter((name) => isCopyOf(template, name)),
      (error: unknown) => {
        this.found = undefined;
        throw error;
      },
    );
    return this.found;
  }

  private async copy(template: string): Promise<string> {
    const name = `${prefixOf(template)}${randomBytes(6).toString('hex')}`;
    const unfinished = join(this.home.spares, `${name}${UNFINISHED}`);
    await this.files.copy(template, unfinished);
    await this.files.move(unfinished, join(this.home.spares, name));
    return name;
  }
}

/** What was not complete, or not removed, when the service was killed. */
const leftIn = (directory: string): string[] =>
  readdirSync(directory)
    .filter((name) => name.includes(UNFINISHED) || name.endsWith(REMOVED))
    .map((name) => join(directory, name));

/** Copies of earlier templates, and those that are not complete, are not. */
const isCopyOf = (template: string, name: string): boolean =>
  name.startsWith(prefixOf(template)) && /^[0-9a-f]{12}$/.test(name.slice(prefixOf(template).length));

const prefixOf = (template: string): string => `${basename(template)}.`;
