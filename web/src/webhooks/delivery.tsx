import type { WebhookDelivery } from '@service/client';
import type { ReactNode } from 'react';
import { Button } from '../ui/button';
import { Dialog } from '../ui/dialog';
import { Form } from '../ui/form';
import { State } from '../ui/state';
import { Ago, durationOf } from '../ui/time';

const ERRORS: Readonly<Record<string, string>> = {
  bad_status: 'It answered with a status that is not 200 to 299.',
  timed_out: 'It did not answer in time.',
  connection_failed: 'The connection failed.',
  unknown_host: 'Its host has no address.',
  private_address: 'Its host has a private address, where nothing is sent.',
  refused_url: 'Its address is not allowed.',
  endpoint_paused: 'The endpoint was paused.',
};

export function DeliveryState({ delivery }: { readonly delivery: WebhookDelivery }): ReactNode {
  const { state, status, attempts } = delivery;
  if (state === 'succeeded') return <State tone="good">{status ?? 'Sent'}</State>;
  if (state === 'failed') return <State tone="bad">{status === undefined ? 'Failed' : `Failed: ${status}`}</State>;
  return attempts === 0 ? <State tone="quiet">Waiting</State> : <State tone="warn">Trying again</State>;
}

interface DeliveryDialogProps {
  readonly delivery: WebhookDelivery | undefined;
  readonly canReplay: boolean;
  readonly onReplay: (delivery: string) => Promise<void>;
  readonly onClose: () => void;
}

/** A message with what came back. */
export function DeliveryDialog({ delivery, canReplay, onReplay, onClose }: DeliveryDialogProps): ReactNode {
  return (
    <Dialog open={delivery !== undefined} title={delivery?.type ?? ''} onClose={onClose} wide>
      {delivery !== undefined && (
        <Form
          label="Message"
          submit="Send it again"
          aside={<Button onClick={onClose}>Close</Button>}
          onSubmit={async () => {
            if (!canReplay) throw new Error('The endpoint is paused. Resume it first.');
            await onReplay(delivery.id);
            onClose();
          }}
        >
          <Outcome delivery={delivery} />
          <Text label="Message" text={indented(delivery.body)} />
          {delivery.response !== undefined && delivery.response !== '' && (
            <Text label="Answer" text={delivery.response} />
          )}
        </Form>
      )}
    </Dialog>
  );
}

function Outcome({ delivery }: { readonly delivery: WebhookDelivery }): ReactNode {
  const { attempts, error, duration_ms: duration, last_attempt_at: last, next_attempt_at: next } = delivery;
  return (
    <div className="grid gap-1">
      <p className="flex flex-wrap items-center gap-2">
        <DeliveryState delivery={delivery} />
        <span className="text-muted">
          {attempts === 1 ? '1 attempt' : `${attempts} attempts`}
          {last !== undefined && (
            <>
              , the last <Ago at={last} />
            </>
          )}
          {duration !== undefined && `, in ${durationOf(duration)}`}
          {next !== undefined && attempts > 0 && (
            <>
              , the next <Ago at={next} />
            </>
          )}
        </span>
      </p>
      {error !== undefined && <p>{ERRORS[error] ?? error}</p>}
    </div>
  );
}

function Text({ label, text }: { readonly label: string; readonly text: string }): ReactNode {
  return (
    <div className="min-w-0">
      <h3 className="text-muted mb-1 text-xs font-medium">{label}</h3>
      <pre
        tabIndex={0}
        role="group"
        aria-label={label}
        className="bg-sunken border-line max-h-56 overflow-auto rounded-md border p-3 font-mono text-xs break-words whitespace-pre-wrap"
      >
        {text}
      </pre>
    </div>
  );
}

function indented(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}
