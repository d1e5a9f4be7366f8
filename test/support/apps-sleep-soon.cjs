/** Loaded before the service (`NODE_OPTIONS`): the servers of apps are frozen a moment after their last request. */
const Module = require('node:module');

const load = Module._load;
Module._load = function loadWithShortTimes(request, ...rest) {
  const loaded = load.call(this, request, ...rest);
  if (/\/app-servers\.service\.js$/.test(request))
    Object.assign(loaded.APP_TIMES, { freezeAfterMs: 300, lookEveryMs: 50 });
  return loaded;
};
