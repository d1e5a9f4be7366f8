import { Type } from 'class-transformer';
import { IsArray, IsIn, IsInt, IsObject, IsOptional, IsString, Min, ValidateNested } from 'class-validator';
import { defineJob } from '../../../../platform/background/define-job.js';
import { type Language, LANGUAGES, type RunOptions } from '../../domain/sandbox-runtime.js';
import { Packages } from '../../jobs/sandbox.job.js';
import type { SessionLimits } from '../host/session-process.js';

export type SessionOptions = Pick<RunOptions, 'environment' | 'timeZone' | 'locale' | 'typescript'>;

class LimitsOfSession implements SessionLimits {
  @IsInt() @Min(1) readonly memoryBytes!: number;
  @IsInt() @Min(0) readonly processes!: number;
  @IsInt() @Min(1) readonly filesBytes!: number;
}

/** One session. Its environment travels only with the job, which is removed when it ends. */
export class SessionStartPayload {
  @IsString() readonly sessionId!: string;
  @IsString() readonly orgId!: string;
  @IsIn(LANGUAGES) readonly language!: Language;
  @ValidateNested() @Type(() => LimitsOfSession) readonly limits!: LimitsOfSession;
  /** Checked where it was requested. */
  @IsOptional() @IsObject() readonly options?: SessionOptions;
  /** Installed by an earlier job, on this worker or another. */
  @IsOptional() @ValidateNested() @Type(() => Packages) readonly packages?: Packages;
  /** Checked where they were requested. */
  @IsOptional() @IsArray() @IsString({ each: true }) readonly allowedHosts?: readonly string[];
  @IsInt() readonly idleTimeoutMs!: number;
  /** Unix milliseconds. */
  @IsInt() readonly expiresAtMs!: number;
}

/** False when the session was ended before it had started, and a word when this machine cannot give it a network. */
export type SessionStarted = boolean | 'without_network';

export const sessionStartJob = defineJob({
  name: 'sandbox-session-start',
  summary: 'Starts a session of the sandbox on a worker that has room for it.',
  payload: SessionStartPayload,
  attempts: 1,
  backoffMs: 0,
  concurrency: 2,
  // A worker takes sessions only while the probe says that it can isolate code.
  startedByModule: true,
});
