import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { formatUsd } from '../../../platform/money/nano-dollars.js';
import type { ShownModel } from '../catalog/models.service.js';
import { type Protocol, PROTOCOLS } from '../routers/model-router.js';

class ModelPricesView {
  @ApiProperty({ example: '0.25' }) input!: string;
  @ApiPropertyOptional({ example: '2', description: 'Absent for embeddings.' }) output?: string;
  @ApiPropertyOptional({ example: '0.025', description: 'Input that the provider had in its cache.' })
  cache_read?: string;
  @ApiPropertyOptional({ example: '0.25', description: 'Input that the provider wrote to its cache.' })
  cache_write?: string;
}

class ModalitiesView {
  @ApiProperty({ type: [String], example: ['text', 'image'] }) input!: readonly string[];
  @ApiProperty({ type: [String], example: ['text'] }) output!: readonly string[];
}

/** A model in the form of OpenAI, with what callers need to choose one. */
export class ModelView {
  @ApiProperty({ example: 'openai/gpt-mini' }) id!: string;
  @ApiProperty({ enum: ['model'] }) object!: 'model';
  @ApiProperty({ type: 'integer', description: 'When the service first offered it, in Unix seconds.' })
  created!: number;
  @ApiProperty({ example: 'openai', description: 'The part of the ID before the slash, or the router.' })
  owned_by!: string;
  @ApiProperty() name!: string;
  @ApiProperty({ type: [String], description: 'Other names that calls may use.' }) aliases!: readonly string[];
  @ApiProperty({ type: 'integer', nullable: true, description: 'Tokens of input and output together.' })
  context_length!: number | null;
  @ApiProperty({ type: 'integer', nullable: true }) max_output_tokens!: number | null;
  @ApiProperty({ type: ModelPricesView, description: 'US dollars for 1,000,000 tokens, as decimals.' })
  pricing!: ModelPricesView;
  @ApiProperty({ type: ModalitiesView }) modalities!: ModalitiesView;
  @ApiProperty({ enum: PROTOCOLS, isArray: true, description: 'The endpoints that accept it.' })
  protocols!: readonly Protocol[];
  @ApiProperty({ type: String, format: 'date-time', nullable: true, description: 'When it stops being offered.' })
  expires_at!: string | null;

  static of(model: ShownModel): ModelView {
    const { id, pricesNano } = model;
    return {
      id,
      object: 'model',
      created: Math.floor(model.createdAt.getTime() / 1000),
      owned_by: id.includes('/') ? id.slice(0, id.indexOf('/')) : model.router,
      name: model.name,
      aliases: model.aliases,
      context_length: model.contextTokens,
      max_output_tokens: model.maxOutputTokens,
      pricing: Object.fromEntries(
        Object.entries(pricesNano).map(([kind, nano]) => [kind, formatUsd(nano)]),
      ) as unknown as ModelPricesView,
      modalities: { input: model.inputModalities, output: model.outputModalities },
      protocols: model.protocols,
      expires_at: model.expiresAt?.toISOString() ?? null,
    };
  }
}

export class ModelList {
  @ApiProperty({ enum: ['list'] }) object!: 'list';
  @ApiProperty({ type: [ModelView] }) data!: ModelView[];
}
