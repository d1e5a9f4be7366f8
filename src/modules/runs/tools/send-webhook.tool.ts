import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { BoundedBody } from '../../../platform/egress/bounded-body.js';
import { CheckedRequests } from '../../../platform/egress/checked-requests.js';
import { type PublicTarget, publicTargetOf } from '../../../platform/egress/public-target.js';
import type { FieldFault } from '../../../platform/errors/request-invalid.js';
import { Clock } from '../../../platform/time/clock.js';
import type { ToolCall, ToolOutcome } from '../../agents/agent-tool.js';
import { AgentTools } from '../../agents/agent-tools.js';
import { isWebhookSecret, signatureOf } from '../../webhooks/webhook-signature.js';
import { RunToolsSettings } from '../run-tools.settings.js';
import { explain } from './fetch-faults.js';
import { missingSecret } from './secret-headers.js';
import { settingFault, unknownSettings, urlFaults } from './setting-faults.js';
import { failed, inputOf, SingleTool, succeeded, type ToolSettings } from './single-tool.js';

const TIMEOUT_MS = 10_000;
const MAX_READ_BYTES = 16_384;
const MAX_DATA_BYTES = 65_536;
/** The receiver knows the id, so that a message which arrives twice counts once. */
const WAITS_MS = [1_000, 4_000];

interface Input {
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}

interface Settings {
  readonly url: string;
  readonly secret_name?: string;
}

type Attempt = { readonly status: number } | { readonly fault: Parameters<typeof explain>[0] };

/** Sends messages to one receiver, as outbound webhooks are sent. */
@Injectable()
export class SendWebhookTool extends SingleTool {
  readonly name = 'send_webhook';
  readonly summary = 'Sends a signed message to a URL.';
  readonly description =
    'Sends a message with a type and data to the receiver that is set up, and returns the status that it answers.';
  readonly inputSchema = inputOf({
    type: { type: 'string', pattern: '^[a-z][a-z0-9_.]{0,99}$', description: 'Such as report.finished.' },
    data: { type: 'object', description: 'At most 64 KiB of JSON.' },
  });
  readonly effect = 'keyed';
  override readonly isOutward = true;

  constructor(
    tools: AgentTools,
    private readonly requests: CheckedRequests,
    private readonly settings: RunToolsSettings,
    private readonly clock: Clock,
  ) {
    super();
    tools.register(this);
  }

  override faultsOf(settings: ToolSettings, path: string): readonly FieldFault[] {
    const { secret_name: name } = settings;
    const isName = name === undefined || (typeof name === 'string' && /^[A-Z][A-Z0-9_]{0,63}$/.test(name));
    const rule = 'must be the name of a secret of the agent, such as WEBHOOK_SECRET.';
    return [
      ...unknownSettings(settings, ['url', 'secret_name'], path),
      ...urlFaults(settings['url'], path, this.settings.trustedHosts),
      ...(isName ? [] : [settingFault(path, 'secret_name', 'matches', rule)]),
    ];
  }

  protected async call(call: ToolCall, settings: ToolSettings): Promise<ToolOutcome> {
    const { url, secret_name: name } = settings as unknown as Settings;
    const { type, data } = call.input as unknown as Input;
    if (Buffer.byteLength(JSON.stringify(data)) > MAX_DATA_BYTES)
      return failed('data_too_large', `data must have at most ${MAX_DATA_BYTES} bytes of JSON.`);
    const secret = name === undefined ? undefined : await call.secret(name);
    if (name !== undefined && secret === undefined) return missingSecret(name);
    if (secret !== undefined && !isWebhookSecret(secret))
      return failed('secret_invalid', `The secret ${name!} must be whsec_ and Base64. A person has to set it.`);
    const target = publicTargetOf(url, { trusted: this.settings.trustedHosts });
    if (target === undefined) return failed('refused_url', explain('refused_url'));
    const { id: runId, agentId, orgId } = call.run;
    const facts = { id: call.effectKey, type, org_id: orgId, agent_id: agentId, run_id: runId, data };
    return this.deliver(target, { call, secret, body: JSON.stringify(facts) });
  }

  private async deliver(target: PublicTarget, message: Message): Promise<ToolOutcome> {
    for (let attempts = 0; ; attempts++) {
      const attempt = await this.attempt(target, message);
      message.call.signal.throwIfAborted();
      if ('status' in attempt && attempt.status >= 200 && attempt.status < 300)
        return succeeded({ status: attempt.status });
      const waitMs = WAITS_MS[attempts];
      const isFinal = 'status' in attempt && attempt.status < 500 && attempt.status !== 429 && attempt.status !== 408;
      if (waitMs === undefined || isFinal) {
        const reason = 'status' in attempt ? `The receiver answered ${attempt.status}.` : explain(attempt.fault);
        return failed('webhook_failed', `${reason} It was tried ${attempts + 1} times.`);
      }
      await sleep(waitMs, undefined, { signal: message.call.signal });
    }
  }

  private async attempt(target: PublicTarget, { call, secret, body }: Message): Promise<Attempt> {
    const seconds = Math.floor(this.clock.now().getTime() / 1_000);
    const late = AbortSignal.timeout(TIMEOUT_MS);
    const signed = { id: call.effectKey, seconds, body };
    const headers = {
      'content-type': 'application/json',
      'user-agent': 'service-agent/1.0',
      'webhook-id': call.effectKey,
      'webhook-timestamp': `${seconds}`,
      ...(secret === undefined ? {} : { 'webhook-signature': signatureOf(signed, [secret]) }),
    };
    const signal = AbortSignal.any([late, call.signal]);
    const sent = await this.requests.send(target, { method: 'POST', headers, body, signal });
    if ('fault' in sent) return { fault: late.aborted ? 'timed_out' : sent.fault };
    // What the receiver says beyond its status is left out, because it is written by others.
    await new BoundedBody(sent.answer, MAX_READ_BYTES).read().catch(() => undefined);
    return { status: sent.answer.statusCode! };
  }
}

interface Message {
  readonly call: ToolCall;
  readonly secret: string | undefined;
  readonly body: string;
}
