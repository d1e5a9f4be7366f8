const SETTING = /^([a-z][a-z0-9_]{0,63})=(on|off)$/;

/** Parses `sign_ups=off,deploys=on`; returns undefined for any other text. */
export function parseFixedFlags(text: string): ReadonlyMap<string, boolean> | undefined {
  const settings = new Map<string, boolean>();
  for (const part of text
    .split(',')
    .map((each) => each.trim())
    .filter(Boolean)) {
    const match = SETTING.exec(part);
    if (match === null) return undefined;
    settings.set(match[1]!, match[2] === 'on');
  }
  return settings;
}
