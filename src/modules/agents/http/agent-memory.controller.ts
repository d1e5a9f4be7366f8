import { Body, Controller, Delete, Get, HttpCode, HttpStatus, Param, Patch, Post, Put, Query } from '@nestjs/common';
import { ApiCreatedResponse, ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { GENERIC_ERRORS } from '../../../platform/errors/generic.errors.js';
import { ApiRefusals } from '../../../platform/http/api-refusals.js';
import { Envelope } from '../../../platform/http/envelope.js';
import { TakesJson, TakesNothing } from '../../../platform/http/json-body.js';
import { pageEnvelope } from '../../../platform/http/page.js';
import { ANY_CALLER } from '../../auth/access.errors.js';
import { type Call, Caller } from '../../auth/caller.js';
import { RequireScope } from '../../auth/require-scope.js';
import { ANY_BODY, ANY_WRITE } from '../../idempotency/idempotency.errors.js';
import { AGENT_ERRORS } from '../agents.errors.js';
import { MemoryEditingService } from '../memory/memory-editing.service.js';
import {
  CreateMemoryBody,
  MemoriesQuery,
  MemoryAnswer,
  MemoryBlockAnswer,
  MemoryBlocksAnswer,
  MemoryBlockView,
  MemoryPageAnswer,
  MemoryView,
  SetBlockBody,
  UpdateMemoryBody,
} from './agent-memory.dto.js';

@ApiTags('agents')
@Controller('api/v1/agents/:agent_id')
export class AgentMemoryController {
  constructor(private readonly memory: MemoryEditingService) {}

  @Get('blocks')
  @RequireScope('agents:read', { in: 'resource' })
  @ApiOperation({ summary: 'Lists the memory blocks of an agent: the texts that are always in the context.' })
  @ApiOkResponse({ type: MemoryBlocksAnswer })
  @ApiRefusals(...ANY_CALLER, AGENT_ERRORS.agent_not_found)
  async blocks(@Caller() call: Call, @Param('agent_id') idOrSlug: string): Promise<Envelope<MemoryBlockView[]>> {
    return new Envelope(MemoryBlockView.allOf(await this.memory.blocks(call, idOrSlug)));
  }

  @Put('blocks/:block_label')
  @RequireScope('agents:write', { in: 'resource' })
  @TakesJson()
  @ApiOperation({
    summary: 'Replaces the text of a memory block, if it still has the version that was read.',
    description: 'Blocks are added and removed with the definition of the agent.',
  })
  @ApiOkResponse({ type: MemoryBlockAnswer })
  @ApiRefusals(
    ...ANY_CALLER,
    ...ANY_BODY,
    AGENT_ERRORS.agent_not_found,
    AGENT_ERRORS.memory_block_not_found,
    GENERIC_ERRORS.stale_version,
  )
  async setBlock(
    @Caller() call: Call,
    @Param('agent_id') idOrSlug: string,
    @Param('block_label') label: string,
    @Body() { value, version }: SetBlockBody,
  ): Promise<Envelope<MemoryBlockView>> {
    return new Envelope(
      MemoryBlockView.allOf(await this.memory.setBlock(call, idOrSlug, { label, value, version }))[0]!,
    );
  }

  @Get('memories')
  @RequireScope('agents:read', { in: 'resource' })
  @ApiOperation({ summary: 'Lists the memories of an agent, newest first, or searches them.' })
  @ApiOkResponse({ type: MemoryPageAnswer })
  @ApiRefusals(...ANY_CALLER, GENERIC_ERRORS.invalid_request, AGENT_ERRORS.agent_not_found)
  async list(
    @Caller() call: Call,
    @Param('agent_id') idOrSlug: string,
    @Query() { page, query }: MemoriesQuery,
  ): Promise<Envelope<MemoryView[]>> {
    return pageEnvelope(await this.memory.list(call, idOrSlug, { page, query }), (memory) => MemoryView.of(memory));
  }

  @Post('memories')
  @RequireScope('agents:write', { in: 'resource' })
  @TakesJson()
  @ApiOperation({ summary: 'Adds a memory that the runs of an agent can recall.' })
  @ApiCreatedResponse({ type: MemoryAnswer })
  @ApiRefusals(...ANY_CALLER, ...ANY_BODY, AGENT_ERRORS.agent_not_found)
  async create(
    @Caller() call: Call,
    @Param('agent_id') idOrSlug: string,
    @Body() { text, tags }: CreateMemoryBody,
  ): Promise<Envelope<MemoryView>> {
    return new Envelope(MemoryView.of(await this.memory.create(call, idOrSlug, { text, tags })));
  }

  @Get('memories/:memory_id')
  @RequireScope('agents:read', { in: 'resource' })
  @ApiOperation({ summary: 'Returns a memory of an agent.' })
  @ApiOkResponse({ type: MemoryAnswer })
  @ApiRefusals(...ANY_CALLER, AGENT_ERRORS.agent_not_found, AGENT_ERRORS.memory_not_found)
  async get(
    @Caller() call: Call,
    @Param('agent_id') idOrSlug: string,
    @Param('memory_id') memoryId: string,
  ): Promise<Envelope<MemoryView>> {
    return new Envelope(MemoryView.of(await this.memory.get(call, idOrSlug, memoryId)));
  }

  @Patch('memories/:memory_id')
  @RequireScope('agents:write', { in: 'resource' })
  @TakesJson()
  @ApiOperation({ summary: 'Updates a memory of an agent. Absent fields stay the same.' })
  @ApiOkResponse({ type: MemoryAnswer })
  @ApiRefusals(...ANY_CALLER, ...ANY_BODY, AGENT_ERRORS.agent_not_found, AGENT_ERRORS.memory_not_found)
  async update(
    @Caller() call: Call,
    @Param('agent_id') idOrSlug: string,
    @Param('memory_id') memoryId: string,
    @Body() { change }: UpdateMemoryBody,
  ): Promise<Envelope<MemoryView>> {
    return new Envelope(MemoryView.of(await this.memory.update(call, idOrSlug, memoryId, change)));
  }

  @Delete('memories/:memory_id')
  @RequireScope('agents:write', { in: 'resource' })
  @TakesNothing()
  @HttpCode(HttpStatus.NO_CONTENT)
  @ApiOperation({ summary: 'Deletes a memory of an agent.' })
  @ApiNoContentResponse()
  @ApiRefusals(...ANY_CALLER, ...ANY_WRITE, AGENT_ERRORS.agent_not_found, AGENT_ERRORS.memory_not_found)
  async delete(
    @Caller() call: Call,
    @Param('agent_id') idOrSlug: string,
    @Param('memory_id') memoryId: string,
  ): Promise<void> {
    await this.memory.delete(call, idOrSlug, memoryId);
  }
}
