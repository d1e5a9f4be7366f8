// Loaded before the service: servers sleep and end after moments, so that waking them can be measured often.
const { join } = require('node:path');
const { APP_TIMES } = require(join(__dirname, '../../dist/src/modules/hosting/app-servers.service.js'));

Object.assign(APP_TIMES, { freezeAfterMs: 400, endAfterMs: 1_200, lookEveryMs: 100 });
