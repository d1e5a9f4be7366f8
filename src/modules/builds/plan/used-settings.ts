import { type BuildSettings } from '../build-request.js';
import { type SettingSource, type UsedSetting } from '../built.js';

/** Selects the value of the project, or else of a file of the repository, or else the detected one. */
export function used<Value>(
  set: Value | undefined,
  file: Value | null | undefined,
  detected: Value | null,
): UsedSetting<Value | null> {
  const from = (value: Value | null, source: SettingSource): UsedSetting<Value | null> => ({ value, source });
  if (set !== undefined) return from(set, 'set');
  return file === undefined || file === null ? from(detected, 'detected') : from(file, 'file');
}

/** The settings of files of the repository, which apply where the project has none. */
export type FileSettings = Pick<BuildSettings, 'framework' | 'installCommand' | 'buildCommand' | 'outputDirectory'>;
