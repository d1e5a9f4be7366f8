import { Type } from 'class-transformer';
import { IsIn, IsInt, IsString, Min, ValidateNested } from 'class-validator';
import { defineQueue } from '../../../platform/queues/queue-definition.js';
import { type Language, LANGUAGES, type SandboxLimits } from '../sandbox-runtime.js';

class Limits implements SandboxLimits {
  @IsInt() @Min(1) readonly timeoutMs!: number;
  @IsInt() @Min(1) readonly memoryBytes!: number;
  @IsInt() @Min(1) readonly outputBytes!: number;
}

/**
 * One run. Its code goes with the job, which is removed as it ends; nothing is committed and the caller stands waiting.
 * Redis writes the job to its append-only file like all it does, and drops it from there when it next rewrites the file.
 */
export class SandboxJob {
  @IsString() readonly executionId!: string;
  @IsIn(LANGUAGES) readonly language!: Language;
  @IsString() readonly code!: string;
  @IsString() readonly stdin!: string;
  @ValidateNested() @Type(() => Limits) readonly limits!: Limits;
  /** Unix milliseconds; later nobody waits for the result, so that running it would be for nothing. */
  @IsInt() readonly startBeforeMs!: number;
}

export const sandboxQueue = defineQueue({
  name: 'sandbox',
  payload: SandboxJob,
  // A run may have had effects that its caller has seen, and the caller is told at once when it failed.
  attempts: 1,
  backoffMs: 0,
  // What a worker really takes is SANDBOX_CONCURRENCY.
  concurrency: 1,
});
