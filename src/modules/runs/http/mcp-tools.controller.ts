import { Body, Controller, HttpCode, HttpStatus, Post } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { GENERIC_ERRORS } from '../../../platform/errors/generic.errors.js';
import { ApiRefusals } from '../../../platform/http/api-refusals.js';
import { Envelope } from '../../../platform/http/envelope.js';
import { TakesJson } from '../../../platform/http/json-body.js';
import { ANY_CALLER } from '../../auth/access.errors.js';
import { RequireScope } from '../../auth/require-scope.js';
import { ANY_BODY } from '../../idempotency/idempotency.errors.js';
import { McpListingService } from '../mcp/mcp-listing.service.js';
import { ListMcpToolsBody, McpToolsAnswer, McpToolView } from './mcp-tools.dto.js';

@ApiTags('agents')
@Controller('api/v1/agents/tools/mcp')
export class McpToolsController {
  constructor(private readonly listing: McpListingService) {}

  @Post()
  @RequireScope('agents:write')
  @TakesJson({ actsOutside: true })
  @HttpCode(HttpStatus.OK)
  @ApiOperation({
    summary: 'Lists the tools of an MCP server with their digests.',
    description:
      'Look at the tools, and pin those that an agent may use by their digests. Nothing is changed or stored; a ' +
      'request with `Dry-Run: true` asks the server as well.',
  })
  @ApiOkResponse({ type: McpToolsAnswer })
  @ApiRefusals(...ANY_CALLER, ...ANY_BODY, GENERIC_ERRORS.upstream_error)
  async list(@Body() body: ListMcpToolsBody): Promise<Envelope<McpToolView[]>> {
    return new Envelope((await this.listing.list(body)).map((tool) => McpToolView.of(tool)));
  }
}
