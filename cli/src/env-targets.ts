import type { EnvTarget } from '@service/client';
import { Option } from 'commander';

export const ENV_TARGETS: readonly EnvTarget[] = ['production', 'preview', 'development'];

/** An option that takes one or more targets. */
export const targetsOption = (meaning: string): Option =>
  new Option('--target <target...>', meaning).choices(ENV_TARGETS);
