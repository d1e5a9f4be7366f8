import { Type } from 'class-transformer';
import { IsOptional, IsString, ValidateNested } from 'class-validator';
import { defineJob } from '../../../platform/background/define-job.js';
import { Packages } from './sandbox.job.js';

/** The packages of an execution that is not admitted yet, because they are not known. */
export class PackagesPayload {
  @ValidateNested() @Type(() => Packages) readonly wanted!: Packages;
  /** The work that pays for the time; absent for sets, which cost nothing. */
  @IsOptional() @IsString() readonly paidAs?: string;
}

/** What the worker returns. */
export type PackagesResult =
  | { readonly kind: 'installed' }
  | { readonly kind: 'failed'; readonly message: string; readonly log: string }
  | { readonly kind: 'unavailable'; readonly reason: string };

export const packagesJob = defineJob({
  name: 'sandbox-packages',
  summary: 'Installs packages for executions of the sandbox.',
  payload: PackagesPayload,
  // A caller waits, and reports a failure at once.
  attempts: 1,
  backoffMs: 0,
  concurrency: 2,
});
