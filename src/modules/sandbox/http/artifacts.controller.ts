import { pipeline } from 'node:stream/promises';
import { Controller, Get, Param, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiProduces, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { ApiRefusals } from '../../../platform/http/api-refusals.js';
import { Envelope } from '../../../platform/http/envelope.js';
import { ANY_CALLER } from '../../auth/access.errors.js';
import { type Call, Caller } from '../../auth/caller.js';
import { RequireScope } from '../../auth/require-scope.js';
import { ArtifactReads } from '../artifacts/artifact-reads.js';
import { SANDBOX_ERRORS } from '../sandbox.errors.js';
import { ArtifactsAnswer, ArtifactView } from './artifacts.dto.js';

const EXECUTION = {
  name: 'execution_id',
  description: 'ID of the execution.',
  example: 'exe_01jd3m8yeqf5rb0xkq5ym8s6tn',
};
const ARTIFACT = { name: 'artifact_id', description: 'ID of the artifact.', example: 'art_01jd3m8yeqf5rb0xkq5ym8s6tn' };

@ApiTags('sandbox')
@Controller('api/v1/sandbox/executions/:execution_id/artifacts')
export class ArtifactsController {
  constructor(private readonly artifacts: ArtifactReads) {}

  @Get()
  @RequireScope('sandbox:execute', { in: 'resource' })
  @ApiParam(EXECUTION)
  @ApiOperation({
    summary: 'Lists the files that an execution has left in `/artifacts`, by path.',
    description: 'They can be downloaded for 24 hours. After that the list is empty.',
  })
  @ApiOkResponse({ type: ArtifactsAnswer })
  @ApiRefusals(...ANY_CALLER, SANDBOX_ERRORS.execution_not_found)
  async list(@Caller() call: Call, @Param('execution_id') id: string): Promise<Envelope<ArtifactView[]>> {
    return new Envelope((await this.artifacts.list(call, id)).map((artifact) => ArtifactView.ofRow(artifact)));
  }

  @Get(':artifact_id/content')
  @RequireScope('sandbox:execute', { in: 'resource' })
  @ApiParam(EXECUTION)
  @ApiParam(ARTIFACT)
  @ApiProduces('application/octet-stream')
  @ApiOperation({
    summary: 'Returns the bytes of an artifact.',
    description: 'Browsers save it and do not show it, whatever it is. `type` of the artifact says what it may be.',
  })
  @ApiOkResponse({ description: 'The bytes.', schema: { type: 'string', format: 'binary' } })
  @ApiRefusals(...ANY_CALLER, SANDBOX_ERRORS.execution_not_found, SANDBOX_ERRORS.artifact_not_found)
  async content(
    @Caller() call: Call,
    @Param('execution_id') executionId: string,
    @Param('artifact_id') artifactId: string,
    @Res() response: Response,
  ): Promise<void> {
    const artifact = await this.artifacts.get(call, executionId, artifactId);
    const content = await this.artifacts.open(artifact);
    // A type that a browser shows, and a name in the address bar, would be those of a tenant's choice.
    response.setHeader('Content-Type', 'application/octet-stream');
    response.setHeader('Content-Length', artifact.sizeBytes);
    response.setHeader('Content-Disposition', attachmentOf(artifact.path));
    response.setHeader('X-Content-Type-Options', 'nosniff');
    response.setHeader('Content-Security-Policy', "sandbox; default-src 'none'");
    response.setHeader('Cache-Control', 'private, no-store');
    // The caller sees that the response breaks off.
    await pipeline(content, response).catch(() => response.destroy());
  }
}

/** The last name of the path, as RFC 6266 encodes it. */
function attachmentOf(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const encoded = encodeURIComponent(name).replaceAll(
    /['()*]/g,
    (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename*=UTF-8''${encoded}`;
}
