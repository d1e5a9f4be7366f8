const SETTINGS: Readonly<Record<string, string>> = {
  // What is pushed is checked object by object, and nothing that lies in a repository is ever run.
  'transfer.fsckObjects': 'true',
  'core.hooksPath': '/dev/null',
  'core.fsmonitor': 'false',
  'receive.denyNonFastForwards': 'false',
  'receive.denyDeleteCurrent': 'refuse',
  'receive.advertisePushOptions': 'false',
  // Old objects are cleared away by a job, and not by whoever happens to push.
  'receive.autogc': 'false',
  // A pack stays one: as single objects, small differences to a large file would each take the room of that file.
  'receive.unpackLimit': '1',
  'gc.auto': '0',
  // Not even a file of ours is given out as a file: the dumb protocol is off.
  'http.getanyfile': 'false',
  'http.uploadpack': 'true',
  'http.receivepack': 'true',
  'uploadpack.allowFilter': 'true',
  'uploadpack.allowReachableSHA1InWant': 'true',
  // Bounds on memory; a program that passes its rlimit ends in the middle of its answer.
  'core.bigFileThreshold': '8m',
  'core.packedGitWindowSize': '16m',
  'core.packedGitLimit': '128m',
  'core.deltaBaseCacheLimit': '32m',
  'pack.threads': '1',
  'pack.windowMemory': '64m',
  'pack.deltaCacheSize': '32m',
};

/** Settings as git takes them from its environment: no file of anybody is read for them. */
export function gitEnvironment(more: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> {
  const settings = Object.entries({ ...SETTINGS, ...more });
  return {
    PATH: '/usr/local/bin:/usr/bin:/bin',
    LC_ALL: 'C',
    TZ: 'UTC',
    HOME: '/nonexistent',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_TERMINAL_PROMPT: '0',
    GIT_CONFIG_COUNT: String(settings.length),
    ...Object.fromEntries(
      settings.flatMap(([name, value], index) => [
        [`GIT_CONFIG_KEY_${index}`, name],
        [`GIT_CONFIG_VALUE_${index}`, value],
      ]),
    ),
  };
}
