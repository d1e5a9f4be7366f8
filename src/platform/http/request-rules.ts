import type { IncomingMessage } from 'node:http';
import type { DomainError } from '../errors/domain-error.js';
import { MalformedRequest, MethodNotSupported } from './http.errors.js';

/**
 * A host may have what RFC 3986 allows in a name, and a port, but no comma: some programs would see two hosts there.
 */
const HOST = /^[\w.~!$&'()*+;=%:[\]-]*$/;
const ABSOLUTE = /^https?:\/\/([^/?#]*)/i;

/**
 * Returns what is wrong with a request that Node could parse. Programs interpret such requests differently: when a
 * proxy and the service disagree, an attacker can bypass the proxy's checks or read the responses of others.
 */
export function faultOf(request: IncomingMessage): DomainError | undefined {
  const { method = '', httpVersion } = request;
  // CONNECT would turn the service into a proxy; TRACE would return a caller's secrets to the page that made the call.
  if (method === 'CONNECT' || method === 'TRACE') return new MethodNotSupported(method);
  if (httpVersion !== '1.1' && httpVersion !== '1.0')
    return new MalformedRequest('Only HTTP/1.1 and HTTP/1.0 are supported.');
  return faultOfFraming(request) ?? faultOfTarget(request);
}

function faultOfFraming({ rawHeaders, httpVersion }: IncomingMessage): DomainError | undefined {
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const { length } = rawHeaders[index]!;
    // Only names of these lengths are compared, because this runs for every request.
    if (length === 4 && rawHeaders[index]!.toLowerCase() === 'host') {
      hosts++;
      if (!HOST.test(rawHeaders[index + 1]!)) return new MalformedRequest('The Host header is not a host name.');
    } else if (length === 17 && rawHeaders[index]!.toLowerCase() === 'transfer-encoding') {
      const isChunked = rawHeaders[index + 1]!.toLowerCase() === 'chunked';
      if (!isChunked || httpVersion === '1.0')
        return new MalformedRequest('The only supported Transfer-Encoding is chunked, over HTTP/1.1.');
    }
  }
  if (hosts > 1) return new MalformedRequest('The request has more than one Host header. Send exactly one.');
  if (hosts === 0 && httpVersion === '1.1')
    return new MalformedRequest('The request has no Host header. Send exactly one.');
  return undefined;
}

function faultOfTarget({ url = '', method, headers }: IncomingMessage): DomainError | undefined {
  if (url.startsWith('/') || (url === '*' && method === 'OPTIONS')) return undefined;
  const authority = ABSOLUTE.exec(url)?.[1];
  if (authority === undefined) return new MalformedRequest('The request target is not a path.');
  if (authority.toLowerCase() === headers.host?.toLowerCase()) return undefined;
  return new MalformedRequest('The request target and the Host header name different hosts.');
}
