import { ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { IsInt, Max, Min, registerDecorator, ValidateNested, type ValidationOptions } from 'class-validator';
import { MayBeAbsent } from '../../../platform/http/may-be-absent.js';
import { IsUsd } from '../../../platform/http/money-fields.js';
import { parseUsd } from '../../../platform/money/nano-dollars.js';
import type { RunBudget } from '../../agents/agent-definition.js';

const MAX_INPUT_BYTES = 262_144;

/** The schema of a field that takes any JSON. */
export const ANY_JSON = {
  oneOf: [
    { type: 'string' as const },
    { type: 'number' as const },
    { type: 'boolean' as const },
    { type: 'object' as const, additionalProperties: true },
    { type: 'array' as const, items: {} },
  ],
};

/** Text or a JSON object, of at most 256 KiB. */
export function IsRunInput(options?: ValidationOptions): PropertyDecorator {
  return (target, property) => {
    registerDecorator({
      name: 'isRunInput',
      target: target.constructor,
      propertyName: property as string,
      ...(options === undefined ? {} : { options }),
      validator: {
        validate: (value: unknown) =>
          (typeof value === 'string' || (typeof value === 'object' && value !== null && !Array.isArray(value))) &&
          isStorable(value),
        defaultMessage: () =>
          `${property as string} must be text or a JSON object, of at most ${MAX_INPUT_BYTES} bytes`,
      },
    });
  };
}

/** PostgreSQL stores no NUL. */
export function isStorable(value: unknown): boolean {
  const text = JSON.stringify(value);
  return Buffer.byteLength(text) <= MAX_INPUT_BYTES && !text.includes('\\u0000');
}

export class RunBudgetBody {
  @ApiPropertyOptional({ type: String, example: '0.50', description: 'USD for the run and all runs below it.' })
  @MayBeAbsent()
  @IsUsd({ least: 1n })
  readonly cost?: string;

  @ApiPropertyOptional({ type: 'integer', minimum: 1, maximum: 1_000, example: 20 })
  @MayBeAbsent()
  @IsInt()
  @Min(1)
  @Max(1_000)
  readonly steps?: number;

  @ApiPropertyOptional({ type: 'integer', minimum: 10, maximum: 86_400, example: 600 })
  @MayBeAbsent()
  @IsInt()
  @Min(10)
  @Max(86_400)
  readonly active_seconds?: number;

  @ApiPropertyOptional({ type: 'integer', minimum: 0, maximum: 10_000, example: 50 })
  @MayBeAbsent()
  @IsInt()
  @Min(0)
  @Max(10_000)
  readonly tool_calls?: number;

  get limits(): Partial<RunBudget> {
    return {
      ...(this.cost === undefined ? {} : { costNano: parseUsd(this.cost) }),
      ...(this.steps === undefined ? {} : { steps: this.steps }),
      ...(this.active_seconds === undefined ? {} : { activeMs: this.active_seconds * 1000 }),
      ...(this.tool_calls === undefined ? {} : { toolCalls: this.tool_calls }),
    };
  }
}

/** The optional limits of a run in a request. */
export const RunBudgetField =
  (description: string): PropertyDecorator =>
  (target, property) => {
    ApiPropertyOptional({ type: () => RunBudgetBody, description, example: { cost: '0.50', steps: 20 } })(
      target,
      property,
    );
    MayBeAbsent()(target, property);
    ValidateNested()(target, property);
    Type(() => RunBudgetBody)(target, property);
  };
