import { Body, Controller, Delete, Get, HttpCode, HttpStatus, Param, Post } from '@nestjs/common';
import { ApiCreatedResponse, ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { GithubSettings } from '../github.settings.js';
import { GENERIC_ERRORS } from '../../../platform/errors/generic.errors.js';
import { RequestInvalid } from '../../../platform/errors/request-invalid.js';
import { ApiRefusals } from '../../../platform/http/api-refusals.js';
import { DryRun } from '../../../platform/http/dry-run.js';
import { Envelope } from '../../../platform/http/envelope.js';
import { TakesJson, TakesNothing } from '../../../platform/http/json-body.js';
import { ANY_CALLER } from '../../auth/access.errors.js';
import { type Call, Caller } from '../../auth/caller.js';
import { RequireScope, TakesSession } from '../../auth/require-scope.js';
import { ANY_BODY, ANY_WRITE } from '../../idempotency/idempotency.errors.js';
import { GithubInstallations } from '../github-installations.js';
import { GithubLinks } from '../installations/github-links.js';
import { GITHUB_ERRORS } from '../github.errors.js';
import {
  ConnectGithubBody,
  GithubAnswer,
  GithubInstallationAnswer,
  GithubInstallationView,
  GithubLinkAnswer,
  GithubLinkView,
  type GithubView,
} from './github.dto.js';

@ApiTags('integrations')
@Controller('api/v1/integrations/github')
@TakesSession('or_key')
export class GithubController {
  constructor(
    private readonly settings: GithubSettings,
    private readonly installations: GithubInstallations,
    private readonly links: GithubLinks,
  ) {}

  @Get()
  @RequireScope('repositories:read')
  @ApiOperation({ summary: 'Lists the GitHub accounts that the organization of the call has connected.' })
  @ApiOkResponse({ type: GithubAnswer })
  @ApiRefusals(...ANY_CALLER)
  async get(@Caller() call: Call): Promise<Envelope<GithubView>> {
    const installations = await this.installations.list(call);
    return new Envelope({
      configured: this.settings.app !== undefined,
      installations: installations.map((installation) => GithubInstallationView.of(installation)),
    });
  }

  @Post('links')
  @RequireScope('orgs:write')
  @TakesNothing()
  @ApiOperation({
    summary: 'Starts to connect a GitHub account to the organization of the call.',
    description:
      'A person opens the returned URL in a browser, and finishes with POST /integrations/github/installations.',
  })
  @ApiCreatedResponse({ type: GithubLinkAnswer })
  @ApiRefusals(...ANY_CALLER, ...ANY_WRITE, GENERIC_ERRORS.integration_not_configured)
  async begin(@Caller() call: Call): Promise<Envelope<GithubLinkView>> {
    return new Envelope(GithubLinkView.of(await this.links.begin(call)));
  }

  @Post('installations')
  @RequireScope('orgs:write', { in: 'resource' })
  @TakesJson({ actsOutside: true })
  @ApiOperation({
    summary: 'Connects a GitHub account with the parameters that GitHub returned.',
    description: 'Only the user who started the connection can finish it.',
  })
  @ApiCreatedResponse({ type: GithubInstallationAnswer })
  @ApiRefusals(
    ...ANY_CALLER,
    ...ANY_BODY,
    GENERIC_ERRORS.integration_not_configured,
    GITHUB_ERRORS.invalid_link_state,
    GITHUB_ERRORS.github_access_denied,
    GENERIC_ERRORS.already_exists,
    GENERIC_ERRORS.upstream_error,
  )
  async finish(
    @Caller() call: Call,
    @Body() body: ConnectGithubBody,
    @DryRun() isDryRun: boolean,
  ): Promise<Envelope<GithubInstallationView>> {
    if (isDryRun)
      throw new RequestInvalid([
        {
          path: 'Dry-Run',
          in: 'header',
          code: 'cannot_be_rehearsed',
          message:
            'The code of GitHub is valid once, so that a dry run is not possible. Send the request without Dry-Run.',
        },
      ]);
    return new Envelope(GithubInstallationView.of(await this.installations.finish(call, body.answer)));
  }

  @Delete('installations/:installation_id')
  @RequireScope('orgs:write', { in: 'resource' })
  @TakesNothing()
  @HttpCode(HttpStatus.NO_CONTENT)
  @ApiOperation({ summary: 'Disconnects a GitHub account, so that the service loses access to it.' })
  @ApiNoContentResponse()
  @ApiRefusals(...ANY_CALLER, ...ANY_WRITE, GITHUB_ERRORS.github_installation_not_found)
  async disconnect(@Caller() call: Call, @Param('installation_id') id: string): Promise<void> {
    await this.installations.disconnect(call, id);
  }
}
