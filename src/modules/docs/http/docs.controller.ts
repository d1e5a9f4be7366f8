import { Controller, Get, Param, Redirect, Res } from '@nestjs/common';
import { ApiExcludeEndpoint, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { Config } from '../../../platform/config/config.js';
import { ApiRefusals } from '../../../platform/http/api-refusals.js';
import { Envelope } from '../../../platform/http/envelope.js';
import { Public } from '../../../platform/http/public.js';
import { VERSION } from '../../../platform/version.js';
import { ANY_CALL } from '../../limits/limits.errors.js';
import { ApiDocument } from './api-document.js';
import { IndexAnswer, type IndexView } from './docs.dto.js';
import { PAGE_POLICY } from '../page-policy.js';
import { Pages } from './pages.js';

@ApiTags('documentation')
@Controller()
@Public()
export class DocsController {
  constructor(
    private readonly config: Config,
    private readonly document: ApiDocument,
    private readonly pages: Pages,
  ) {}

  @Get()
  @Redirect('/docs')
  @ApiExcludeEndpoint()
  home(): void {
    // The decorator sends the redirect.
  }

  @Get('api/v1')
  @ApiOperation({ summary: 'Returns the name and version of the service, and links to its documentation.' })
  @ApiOkResponse({ type: IndexAnswer })
  @ApiRefusals(...ANY_CALL)
  index(): Envelope<IndexView> {
    const { publicUrl, docsUrl } = this.config;
    return new Envelope({
      name: 'service-platform',
      version: VERSION,
      docs_url: docsUrl,
      openapi_url: `${publicUrl}/api/v1/openapi.json`,
    });
  }

  @Get('api/v1/openapi.json')
  @ApiOperation({ summary: 'Returns this document, as OpenAPI 3.' })
  @ApiOkResponse({
    schema: {
      type: 'object',
      required: ['openapi', 'paths'],
      properties: { openapi: { type: 'string', example: '3.0.0' }, paths: { type: 'object' } },
    },
  })
  @ApiRefusals(...ANY_CALL)
  openapi(): object {
    return this.document.get();
  }

  /** Serves the page that `docs_url` in each error points to. */
  @Get('docs/errors/:code')
  @ApiExcludeEndpoint()
  errorPage(@Param('code') code: string, @Res({ passthrough: true }) response: Response): string {
    return page(response, this.pages.error(code));
  }

  /** Serves the page that `upgrade_url` points to, unless `PRICING_URL` is set. */
  @Get('docs/plans')
  @ApiExcludeEndpoint()
  plansPage(@Res({ passthrough: true }) response: Response): string {
    return page(response, this.pages.plans());
  }

  /** Serves the page that messages of failed builds lead to. */
  @Get('docs/builds')
  @ApiExcludeEndpoint()
  buildsPage(@Res({ passthrough: true }) response: Response): string {
    return page(response, this.pages.builds());
  }

  @Get('docs/frameworks')
  @ApiExcludeEndpoint()
  frameworksPage(@Res({ passthrough: true }) response: Response): string {
    return page(response, this.pages.frameworks());
  }
}

function page(response: Response, html: string): string {
  response.setHeader('Content-Type', 'text/html; charset=utf-8');
  response.setHeader('Content-Security-Policy', PAGE_POLICY);
  return html;
}
