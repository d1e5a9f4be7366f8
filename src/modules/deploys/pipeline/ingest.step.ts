import { Injectable } from '@nestjs/common';
import { storedBytesOf } from '../../plans/plan.js';
import type { Built } from '../../builds/built.js';
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
    const { framework, nodeVersion, kind, settings } = built;
    return { framework, nodeVersion, kind, files, bytes, settings: { ...settings } };
  }
}
