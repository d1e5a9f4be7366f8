import type { PublicFailure } from '../../../platform/egress/public-fetch.js';
import type { ToolOutcome } from '../../agents/agent-tool.js';
import { failed } from './single-tool.js';

const EXPLANATIONS: Readonly<Record<PublicFailure['fault'], string>> = {
  refused_url: 'The URL, or one that it redirects to, is not allowed. Only named public hosts on the usual port are.',
  private_address: 'The name leads to an address that is not public.',
  unknown_host: 'The name does not exist, or its name servers do not answer.',
  connection_failed: 'No connection could be made, or it broke off.',
  headers_too_large: 'The headers of the answer are too large.',
  too_many_redirects: 'There are too many redirects.',
  timed_out: 'The server did not answer in time.',
  bad_body: 'The body of the answer broke off, or is not encoded as it says.',
  aborted: 'The request was ended.',
};

export const explain = (fault: PublicFailure['fault']): string => EXPLANATIONS[fault];

/** @throws the reason of the signal when it is aborted: nothing is known about a call that was ended. */
export function fetchFailure({ fault }: PublicFailure, signal: AbortSignal): ToolOutcome {
  signal.throwIfAborted();
  return failed(fault, explain(fault));
}
