import { Injectable } from '@nestjs/common';
import { storedBytesOf } from '../../plans/plan.js';
import type { Built } from '../../builds/built.js';
import { usableCrons } from '../../crons/cron-rules.js';
import { ArtifactsService } from '../../hosting/artifacts.service.js';
import type { DeployOutput } from '../domain/deploy-facts.js';
import type { DeployRun } from './deploy-run.js';

/** The limits of one deploy. */
const LIMITS = { files: 50_000, bytes: 1_073_741_824 };

/** Stores the files of a build, so that they can be served. */
@Injectable()
export class IngestStep {
  constructor(private readonly artifacts: ArtifactsService) {}

  /** @throws {ArtifactRefused} `output_too_large`, `storage_limit_reached` and others. */
  async run({ deploy, plan, log, signal }: DeployRun, built: Built): Promise<DeployOutput> {
    const { id: deployId, projectId, orgId } = deploy;
    const { files, bytes } = await this.artifacts.ingest(
      { deployId, projectId, orgId },
      built,
      { ...LIMITS, storedBytes: storedBytesOf(plan) },
      signal,
    );
    log.note('ingest', `Stored ${files} files, ${bytes} bytes.`);
    const crons = usableCrons(built.crons ?? [], (text) => {
      log.note('ingest', text);
    });
    if (crons.length > 0 && !plan.features.swarms_and_cron)
      log.note('ingest', `The crons of vercel.json do not run: the ${plan.name} plan includes none.`);
    const { framework, nodeVersion, kind, settings } = built;
    const output = { framework, nodeVersion, kind, files, bytes, settings: { ...settings } };
    return crons.length === 0 ? output : { ...output, crons };
  }
}
