const SETTINGS: Readonly<Record<string, string>> = {
  // Every pushed object is checked, and nothing in a repository is ever executed.
  'transfer.fsckObjects': 'true',
  'core.hooksPath': '/dev/null',
  'core.fsmonitor': 'false',
  'receive.denyNonFastForwards': 'false',
  'receive.denyDeleteCurrent': 'refuse',
  // Options reach no hook; this service reads them itself.
  'receive.advertisePushOptions': 'true',
  // A job removes old objects, so that pushers do not have to wait for it.
  'receive.autogc': 'false',
  // A pack is kept as it is: as single objects, small changes of a large file would each take the space of that file.
  'receive.unpackLimit': '1',
  'gc.auto': '0',
  // The dumb protocol is off, so that no file is served directly.
  'http.getanyfile': 'false',
  'http.uploadpack': 'true',
  'http.receivepack': 'true',
  'uploadpack.allowFilter': 'true',
  'uploadpack.allowReachableSHA1InWant': 'true',
  // Limits of memory: a program that exceeds its rlimit would end in the middle of its answer.
  'core.bigFileThreshold': '8m',
  'core.packedGitWindowSize': '16m',
  'core.packedGitLimit': '128m',
  'core.deltaBaseCacheLimit': '32m',
  'pack.threads': '1',
  'pack.windowMemory': '64m',
  'pack.deltaCacheSize': '32m',
};

/** Passes the settings in the environment, so that git reads no configuration file. */
export function gitEnvironment(): Readonly<Record<string, string>> {
  return {
    PATH: '/usr/local/bin:/usr/bin:/bin',
    LC_ALL: 'C',
    TZ: 'UTC',
    HOME: '/nonexistent',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_TERMINAL_PROMPT: '0',
    ...numbered(SETTINGS, 0),
  };
}

/** The part of the environment that adds to the settings of {@link gitEnvironment}. */
export function moreSettings(settings: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return numbered(settings, Object.keys(SETTINGS).length);
}

function numbered(settings: Readonly<Record<string, string>>, first: number): Record<string, string> {
  const entries = Object.entries(settings);
  return {
    GIT_CONFIG_COUNT: String(first + entries.length),
    ...Object.fromEntries(
      entries.flatMap(([name, value], index) => [
        [`GIT_CONFIG_KEY_${first + index}`, name],
        [`GIT_CONFIG_VALUE_${first + index}`, value],
      ]),
    ),
  };
}
