/** Requests for the fuzzer: good ones, of which it makes mutations, and ones that are malformed as they are. */

const EOL = '\r\n';
const request = (line, headers = [], body = '') =>
  [line, 'Host: 127.0.0.1', ...headers, ...(body === '' ? [] : [`Content-Length: ${Buffer.byteLength(body)}`]), '', body].join(EOL);
const json = (line, body, headers = []) => request(line, ['Content-Type: application/json', ...headers], JSON.stringify(body));
const KEY = 'Authorization: Bearer TOKEN';

/** `TOKEN` stands for a key. */
export const GOOD = [
  request('GET /health HTTP/1.1'),
  request('GET /ready HTTP/1.1'),
  request('GET /api/v1 HTTP/1.1'),
  request('GET /api/v1/me HTTP/1.1', [KEY]),
  request('GET /api/v1/projects?limit=5&cursor=abc HTTP/1.1', [KEY]),
  request('GET /api/v1/billing/usage?from=2026-11-01&to=2026-11-22 HTTP/1.1', [KEY]),
  request('GET /api/v1/deploys/dpl_01/logs?follow=false HTTP/1.1', [KEY, 'Last-Event-ID: 5', 'Accept: text/event-stream']),
  request('GET /docs/errors/invalid_request HTTP/1.1', ['Accept: text/html', 'If-None-Match: "x"']),
  request('GET /git/ada/app.git/info/refs?service=git-upload-pack HTTP/1.1', ['Git-Protocol: version=2']),
  request('GET /assets/app.js HTTP/1.1', ['Range: bytes=0-5', 'Accept-Encoding: gzip, br']),
  request('OPTIONS /api/v1/me HTTP/1.1', ['Origin: https://example.org', 'Access-Control-Request-Method: POST']),
  request('DELETE /api/v1/keys/key_01 HTTP/1.1', [KEY]),
  json('POST /api/v1/auth/sign-in HTTP/1.1', { login: 'nobody', password: 'a-long-enough-secret' }),
  json('POST /api/v1/keys HTTP/1.1', { name: 'x', scopes: ['projects:read'] }, [KEY, 'Idempotency-Key: abc', 'Dry-Run: true']),
  json('POST /api/v1/projects HTTP/1.1', { name: 'x', root_directory: 'web' }, [KEY, 'Dry-Run: true']),
  json('PATCH /api/v1/projects/prj_01 HTTP/1.1', { name: 'y' }, [KEY]),
  json('POST /ops/alert HTTP/1.1', { alerts: [{ status: 'firing', labels: { alertname: 'X' } }] }),
  request('POST /api/v1/keys HTTP/1.1', [KEY, 'Content-Type: application/json', 'Transfer-Encoding: chunked', 'Dry-Run: true']) + `d${EOL}{"name": "xy"}${EOL}0${EOL}${EOL}`,
];

const host = 'Host: 127.0.0.1';
const raw = (...lines) => [...lines, '', ''].join(EOL);

