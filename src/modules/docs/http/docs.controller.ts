import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Config } from '../../../platform/config/config.js';
import { ApiRefusals } from '../../../platform/http/api-refusals.js';
import { Envelope } from '../../../platform/http/envelope.js';
import { Public } from '../../../platform/http/public.js';
import { VERSION } from '../../../platform/version.js';
import { ANY_CALL } from '../../limits/limits.errors.js';
import { ApiDocument } from './api-document.js';
import { IndexAnswer, type IndexView } from './docs.dto.js';

@ApiTags('documentation')
@Controller()
@Public()
export class DocsController {
  constructor(
    private readonly config: Config,
    private readonly document: ApiDocument,
  ) {}

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
}