export const FIXED = [
  '\0\0\0\0', 'GET', 'GET /', `GET /${EOL}${EOL}`, `${EOL}${EOL}${EOL}`, '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  raw('GET / HTTP/9.9', host), raw('GET / HTTP/1', host), raw('GET  /  HTTP/1.1', host), raw('get / http/1.1', host), raw('G\x01T / HTTP/1.1', host),
  raw('GET / HTTP/1.1'), raw('GET / HTTP/1.1', host, 'Host: other.example'), raw('GET / HTTP/1.1', 'Host: '), raw('GET / HTTP/1.1', 'Host: a b'), raw('GET / HTTP/1.1', 'Host: [::1'), raw('GET / HTTP/1.1', 'Host: \xe4'),
  raw('GET http://other.example/ HTTP/1.1', host), raw('GET //other.example/x HTTP/1.1', host), raw('GET * HTTP/1.1', host), raw('OPTIONS * HTTP/1.1', host), raw('CONNECT 127.0.0.1:22 HTTP/1.1', host), raw('CONNECT / HTTP/1.1', host), raw('TRACE / HTTP/1.1', host),
  raw('GET /%zz HTTP/1.1', host), raw('GET /%00 HTTP/1.1', host), raw('GET /%c0%ae%c0%ae/ HTTP/1.1', host), raw('GET /../../etc/passwd HTTP/1.1', host), raw('GET /..%2f..%2fetc/passwd HTTP/1.1', host), raw('GET /\\..\\x HTTP/1.1', host), raw('GET /?%zz=%zz HTTP/1.1', host), raw('GET /api/v1/projects?limit[]=1&limit[]=2 HTTP/1.1', host), raw(`GET /${'a'.repeat(20_000)} HTTP/1.1`, host), raw(`GET /?${'a=b&'.repeat(4_000)} HTTP/1.1`, host),
  raw('GET / HTTP/1.1', host, 'no colon'), raw('GET / HTTP/1.1', host, ': empty'), raw('GET / HTTP/1.1', host, 'x y: z'), raw('GET / HTTP/1.1', host, 'x: a\0b'), raw('GET / HTTP/1.1', host, ' folded: x'), raw('GET / HTTP/1.1', host, `x: ${'a'.repeat(70_000)}`), raw('GET / HTTP/1.1', host, ...Array.from({ length: 3_000 }, (_, index) => `x-${index}: y`)),
  raw('POST /api/v1/keys HTTP/1.1', host, 'Content-Length: -1'), raw('POST /api/v1/keys HTTP/1.1', host, 'Content-Length: 5, 6'), raw('POST /api/v1/keys HTTP/1.1', host, 'Content-Length: 5', 'Content-Length: 6'), raw('POST /api/v1/keys HTTP/1.1', host, 'Content-Length: 1e3'), raw('POST /api/v1/keys HTTP/1.1', host, 'Content-Length: 99999999999999999999'), raw('POST /api/v1/keys HTTP/1.1', host, 'Content-Length: 5', 'Transfer-Encoding: chunked'), raw('POST /api/v1/keys HTTP/1.1', host, 'Transfer-Encoding: chunked, identity'), raw('POST /api/v1/keys HTTP/1.1', host, 'Transfer-Encoding: xchunked'), raw('POST /api/v1/keys HTTP/1.1', host, 'Transfer-Encoding : chunked'),
  `${raw('POST /api/v1/keys HTTP/1.1', host, 'Transfer-Encoding: chunked')}zz${EOL}`, `${raw('POST /api/v1/keys HTTP/1.1', host, 'Transfer-Encoding: chunked')}ffffffffffffffff${EOL}`, `${raw('POST /api/v1/keys HTTP/1.1', host, 'Transfer-Encoding: chunked')}5;${'e'.repeat(20_000)}${EOL}`,
  raw('POST /api/v1/auth/sign-in HTTP/1.1', host, 'Content-Type: application/json', 'Content-Encoding: br', 'Content-Length: 1') + 'x', raw('POST /api/v1/auth/sign-in HTTP/1.1', host, 'Content-Type: application/json; charset=utf-99', 'Content-Length: 2') + '{}', raw('POST /api/v1/auth/sign-in HTTP/1.1', host, 'Content-Type: application/json', 'Content-Length: 3') + '[1]', raw('POST /api/v1/auth/sign-in HTTP/1.1', host, 'Content-Type: application/json', 'Content-Length: 200') + '['.repeat(200), raw('POST /api/v1/auth/sign-in HTTP/1.1', host, 'Content-Type: application/json', 'Content-Length: 20') + '{"__proto__": {"a":1', raw('POST /api/v1/auth/sign-in HTTP/1.1', host, 'Content-Type: application/json', 'Content-Length: 32') + '{"login": "a\\u0000b", "x": 1e999}',
  raw('GET / HTTP/1.1', host, 'Expect: 200-ok'), raw('GET / HTTP/1.1', host, 'Upgrade: websocket', 'Connection: Upgrade'), raw('GET / HTTP/1.1', host, 'Upgrade: h2c', 'Connection: Upgrade, HTTP2-Settings', 'HTTP2-Settings: AAMAAABkAAQAAP__'), raw('GET / HTTP/1.1', host, 'Connection: close, \x01'),
  raw('GET /api/v1/me HTTP/1.1', host, 'Authorization: Bearer '), raw('GET /api/v1/me HTTP/1.1', host, 'Authorization: Basic !!!'), raw('GET /api/v1/me HTTP/1.1', host, `Authorization: Bearer ${'x'.repeat(8_000)}`), raw('GET /api/v1/me HTTP/1.1', host, 'Authorization: Bearer a', 'Authorization: Bearer b'), raw('GET /api/v1/me HTTP/1.1', host, 'x-request-id: \x7f', 'traceparent: zz'), raw('GET /api/v1/me HTTP/1.1', host, 'x-forwarded-for: not, an, address', 'cookie: =;=;=,'),
];
